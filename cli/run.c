/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c: what all modes that work on documents do alike.
 */
#include "cli/message.h"
#include "cli/mode.h"

/* A text report on a standard stream shows failures itself. */
static gboolean
shows_failures(const struct options *options)
{
    for (guint i = 0; i < options->reports->len; i++) {
        const struct report_choice *choice = g_ptr_array_index(options->reports, i);

        if (choice->format == REPORT_TEXT && !choice->path)
            return TRUE;
    }
    return FALSE;
}

static void
tell_failure(struct run *run, const struct lint_target *target)
{
    exit_status_raise(&run->status, STATUS_UNREADABLE);
    if (shows_failures(run->options))
        return;
    if (target->failure_line > 0)
        message("%s:%d:%d: %s", target->path ? target->path : target->name, target->failure_line,
                target->failure_column, target->failure);
    else
        message("%s: %s", target->path ? target->path : target->name, target->failure);
}

void
run_account(struct run *run, const struct document *document, GPtrArray *findings)
{
    for (guint i = 0; i < document->messages->len; i++)
        message("%s", (const char *)g_ptr_array_index(document->messages, i));
    if (document->vanished) {
        message("%s: it is not there any more", document->target.name);
        if (!document->listed)
            exit_status_raise(&run->status, STATUS_UNREADABLE);
    }
    if (document->target.failure)
        tell_failure(run, &document->target);
    exit_status_raise(&run->status, exit_status_of_findings(findings, run->options->fail_on,
                                                            run->options->strict));
}

void
run_close_output(struct run *run, struct stream *output, const char *what)
{
    if (stream_close(output))
        return;
    exit_status_raise(&run->status, STATUS_FAILED);
    if (stream_reader_is_gone(output))
        run->reader_gone = TRUE;
    else
        message("cannot write the %s to standard output: %s", what, g_strerror(output->error));
}
