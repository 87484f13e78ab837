/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c: what all modes that work on documents do alike.
 */
#include "cli/message.h"
#include "cli/mode.h"

void
run_account(struct run *run, const struct document *document, GPtrArray *findings)
{
    for (guint i = 0; i < document->messages->len; i++)
        message("%s", (const char *)g_ptr_array_index(document->messages, i));
    if (document->target.failure)
        exit_status_raise(&run->status, STATUS_UNREADABLE);
    exit_status_raise(&run->status, exit_status_of_findings(findings, run->options->fail_on,
                                                            run->options->strict));
}
