/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past.c: a run that the journal tells of.
 */
#include "cli/past.h"

#include <string.h>

#include "apply/step-file.h"
#include "cli/fix-domain.h"

gboolean
past_run_open(struct past_run *past, const char *state_dir, const char *id, GError **error)
{
    memset(past, 0, sizeof(*past));
    past->journal = journal_open(state_dir, TRUE, error);
    if (!past->journal || !(past->records = journal_read(past->journal, id, error)))
        return FALSE;
    past->id = g_strdup(id);
    past->conversions = convert_records_read(past->records);
    past->uri = json_array_get_length(past->records)
                    ? json_object_get_string_member_with_default(
                          json_array_get_object_element(past->records, 0), "uri", "")
                    : "";
    return TRUE;
}

void
past_run_clear(struct past_run *past)
{
    if (past->conversions)
        g_ptr_array_unref(past->conversions);
    if (past->records)
        json_array_unref(past->records);
    if (past->journal)
        journal_close(past->journal);
    g_free(past->id);
}

gboolean
past_run_connect(const struct past_run *past, struct run *run, GError **error)
{
    const char *uri = run->options->connect ? run->options->connect
                      : *past->uri          ? past->uri
                                            : NULL;

    run->session = session_open(uri, CONNECTION_READ_WRITE, run->facts,
                                *past->uri ? error : NULL);
    return run->session || !*past->uri;
}

struct convert_past
past_run_conversion(struct run *run, const struct source_domain *domain,
                    struct journal_run *record_in, GPtrArray *notes)
{
    return (struct convert_past){
        .connection = run->session ? run->session->connection : NULL,
        .domain = domain,
        .run = { .cancellable = interrupt_cancellable(run->interrupt), .notes = notes },
        .record_in = record_in,
        .notes = notes,
    };
}

void
past_account(const GError *problem, enum exit_status *status)
{
    if (g_error_matches(problem, CONVERT_ERROR, CONVERT_REFUSED) ||
        g_error_matches(problem, STEP_FILE_ERROR, STEP_FILE_REFUSED))
        exit_status_raise(status, STATUS_REFUSED);
    else if (problem->domain == CONVERT_ERROR)
        exit_status_raise(status, STATUS_FAILED);
    else
        fix_domains_account(problem, status);
}
