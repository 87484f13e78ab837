/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.c: the conversion of one image, step after step. */
#include "apply/conversion.h"

#include <string.h>
#include <unistd.h>

#include "apply/definition.h"
#include "apply/file-name.h"
#include "probe/image.h"
#include "probe/probe.h"

GQuark
convert_error_quark(void)
{
    return g_quark_from_static_string("domlint-convert");
}

const char *const convert_steps[] = {
    "convert",          /* begun: the original is guarded */
    "convert-made",     /* the new file is there, empty */
    "convert-copied",   /* it holds the content, flushed */
    "convert-checked",  /* it compares equal, and is allocated as was asked for */
    "convert-naming",   /* it has the original's owner and labels, and gets its name */
    "convert-defining", /* nothing stands against it still: the XML is changed */
    "convert-done",
    NULL,
};

/* ---- Beginning ---- */

static const domxml_elem *
find_disk(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return domxml_disk(doc, i);
    return NULL;
}

static void
fill_record(struct convert_record *record, const struct convert_wish *wish, const char *id)
{
    record->id = g_strdup(id);
    if (wish->domain) {
        record->domain = g_strdup(wish->domain->name);
        record->uuid = g_strdup(wish->domain->uuid);
    }
    record->file = g_strdup(wish->file);
    record->disk = g_strdup(wish->disk);
    record->to = g_strdup(wish->to);
    record->preallocation = g_strdup(wish->preallocation);
    record->was_running = wish->was_running;
}

void
conversion_begin(struct conversion *conversion, const struct convert_wish *wish, const char *id,
                 gboolean guard)
{
    struct convert_record *record = &conversion->record;
    g_autofree char *reason = NULL;
    struct image_name *name;
    enum image_state state;

    conversion->wish = wish;
    conversion->made_fd = -1;
    fill_record(record, wish, id);
    conversion->doc = domxml_parse(wish->text, strlen(wish->text), NULL);
    conversion->disk = conversion->doc ? find_disk(conversion->doc, wish->disk) : NULL;
    if (!conversion->disk)
        return;
    record->path = disk_image_path(conversion->disk, &state, &reason);
    record->from = g_strdup(domxml_get(conversion->disk, "driver@type"));
    if (!record->path || !record->from)
        return;
    if (guard)
        conversion->guard = guard_take(record->path, &conversion->guard_error);
    if (conversion->guard)
        record->original = *guard_identity(conversion->guard);
    name = image_name_for(record->path, record->from, record->to, id, NULL);
    if (!name)
        return;
    record->new_path = g_strdup(name->new_path);
    record->real = g_strdup(name->real);
    record->new_real = g_strdup(name->new_real);
    record->exchange = name->exchange;
    image_name_free(name);
}

void
conversion_clear(struct conversion *conversion)
{
    if (conversion->file)
        new_file_free(conversion->file);
    if (conversion->made_fd >= 0)
        close(conversion->made_fd);
    guard_free(conversion->guard);
    g_clear_error(&conversion->guard_error);
    domxml_doc_free(conversion->doc);
    convert_record_clear(&conversion->record);
    memset(conversion, 0, sizeof(*conversion));
    conversion->made_fd = -1;
}

GPtrArray *
conversion_preflight(const struct conversion *conversion, enum preflight_time time)
{
    const struct convert_wish *wish = conversion->wish;
    const struct convert_record *record = &conversion->record;
    const struct preflight preflight = {
        .time = time,
        .connection = wish->connection,
        .domain = wish->domain,
        .disk = conversion->disk,
        .guard = conversion->guard,
        .guard_error = conversion->guard_error,
        .new_path = record->new_real,
        .exchange = record->exchange,
        .new_file = time == PREFLIGHT_BEFORE_DEFINE ? &record->made : NULL,
        .cancellable = wish->run.cancellable,
    };

    return preflight_run(&preflight);
}

char *
conversion_refusals_text(GPtrArray *refusals)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < refusals->len; i++) {
        const struct preflight_refusal *refusal = g_ptr_array_index(refusals, i);

        g_string_append_printf(text, "%s%s", i ? "; " : "", refusal->text);
    }
    return g_string_free(text, FALSE);
}

static struct qemu_img_image
original_image(const struct conversion *conversion)
{
    return (struct qemu_img_image){ guard_fd(conversion->guard), conversion->record.from };
}

