/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-resume.c: conversions of the past: finishing those that were interrupted, giving up the originals of those that are
 * done.
 */
#include "apply/power.h"
#include "cli/consent.h"
#include "cli/message.h"
#include "cli/past.h"
#include "cli/progress.h"

typedef gboolean (*act_fn)(struct convert_past *past, struct convert_record *record, GError **error);

/* Whether mode_resume(), or mode_forget(), acts on a conversion in that state. */
static gboolean
is_due(const struct run *run, const struct convert_record *record)
{
    return run->options->mode == MODE_RESUME ? record->state < CONVERT_STATE_DONE
                                             : record->state == CONVERT_STATE_DONE;
}

static gboolean
forget(struct convert_past *past, struct convert_record *record, GError **error)
{
    g_autofree char *size = NULL;
    guint64 freed;

    if (!convert_forget(past, record, &freed, error))
        return FALSE;
    size = progress_size(freed);
    g_ptr_array_add(past->notes, g_strdup_printf("%s was removed: %s are free again",
                                                 convert_record_kept(record), size));
    return TRUE;
}

static void
act_on(struct run *run, struct convert_record *record, struct journal_run *record_in, act_fn act)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct source_domain *domain =
        record->uuid ? source_libvirt_lookup(run->session->connection, record->uuid, &problem)
                     : NULL;
    struct convert_past past = past_run_conversion(run, domain, record_in, notes);
    gboolean gone = g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE) &&
                    run->options->mode == MODE_RESUME;

    /* What was begun for a domain that is not there any more can be rolled back. */
    if (gone)
        g_clear_error(&problem);
    if (domain || !record->uuid || gone)
        act(&past, record, &problem);
    for (guint i = 0; i < notes->len; i++)
        message("%s", (const char *)g_ptr_array_index(notes, i));
    if (problem) {
        message("%s", problem->message);
        past_account(problem, &run->status);
    }
    if (domain)
        source_domain_free(domain);
}

static void
show(const struct convert_record *record, const struct run *run)
{
    const char *name = record->domain ? record->domain : record->file;

    if (run->options->mode == MODE_RESUME)
        message("%s, disk %s: the conversion of %s to %s is to be finished or rolled back%s", name,
                record->disk, record->path, record->new_path,
                record->was_running ? ", and the domain, which was shut down for it, started" : "");
    else
        message("%s, disk %s: %s is to be removed, for good", name, record->disk,
                convert_record_kept(record));
}

/* Shows what will be done to how many, and asks. */
static gboolean
have_consent(struct run *run, GPtrArray *conversions, GError **error)
{
    guint count = 0;

    for (guint i = 0; i < conversions->len; i++) {
        const struct convert_record *record = g_ptr_array_index(conversions, i);

        if (is_due(run, record)) {
            show(record, run);
            count++;
        }
    }
    if (!count) {
        g_set_error_literal(error, JOURNAL_ERROR, JOURNAL_NONE,
                            run->options->mode == MODE_RESUME
                                ? "there is nothing to be finished in that run"
                                : "that run keeps no originals");
        return FALSE;
    }
    return consent_have(run->options, "Do it?", &run->status);
}

/* Once all disks are done with. A domain that could not be finished or rolled back stays off. */
static void
start_again(struct run *run, GPtrArray *due)
{
    for (guint i = 0; i < due->len; i++) {
        const struct convert_record *record = g_ptr_array_index(due, i);
        g_autoptr(GError) problem = NULL;
        struct source_domain *domain;

        if (!record->was_running || record->state < CONVERT_STATE_DONE)
            continue;
        domain = source_libvirt_lookup(run->session->connection, record->uuid, &problem);
        if (domain && !power_is_on(run->session->connection, domain) &&
            power_on(run->session->connection, domain, &problem))
            message("%s: started again", record->domain);
        if (domain)
            source_domain_free(domain);
        if (problem) {
            exit_status_raise(&run->status, STATUS_FAILED);
            message("%s: cannot be started again: %s", record->domain, problem->message);
        }
    }
}

static void
act_on_all(struct run *run, struct past_run *past, act_fn act, GError **error)
{
    g_autoptr(GPtrArray) due = g_ptr_array_new();
    struct journal_run *record;

    if (!have_consent(run, past->conversions, error) || !past_run_connect(past, run, error))
        return;
    /* In the run's own journal: its story goes on. */
    record = journal_continue(past->journal, past->id, error);
    if (!record)
        return;
    interrupt_enter_long(run->interrupt);
    for (guint i = 0; i < past->conversions->len; i++) {
        struct convert_record *conversion = g_ptr_array_index(past->conversions, i);

        if (!is_due(run, conversion))
            continue;
        act_on(run, conversion, record, act);
        g_ptr_array_add(due, conversion);
    }
    if (run->options->mode == MODE_RESUME)
        start_again(run, due);
    interrupt_leave_long(run->interrupt);
    if (run->options->mode == MODE_RESUME)
        journal_append(record, "end", NULL, error);
    journal_run_free(record);
}

/* The last run with conversions that were not finished; to be freed. */
static char *
interrupted_run(const char *state_dir, GError **error)
{
    struct journal *journal = journal_open(state_dir, FALSE, error);
    g_auto(GStrv) ids = journal ? journal_list(journal, error) : NULL;
    char *found = NULL;

    for (guint i = ids ? g_strv_length(ids) : 0; !found && i-- > 0;) {
        g_autoptr(JsonArray) records = journal_read(journal, ids[i], NULL);
        g_autoptr(GPtrArray) conversions = records ? convert_records_read(records) : NULL;

        for (guint c = 0; conversions && c < conversions->len; c++)
            if (((struct convert_record *)g_ptr_array_index(conversions, c))->state <
                CONVERT_STATE_DONE)
                found = g_strdup(ids[i]);
    }
    if (journal)
        journal_close(journal);
    if (ids && !found)
        g_set_error_literal(error, JOURNAL_ERROR, JOURNAL_NONE, "no conversion was interrupted");
    return found;
}

static void
run_mode(struct run *run, act_fn act)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *id = *run->options->run
                              ? g_strdup(run->options->run)
                              : interrupted_run(run->options->state_dir, &problem);
    struct past_run past = { 0 };

    if (id && past_run_open(&past, run->options->state_dir, id, &problem))
        act_on_all(run, &past, act, &problem);
    past_run_clear(&past);
    if (problem) {
        message("%s", problem->message);
        past_account(problem, &run->status);
    }
}

static gboolean
resume(struct convert_past *past, struct convert_record *record, GError **error)
{
    return convert_resume(past, record, error);
}

void
mode_resume(struct run *run)
{
    run_mode(run, resume);
}

void
mode_forget(struct run *run)
{
    run_mode(run, forget);
}
