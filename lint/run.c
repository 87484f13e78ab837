/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c: the traversal: each rule over the domain and over each disk; what the rules reported is
 * then finished: editors become edits, a manager's domains are marked, findings are sorted.
 */
#include <string.h>

#include "lint/ctx.h"
#include "lint/managed.h"
#include "lint/run.h"

/* Memory ran out: give up as GLib does. */
static domxml_edits *
empty_edits(void)
{
    domxml_edits *edits = domxml_edits_new(NULL);

    if (!edits)
        g_error("out of memory");
    return edits;
}

/* Whether the fix changes the disk's name, or anything outside the disk: then what it does
 * depends on the rest of the domain (names in use, the boot order). */
static gboolean
is_wide(const struct lint_fix *fix, const domxml_elem *disk)
{
    struct domxml_span span;
    size_t count = domxml_edits_count(fix->edits);

    if (!disk)
        return TRUE;
    if (g_strcmp0(domxml_get(disk, "target@dev"),
                  domxml_editor_get(fix->editor, disk, "target@dev")) != 0)
        return TRUE;
    span = domxml_elem_span(disk);
    for (size_t i = 0; i < count; i++) {
        const struct domxml_edit *edit = domxml_edits_get(fix->edits, i);

        if (edit->offset < span.offset || edit->offset + edit->length > span.offset + span.length)
            return TRUE;
    }
    return FALSE;
}

static void
finish_editor(struct lint_fix *fix, const domxml_elem *disk)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    fix->edits = domxml_editor_finish(fix->editor, &error);
    if (!fix->edits) {
        lint_fix_done(fix, FALSE, &error);
        return;
    }
    fix->wide = is_wide(fix, disk);
    for (size_t i = 0; i < domxml_editor_note_count(fix->editor); i++)
        lint_fix_note(fix, "%s", domxml_editor_note(fix->editor, i));
}

static void
finish_fix(struct lint_fix *fix, const domxml_elem *disk)
{
    if (fix->editor && !fix->refused)
        finish_editor(fix, disk);
    g_clear_pointer(&fix->editor, domxml_editor_free);
    fix->doc = NULL;
    if (!fix->edits)
        fix->edits = empty_edits();
}

/* Turns what the rule that just ran reported, from number @from on, into findings proper. */
static void
finish_findings(struct lint_ctx *ctx, guint from)
{
    for (guint i = from; i < ctx->findings->len; i++) {
        struct lint_finding *finding = ctx->findings->pdata[i];
        const domxml_elem *disk = NULL;

        if (finding->disk >= 0)
            disk = domxml_disk(ctx->doc, (size_t)finding->disk);
        for (guint j = 0; j < finding->fixes->len; j++)
            finish_fix(finding->fixes->pdata[j], disk);
        finding->doc = NULL;
    }
}

static void
check_domain(struct lint_ctx *ctx, const struct lint_selection *selection)
{
    ctx->disk = NULL;
    ctx->disk_index = -1;
    for (guint i = 0; i < selection->rules->len; i++) {
        guint from = ctx->findings->len;

        ctx->rule = selection->rules->pdata[i];
        if (!ctx->rule->check_domain)
            continue;
        ctx->rule->check_domain(ctx, domxml_doc_domain(ctx->doc));
        finish_findings(ctx, from);
    }
}

static void
check_disk(struct lint_ctx *ctx, const struct lint_selection *selection, size_t index)
{
    ctx->disk = domxml_disk(ctx->doc, index);
    ctx->disk_index = (int)index;
    for (guint i = 0; i < selection->rules->len; i++) {
        guint from = ctx->findings->len;

        ctx->rule = selection->rules->pdata[i];
        if (!ctx->rule->check_disk)
            continue;
        ctx->rule->check_disk(ctx, ctx->disk);
        finish_findings(ctx, from);
    }
}

/* The manager would undo what is changed behind its back: its domains are not fixed here. */
static void
leave_to_manager(GPtrArray *findings, const char *manager)
{
    for (guint i = 0; i < findings->len; i++) {
        struct lint_finding *finding = findings->pdata[i];

        if (finding->result == LINT_RESULT_FAIL)
            lint_note(finding, "managed by %s: change it there", manager);
        for (guint j = 0; j < finding->fixes->len; j++) {
            struct lint_fix *fix = finding->fixes->pdata[j];

            fix->safety = LINT_MANUAL;
            domxml_edits_free(fix->edits);
            fix->edits = empty_edits();
        }
    }
}

/* By position, rule, subject. GPtrArray's sort is stable, so that equal ones stay as the rule
 * reported them. */
static gint
compare_findings(gconstpointer first, gconstpointer second)
{
    const struct lint_finding *a = *(const struct lint_finding *const *)first;
    const struct lint_finding *b = *(const struct lint_finding *const *)second;
    int order;

    if (a->located != b->located)
        return a->located ? 1 : -1;
    if (a->located && a->span.offset != b->span.offset)
        return a->span.offset < b->span.offset ? -1 : 1;
    order = strcmp(a->rule->id, b->rule->id);
    return order ? order : g_strcmp0(a->subject, b->subject);
}

GPtrArray *
lint_run(const struct lint_selection *selection, const domxml_doc *doc, struct facts_source *facts)
{
    GPtrArray *findings = g_ptr_array_new_with_free_func((GDestroyNotify)lint_finding_free);
    struct lint_ctx ctx = {
        .doc = doc,
        .facts = facts,
        .findings = findings,
    };
    size_t count = domxml_disk_count(doc);
    const char *manager;

    check_domain(&ctx, selection);
    for (size_t i = 0; i < count; i++)
        check_disk(&ctx, selection, i);

    manager = findings->len ? lint_managed_by(doc) : NULL;
    if (manager)
        leave_to_manager(findings, manager);
    g_ptr_array_sort(findings, compare_findings);
    return findings;
}
