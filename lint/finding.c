/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.c: freeing findings, and the names of what they hold. */
#include "lint/ctx.h"

static void
step_free(gpointer data)
{
    struct lint_step *step = data;

    g_free(step->path);
    g_free(step->from_format);
    g_free(step->new_path);
    g_free(step->to_format);
    g_free(step->preallocation);
    g_free(step);
}

struct lint_fix *
lint_fix_new(enum lint_safety safety, enum lint_effect effect, const domxml_doc *doc)
{
    struct lint_fix *fix = g_new0(struct lint_fix, 1);

    fix->safety = safety;
    fix->effect = effect;
    fix->doc = doc;
    fix->notes = g_ptr_array_new_with_free_func(g_free);
    fix->steps = g_ptr_array_new_with_free_func(step_free);
    return fix;
}

void
lint_fix_free(struct lint_fix *fix)
{
    if (!fix)
        return;
    g_free(fix->title);
    g_ptr_array_unref(fix->notes);
    g_ptr_array_unref(fix->steps);
    domxml_editor_free(fix->editor);
    domxml_edits_free(fix->edits);
    g_free(fix);
}

static void
fix_free(gpointer data)
{
    lint_fix_free(data);
}

struct lint_finding *
lint_finding_new(const struct lint_rule *rule, enum lint_result result, const domxml_doc *doc)
{
    struct lint_finding *finding = g_new0(struct lint_finding, 1);

    finding->rule = rule;
    finding->severity = rule->severity;
    finding->result = result;
    finding->disk = -1;
    finding->doc = doc;
    finding->notes = g_ptr_array_new_with_free_func(g_free);
    finding->fixes = g_ptr_array_new_with_free_func(fix_free);
    return finding;
}

void
lint_finding_free(struct lint_finding *finding)
{
    if (!finding)
        return;
    g_free(finding->reason);
    g_free(finding->subject);
    g_free(finding->message);
    g_ptr_array_unref(finding->notes);
    g_ptr_array_unref(finding->fixes);
    g_free(finding);
}

char *
lint_step_text(const struct lint_step *step)
{
    switch (step->kind) {
    case LINT_STEP_CONVERT:
        return g_strdup_printf("convert %s (%s) to %s (%s, preallocation=%s)", step->path,
                               step->from_format, step->new_path, step->to_format,
                               step->preallocation);
    }
    g_assert_not_reached();
}

const char *
lint_severity_name(enum lint_severity severity)
{
    static const char *const names[] = { "info", "warning", "error" };

    return names[severity];
}

const char *
lint_safety_name(enum lint_safety safety)
{
    static const char *const names[] = { "safe", "unsafe", "manual" };

    return names[safety];
}

const char *
lint_effect_name(enum lint_effect effect)
{
    static const char *const names[] = { "xml", "image", "host" };

    return names[effect];
}

const char *
lint_result_name(enum lint_result result)
{
    static const char *const names[] = { "fail", "unknown" };

    return names[result];
}
