/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file-change.c: what was changed in a file, as edits that take it back and digests of the texts
 * between them. */
#include "apply/file-change.h"

#include <stdlib.h>
#include <string.h>

#include "apply/step-file.h"
#include "probe/facts.h"
#include "probe/source-file.h"

static const char record_type[] = "file";

static JsonArray *
edits_to_json(const domxml_edits *edits)
{
    JsonArray *array = json_array_new();

    for (size_t i = 0; i < domxml_edits_count(edits); i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);
        JsonObject *object = json_object_new();

        json_object_set_int_member(object, "offset", (gint64)edit->offset);
        json_object_set_int_member(object, "length", (gint64)edit->length);
        json_object_set_string_member(object, "text", edit->text);
        json_array_add_object_element(array, object);
    }
    return array;
}

static domxml_edits *
edits_from_json(JsonObject *object)
{
    JsonNode *node = json_object_get_member(object, "inverse");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    domxml_edits *edits = array ? domxml_edits_new(NULL) : NULL;

    for (guint i = 0; edits && i < json_array_get_length(array); i++) {
        JsonNode *element = json_array_get_element(array, i);
        JsonObject *edit = JSON_NODE_HOLDS_OBJECT(element) ? json_node_get_object(element) : NULL;
        const char *text =
            edit ? json_object_get_string_member_with_default(edit, "text", NULL) : NULL;

        if (!text ||
            !domxml_edits_add(edits,
                              (size_t)json_object_get_int_member_with_default(edit, "offset", -1),
                              (size_t)json_object_get_int_member_with_default(edit, "length", -1),
                              text, strlen(text), NULL))
            g_clear_pointer(&edits, domxml_edits_free);
    }
    return edits;
}

static char *
digest_of(const char *text, size_t length)
{
    return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
}

static gboolean
announce(struct journal_run *run, const char *path, const char *before, const char *after,
         const domxml_edits *inverse, GError **error)
{
    JsonObject *members = json_object_new();

    json_object_set_string_member(members, "file", path);
    json_object_set_string_member(members, "before", before);
    json_object_set_string_member(members, "after", after);
    json_object_set_array_member(members, "inverse", edits_to_json(inverse));
    return journal_append(run, record_type, members, error);
}

gboolean
file_change_write(struct journal_run *run, const char *path, const char *text, size_t length,
                  const domxml_edits *edits, GError **error)
{
    g_autofree char *before = digest_of(text, length);
    g_autofree char *after = NULL;
    domxml_edits *inverse = NULL;
    size_t new_length;
    gboolean done;
    char *changed;

    if (domxml_edits_count(edits) == 0)
        return TRUE;
    changed = domxml_edits_apply(edits, text, length, &new_length, &inverse, NULL);
    if (!changed) {
        g_set_error_literal(error, STEP_FILE_ERROR, STEP_FILE_REFUSED, "memory ran out");
        return FALSE;
    }
    after = digest_of(changed, new_length);
    done = announce(run, path, before, after, inverse, error) &&
           step_file_write(path, text, length, changed, new_length, error);
    domxml_edits_free(inverse);
    free(changed);
    return done;
}

/* ---- Taking back ---- */

/* The run's records about the file, in order; to be unreferenced, valid as long as @records. */
static GPtrArray *
records_of(JsonArray *records, const char *path)
{
    GPtrArray *found = g_ptr_array_new();

    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *object = json_array_get_object_element(records, i);

        if (g_strcmp0(json_object_get_string_member_with_default(object, "type", NULL),
                      record_type) == 0 &&
            g_strcmp0(json_object_get_string_member_with_default(object, "file", NULL), path) == 0)
            g_ptr_array_add(found, object);
    }
    return found;
}

static gboolean
is_digest(JsonObject *object, const char *name, const char *text, size_t length)
{
    g_autofree char *digest = digest_of(text, length);

    return g_strcmp0(json_object_get_string_member_with_default(object, name, NULL), digest) == 0;
}

/* The text before the change that @object tells of, to be freed with free(); NULL where that
 * does not follow. */
static char *
text_before(JsonObject *object, const char *text, size_t *length)
{
    g_autoptr(domxml_edits) inverse = edits_from_json(object);
    size_t old_length;
    char *old = inverse ? domxml_edits_apply(inverse, text, *length, &old_length, NULL, NULL)
                        : NULL;

    if (old && !is_digest(object, "before", old, old_length))
        g_clear_pointer(&old, free);
    if (old)
        *length = old_length;
    return old;
}

/* The text before all of them, to be freed with free(); NULL with @error. A change that was
 * announced may not have been made, and then have been announced once more: each leads back from
 * its own result only. */
static char *
text_before_all(GPtrArray *changes, const char *text, size_t *length, GError **error)
{
    char *old = NULL;

    for (guint i = changes->len; i-- > 0;) {
        char *older;

        if (!is_digest(changes->pdata[i], "after", old ? old : text, *length))
            continue;
        older = text_before(changes->pdata[i], old ? old : text, length);
        free(old);
        old = older;
        if (!old)
            break;
    }
    if (old && is_digest(changes->pdata[0], "before", old, *length))
        return old;
    free(old);
    g_set_error_literal(error, STEP_FILE_ERROR, STEP_FILE_REFUSED,
                        "it was edited since: take back by hand what domlint changed in it");
    return NULL;
}

gboolean
file_change_revert(JsonArray *records, const char *path, GError **error)
{
    g_autoptr(GPtrArray) changes = records_of(records, path);
    g_autoptr(GBytes) bytes = changes->len ? source_file_read(path, error) : NULL;
    const char *text;
    gsize length;
    size_t old_length;
    gboolean done;
    char *old;

    if (!bytes)
        return changes->len == 0;
    text = g_bytes_get_data(bytes, &length);
    if (is_digest(changes->pdata[0], "before", text, length))
        return TRUE;
    old_length = length;
    old = text_before_all(changes, text, &old_length, error);
    done = old && step_file_write(path, text, length, old, old_length, error);
    free(old);
    return done;
}
