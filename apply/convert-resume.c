/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-resume.c: finishing or rolling back a conversion that was interrupted. */
#include "apply/convert-past.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "apply/convert-present.h"
#include "apply/definition.h"

static void
note(const struct convert_past *past, const struct convert_record *record, const char *what,
     const char *detail)
{
    g_ptr_array_add(past->notes, g_strdup_printf("%s, disk %s: %s%s",
                                                 record->domain ? record->domain : record->file,
                                                 record->disk, what, detail));
}

G_GNUC_PRINTF(3, 4)
static gboolean
refuse(GError **error, const struct convert_record *record, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED, "%s, disk %s: %s",
                record->domain ? record->domain : record->file, record->disk, text);
    return FALSE;
}

/* ---- Rolling back ---- */

/* Whether what the new image holds is what domlint wrote, and nobody uses it: it once had a
 * name, and whatever has a name can be used. */
static gboolean
may_remove(const struct convert_past *past, const struct convert_record *record, GError **error)
{
    gboolean exchanged = record->exchange && convert_present_at(record->real, &record->made);
    const char *path = exchanged ? record->real : record->new_real;
    struct file_identity found;
    g_autoptr(GError) problem = NULL;

    if (record->state < CONVERT_STATE_NAMING || !file_identity_at(path, &found, NULL) ||
        !file_identity_same(&found, &record->made))
        return TRUE;
    if (!file_identity_unchanged(&found, &record->made))
        return refuse(error, record, "the new image %s was written to since it was made, and the "
                      "disk does not name it: both images stay; name the right one in the "
                      "definition, and remove the other by hand", path);
    if (convert_present_unused(past->connection, path, &problem))
        return TRUE;
    return refuse(error, record, "not rolled back: %s", problem->message);
}

static gboolean
roll_back(const struct convert_past *past, struct convert_record *record, const char *why,
          GError **error)
{
    g_autofree char *reason = why ? g_strconcat(": ", why, NULL) : NULL;

    if (!may_remove(past, record, error) || !conversion_roll_back(record, error))
        return FALSE;
    record->state = CONVERT_STATE_ROLLED_BACK;
    note(past, record, "rolled back, the original is in use", reason ? reason : "");
    return convert_record_step(record, past->record_in, "convert-rolled-back", NULL, error);
}

/* ---- Going on ---- */

static gboolean
done(const struct convert_past *past, struct convert_record *record, GError **error)
{
    if (past->connection)
        conversion_refresh_pool(past->connection, convert_record_current(record), past->notes);
    record->state = CONVERT_STATE_DONE;
    note(past, record, "finished; the original is kept as ", convert_record_kept(record));
    return convert_record_step(record, past->record_in, "convert-done", NULL, error);
}

static struct convert_wish
wish_of(const struct convert_past *past, const struct convert_record *record, const char *disk,
        const char *text)
{
    return (struct convert_wish){
        .connection = past->connection,
        .domain = past->domain,
        .file = record->file,
        .text = text,
        .disk = disk,
        .to = record->to,
        .preallocation = record->preallocation,
        .run = past->run,
    };
}

/* The disk names the copy: it stays, whatever a guest wrote to it. What else of the definition
 * was to be changed (@finish) may be missing after an exchange of names. */
static gboolean
stay_on_copy(const struct convert_past *past, struct convert_record *record, const char *text,
             domxml_doc *doc, const domxml_elem *disk, gboolean finish, GError **error)
{
    const char *target = domxml_get(disk, "target@dev");
    const struct convert_wish wish = wish_of(past, record, target, text);
    struct conversion conversion = {
        .wish = &wish,
        .run = past->record_in,
        .notes = past->notes,
        .doc = doc,
        .disk = disk,
        .record = *record,
    };

    if (g_strcmp0(domxml_get(disk, "driver@type"), record->to) != 0)
        return refuse(error, record, "disk %s names the new image, %s, but not as %s, which it is: "
                      "mend the definition first", target, convert_record_current(record),
                      record->to);
    conversion.record.disk = (char *)target;
    if (finish && record->exchange && !conversion_define(&conversion, error))
        return FALSE;
    return done(past, record, error);
}

/* Whether the disk and the original are what the conversion began with. */
static gboolean
is_same_image(const struct conversion *conversion, const struct convert_record *record)
{
    return conversion->guard && g_strcmp0(conversion->record.real, record->real) == 0 &&
           g_strcmp0(conversion->record.new_real, record->new_real) == 0 &&
           file_identity_same(guard_identity(conversion->guard), &record->original);
}

