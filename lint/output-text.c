/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output-text.c: the report for people, laid out as modern compilers do: what is wrong, where,
 * the source line, notes, and each fix with the option that applies it and the lines it changes.
 */
#include <string.h>

#include "lint/escape.h"
#include "lint/excerpt.h"
#include "lint/fix.h"
#include "lint/not-checked.h"
#include "lint/output.h"

struct text_output {
    struct lint_output base; /* first, so that one is the other */
    FILE *stream;
    struct lint_output_options options;
    const struct lint_style *style;
    GHashTable *explained;          /* of const struct lint_rule *: help was shown */
    struct lint_not_checked *not_checked;
    guint kinds[3];                 /* targets, by enum lint_target_kind */
    gboolean begun;                 /* something was shown before */
};

static void
append_escaped(GString *out, const char *text)
{
    lint_escape_append(out, text, strlen(text));
}

static void
append_place(GString *out, const struct lint_target *target, gboolean located, int line, int column)
{
    switch (target->kind) {
    case LINT_TARGET_FILE:
        append_escaped(out, target->path ? target->path : target->name);
        break;
    case LINT_TARGET_DOMAIN:
        if (target->uri) {
            append_escaped(out, target->uri);
            g_string_append_c(out, '/');
        }
        append_escaped(out, target->name);
        if (target->doc)
            g_string_append(out, target->live ? " (live XML)" : " (inactive XML)");
        break;
    case LINT_TARGET_HOST:
        append_escaped(out, target->name);
        break;
    }
    if (located && line > 0)
        g_string_append_printf(out, ":%d:%d", line, column);
}

/* Starts a block of the report: blocks have an empty line between them. */
static void
begin_block(struct text_output *text, GString *out)
{
    if (text->begun)
        g_string_append_c(out, '\n');
    text->begun = TRUE;
}

static void
append_head(struct text_output *text, GString *out, const char *color, const char *word,
            const struct lint_finding *finding)
{
    begin_block(text, out);
    g_string_append_printf(out, "%s%s[%s]%s%s: ", color, word, finding->rule->id,
                           text->style->reset, text->style->bold);
    if (finding->subject) {
        g_string_append(out, "disk ");
        append_escaped(out, finding->subject);
        g_string_append(out, ": ");
    }
    append_escaped(out, finding->message);
    g_string_append_printf(out, "%s\n", text->style->reset);
}

static void
append_arrow(struct text_output *text, GString *out, int gutter, const struct lint_target *target,
             gboolean located, int line, int column)
{
    g_string_append_printf(out, "%s%*s-->%s ", text->style->gutter, gutter, "", text->style->reset);
    append_place(out, target, located, line, column);
    g_string_append_c(out, '\n');
}

static void
append_note(struct text_output *text, GString *out, int gutter, const char *label, const char *note)
{
    g_string_append_printf(out, "%s%*s =%s %s: ", text->style->gutter, gutter, "",
                           text->style->reset, label);
    append_escaped(out, note);
    g_string_append_c(out, '\n');
}

/* What applies the fix, of those of @finding; NULL where there is nothing to say. */
static const char *
how_to_apply(const struct lint_finding *finding, const struct lint_fix *fix)
{
    if (fix->safety == LINT_MANUAL)
        return NULL;
    switch (fix->effect) {
    case LINT_EFFECT_IMAGE:
        return "shown only: the conversion itself comes in a later version";
    case LINT_EFFECT_HOST:
        return "to be done on the host by hand";
    case LINT_EFFECT_XML:
        break;
    }
    if (fix == lint_choose_fix(finding, LINT_SAFE))
        return "apply with: domlint --fix";
    if (fix == lint_choose_fix(finding, LINT_UNSAFE))
        return "apply with: domlint --fix --unsafe-fixes";
    return "an alternative, by hand";
}

