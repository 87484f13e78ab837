/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-target.c: the conversions of one target, in order.
 */
#include "cli/convert-target.h"

#include "apply/power.h"
#include "cli/message.h"
#include "cli/progress.h"

void
converted_target_free(struct converted_target *converted)
{
    if (!converted)
        return;
    g_ptr_array_unref(converted->done);
    g_free(converted);
}

static void
account(const GError *problem, enum exit_status *status)
{
    if (g_error_matches(problem, CONVERT_ERROR, CONVERT_REFUSED) || problem->domain == POWER_ERROR)
        exit_status_raise(status, STATUS_REFUSED);
    else if (problem->domain == CONVERT_ERROR)
        exit_status_raise(status, STATUS_FAILED);
    else
        fix_domains_account(problem, status);
}

static gboolean
convert_one(struct run *run, struct fix_domains *fix, const struct planned *planned,
            const struct document *document, gboolean was_running, GError **error)
{
    struct convert_wish wish = convert_plan_wish(run, planned, document);
    struct journal_run *record = fix_domains_record(fix, error);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    struct progress *progress;
    gboolean done;

    if (!record)
        return FALSE;
    progress = progress_new(planned->label, planned->size.required, run->options->quiet);
    wish.was_running = was_running;
    wish.run.notes = notes;
    wish.run.progress = progress_percent;
    wish.run.data = progress;
    wish.step = progress_step;
    wish.step_data = progress;
    done = convert_run(&wish, record, notes, error);
    progress_free(progress);
    for (guint i = 0; i < notes->len; i++)
        message("%s: %s", planned->label, (const char *)g_ptr_array_index(notes, i));
    return done;
}

/* Whether nobody has changed it since it was shown but, before this disk, we. */
static gboolean
is_as_planned(const struct planned *planned, const struct document *document, const char *ours)
{
    g_autofree char *digest = document_digest(document);

    return g_strcmp0(digest, ours ? ours : planned->digest) == 0;
}

/* The digest of the target as our conversion left it, to be freed; NULL where it cannot be read. */
static char *
digest_now(const struct run *run, const struct planned *planned)
{
    struct document *document = document_read(g_ptr_array_index(run->targets, planned->target),
                                              run->session, run->facts);
    char *digest = document->doc ? document_digest(document) : NULL;

    document_free(document);
    return digest;
}

static void
convert_items(struct run *run, struct fix_domains *fix, GPtrArray *items,
              struct converted_target *converted)
{
    g_autofree char *ours = NULL;

    for (guint i = 0; i < items->len; i++) {
        struct planned *planned = g_ptr_array_index(items, i);
        g_autoptr(GError) problem = NULL;
        struct document *document;

        if (planned->refused) {
            message("%s: not converted: %s", planned->label, planned->refused);
            exit_status_raise(&converted->status, STATUS_REFUSED);
            continue;
        }
        document = document_read(g_ptr_array_index(run->targets, planned->target), run->session,
                                 run->facts);
        if (!document->doc) {
            message("%s: not converted: it cannot be read any more", planned->label);
            exit_status_raise(&converted->status, STATUS_REFUSED);
        } else if (!is_as_planned(planned, document, ours)) {
            message("%s: not converted: it was changed by someone else since it was shown; run "
                    "domlint again", planned->label);
            exit_status_raise(&converted->status, STATUS_REFUSED);
        } else if (convert_one(run, fix, planned, document, converted->was_running, &problem)) {
            g_ptr_array_add(converted->done, planned);
            g_free(ours);
            ours = digest_now(run, planned);
        } else {
            message("%s", problem->message);
            account(problem, &converted->status);
        }
        document_free(document);
        if ((converted->status == STATUS_FAILED && !run->options->keep_going) ||
            g_cancellable_is_cancelled(interrupt_cancellable(run->interrupt)))
            return;
    }
}

/* Shuts the domain down where that is planned. FALSE: it could not be, and that is said. */
static gboolean
power_down(struct run *run, GPtrArray *items, struct converted_target *converted)
{
    const struct planned *first = g_ptr_array_index(items, 0);
    const struct target *target = g_ptr_array_index(run->targets, first->target);
    g_autoptr(GError) problem = NULL;

    if (!first->shut_down || !power_is_on(run->session->connection, target->domain))
        return TRUE;
    if (!run->options->quiet)
        message("%s: shutting down", target->domain->name);
    /* Also where the guest goes off only after our time is up: it is to run again. */
    converted->was_running = TRUE;
    if (power_off(run->session->connection, target->domain, run->options->shutdown_timeout,
                  interrupt_cancellable(run->interrupt), &problem))
        return TRUE;
    if (g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        /* What was asked of the guest cannot be taken back. */
        message("%s: interrupted: waiting until its guest is off, to start it again",
                target->domain->name);
        power_wait_off(run->session->connection, target->domain, run->options->shutdown_timeout,
                       NULL, NULL);
    }
    message("%s: not converted: %s", target->domain->name, problem->message);
    account(problem, &converted->status);
    return FALSE;
}

struct converted_target *
convert_target(struct run *run, struct fix_domains *fix, GPtrArray *items)
{
    struct converted_target *converted = g_new0(struct converted_target, 1);
    gboolean any = FALSE;

    converted->done = g_ptr_array_new();
    for (guint i = 0; i < items->len; i++)
        any |= !((const struct planned *)g_ptr_array_index(items, i))->refused;
    if (!any || power_down(run, items, converted))
        convert_items(run, fix, items, converted);
    return converted;
}
