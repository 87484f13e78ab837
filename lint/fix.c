/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix.c: applying the XML fixes of one document until nothing changes.
 *
 * Each round takes the findings that have a fix to apply. Their fixes are applied in groups: all
 * that do not get in each other's way at once, those that do after them, made anew for the text
 * that they then meet. A group that did not do what its fixes promise is put back whole and tried
 * in halves, down to the single fix that is at fault. Every finding is tried once: what was applied
 * or put back is closed, so that the work ends whatever the rules do.
 */
#include <stdlib.h>
#include <string.h>

#include "lint/fix.h"
#include "lint/fix-check.h"

/* Bounds the work on documents with very many fixes that must go one after another, since each
 * attempt reads the whole document. */
#define MAX_ATTEMPTS 100

struct fixer {
    const struct lint_selection *selection;
    struct facts_source *facts;
    enum lint_safety safety;
    const domxml_doc *original;

    const domxml_doc *doc; /* as it is now */
    domxml_doc *owned;     /* = @doc where that is not the original */
    GPtrArray *findings;   /* on @doc */
    domxml_edits *edits;   /* from the original text to that of @doc */

    GHashTable *closed;    /* places that are not tried again */
    GPtrArray *applied;    /* of struct lint_finding *, owned */
    GPtrArray *failed;     /* of char *, owned */
    guint attempts;
};

/* What one attempt makes of the document, until it is kept or dropped. */
struct attempt {
    GPtrArray *chosen;   /* of struct lint_finding *, owned by the fixer's findings */
    domxml_edits *edits; /* of the text of the fixer's document */
    domxml_doc *doc;
    GPtrArray *findings; /* on @doc */
};

static void
attempt_free(struct attempt *attempt)
{
    g_ptr_array_unref(attempt->chosen);
    domxml_edits_free(attempt->edits);
    domxml_doc_free(attempt->doc);
    if (attempt->findings)
        g_ptr_array_unref(attempt->findings);
    g_free(attempt);
}

typedef struct attempt attempt_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(attempt_t, attempt_free)

/* The place in @fixes of the fix to apply; -1 without one. */
static int
choose_fix(const struct lint_finding *finding, enum lint_safety safety)
{
    if (finding->result != LINT_RESULT_FAIL)
        return -1;
    for (guint i = 0; i < finding->fixes->len; i++) {
        const struct lint_fix *fix = finding->fixes->pdata[i];

        if (fix->effect == LINT_EFFECT_XML && fix->safety != LINT_MANUAL &&
            fix->safety <= safety && domxml_edits_count(fix->edits) > 0)
            return (int)i;
    }
    return -1;
}

const struct lint_fix *
lint_choose_fix(const struct lint_finding *finding, enum lint_safety safety)
{
    int index = choose_fix(finding, safety);

    return index < 0 ? NULL : finding->fixes->pdata[index];
}

/* Where in the original text @offset of the text made by @edits comes from; within what was put in,
 * the start or end of what it replaced. */
static size_t
original_offset(const domxml_edits *edits, size_t offset, gboolean end)
{
    size_t count = domxml_edits_count(edits);
    size_t old_bytes = 0, new_bytes = 0; /* replaced, and put in, before @offset */

    for (size_t i = 0; i < count; i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);
        size_t start = edit->offset - old_bytes + new_bytes;

        if (offset < start || (end && offset == start))
            break;
        if (offset < start + edit->text_length)
            return end ? edit->offset + edit->length : edit->offset;
        old_bytes += edit->length;
        new_bytes += edit->text_length;
    }
    return offset - new_bytes + old_bytes;
}

/* Lets @finding, on the present text, name its place in the original one. */
static void
move_to_original(const struct fixer *fixer, struct lint_finding *finding)
{
    size_t start = finding->span.offset;
    size_t end = start + finding->span.length;

    if (!finding->located || domxml_edits_count(fixer->edits) == 0)
        return;
    start = original_offset(fixer->edits, start, FALSE);
    end = MAX(start, original_offset(fixer->edits, end, TRUE));
    finding->span.offset = start;
    finding->span.length = end - start;
    domxml_doc_position(fixer->original, start, &finding->line, &finding->column);
    domxml_doc_position(fixer->original, end, &finding->end_line, &finding->end_column);
}

/* The places of all findings that have a fix to apply, in order of the findings. */
static GPtrArray *
candidates(const struct fixer *fixer)
{
    GPtrArray *places = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = lint_places_new();

    for (guint i = 0; i < fixer->findings->len; i++) {
        const struct lint_finding *finding = fixer->findings->pdata[i];

        if (choose_fix(finding, fixer->safety) < 0 ||
            lint_places_contain(fixer->closed, finding) || lint_places_contain(seen, finding))
            continue;
        g_hash_table_add(seen, lint_place_new(finding));
        g_ptr_array_add(places, lint_place_new(finding));
    }
    return places;
}

