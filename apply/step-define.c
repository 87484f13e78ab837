/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step-define.c: the XML fixes of a domain, done and undone. */
#include "apply/step-define.h"

#include <string.h>

#include "apply/change.h"

G_GNUC_PRINTF(2, 3)
static gboolean
refuse(GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error)
        *error = g_error_new_valist(DEFINITION_ERROR, DEFINITION_REFUSED, format, args);
    va_end(args);
    return FALSE;
}

/* A revert to a snapshot in the image may go with a definition that has the disk on its old bus (facts 4.5). */
static gboolean
check_images(const struct step_define *step, GError **error)
{
    const domxml_doc *before = step->plan_doc;
    const domxml_doc *after = step->plan->doc;

    for (size_t i = 0; after && i < domxml_disk_count(before); i++) {
        const domxml_elem *disk = domxml_disk(before, i);
        guint count = step->facts->image(step->facts, disk)->snapshots;

        if (count > 0 && g_strcmp0(domxml_get(disk, "target@bus"),
                                   domxml_get(domxml_disk(after, i), "target@bus")) != 0)
            return refuse(error, "the image of disk %s holds %u snapshot%s of the disk as it is: "
                          "delete %s first, or leave the disk's bus as it is",
                          domxml_get(disk, "target@dev"), count, count == 1 ? "" : "s",
                          count == 1 ? "it" : "them");
    }
    return TRUE;
}

gboolean
step_define_check(const struct step_define *step, GPtrArray *notes, GError **error)
{
    return check_images(step, error) &&
           definition_check(step->connection, step->domain, step->plan_doc, step->plan->doc, notes,
                            error);
}

/* The fixes of the plan and no others, whichever form of the text they are derived from. */
static gboolean
is_as_planned(const struct lint_fixed *plan, const struct lint_fixed *fixed)
{
    gboolean same = plan->applied->len == fixed->applied->len;

    for (guint i = 0; same && i < plan->applied->len; i++) {
        const struct lint_finding *a = plan->applied->pdata[i];
        const struct lint_finding *b = fixed->applied->pdata[i];
        const struct lint_fix *fix_a = a->fixes->pdata[0];
        const struct lint_fix *fix_b = b->fixes->pdata[0];

        same = a->rule == b->rule && g_strcmp0(a->subject, b->subject) == 0 &&
               g_str_equal(fix_a->title, fix_b->title);
    }
    return same;
}

/* The plan's fixes, derived again on the text that can be defined; to be freed. */
static struct lint_fixed *
derive(const struct step_define *step, const struct definition *definition, GError **error)
{
    struct domxml_error problem = DOMXML_ERROR_INIT;
    struct lint_fixed *fixed;

    if (!g_str_equal(definition->shown, domxml_doc_text(step->plan_doc, NULL))) {
        refuse(error, "it was changed by someone else meanwhile: run domlint again");
        return NULL;
    }
    fixed = lint_fix_document(step->selection, definition->doc, step->facts, step->safety,
                              &problem);
    if (!fixed) {
        refuse(error, "%s", problem.text);
    } else if (!is_as_planned(step->plan, fixed)) {
        refuse(error, "with the definition's secrets other fixes apply than without: please "
               "report this");
        g_clear_pointer(&fixed, lint_fixed_free);
    }
    return fixed;
}

struct lint_fixed *
step_define_run(const struct step_define *step, struct journal_run *run, GPtrArray *notes,
                GError **error)
{
    struct definition *definition =
        check_images(step, error) ? definition_fetch(step->connection, step->domain, error) : NULL;
    struct lint_fixed *fixed = definition ? derive(step, definition, error) : NULL;

    if (fixed && domxml_edits_count(fixed->edits) > 0 &&
        !definition_replace(definition, fixed->text, run, notes, error))
        g_clear_pointer(&fixed, lint_fixed_free);
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
        refuse(error, "the journal tells no changes");
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
        refuse(error, "the run changed nothing of it");
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
    if (edit_error.code != DOMXML_OK)
        return refuse(error, "%s", edit_error.text);
    if (text)
        ok = definition_replace(definition, text, run, notes, error);
    else
        g_ptr_array_add(notes, g_strdup("nothing of what domlint changed is left to take back"));
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