static void
append_fix_details(struct text_output *text, GString *out, const struct lint_target *target,
                   const struct lint_finding *finding, const struct lint_fix *fix, int gutter)
{
    for (guint i = 0; i < fix->steps->len; i++) {
        g_autofree char *step = lint_step_text(fix->steps->pdata[i]);

        g_string_append_printf(out, "%*s    step: ", gutter, "");
        append_escaped(out, step);
        g_string_append_c(out, '\n');
    }
    if (target->doc && domxml_edits_count(fix->edits) > 0)
        lint_changes_append(out, text->style, target->doc, finding, fix, gutter);
    if (text->options.quiet)
        return;
    for (guint i = 0; i < fix->notes->len; i++) {
        g_string_append_printf(out, "%*s    note: ", gutter, "");
        append_escaped(out, fix->notes->pdata[i]);
        g_string_append_c(out, '\n');
    }
}

static void
append_fix(struct text_output *text, GString *out, const struct lint_target *target,
           const struct lint_finding *finding, guint index, int gutter)
{
    const struct lint_fix *fix = finding->fixes->pdata[index];
    const char *how = how_to_apply(finding, fix);

    g_string_append_printf(out, "%s%*s =%s %sfix (", text->style->gutter, gutter, "",
                           text->style->reset, index > 0 ? "or " : "");
    if (fix->effect != LINT_EFFECT_XML)
        g_string_append_printf(out, "%s, ", lint_effect_name(fix->effect));
    g_string_append_printf(out, "%s): ", lint_safety_name(fix->safety));
    append_escaped(out, fix->title);
    if (how)
        g_string_append_printf(out, "   %s", how);
    g_string_append_c(out, '\n');
    append_fix_details(text, out, target, finding, fix, gutter);
}

static void
append_finding(struct text_output *text, GString *out, const struct lint_target *target,
               const struct lint_finding *finding)
{
    int gutter = target->doc ? lint_gutter_width(target->doc, finding) : 1;

    append_head(text, out, text->style->severity[finding->severity],
                lint_severity_name(finding->severity), finding);
    append_arrow(text, out, gutter, target, finding->located, finding->line, finding->column);
    if (target->doc)
        lint_excerpt_append(out, text->style, target->doc, finding, gutter);
    for (guint i = 0; !text->options.quiet && i < finding->notes->len; i++)
        append_note(text, out, gutter, "note", finding->notes->pdata[i]);
    for (guint i = 0; i < finding->fixes->len; i++)
        append_fix(text, out, target, finding, i, gutter);
    /* Once for each rule in a report. */
    if (!text->options.quiet && g_hash_table_add(text->explained, (gpointer)finding->rule)) {
        g_autofree char *help = g_strdup_printf("domlint --explain=%s", finding->rule->id);

        append_note(text, out, gutter, "help", help);
    }
}

/* What --fix did about a finding; its place is that in the text before. */
static void
append_applied(struct text_output *text, GString *out, const struct lint_target *target,
               const struct lint_finding *finding)
{
    const struct lint_fix *fix = finding->fixes->pdata[0];
    g_autofree char *label = g_strdup_printf("applied (%s)", lint_safety_name(fix->safety));

    append_head(text, out, text->style->added, "fixed", finding);
    append_arrow(text, out, 1, target, finding->located, finding->line, finding->column);
    append_note(text, out, 1, label, fix->title);
    for (guint i = 0; !text->options.quiet && i < fix->notes->len; i++)
        append_note(text, out, 1, "note", fix->notes->pdata[i]);
}

static void
append_failure(struct text_output *text, GString *out, const struct lint_target *target)
{
    begin_block(text, out);
    g_string_append_printf(out, "%serror%s%s: ", text->style->severity[LINT_ERROR],
                           text->style->reset, text->style->bold);
    append_escaped(out, target->failure);
    g_string_append_printf(out, "%s\n", text->style->reset);
    append_arrow(text, out, 1, target, TRUE, target->failure_line, target->failure_column);
}

static void
append_target_note(struct text_output *text, GString *out, const struct lint_target *target,
                   const char *note)
{
    begin_block(text, out);
    g_string_append_printf(out, "%snote%s: ", text->style->bold, text->style->reset);
    append_escaped(out, note);
    g_string_append_c(out, '\n');
    append_arrow(text, out, 1, target, FALSE, 0, 0);
}

