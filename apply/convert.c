/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.c: the conversion of one image, step after step. */
#include "apply/conversion.h"

#include <string.h>
#include <unistd.h>

#include "apply/convert-present.h"
#include "apply/definition.h"
#include "apply/file-name.h"
#include "apply/space.h"
#include "apply/step-file.h"
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

/* ---- Looking ---- */

static struct qemu_img_image
original_image(const struct conversion *conversion)
{
    return (struct qemu_img_image){ guard_fd(conversion->guard), conversion->record.from };
}

/* What the copy takes. Of raw qemu-img tells the whole size, holes or not: what a growing qcow2
 * would take is what is written of it. */
static gboolean
measure_copy(const struct conversion *conversion, struct qemu_img_size *size, GError **error)
{
    const struct convert_wish *wish = conversion->wish;
    const struct qemu_img_image image = original_image(conversion);
    gboolean sparse = g_str_equal(wish->to, "raw") && g_str_equal(wish->preallocation, "off");

    return qemu_img_measure(&wish->run, &image, sparse ? "qcow2" : wish->to, wish->preallocation,
                            NULL, size, error);
}

GPtrArray *
convert_look(const struct convert_wish *wish, gboolean guard, struct convert_record *record,
             struct qemu_img_size *size)
{
    struct conversion conversion = { .wish = wish };
    GPtrArray *refusals;

    memset(size, 0, sizeof(*size));
    conversion_begin(&conversion, wish, "0", guard);
    refusals = conversion_preflight(&conversion, PREFLIGHT_BEFORE_COPY);
    if (!refusals->len && conversion.guard)
        measure_copy(&conversion, size, NULL);
    *record = conversion.record;
    memset(&conversion.record, 0, sizeof(conversion.record));
    conversion_clear(&conversion);
    return refusals;
}

/* Why there is no room for the copy now, to be freed; NULL where there is. The plan looked at
 * all of its copies, but may be hours old, or have been made while the guest ran. */
static char *
why_no_room(const struct conversion *conversion)
{
    g_autofree char *folder = g_path_get_dirname(conversion->record.real);
    struct space_need need = { .folder = folder, .name = conversion->record.path };
    struct space *space = space_new();
    g_autoptr(GPtrArray) left = NULL;
    g_autoptr(GPtrArray) short_of = NULL;
    g_autoptr(GError) problem = NULL;
    struct qemu_img_size size = { 0 };

    if (measure_copy(conversion, &size, &problem)) {
        need.bytes = need.bytes_least = size.required;
        if (space_add(space, &need, &problem))
            left = space_measure(space, &problem);
        short_of = left ? space_shortage(space, left) : NULL;
    }
    space_free(space);
    if (!short_of)
        return g_strdup_printf("what space it takes cannot be told: %s", problem->message);
    return short_of->len ? g_strdup(g_ptr_array_index(short_of, 0)) : NULL;
}

/* Why the two names could not be exchanged in the end, to be freed; NULL where they can, or need
 * not be. */
static char *
why_no_exchange(const struct conversion *conversion)
{
    g_autofree char *folder = g_path_get_dirname(conversion->record.real);
    g_autoptr(GError) problem = NULL;

    if (!conversion->record.exchange || file_name_can_exchange(folder, &problem))
        return NULL;
    return g_strdup(problem->message);
}

/* ---- The steps: each announces itself, then is done ---- */

static gboolean
announce(struct conversion *conversion, const char *step, JsonObject *members, GError **error)
{
    const struct convert_wish *wish = conversion->wish;

    /* Once the XML is changed there is only one way. */
    if (!g_str_equal(step, "convert-done") &&
        g_cancellable_set_error_if_cancelled(wish->run.cancellable, error))
        return FALSE;
    if (wish->step)
        wish->step(step, wish->step_data);
    return convert_record_step(&conversion->record, conversion->run, step, members, error);
}

static gboolean
make(struct conversion *conversion, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(conversion->record.real);
    struct convert_record *record = &conversion->record;
    JsonObject *members;

    conversion->file = new_file_create(folder, guard_fd(conversion->guard), error);
    if (!conversion->file || !new_file_identity(conversion->file, &record->made, error))
        return FALSE;
    record->temporary = g_strdup(new_file_temporary(conversion->file));
    members = json_object_new();
    json_object_set_object_member(members, "made", convert_identity_to_json(&record->made));
    if (record->temporary)
        json_object_set_string_member(members, "temporary", record->temporary);
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
    g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED, "meanwhile: %s", text);
    return FALSE;
}