/* Takes from the findings at @places, which it empties of them, those whose fixes go together;
 * the places of those that must wait stay. One finding for each place: another there is for the
 * next round. */
static attempt_t *
combine(const struct fixer *fixer, GPtrArray *places, struct domxml_error *error)
{
    g_autoptr(attempt_t) attempt = g_new0(struct attempt, 1);
    g_autoptr(GHashTable) wanted = lint_places_new();
    gboolean wide = FALSE;

    attempt->chosen = g_ptr_array_new();
    attempt->edits = domxml_edits_new(error);
    if (!attempt->edits)
        return NULL;
    g_ptr_array_set_free_func(places, NULL); /* the set owns them now */
    for (guint i = 0; i < places->len; i++)
        g_hash_table_add(wanted, places->pdata[i]);
    g_ptr_array_set_size(places, 0);
    g_ptr_array_set_free_func(places, g_free);

    for (guint i = 0; i < fixer->findings->len; i++) {
        struct lint_finding *finding = fixer->findings->pdata[i];
        const struct lint_fix *fix = lint_choose_fix(finding, fixer->safety);
        const struct lint_place place = { finding->rule, finding->disk };

        if (!fix || !g_hash_table_remove(wanted, &place))
            continue;
        if ((fix->wide && wide) || !domxml_edits_merge(attempt->edits, fix->edits, NULL)) {
            g_ptr_array_add(places, lint_place_new(finding));
            continue;
        }
        wide = wide || fix->wide;
        g_ptr_array_add(attempt->chosen, finding);
    }
    return g_steal_pointer(&attempt);
}

/* Makes the new document, and looks at it as at any other. */
static gboolean
carry_out(struct fixer *fixer, struct attempt *attempt, struct domxml_error *error)
{
    size_t length, new_length;
    const char *text = domxml_doc_text(fixer->doc, &length);
    char *changed;

    fixer->attempts++;
    changed = domxml_edits_apply(attempt->edits, text, length, &new_length, NULL, error);
    if (!changed)
        return FALSE;
    attempt->doc = domxml_parse(changed, new_length, error);
    free(changed);
    if (!attempt->doc)
        return FALSE;
    attempt->findings = lint_run(fixer->selection, attempt->doc, fixer->facts);
    return TRUE;
}

/* Moves @finding out of the fixer's findings to those applied, its applied fix first. */
static void
record_applied(struct fixer *fixer, struct lint_finding *finding)
{
    int index = choose_fix(finding, fixer->safety);
    struct lint_fix *fix = g_ptr_array_steal_index(finding->fixes, (guint)index);

    g_ptr_array_insert(finding->fixes, 0, fix);
    move_to_original(fixer, finding);
    g_hash_table_add(fixer->closed, lint_place_new(finding));
    g_ptr_array_add(fixer->applied, finding);
}

/* Makes what @attempt made the present state. */
static gboolean
keep(struct fixer *fixer, struct attempt *attempt, struct domxml_error *error)
{
    size_t length;
    const char *text = domxml_doc_text(fixer->original, &length);
    g_autoptr(GHashTable) chosen = g_hash_table_new(NULL, NULL);
    domxml_edits *edits = domxml_edits_compose(fixer->edits, attempt->edits, text, length, error);

    if (!edits)
        return FALSE;
    for (guint i = 0; i < attempt->chosen->len; i++)
        g_hash_table_add(chosen, attempt->chosen->pdata[i]);

    g_ptr_array_set_free_func(fixer->findings, NULL);
    for (guint i = 0; i < fixer->findings->len; i++) {
        struct lint_finding *finding = fixer->findings->pdata[i];

        if (g_hash_table_contains(chosen, finding))
            record_applied(fixer, finding);
        else
            lint_finding_free(finding);
    }
    g_ptr_array_unref(fixer->findings);
    fixer->findings = g_steal_pointer(&attempt->findings);

    domxml_edits_free(fixer->edits);
    fixer->edits = edits;
    domxml_doc_free(fixer->owned);
    fixer->doc = fixer->owned = g_steal_pointer(&attempt->doc);
    return TRUE;
}

static void
give_up(struct fixer *fixer, const struct lint_finding *finding, const char *problem)
{
    const struct lint_fix *fix = lint_choose_fix(finding, fixer->safety);

    g_hash_table_add(fixer->closed, lint_place_new(finding));
    g_ptr_array_add(fixer->failed,
                    g_strdup_printf("%s%s%s: put back '%s': %s", finding->rule->id,
                                    finding->subject ? " on " : "",
                                    finding->subject ? finding->subject : "", fix->title, problem));
}