static void
text_target(struct lint_output *output, const struct lint_target *target, GPtrArray *applied,
            GPtrArray *findings)
{
    struct text_output *text = (struct text_output *)output;
    g_autoptr(GString) out = g_string_new(NULL);

    text->kinds[target->kind]++;
    lint_not_checked_begin_target(text->not_checked);
    if (target->failure)
        append_failure(text, out, target);
    for (guint i = 0; applied && i < applied->len; i++)
        append_applied(text, out, target, applied->pdata[i]);
    for (guint i = 0; findings && i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        if (finding->severity < text->options.min_severity)
            continue;
        if (finding->result == LINT_RESULT_UNKNOWN)
            lint_not_checked_add(text->not_checked, target, finding);
        else
            append_finding(text, out, target, finding);
    }
    for (guint i = 0; target->notes && !text->options.quiet && i < target->notes->len; i++)
        append_target_note(text, out, target, target->notes->pdata[i]);
    fwrite(out->str, 1, out->len, text->stream);
}

static void
append_count(GString *out, guint count, const char *noun)
{
    g_string_append_printf(out, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

static void
append_targets(struct text_output *text, GString *out, guint failed)
{
    static const char *const nouns[] = { "file", "domain", "host" };
    gboolean first = TRUE;

    for (size_t i = 0; i < G_N_ELEMENTS(nouns); i++) {
        if (text->kinds[i] == 0)
            continue;
        g_string_append(out, first ? "" : ", ");
        append_count(out, text->kinds[i], nouns[i]);
        first = FALSE;
    }
    if (first)
        g_string_append(out, "nothing");
    if (failed > 0)
        g_string_append_printf(out, " (%u failed)", failed);
}

static void
append_summary(struct text_output *text, GString *out, const struct lint_summary *summary)
{
    g_string_append(out, "Checked ");
    append_targets(text, out, summary->failed);
    g_string_append(out, ": ");
    if (text->options.fixed) {
        append_count(out, summary->applied, "finding");
        g_string_append(out, " fixed, left: ");
    }
    append_count(out, summary->severity[LINT_ERROR], "error");
    g_string_append(out, ", ");
    append_count(out, summary->severity[LINT_WARNING], "warning");
    g_string_append(out, ", ");
    append_count(out, summary->severity[LINT_INFO], "info");
    g_string_append_printf(out, ", %u not checked", summary->unknown);
    if (summary->suppressed > 0)
        g_string_append_printf(out, ", %u suppressed", summary->suppressed);
    g_string_append(out, ".\n");
    if (summary->fixable_safe + summary->fixable_unsafe + summary->fixable_image +
            summary->fixable_manual > 0)
        g_string_append_printf(out,
                               "Fixes: %u safe (--fix), %u unsafe (--fix --unsafe-fixes), "
                               "%u image, %u manual.\n",
                               summary->fixable_safe, summary->fixable_unsafe,
                               summary->fixable_image, summary->fixable_manual);
}

static void
text_end(struct lint_output *output, const struct lint_summary *summary)
{
    struct text_output *text = (struct text_output *)output;
    g_autoptr(GString) out = g_string_new(NULL);

    if (!text->options.quiet) {
        g_autofree char *causes = lint_not_checked_text(text->not_checked);

        if (causes[0]) {
            begin_block(text, out);
            g_string_append(out, causes);
        }
        begin_block(text, out);
        append_summary(text, out, summary);
    }
    fwrite(out->str, 1, out->len, text->stream);
    fflush(text->stream);
}

static void
text_free(struct lint_output *output)
{
    struct text_output *text = (struct text_output *)output;

    g_hash_table_unref(text->explained);
    lint_not_checked_free(text->not_checked);
    g_free(text);
}

struct lint_output *
lint_output_text_new(FILE *stream, const struct lint_output_options *options)
{
    struct text_output *text = g_new0(struct text_output, 1);

    text->base.target = text_target;
    text->base.end = text_end;
    text->base.free = text_free;
    text->stream = stream;
    text->options = *options;
    text->style = lint_style_get(options->color);
    text->explained = g_hash_table_new(NULL, NULL);
    text->not_checked = lint_not_checked_new();
    return &text->base;
}