GPtrArray *
convert_look(const struct convert_wish *wish, gboolean guard, struct convert_record *record,
             struct qemu_img_size *size)
{
    struct conversion conversion = { .wish = wish };
    GPtrArray *refusals;

    memset(size, 0, sizeof(*size));
    conversion_begin(&conversion, wish, "1", guard);
    refusals = conversion_preflight(&conversion, PREFLIGHT_BEFORE_COPY);
    if (!refusals->len && conversion.guard) {
        const struct qemu_img_image image = original_image(&conversion);

        qemu_img_measure(&wish->run, &image, wish->to, wish->preallocation, NULL, size, NULL);
    }
    *record = conversion.record;
    memset(&conversion.record, 0, sizeof(conversion.record));
    conversion_clear(&conversion);
    return refusals;
}

/* ---- The steps: each announces itself, then is done ---- */

static gboolean
announce(struct conversion *conversion, const char *step, JsonObject *members, GError **error)
{
    const struct convert_wish *wish = conversion->wish;

    if (wish->step)
        wish->step(step, wish->step_data);
    return convert_record_step(&conversion->record, conversion->run, step, members, error);
}

static gboolean
make(struct conversion *conversion, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(conversion->record.real);
    JsonObject *members;

    conversion->file = new_file_create(folder, guard_fd(conversion->guard), error);
    if (!conversion->file ||
        !new_file_identity(conversion->file, &conversion->record.made, error))
        return FALSE;
    members = json_object_new();
    json_object_set_object_member(members, "made",
                                  convert_identity_to_json(&conversion->record.made));
    if (new_file_temporary(conversion->file))
        json_object_set_string_member(members, "temporary", new_file_temporary(conversion->file));
    return announce(conversion, "convert-made", members, error);
}

static gboolean
copy(struct conversion *conversion, GError **error)
{
    const struct convert_wish *wish = conversion->wish;
    const struct qemu_img_image from = original_image(conversion);
    const struct qemu_img_image to = { new_file_fd(conversion->file), wish->to };
    struct qemu_img_layout layout = { 0 };
    gboolean qcow2 = g_str_equal(wish->to, "qcow2");

    if (qcow2 && g_str_equal(from.format, "qcow2") &&
        !qemu_img_layout(&wish->run, &from, &layout, error))
        return FALSE;
    return qemu_img_convert(&wish->run, &from, &to, wish->preallocation, qcow2 ? &layout : NULL,
                            error) &&
           new_file_flush(conversion->file, error) &&
           announce(conversion, "convert-copied", NULL, error);
}

/* What was asked for is measured, never assumed: by the rule's own detector. */
static gboolean
measure(struct conversion *conversion, GError **error)
{
    const char *wanted = conversion->wish->preallocation;
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", new_file_fd(conversion->file));
    struct image_facts *facts =
        image_probe(path, NULL, g_get_monotonic_time() + 60 * G_USEC_PER_SEC);
    enum preallocation found = facts->preallocation;
    gboolean allocated = found == PREALLOCATION_FALLOC || found == PREALLOCATION_FULL;
    gboolean good = g_str_equal(wanted, "off") || allocated ||
                    (g_str_equal(wanted, "metadata") && found == PREALLOCATION_METADATA);

    if (!good)
        g_set_error(error, CONVERT_ERROR, CONVERT_FAILED,
                    "the copy was to be preallocated (%s) and is %s%s%s", wanted,
                    preallocation_name(found) ? preallocation_name(found) : "unknown",
                    facts->preallocation_unknown ? ": " : "",
                    facts->preallocation_unknown ? facts->preallocation_unknown : "");
    image_facts_free(facts);
    return good;
}

static gboolean
check(struct conversion *conversion, GError **error)
{
    const struct qemu_img_image from = original_image(conversion);
    const struct qemu_img_image to = { new_file_fd(conversion->file), conversion->wish->to };

    switch (qemu_img_compare(&conversion->wish->run, &from, &to, error)) {
    case QEMU_IMG_SAME:
        break;
    case QEMU_IMG_DIFFERENT:
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_FAILED,
                            "the copy differs from the original");
        return FALSE;
    case QEMU_IMG_UNKNOWN:
        return FALSE;
    }
    return measure(conversion, error) && announce(conversion, "convert-checked", NULL, error);
}