/* Compares once more, since a guest may have run meanwhile, and makes the copy the disk's. */
static gboolean
define_copy(struct conversion *conversion, int made, GError **error)
{
    struct convert_record *record = &conversion->record;
    const struct qemu_img_image from = { guard_fd(conversion->guard), record->from };
    const struct qemu_img_image to = { made, record->to };
    enum qemu_img_comparison same = QEMU_IMG_UNKNOWN;

    if (guard_add(conversion->guard, made, error))
        same = qemu_img_compare(&conversion->wish->run, &from, &to, error);
    if (same == QEMU_IMG_DIFFERENT)
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED,
                            "the guest wrote to the original meanwhile");
    return same == QEMU_IMG_SAME &&
           convert_record_step(record, conversion->run, "convert-defining", NULL, error) &&
           conversion_define(conversion, error);
}

/* The copy is whole and has its name, the XML names the original still: goes on from there, or
 * says why not. */
static gboolean
go_on(const struct convert_past *past, const struct convert_record *record, const char *text,
      GError **error)
{
    const struct convert_wish wish = wish_of(past, record, record->disk, text);
    struct conversion conversion = { .run = past->record_in, .notes = past->notes };
    g_autoptr(GPtrArray) refusals = NULL;
    int made = open(record->new_real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    gboolean good = FALSE;

    conversion_begin(&conversion, &wish, record->id, TRUE);
    conversion.record.made = record->made;
    refusals = conversion.disk ? conversion_preflight(&conversion, PREFLIGHT_BEFORE_DEFINE) : NULL;
    if (!refusals || made < 0) {
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED,
                            refusals ? "the copy cannot be opened"
                                     : "the disk is not there any more");
    } else if (refusals->len) {
        g_autofree char *why = conversion_refusals_text(refusals);

        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED, why);
    } else if (!is_same_image(&conversion, record)) {
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED,
                            "the disk has another image now");
    } else {
        good = define_copy(&conversion, made, error);
    }
    if (made >= 0)
        close(made);
    conversion_clear(&conversion);
    return good;
}

/* ---- All of it ---- */

/* Whether the XML may name the copy after all. */
static gboolean
names_copy(const struct convert_past *past, const struct convert_record *record)
{
    g_autofree char *text =
        convert_present_text(past->connection, past->domain, record->file, NULL);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;

    return !doc || convert_present_user(doc, &record->made);
}

/* The domain is there no more, or does not name the copy: goes on where that can be, else back. */
static gboolean
finish_or_roll_back(const struct convert_past *past, struct convert_record *record,
                    const char *text, gboolean finish, GError **error)
{
    g_autoptr(GError) problem = NULL;

    if (!text)
        return roll_back(past, record, "the domain is not there any more", error);
    /* Names that were not exchanged yet stay: the copy is made anew next time. */
    if (!finish || record->exchange || !convert_present_at(record->new_real, &record->made))
        return roll_back(past, record, NULL, error);
    if (go_on(past, record, text, &problem))
        return done(past, record, error);
    if (g_error_matches(problem, DEFINITION_ERROR, DEFINITION_UNKNOWN) ||
        names_copy(past, record)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    return roll_back(past, record, problem->message, error);
}

static gboolean
end(const struct convert_past *past, struct convert_record *record, gboolean finish, GError **error)
{
    gboolean gone = record->uuid && !past->domain;
    g_autofree char *text = NULL;
    g_autoptr(domxml_doc) doc = NULL;
    const domxml_elem *disk;

    if (record->state < CONVERT_STATE_NAMING)
        return roll_back(past, record, NULL, error);
    if (!gone) {
        text = convert_present_text(past->connection, past->domain, record->file, error);
        doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;
        if (!text)
            return FALSE;
        if (!doc)
            return refuse(error, record, "the definition cannot be read any more");
    }
    disk = doc ? convert_present_user(doc, &record->made) : NULL;
    if (disk)
        return stay_on_copy(past, record, text, doc, disk, finish, error);
    return finish_or_roll_back(past, record, text, finish, error);
}

gboolean
convert_resume(const struct convert_past *past, struct convert_record *record, GError **error)
{
    return end(past, record, TRUE, error);
}

gboolean
convert_settle(const struct convert_past *past, struct convert_record *record, GError **error)
{
    return end(past, record, FALSE, error);
}
