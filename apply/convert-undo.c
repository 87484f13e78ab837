/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-undo.c: back to the original where nothing is lost by that; and giving the original up. */
#include "apply/convert-past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "apply/file-name.h"
#include "apply/file-users.h"
#include "apply/step-file.h"
#include "probe/source-file.h"
#include "probe/users.h"

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

/* Opens the file at @path, which must be the one of @identity; with @unchanged, as it was. -1 with @error. */
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

static char *
present_text(const struct convert_past *past, const struct convert_record *record, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (past->domain)
        return source_libvirt_xml(past->connection, past->domain, SOURCE_TEXT_INACTIVE,
                                  SOURCE_WITHOUT_SECRETS, error);
    bytes = source_file_read(record->file, error);
    return bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
}

/* The disk of @doc whose source is the copy. A later fix may have renamed it. */
static const domxml_elem *
find_copy(const domxml_doc *doc, const struct convert_record *record)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "source@file"), record->new_path) == 0)
            return domxml_disk(doc, i);
    return NULL;
}

struct convert_undo {
    const struct convert_past *past;
    const struct convert_record *record;
    struct guard *guard; /* on the copy and the original */
    int original;
    gboolean exchanged;  /* the names are back where they were before the conversion */
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
nothing_in_the_way(const struct convert_undo *undo, GError **error)
{
    const struct convert_past *past = undo->past;
    g_autofree char *text = present_text(past, undo->record, error);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;
    const domxml_elem *disk = doc ? find_copy(doc, undo->record) : NULL;
    g_autoptr(GPtrArray) refusals = NULL;
    g_autofree char *why = NULL;
    struct preflight preflight = {
        .time = PREFLIGHT_BEFORE_COPY,
        .connection = past->connection,
        .domain = past->domain,
        .guard = undo->guard,
        .cancellable = past->run.cancellable,
    };

    if (!text)
        return FALSE;
    if (!disk)
        return refuse(error, undo->record, "no disk has the source %s any more",
                      undo->record->new_path);
    preflight.disk = disk;
    refusals = preflight_run(&preflight);
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

struct convert_undo *
convert_undo_begin(const struct convert_past *past, const struct convert_record *record,
                   GError **error)
{
    struct convert_undo *undo = g_new0(struct convert_undo, 1);
    const char *current = convert_record_current(record);
    g_autoptr(GError) problem = NULL;
    int copy;

    undo->past = past;
    undo->record = record;
    undo->original = open_ours(record, convert_record_kept(record), &record->original, TRUE,
                               "the original", error);
    copy = undo->original < 0 ? -1
                              : open_ours(record, current, &record->made, FALSE, "the copy", error);
    if (copy >= 0) {
        undo->guard = guard_take(current, &problem);
        if (!undo->guard)
            refuse(error, record, "not taken back: %s", problem->message);
        close(copy);
    }
    if (!undo->guard || !guard_add(undo->guard, undo->original, error) ||
        !nothing_in_the_way(undo, error) || !still_equal(undo, error)) {
        undo_free(undo);
        return NULL;
    }
    if (record->exchange && !file_name_exchange(record->real, record->new_real, error)) {
        undo_free(undo);
        return NULL;
    }
    undo->exchanged = record->exchange;
    return undo;
}

gboolean
convert_undo_end(struct convert_undo *undo, gboolean defined, GError **error)
{
    const struct convert_record *record = undo->record;
    gboolean good = TRUE;

    if (!defined && undo->exchanged)
        good = file_name_exchange(record->real, record->new_real, error);
    else if (defined)
        /* Equal to the original to the last byte that a guest can read, and made by us. */
        good = file_name_remove(record->new_real, &record->made, error);
    if (defined && good && undo->past->connection)
        conversion_refresh_pool(undo->past->connection, record->real, undo->past->notes);
    undo_free(undo);
    return good;
}

/* What the run says it made of the file: the digest of the text, and the edits that take it back. NULL where the text was not
 * changed. */
static JsonObject *
file_record(const struct convert_record *record, JsonArray *records)
{
    for (guint i = json_array_get_length(records); i-- > 0;) {
        JsonObject *object = json_array_get_object_element(records, i);

        if (g_strcmp0(json_object_get_string_member_with_default(object, "type", NULL), "file") == 0 &&
            g_strcmp0(json_object_get_string_member_with_default(object, "conversion", NULL),
                      record->id) == 0)
            return object;
    }
    return NULL;
}

static domxml_edits *
read_edits(JsonObject *object)
{
    JsonNode *node = json_object_get_member(object, "inverse");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    domxml_edits *edits = array ? domxml_edits_new(NULL) : NULL;

    for (guint i = 0; edits && i < json_array_get_length(array); i++) {
        JsonObject *edit = json_array_get_object_element(array, i);
        const char *text = json_object_get_string_member_with_default(edit, "text", "");

        if (!domxml_edits_add(edits, (size_t)json_object_get_int_member(edit, "offset"),
                              (size_t)json_object_get_int_member(edit, "length"), text,
                              strlen(text), NULL))
            g_clear_pointer(&edits, domxml_edits_free);
    }
    return edits;
}

gboolean
convert_undo_file(const struct convert_past *past, const struct convert_record *record,
                  JsonArray *records, GError **error)
{
    JsonObject *object = file_record(record, records);
    g_autofree char *text = present_text(past, record, error);
    g_autofree char *digest = NULL;
    g_autoptr(domxml_edits) edits = NULL;
    size_t length;
    gboolean done;
    char *old;

    if (!text || !object)
        return text != NULL;
    digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    if (g_strcmp0(digest, json_object_get_string_member_with_default(object, "digest", NULL)) != 0)
        return refuse(error, record, "%s was edited since: write %s into it by hand", record->file,
                      record->path);
    edits = read_edits(object);
    old = edits ? domxml_edits_apply(edits, text, strlen(text), &length, NULL, NULL) : NULL;
    if (!old)
        return refuse(error, record, "the journal's edits of %s cannot be read", record->file);
    done = step_file_write(record->file, text, strlen(text), old, length, error);
    free(old);
    return done;
}

/* ---- Giving up the original ---- */

/* Whether no domain of the connection names the original. */
static gboolean
is_unused(const struct convert_past *past, const struct convert_record *record, GError **error)
{
    const char *kept = convert_record_kept(record);
    g_autoptr(GPtrArray) domains = source_libvirt_list(past->connection, error);
    struct volumes *volumes = domains ? volumes_new(past->connection) : NULL;
    struct users *users = volumes ? users_new(past->connection, volumes, domains, 0, error) : NULL;
    g_autoptr(GPtrArray) found = users ? users_of(users, kept, error) : NULL;
    gboolean unused = found && found->len == 0 && users_complete(users);

    if (found && found->len > 0) {
        const struct image_user *user = g_ptr_array_index(found, 0);

        refuse(error, record, "the original %s is named by %s", kept, user->domain);
    } else if (found && !unused) {
        refuse(error, record, "whether somebody uses the original is not known: %s",
               (const char *)g_ptr_array_index(users_problems(users), 0));
    }
    if (users)
        users_free(users);
    if (volumes)
        volumes_free(volumes);
    return unused;
}

/* Whether the copy is whole, and what the domain or file names. */
static gboolean
copy_serves(const struct convert_past *past, const struct convert_record *record, int copy,
            GError **error)
{
    const struct qemu_img_image image = { copy, record->to };
    g_autofree char *text = present_text(past, record, error);
    g_autoptr(domxml_doc) doc = text ? domxml_parse(text, strlen(text), NULL) : NULL;

    if (!text)
        return FALSE;
    if (!doc || !find_copy(doc, record))
        return refuse(error, record, "%s is not what the disk names any more", record->new_path);
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

gboolean
convert_forget(const struct convert_past *past, const struct convert_record *record, guint64 *freed,
               GError **error)
{
    const char *kept = convert_record_kept(record);
    int original = open_ours(record, kept, &record->original, TRUE, "the original", error);
    int copy = -1;
    struct stat st;
    gboolean good = FALSE;

    if (original >= 0 && fstat(original, &st) == 0)
        copy = open_ours(record, convert_record_current(record), &record->made, FALSE, "the copy",
                         error);
    if (copy >= 0) {
        g_autoptr(GPtrArray) holders = file_users_open(original);

        if (holders->len > 0)
            refuse(error, record, "%s has the original open",
                   (const char *)g_ptr_array_index(holders, 0));
        else
            good = (!past->connection || is_unused(past, record, error)) &&
                   copy_serves(past, record, copy, error) &&
                   file_name_remove(kept, &record->original, error) &&
                   convert_record_step(record, past->record_in, "convert-forgotten", NULL, error);
        close(copy);
    }
    if (original >= 0)
        close(original);
    *freed = good ? (guint64)st.st_blocks * 512 : 0;
    return good;
}