static gboolean
finish(struct conversion *conversion, GError **error)
{
    const struct convert_wish *wish = conversion->wish;
    const struct convert_record *record = &conversion->record;

    if (wish->connection)
        conversion_refresh_pool(wish->connection, convert_record_current(record),
                                conversion->notes);
    g_ptr_array_add(conversion->notes,
                    g_strdup_printf("the original is kept as %s; when all is well: domlint "
                                    "--forget=%s%s%s", convert_record_kept(record),
                                    journal_run_id(conversion->run),
                                    wish->state_dir ? " --state-dir=" : "",
                                    wish->state_dir ? wish->state_dir : ""));
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

/* Whether the new image may be what the XML names, after a change of it that went wrong with
 * @problem. */
static gboolean
may_be_defined(const struct conversion *conversion, const GError *problem)
{
    const struct convert_wish *wish = conversion->wish;
    g_autofree char *text = NULL;
    g_autoptr(domxml_doc) doc = NULL;

    if (g_error_matches(problem, DEFINITION_ERROR, DEFINITION_UNKNOWN))
        return TRUE;
    if (!g_error_matches(problem, STEP_FILE_ERROR, STEP_FILE_FAILED))
        return FALSE;
    text = convert_present_text(wish->connection, wish->domain, wish->file, NULL);
    doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;
    return !doc || convert_present_user(doc, &conversion->record.made);
}

/* The XML is as it was: nothing of ours stays. */
static void
undo_failed(struct conversion *conversion, const GError *problem, GError **error)
{
    gboolean refused = g_error_matches(problem, CONVERT_ERROR, CONVERT_REFUSED) ||
                       g_error_matches(problem, DEFINITION_ERROR, DEFINITION_REFUSED) ||
                       g_error_matches(problem, STEP_FILE_ERROR, STEP_FILE_REFUSED);
    g_autoptr(GError) left = NULL;

    g_clear_pointer(&conversion->file, new_file_free);
    if (!conversion_roll_back(&conversion->record, &left)) {
        g_autofree char *what =
            g_strdup_printf("and rolling back failed: %s; domlint --resume goes on with that",
                            left->message);

        describe(error, conversion, CONVERT_OPEN, problem, what);
        return;
    }
    /* The journal is told if it can be: who finds this missing finds nothing left, either. */
    convert_record_step(&conversion->record, conversion->run, "convert-rolled-back", NULL, NULL);
    describe(error, conversion, refused ? CONVERT_REFUSED : CONVERT_FAILED, problem,
             "the original is in use as before");
}

static void
change_xml(struct conversion *conversion, GError **error)
{
    g_autoptr(GError) problem = NULL;

    if (!conversion_define(conversion, &problem)) {
        if (may_be_defined(conversion, problem))
            describe(error, conversion, CONVERT_OPEN, problem,
                     "domlint --resume finishes it or rolls it back");
        else
            undo_failed(conversion, problem, error);
    } else if (!finish(conversion, &problem)) {
        describe(error, conversion, CONVERT_OPEN, problem,
                 "it is converted all the same; domlint --resume puts that down");
    }
}

/* Why it cannot begin, to be freed; NULL where it can. */
static char *
why_not(struct conversion *conversion)
{
    g_autoptr(GPtrArray) refusals = conversion->disk
                                        ? conversion_preflight(conversion, PREFLIGHT_BEFORE_COPY)
                                        : NULL;
    char *why;

    if (!refusals)
        return g_strdup("the disk is not there any more");
    if (refusals->len)
        return conversion_refusals_text(refusals);
    if (!conversion->guard || !conversion->record.new_real)
        return g_strdup("what the image is cannot be told: name its format (<driver type>) and an "
                        "absolute path");
    why = why_no_room(conversion);
    return why ? why : why_no_exchange(conversion);
}

gboolean
convert_run(const struct convert_wish *wish, struct journal_run *run, GPtrArray *notes,
            GError **error)
{
    struct conversion conversion = { .run = run, .notes = notes };
    g_autofree char *id = g_strdup_printf("%s-%u", journal_run_id(run), wish->number);
    g_autofree char *refused = NULL;
    g_autoptr(GError) problem = NULL;
    GError *failure = NULL;

    conversion_begin(&conversion, wish, id, TRUE);
    refused = why_not(&conversion);
    if (refused)
        failure = g_error_new(CONVERT_ERROR, CONVERT_REFUSED, "%s, disk %s: not converted: %s",
                              wish->domain ? wish->domain->name : wish->file, wish->disk, refused);
    else if (!convert_record_begin(&conversion.record, run, &failure))
        ; /* Nothing begins that could not be written down. */
    else if (!make(&conversion, &problem) || !copy(&conversion, &problem) ||
             !check(&conversion, &problem) || !name_it(&conversion, &problem) ||
             !look_again(&conversion, &problem))
        undo_failed(&conversion, problem, &failure);
    else
        change_xml(&conversion, &failure);
    conversion_clear(&conversion);
    if (!failure)
        return TRUE;
    g_propagate_error(error, failure);
    return FALSE;
}
