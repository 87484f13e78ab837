/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c: the counts of a run. */
#include "lint/output.h"

/* Each finding counts once, by its first fix. */
static void
add_fixable(struct lint_summary *summary, const struct lint_finding *finding)
{
    const struct lint_fix *fix;

    if (finding->fixes->len == 0)
        return;
    fix = finding->fixes->pdata[0];
    if (fix->effect == LINT_EFFECT_IMAGE)
        summary->fixable_image++;
    else if (fix->safety == LINT_SAFE)
        summary->fixable_safe++;
    else if (fix->safety == LINT_UNSAFE)
        summary->fixable_unsafe++;
    else
        summary->fixable_manual++;
}

void
lint_summary_add(struct lint_summary *summary, const struct lint_target *target, GPtrArray *applied,
                 GPtrArray *findings)
{
    summary->targets++;
    summary->failed += target->failure != NULL;
    summary->applied += applied ? applied->len : 0;
    for (guint i = 0; findings && i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        if (finding->result == LINT_RESULT_UNKNOWN) {
            summary->unknown++;
            continue;
        }
        summary->severity[finding->severity]++;
        add_fixable(summary, finding);
    }
}
