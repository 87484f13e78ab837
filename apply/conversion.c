/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conversion.c: what carrying out, finishing and rolling back a conversion have in common. */
#include "apply/conversion.h"

#include <string.h>

#include "apply/change.h"
#include "apply/definition.h"
#include "apply/file-name.h"
#include "apply/step-file.h"
#include "lint/lint.h"

static const domxml_elem *
find_disk(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return domxml_disk(doc, i);
    return NULL;
}

/* The edits in @doc that the conversion means; NULL with @error. */
static domxml_edits *
make_edits(const struct conversion *conversion, const domxml_doc *doc, GError **error)
{
    const struct convert_record *record = &conversion->record;
    const domxml_elem *disk = find_disk(doc, record->disk);
    struct domxml_error problem = DOMXML_ERROR_INIT;
    g_autoptr(domxml_editor) editor = domxml_editor_new(doc, &problem);
    domxml_edits *edits = NULL;

    if (disk && editor &&
        lint_convert_edits(editor, disk, record->new_path, record->to, record->preallocation,
                           conversion->notes, &problem))
        edits = domxml_editor_finish(editor, &problem);
    if (!edits)
        g_set_error(error, CONVERT_ERROR, CONVERT_FAILED, "the XML cannot be changed: %s",
                    disk ? problem.text : "the disk is not there any more");
    return edits;
}

static gboolean
define_domain(struct conversion *conversion, GError **error)
{
    const struct convert_wish *wish = conversion->wish;
    struct definition *definition = definition_fetch(wish->connection, wish->domain, error);
    g_autoptr(domxml_edits) edits = NULL;
    char *text = NULL;
    gboolean done = FALSE;

    if (!definition)
        return FALSE;
    if (!g_str_equal(definition->shown, wish->text))
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_FAILED,
                            "the definition was changed by someone else meanwhile");
    else
        edits = make_edits(conversion, definition->doc, error);
    if (edits && domxml_edits_count(edits) == 0)
        done = TRUE;
    else if (edits)
        text = domxml_edits_apply(edits, definition->full, strlen(definition->full), NULL, NULL,
                                  NULL);
    if (text) {
        done = definition_replace(definition, text, conversion->run, conversion->notes, error);
        explicit_bzero(text, strlen(text));
        free(text);
    }
    definition_free(definition);
    return done;
}

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

static gboolean
write_file(struct conversion *conversion, GError **error)
{
    const struct convert_wish *wish = conversion->wish;
    g_autoptr(domxml_edits) edits = make_edits(conversion, conversion->doc, error);
    domxml_edits *inverse = NULL;
    g_autofree char *digest = NULL;
    JsonObject *members;
    size_t length;
    gboolean done;
    char *text;

    if (!edits)
        return FALSE;
    if (domxml_edits_count(edits) == 0)
        return TRUE;
    text = domxml_edits_apply(edits, wish->text, strlen(wish->text), &length, &inverse, NULL);
    if (!text) {
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_FAILED, "memory ran out");
        return FALSE;
    }
    digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
    members = json_object_new();
    json_object_set_string_member(members, "digest", digest);
    json_object_set_array_member(members, "inverse", edits_to_json(inverse));
    done = convert_record_step(&conversion->record, conversion->run, "file", members, error) &&
           step_file_write(wish->file, wish->text, strlen(wish->text), text, length, error);
    domxml_edits_free(inverse);
    free(text);
    return done;
}

gboolean
conversion_define(struct conversion *conversion, GError **error)
{
    return conversion->wish->domain ? define_domain(conversion, error)
                                    : write_file(conversion, error);
}

/* Whether the name leads to that file. */
static gboolean
is_at(const char *path, const struct file_identity *identity)
{
    struct file_identity found;

    return path && file_identity_at(path, &found, NULL) && file_identity_same(&found, identity);
}

gboolean
conversion_roll_back(const struct convert_record *record, GError **error)
{
    if (!record->made.inode)
        return TRUE;
    /* Exchanged already: the original gets its name back first. */
    if (record->exchange && is_at(record->real, &record->made) &&
        is_at(record->new_real, &record->original) &&
        !file_name_exchange(record->real, record->new_real, error))
        return FALSE;
    if (is_at(record->new_real, &record->made) &&
        !file_name_remove(record->new_real, &record->made, error))
        return FALSE;
    return !record->temporary || !is_at(record->temporary, &record->made) ||
           file_name_remove(record->temporary, &record->made, error);
}

/* ---- Pools ---- */

struct refresh {
    char *folder;
    char *pool; /* whose refresh failed; NULL without one */
    char *why;
};

static void
refresh_free(void *data)
{
    struct refresh *refresh = data;

    g_free(refresh->folder);
    g_free(refresh->pool);
    g_free(refresh->why);
    g_free(refresh);
}

static gboolean
refresh_pool(virConnectPtr handle, void *data)
{
    struct refresh *refresh = data;
    virStoragePoolPtr pool = virStoragePoolLookupByTargetPath(handle, refresh->folder);

    if (!pool)
        return TRUE;
    if (virStoragePoolIsActive(pool) == 1 && virStoragePoolRefresh(pool, 0) < 0) {
        refresh->pool = g_strdup(virStoragePoolGetName(pool));
        refresh->why = g_strdup(virGetLastErrorMessage());
    }
    virStoragePoolFree(pool);
    return TRUE;
}

void
conversion_refresh_pool(struct connection *connection, const char *path, GPtrArray *notes)
{
    struct refresh *refresh = g_new0(struct refresh, 1);

    refresh->folder = g_path_get_dirname(path);
    if (!connection_call(connection, refresh_pool, refresh, refresh_free, NULL))
        return;
    if (refresh->pool)
        g_ptr_array_add(notes, g_strdup_printf("pool %s could not be refreshed: %s; later: virsh "
                                               "pool-refresh %s", refresh->pool, refresh->why,
                                               refresh->pool));
    refresh_free(refresh);
}
