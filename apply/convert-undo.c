/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-undo.c: back to the original where nothing is lost by that; and giving the original
 * up. */
#include "apply/convert-past.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "apply/convert-present.h"
#include "apply/file-name.h"

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

/* Opens the file at @path, which must be the one of @identity; with @unchanged, as it was. -1
 * with @error. */
static int
open_ours(const struct convert_record *record, const char *path,
          const struct file_identity *identity, gboolean unchanged, const char *what,
          GError **error)
{
    struct file_identity found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

    if (fd < 0) {
        refuse(error, record, "%s, %s, cannot be opened: %s", what, path, g_strerror(errno));
    } else if (!file_identity_of(fd, &found, error)) {
        close(fd);
        fd = -1;
    } else if (!file_identity_same(&found, identity)) {
        refuse(error, record, "%s is not %s any more: another file has that name", path, what);
        close(fd);
        fd = -1;
    } else if (unchanged && !file_identity_unchanged(&found, identity)) {
        refuse(error, record, "%s, %s, was written to since the conversion", what, path);
        close(fd);
        fd = -1;
    }
    return fd;
}

struct convert_undo {
    const struct convert_past *past;
    const struct convert_record *record;
    struct guard *guard; /* on the copy and the original; NULL where the copy is gone */
    int original;        /* -1 where it is not needed */
    gboolean exchanged;  /* we put the names back where they were before the conversion */
};

static void
undo_free(struct convert_undo *undo)
{
    guard_free(undo->guard);
    if (undo->original >= 0)
        close(undo->original);
    g_free(undo);
}

/* All that stands against changing the domain's present image, as for a conversion. */
static gboolean
nothing_in_the_way(const struct convert_undo *undo, const domxml_doc *doc, const domxml_elem *disk,
                   GError **error)
{
    const struct convert_past *past = undo->past;
    const struct preflight preflight = {
        .time = PREFLIGHT_BEFORE_COPY,
        .connection = past->connection,
        .domain = past->domain,
        .doc = doc,
        .disk = disk,
        .guard = undo->guard,
        .cancellable = past->run.cancellable,
    };
    g_autoptr(GPtrArray) refusals = preflight_run(&preflight);
    g_autofree char *why = NULL;

    if (!refusals->len)
        return TRUE;
    why = conversion_refusals_text(refusals);
    return refuse(error, undo->record, "not taken back: %s", why);
}

static gboolean
still_equal(const struct convert_undo *undo, GError **error)
{
    const struct convert_record *record = undo->record;
    const struct qemu_img_image copy = { guard_fd(undo->guard), record->to };
    const struct qemu_img_image original = { undo->original, record->from };

    switch (qemu_img_compare(&undo->past->run, &copy, &original, error)) {
    case QEMU_IMG_SAME:
        return TRUE;
    case QEMU_IMG_DIFFERENT:
        return refuse(error, record, "not taken back: it was written to since the conversion, and "
                      "going back to the original would lose that; a way back that keeps it is a "
                      "conversion of the present image to %s: domlint --fix --convert --to=%s",
                      record->from, record->from);
    case QEMU_IMG_UNKNOWN:
        break;
    }
    return FALSE;
}

static gboolean
guard_copy(struct convert_undo *undo, const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;

    undo->guard = guard_take(path, &problem);
    if (!undo->guard)
        return refuse(error, undo->record, "not taken back: %s", problem->message);
    if (!file_identity_same(guard_identity(undo->guard), &undo->record->made))
        return refuse(error, undo->record,
                      "%s is not the copy any more: another file has that name", path);
    return TRUE;
}

static gboolean
open_original(struct convert_undo *undo, GError **error)
{
    const struct convert_record *record = undo->record;

    undo->original = open_ours(record, convert_record_kept(record), &record->original, TRUE,
                               "the original", error);
    return undo->original >= 0;
}

static gboolean
is_free(const struct convert_undo *undo, const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;

    return convert_present_unused(undo->past->connection, path, &problem) ||
           refuse(error, undo->record, "not taken back: %s", problem->message);
}

/* The disk names the copy. */
static gboolean
begin_from_copy(struct convert_undo *undo, const domxml_doc *doc, const domxml_elem *disk,
                GError **error)
{
    const struct convert_record *record = undo->record;

    if (!open_original(undo, error) ||
        !guard_copy(undo, convert_record_current(record), error) ||
        !guard_add(undo->guard, undo->original, error) ||
        !nothing_in_the_way(undo, doc, disk, error) ||
        !is_free(undo, convert_record_kept(record), error) || !still_equal(undo, error))
        return FALSE;
    if (!record->exchange)
        return TRUE;
    undo->exchanged = file_name_exchange(record->real, record->new_real, error);
    return undo->exchanged;
}

/* The disk names the original: somebody began this before. What is left is the copy, which may
 * go if nobody has written to it, or nothing that the original does not hold. */
