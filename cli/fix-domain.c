/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix-domain.c: carrying out the fixes of domains.
 */
#include "cli/fix-domain.h"

#include "cli/message.h"

struct fix_domains {
    struct run *run;
    struct journal *journal;
    struct journal_run *record;
    gboolean no_journal; /* there is none to be had: nothing is changed, and that was said */
    guint done;
};

struct fix_domains *
fix_domains_new(struct run *run)
{
    struct fix_domains *fix = g_new0(struct fix_domains, 1);

    fix->run = run;
    return fix;
}

void
fix_domains_account(const GError *problem, enum exit_status *status)
{
    if (g_error_matches(problem, DEFINITION_ERROR, DEFINITION_REFUSED) ||
        g_error_matches(problem, JOURNAL_ERROR, JOURNAL_BUSY) ||
        g_error_matches(problem, JOURNAL_ERROR, JOURNAL_UNSAFE) ||
        g_error_matches(problem, JOURNAL_ERROR, JOURNAL_NONE))
        exit_status_raise(status, STATUS_REFUSED);
    else if (problem->domain == CONNECTION_ERROR)
        exit_status_raise(status, STATUS_UNREADABLE);
    else
        exit_status_raise(status, STATUS_FAILED);
}

/* Nothing is changed that is not written down first. */
static gboolean
begin(struct fix_domains *fix, GError **error)
{
    if (!fix->journal)
        fix->journal = journal_open(fix->run->options->state_dir, TRUE, error);
    if (fix->journal && !fix->record)
        fix->record = journal_begin(fix->journal, "fix",
                                    connection_uri(fix->run->session->connection), error);
    return fix->record != NULL;
}

struct step_define
fix_domains_step(const struct run *run, const struct document *document,
                 const struct lint_fixed *fixed)
{
    return (struct step_define){
        .connection = run->session->connection,
        .domain = document->domain,
        .plan_doc = document->doc,
        .plan = fixed,
        .selection = run->selection,
        .facts = document->facts,
        .safety = run->options->unsafe_fixes ? LINT_UNSAFE : LINT_SAFE,
    };
}

/* Carries it out, unless the journal cannot be had. Returns what step_define_run() does. */
static struct lint_fixed *
carry_out(struct fix_domains *fix, const struct step_define *step, GPtrArray *notes, GError **error)
{
    struct interrupt *interrupt = fix->run->interrupt;
    struct lint_fixed *made = NULL;

    interrupt_enter(interrupt);
    if (begin(fix, error))
        made = step_define_run(step, fix->record, notes, error);
    else
        fix->no_journal = TRUE;
    interrupt_leave(interrupt);
    return made;
}

gboolean
fix_domains_do(struct fix_domains *fix, struct document *document, const struct lint_fixed *fixed,
               enum exit_status *status)
{
    const struct step_define step = fix_domains_step(fix->run, document, fixed);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct lint_fixed *made;

    if (fix->no_journal)
        return FALSE;
    made = carry_out(fix, &step, notes, &problem);
    for (guint i = 0; i < notes->len; i++)
        document_message(document, 0, 0, "%s", (const char *)g_ptr_array_index(notes, i));
    if (made) {
        lint_fixed_free(made);
        fix->done++;
        return TRUE;
    }
    if (g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE)) {
        document->vanished = TRUE;
        return FALSE;
    }
    fix_domains_account(problem, status);
    if (fix->no_journal)
        message("no domain is changed: %s", problem->message);
    else
        document_message(document, 0, 0, "%s: %s",
                         g_error_matches(problem, DEFINITION_ERROR, DEFINITION_FAILED)
                             ? "fixing failed" : "not fixed",
                         problem->message);
    return FALSE;
}

void
fix_domains_end(struct fix_domains *fix)
{
    g_autoptr(GError) problem = NULL;

    if (fix->record) {
        if (!journal_append(fix->record, "end", NULL, &problem))
            message("%s", problem->message);
        if (fix->done > 0)
            message("changed %u domain%s; to take it back: domlint --undo=%s%s%s", fix->done,
                    fix->done == 1 ? "" : "s", journal_run_id(fix->record),
                    fix->run->options->state_dir_given ? " --state-dir=" : "",
                    fix->run->options->state_dir_given ? fix->run->options->state_dir : "");
        if (fix->done > 0 && connection_place(fix->run->session->connection) == CONNECTION_TEST)
            message("%s forgets this when domlint ends: it is libvirt's test driver",
                    connection_uri(fix->run->session->connection));
        journal_run_free(fix->record);
    }
    if (fix->journal)
        journal_close(fix->journal);
    g_free(fix);
}
