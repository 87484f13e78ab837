/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit-status.c: what the program's exit status says.
 */
#include "cli/exit-status.h"

void
exit_status_raise(enum exit_status *status, enum exit_status other)
{
    *status = MAX(*status, other);
}

enum exit_status
exit_status_of_findings(GPtrArray *findings, enum lint_severity fail_on, gboolean strict)
{
    enum exit_status status = STATUS_CLEAN;

    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(findings, i);

        if (finding->result == LINT_RESULT_FAIL && finding->severity >= fail_on)
            exit_status_raise(&status, STATUS_FINDINGS);
        if (finding->result == LINT_RESULT_UNKNOWN && strict)
            exit_status_raise(&status, STATUS_UNREADABLE);
    }
    return status;
}
