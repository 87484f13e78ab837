/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step-define.c: the XML fixes of a domain, done and undone. */
#include "apply/step-define.h"

#include <string.h>

#include "apply/change.h"

struct lint_fixed *
step_define_run(const struct step_define *step, struct journal_run *run, GPtrArray *notes,
                GError **error)
{
    struct definition *definition = definition_fetch(step->connection, step->domain, error);
    struct domxml_error parse_error = DOMXML_ERROR_INIT;
    struct lint_fixed *fixed = NULL;

    if (!definition)
        return NULL;
    if (!g_str_equal(definition->shown, step->plan_text)) {
        g_set_error(error, DEFINITION_ERROR, DEFINITION_REFUSED,
                    "%s was changed by someone else meanwhile: run domlint again",
                    definition->domain->name);
        goto done;
    }
    fixed = lint_fix_document(step->selection, definition->doc, step->facts, step->safety,
                              &parse_error);
    if (!fixed) {
        g_set_error(error, DEFINITION_ERROR, DEFINITION_REFUSED, "%s: %s", definition->domain->name,
                    parse_error.text);
        goto done;
    }
    if (domxml_edits_count(fixed->edits) > 0 &&
        !definition_replace(definition, fixed->text, run, notes, error)) {
        lint_fixed_free(fixed);
        fixed = NULL;
    }
done:
    definition_free(definition);
    return fixed;
}

/* ---- Taking back ---- */

/* The last record of @type in @records about the domain. */
static JsonObject *
last_record(JsonArray *records, const char *type, const char *uuid)
{
    for (guint i = json_array_get_length(records); i-- > 0;) {
        JsonObject *record = json_array_get_object_element(records, i);

        if (g_strcmp0(json_object_get_string_member_with_default(record, "type", NULL), type) == 0 &&
            g_strcmp0(json_object_get_string_member_with_default(record, "uuid", NULL), uuid) == 0)
            return record;
    }
    return NULL;
}

static GPtrArray *
read_changes(JsonObject *record, GError **error)
{
    JsonNode *node = json_object_get_member(record, "changes");

    if (!node || !JSON_NODE_HOLDS_ARRAY(node)) {
        g_set_error(error, DEFINITION_ERROR, DEFINITION_REFUSED, "the journal tells no changes");
        return NULL;
    }
    return change_from_json(json_node_get_array(node), error);
}

/* Where we were killed between the define and its record, libvirt's own part of the change (a new <address>) is not in
 * the journal: it follows from what stood before and what stands now, for the disks that we were about to change. */
static GPtrArray *
complete_changes(JsonObject *announced, GPtrArray *changes, const domxml_doc *now)
{
    const char *before = json_object_get_string_member_with_default(announced, "before", "");
    g_autoptr(domxml_doc) old = domxml_parse(before, strlen(before), NULL);
    g_autoptr(GPtrArray) renamed = g_ptr_array_new();
    GPtrArray *actual;

    if (!old)
        return g_ptr_array_ref(changes);
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (g_str_equal(change->path, "target@dev") && change->before && change->after) {
            g_ptr_array_add(renamed, change->before);
            g_ptr_array_add(renamed, change->after);
        }
    }
    g_ptr_array_add(renamed, NULL);
    actual = change_list(old, now, (const char *const *)renamed->pdata);
    for (guint i = actual->len; i-- > 0;) {
        const struct change *found = actual->pdata[i];
        gboolean ours = FALSE;

        for (guint c = 0; c < changes->len && !ours; c++) {
            const struct change *change = changes->pdata[c];

            ours = g_strcmp0(change->disk, found->disk) == 0 &&
                   g_str_equal(change->path, found->path);
        }
        if (!ours)
            g_ptr_array_remove_index(actual, i);
    }
    return actual;
}

static GPtrArray *
changes_to_revert(const struct definition *definition, JsonArray *records, GError **error)
{
    JsonObject *announced = last_record(records, "define", definition->domain->uuid);
    JsonObject *done = last_record(records, "define-done", definition->domain->uuid);
    g_autoptr(GPtrArray) changes = NULL;

    if (done)
        return read_changes(done, error);
    if (!announced) {
        g_set_error(error, DEFINITION_ERROR, DEFINITION_REFUSED,
                    "the run changed nothing of %s", definition->domain->name);
        return NULL;
    }
    changes = read_changes(announced, error);
    return changes ? complete_changes(announced, changes, definition->doc) : NULL;
}

static gboolean
undo_changes(const struct definition *definition, GPtrArray *changes, struct journal_run *run,
             GPtrArray *notes, GPtrArray *left, GError **error)
{
    struct domxml_error edit_error = DOMXML_ERROR_INIT;
    g_autoptr(domxml_editor) editor = domxml_editor_new(definition->doc, &edit_error);
    g_autoptr(domxml_edits) edits = NULL;
    gboolean ok = TRUE;
    char *text = NULL;

    if (editor && change_revert(editor, definition->doc, changes, left, &edit_error))
        edits = domxml_editor_finish(editor, &edit_error);
    if (edits && domxml_edits_count(edits) > 0)
        text = domxml_edits_apply(edits, definition->full, strlen(definition->full), NULL, NULL,
                                  &edit_error);
    if (edit_error.code != DOMXML_OK) {
        g_set_error(error, DEFINITION_ERROR, DEFINITION_REFUSED, "%s: %s", definition->domain->name,
                    edit_error.text);
        return FALSE;
    }
    if (text)
        ok = definition_replace(definition, text, run, notes, error);
    else
        g_ptr_array_add(notes, g_strdup_printf("%s: there is nothing of ours left to take back",
                                               definition->domain->name));
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
    return ok;
}

gboolean
step_define_undo(struct connection *connection, const struct source_domain *domain,
                 JsonArray *records, struct journal_run *run, GPtrArray *notes, GPtrArray *left,
                 GError **error)
{
    struct definition *definition = definition_fetch(connection, domain, error);
    g_autoptr(GPtrArray) changes = definition ? changes_to_revert(definition, records, error) : NULL;
    gboolean ok = changes && undo_changes(definition, changes, run, notes, left, error);

    definition_free(definition);
    return ok;
}
