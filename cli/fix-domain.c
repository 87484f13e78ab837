/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix-domain.c: carrying out the fixes of domains.
 */
#include "cli/fix-domain.h"

#include "apply/step-define.h"
#include "cli/message.h"

struct fix_domains {
    struct run *run;
    struct journal *journal;
    struct journal_run *record;
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

gboolean
fix_domains_do(struct fix_domains *fix, struct document *document, const struct lint_fixed *fixed,
               enum exit_status *status)
{
    struct run *run = fix->run;
    const struct step_define step = {
        .connection = run->session->connection,
        .domain = document->domain,
        .plan_text = domxml_doc_text(document->doc, NULL),
        .selection = run->selection,
        .facts = document->facts,
        .safety = run->options->unsafe_fixes ? LINT_UNSAFE : LINT_SAFE,
    };
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct lint_fixed *made = NULL;

    interrupt_enter(run->interrupt);
    if (begin(fix, &problem))
        made = step_define_run(&step, fix->record, notes, &problem);
    interrupt_leave(run->interrupt);
    for (guint i = 0; i < notes->len; i++)
        g_ptr_array_add(document->messages, g_strdup(g_ptr_array_index(notes, i)));
    if (!made) {
        fix_domains_account(problem, status);
        document_message(document, 0, 0, "not fixed: %s", problem->message);
        return FALSE;
    }
    /* The same rules over the same facts and, but for the secrets, the same text. */
    g_warn_if_fail(made->applied->len == fixed->applied->len);
    lint_fixed_free(made);
    fix->done++;
    return TRUE;
}

void
fix_domains_end(struct fix_domains *fix)
{
    g_autoptr(GError) problem = NULL;

    if (fix->record) {
        if (!journal_append(fix->record, "end", NULL, &problem))
            message("%s", problem->message);
        if (fix->done > 0)
            message("changed %u domain%s; to take it back: domlint --undo=%s", fix->done,
                    fix->done == 1 ? "" : "s", journal_run_id(fix->record));
        if (fix->done > 0 && connection_place(fix->run->session->connection) == CONNECTION_TEST)
            message("%s forgets this when domlint ends: it is libvirt's test driver",
                    connection_uri(fix->run->session->connection));
        journal_run_free(fix->record);
    }
    if (fix->journal)
        journal_close(fix->journal);
    g_free(fix);
}