static gboolean
begin_from_original(struct convert_undo *undo, GError **error)
{
    const struct convert_record *record = undo->record;
    struct file_identity found;

    if (!file_identity_at(record->new_real, &found, NULL) ||
        !file_identity_same(&found, &record->made))
        return TRUE;
    return guard_copy(undo, record->new_real, error) && is_free(undo, record->new_real, error) &&
           (file_identity_unchanged(&found, &record->made) ||
            (open_original(undo, error) && guard_add(undo->guard, undo->original, error) &&
             still_equal(undo, error)));
}

struct convert_undo *
convert_undo_begin(const struct convert_past *past, const struct convert_record *record,
                   GError **error)
{
    g_autofree char *text =
        convert_present_text(past->connection, past->domain, record->file, error);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;
    const domxml_elem *disk = doc ? convert_present_user(doc, &record->made) : NULL;
    struct convert_undo *undo;
    gboolean begun;

    if (!text)
        return NULL;
    undo = g_new0(struct convert_undo, 1);
    *undo = (struct convert_undo){ .past = past, .record = record, .original = -1 };
    if (disk)
        begun = begin_from_copy(undo, doc, disk, error);
    else if (doc && convert_present_user(doc, &record->original))
        begun = begin_from_original(undo, error);
    else
        begun = refuse(error, record, "no disk has the source %s any more", record->new_path);
    if (!begun)
        g_clear_pointer(&undo, undo_free);
    return undo;
}

/* Whether the XML does not name the copy any more. */
static gboolean
is_left(const struct convert_undo *undo, GError **error)
{
    const struct convert_past *past = undo->past;
    const struct convert_record *record = undo->record;
    g_autofree char *text =
        convert_present_text(past->connection, past->domain, record->file, error);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;

    if (!text)
        return FALSE;
    if (doc && !convert_present_user(doc, &record->made))
        return TRUE;
    return refuse(error, record, "the definition still names the copy, %s, which stays",
                  record->new_path);
}

gboolean
convert_undo_end(struct convert_undo *undo, gboolean defined, GError **error)
{
    const struct convert_record *record = undo->record;
    gboolean good = TRUE;

    if (!defined && undo->exchanged)
        good = file_name_exchange(record->real, record->new_real, error);
    else if (defined && undo->guard)
        /* Equal to the original to the last byte that a guest can read, and made by us. */
        good = is_left(undo, error) && file_name_remove(record->new_real, &record->made, error);
    if (defined && good && undo->past->connection)
        conversion_refresh_pool(undo->past->connection, record->real, undo->past->notes);
    undo_free(undo);
    return good;
}

/* ---- Giving up the original ---- */

/* Whether the copy is whole, and what the domain or file names. */
static gboolean
copy_serves(const struct convert_past *past, const struct convert_record *record, int copy,
            GError **error)
{
    const struct qemu_img_image image = { copy, record->to };
    g_autofree char *text =
        convert_present_text(past->connection, past->domain, record->file, error);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;
    const domxml_elem *disk = doc ? convert_present_user(doc, &record->made) : NULL;

    if (!text)
        return FALSE;
    if (!disk || g_strcmp0(domxml_get(disk, "driver@type"), record->to) != 0)
        return refuse(error, record, "%s is not what the disk names any more", record->new_path);
    /* Raw images have nothing to check, and their guest may run. */
    if (g_str_equal(record->to, "raw"))
        return TRUE;
    switch (qemu_img_check(&past->run, &image, error)) {
    case QEMU_IMG_CLEAN:
    case QEMU_IMG_LEAKS:
    case QEMU_IMG_UNCHECKED:
        return TRUE;
    case QEMU_IMG_CORRUPT:
        return refuse(error, record, "the copy is corrupt: the original is kept");
    case QEMU_IMG_FAILED:
        break;
    }
    return FALSE;
}

/* Whether the original @found may go. */
static gboolean
may_forget(const struct convert_past *past, const struct convert_record *record, GError **error)
{
    int copy = open_ours(record, convert_record_current(record), &record->made, FALSE, "the copy",
                         error);
    g_autoptr(GError) problem = NULL;
    gboolean may = FALSE;

    if (copy < 0)
        return FALSE;
    if (!convert_present_unused(past->connection, convert_record_kept(record), &problem))
        refuse(error, record, "%s", problem->message);
    else
        may = copy_serves(past, record, copy, error);
    close(copy);
    return may;
}

gboolean
convert_forget(const struct convert_past *past, const struct convert_record *record, guint64 *freed,
               GError **error)
{
    const char *kept = convert_record_kept(record);
    g_autoptr(GError) problem = NULL;
    struct file_identity found;
    struct stat st;
    gboolean good;
    int original;

    *freed = 0;
    if (!file_identity_at(kept, &found, &problem) &&
        g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
        return convert_record_step(record, past->record_in, "convert-forgotten", NULL, error);
    original = open_ours(record, kept, &record->original, TRUE, "the original", error);
    if (original < 0)
        return FALSE;
    good = fstat(original, &st) == 0;
    /* It is held open no more while others are looked for. */
    close(original);
    good = good && may_forget(past, record, error) &&
           file_name_remove(kept, &record->original, error) &&
           convert_record_step(record, past->record_in, "convert-forgotten", NULL, error);
    *freed = good ? (guint64)st.st_blocks * 512 : 0;
    return good;
}