/* The places of @count findings of @chosen from @from on. */
static GPtrArray *
places_of(GPtrArray *chosen, guint from, guint count)
{
    GPtrArray *places = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < count; i++)
        g_ptr_array_add(places, lint_place_new(chosen->pdata[from + i]));
    return places;
}

/* Tries the fixes at @places; what is to be tried after that goes on @stack. */
static gboolean
try_group(struct fixer *fixer, GPtrArray *places, GPtrArray *stack, struct domxml_error *error)
{
    g_autoptr(attempt_t) attempt = combine(fixer, places, error);
    g_autofree char *problem = NULL;
    guint half;

    if (!attempt)
        return FALSE;
    if (attempt->chosen->len == 0)
        return TRUE;
    if (places->len > 0)
        g_ptr_array_add(stack, g_ptr_array_ref(places));
    if (!carry_out(fixer, attempt, error))
        return FALSE;

    problem = lint_fix_check(fixer->findings, attempt->findings, attempt->chosen, fixer->closed);
    if (!problem)
        return keep(fixer, attempt, error);
    if (attempt->chosen->len == 1) {
        give_up(fixer, attempt->chosen->pdata[0], problem);
        return TRUE;
    }
    half = attempt->chosen->len / 2;
    g_ptr_array_add(stack, places_of(attempt->chosen, half, attempt->chosen->len - half));
    g_ptr_array_add(stack, places_of(attempt->chosen, 0, half));
    return TRUE;
}

/* Tries each of @places once; takes them over. */
static gboolean
run_round(struct fixer *fixer, GPtrArray *places, struct domxml_error *error)
{
    g_autoptr(GPtrArray) stack = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

    g_ptr_array_add(stack, places);
    while (stack->len > 0 && fixer->attempts < MAX_ATTEMPTS) {
        g_autoptr(GPtrArray) group = g_ptr_array_steal_index(stack, stack->len - 1);

        if (!try_group(fixer, group, stack, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
run_rounds(struct fixer *fixer, struct domxml_error *error)
{
    for (int round = 0; round < LINT_FIX_ROUNDS && fixer->attempts < MAX_ATTEMPTS; round++) {
        GPtrArray *places = candidates(fixer);

        if (places->len == 0) {
            g_ptr_array_unref(places);
            break;
        }
        if (!run_round(fixer, places, error))
            return FALSE;
    }
    return TRUE;
}

/* Hands what the fixer came to over to its caller. */
static struct lint_fixed *
result(struct fixer *fixer)
{
    struct lint_fixed *fixed = g_new0(struct lint_fixed, 1);
    size_t length;
    const char *text = domxml_doc_text(fixer->doc, &length);

    fixed->text = g_malloc(length + 1);
    memcpy(fixed->text, text, length + 1);
    fixed->length = length;
    fixed->doc = g_steal_pointer(&fixer->owned);
    fixed->edits = g_steal_pointer(&fixer->edits);
    fixed->applied = g_ptr_array_ref(fixer->applied);
    fixed->remaining = g_steal_pointer(&fixer->findings);
    fixed->failed = g_ptr_array_ref(fixer->failed);
    return fixed;
}

struct lint_fixed *
lint_fix_document(const struct lint_selection *selection, const domxml_doc *doc,
                  struct facts_source *facts, enum lint_safety safety, struct domxml_error *error)
{
    struct fixer fixer = {
        .selection = selection,
        .facts = facts,
        .safety = safety,
        .original = doc,
        .doc = doc,
        .findings = lint_run(selection, doc, facts),
        .edits = domxml_edits_new(error),
        .closed = lint_places_new(),
        .applied = g_ptr_array_new_with_free_func((GDestroyNotify)lint_finding_free),
        .failed = g_ptr_array_new_with_free_func(g_free),
    };
    struct lint_fixed *fixed = NULL;

    if (fixer.edits && run_rounds(&fixer, error))
        fixed = result(&fixer);

    g_clear_pointer(&fixer.findings, g_ptr_array_unref);
    domxml_edits_free(fixer.edits);
    domxml_doc_free(fixer.owned);
    g_hash_table_unref(fixer.closed);
    g_ptr_array_unref(fixer.applied);
    g_ptr_array_unref(fixer.failed);
    return fixed;
}

void
lint_fixed_free(struct lint_fixed *fixed)
{
    if (!fixed)
        return;
    domxml_edits_free(fixed->edits);
    g_free(fixed->text);
    domxml_doc_free(fixed->doc);
    g_ptr_array_unref(fixed->applied);
    g_ptr_array_unref(fixed->remaining);
    g_ptr_array_unref(fixed->failed);
    g_free(fixed);
}