static gboolean
name_it(struct conversion *conversion, GError **error)
{
    const struct convert_record *record = &conversion->record;
    struct new_file *file = conversion->file;
    JsonObject *members;

    /* From here on no qemu-img of ours writes to it, and no guest can. */
    if (!new_file_dress(file, guard_fd(conversion->guard), error) ||
        !new_file_flush(file, error) || !guard_add(conversion->guard, new_file_fd(file), error) ||
        !new_file_identity(file, &conversion->record.made, error))
        return FALSE;
    members = json_object_new();
    json_object_set_object_member(members, "made", convert_identity_to_json(&record->made));
    if (!announce(conversion, "convert-naming", members, error) ||
        !new_file_name(file, record->new_real, error))
        return FALSE;
    return !record->exchange || file_name_exchange(record->real, record->new_real, error);
}

static gboolean
look_again(struct conversion *conversion, GError **error)
{
    g_autoptr(GPtrArray) refusals = conversion_preflight(conversion, PREFLIGHT_BEFORE_DEFINE);
    g_autofree char *text = NULL;

    if (!refusals->len)
        return announce(conversion, "convert-defining", NULL, error);
    text = conversion_refusals_text(refusals);
    g_set_error(error, CONVERT_ERROR, CONVERT_FAILED, "meanwhile: %s", text);
    return FALSE;
}

static gboolean
finish(struct conversion *conversion, GError **error)
{
    const struct convert_record *record = &conversion->record;
    const char *kept = convert_record_kept(record);

    if (conversion->wish->connection)
        conversion_refresh_pool(conversion->wish->connection, convert_record_current(record),
                                conversion->notes);
    g_ptr_array_add(conversion->notes,
                    g_strdup_printf("the original is kept as %s; when all is well: domlint "
                                    "--forget=%s", kept, journal_run_id(conversion->run)));
    return announce(conversion, "convert-done", NULL, error);
}

/* ---- All of them ---- */

static void
describe(GError **error, const struct conversion *conversion, enum convert_error code,
         const GError *problem, const char *what)
{
    const struct convert_record *record = &conversion->record;

    g_set_error(error, CONVERT_ERROR, code, "%s, disk %s: %s%s%s",
                record->domain ? record->domain : record->file, record->disk, problem->message,
                *what ? "; " : "", what);
}

/* The XML is as it was: nothing of ours stays. */
static void
undo_failed(struct conversion *conversion, const GError *problem, GError **error)
{
    g_autoptr(GError) left = NULL;

    if (conversion->file)
        g_clear_pointer(&conversion->file, new_file_free);
    if (!conversion_roll_back(&conversion->record, &left)) {
        g_autofree char *what =
            g_strdup_printf("and rolling back failed: %s; domlint --resume goes on with that",
                            left->message);

        describe(error, conversion, CONVERT_OPEN, problem, what);
        return;
    }
    announce(conversion, "convert-rolled-back", NULL, NULL);
    describe(error, conversion, CONVERT_FAILED, problem, "the original is in use as before");
}

gboolean
convert_run(const struct convert_wish *wish, struct journal_run *run, GPtrArray *notes,
            GError **error)
{
    struct conversion conversion = { .run = run, .notes = notes };
    g_autofree char *id = g_strdup_printf("%s-%s-%s", journal_run_id(run),
                                          wish->domain ? wish->domain->name : "file", wish->disk);
    g_autoptr(GPtrArray) refusals = NULL;
    g_autoptr(GError) problem = NULL;
    gboolean done = FALSE;

    conversion_begin(&conversion, wish, id, TRUE);
    refusals = conversion_preflight(&conversion, PREFLIGHT_BEFORE_COPY);
    if (refusals->len) {
        g_autofree char *text = conversion_refusals_text(refusals);

        g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED, "%s, disk %s: not converted: %s",
                    wish->domain ? wish->domain->name : wish->file, wish->disk, text);
    } else if (!convert_record_begin(&conversion.record, run, error)) {
        /* Nothing begins that could not be written down. */
    } else if (!make(&conversion, &problem) || !copy(&conversion, &problem) ||
               !check(&conversion, &problem) || !name_it(&conversion, &problem) ||
               !look_again(&conversion, &problem)) {
        undo_failed(&conversion, problem, error);
    } else if (!conversion_define(&conversion, &problem)) {
        if (g_error_matches(problem, DEFINITION_ERROR, DEFINITION_UNKNOWN))
            describe(error, &conversion, CONVERT_OPEN, problem,
                     "domlint --resume finishes it or rolls it back");
        else
            undo_failed(&conversion, problem, error);
    } else {
        done = finish(&conversion, error);
    }
    conversion_clear(&conversion);
    return done;
}
