/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conversion.c: what carrying out, finishing and rolling back a conversion have in common. */
#include "apply/conversion.h"

#include <string.h>

#include "apply/convert-present.h"
#include "apply/definition.h"
#include "apply/file-change.h"
#include "apply/file-name.h"
#include "lint/lint.h"
#include "probe/probe.h"

static const domxml_elem *
find_disk(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return domxml_disk(doc, i);
    return NULL;
}

/* ---- Beginning ---- */

static void
fill_record(struct convert_record *record, const struct convert_wish *wish, const char *id)
{
    record->id = g_strdup(id);
    if (wish->domain) {
        record->domain = g_strdup(wish->domain->name);
        record->uuid = g_strdup(wish->domain->uuid);
    }
    /* The journal outlives the folder that we are in. */
    record->file = wish->file ? g_canonicalize_filename(wish->file, NULL) : NULL;
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
    guard_free(conversion->guard);
    g_clear_error(&conversion->guard_error);
    domxml_doc_free(conversion->doc);
    convert_record_clear(&conversion->record);
    memset(conversion, 0, sizeof(*conversion));
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
        .doc = conversion->doc,
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

/* ---- Changing the XML ---- */

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
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED,
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

static gboolean
write_file(struct conversion *conversion, GError **error)
{
    g_autoptr(domxml_edits) edits = make_edits(conversion, conversion->doc, error);
    size_t length;
    const char *text = domxml_doc_text(conversion->doc, &length);

    return edits && file_change_write(conversion->run, conversion->record.file, text, length, edits,
                                      error);
}

gboolean
conversion_define(struct conversion *conversion, GError **error)
{
    const struct convert_record *record = &conversion->record;
    const char *path = convert_record_current(record);

    /* Once more, right before: no XML is to name what is not there. */
    if (!convert_present_at(path, &record->made)) {
        g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED,
                    "%s is not there any more: somebody removed what domlint made", path);
        return FALSE;
    }
    return conversion->wish->domain ? define_domain(conversion, error)
                                    : write_file(conversion, error);
}

gboolean
conversion_roll_back(const struct convert_record *record, GError **error)
{
    if (!record->made.inode)
        return TRUE;
    /* Exchanged already: the original gets its name back first. */
    if (record->exchange && convert_present_at(record->real, &record->made) &&
        convert_present_at(record->new_real, &record->original) &&
        !file_name_exchange(record->real, record->new_real, error))
        return FALSE;
    if (record->exchange && convert_present_at(record->real, &record->made)) {
        g_set_error(error, CONVERT_ERROR, CONVERT_OPEN,
                    "%s is the new image, but %s is not the original any more: it stays",
                    record->real, record->new_real);
        return FALSE;
    }
    if (convert_present_at(record->new_real, &record->made) &&
        !file_name_remove(record->new_real, &record->made, error))
        return FALSE;
    return !record->temporary || !convert_present_at(record->temporary, &record->made) ||
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
