/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-lint.c: checking documents and reporting what is found.
 */
#include "cli/domain-notes.h"
#include "cli/mode.h"
#include "cli/workers.h"

/* What came of one document. */
struct checked {
    struct document *document;
    GPtrArray *findings; /* empty where it could not be read */
};

static void
checked_free(gpointer data)
{
    struct checked *checked = data;

    g_ptr_array_unref(checked->findings);
    document_free(checked->document);
    g_free(checked);
}

static gpointer
check(gsize index, gpointer data)
{
    const struct run *run = data;
    struct checked *checked = g_new0(struct checked, 1);

    checked->document =
        document_read(g_ptr_array_index(run->targets, index), run->session, run->facts);
    if (checked->document->doc) {
        checked->findings = lint_run(run->selection, checked->document->doc,
                                     checked->document->facts);
        domain_notes_add(run, checked->document, checked->findings);
        if (run->options->host)
            document_require_images(checked->document);
    } else {
        checked->findings = g_ptr_array_new();
    }
    return checked;
}

static gboolean
deliver(gsize index G_GNUC_UNUSED, gpointer result, gpointer data)
{
    struct checked *checked = result;
    struct document *document = checked->document;
    struct run *run = data;
    gboolean more;

    run_account(run, document, checked->findings);
    more = document->vanished ||
           report_target(run->report, &document->target, NULL, checked->findings);
    checked_free(checked);
    return more;
}

void
mode_lint(struct run *run)
{
    const struct workers_job job = {
        .count = run->targets->len,
        .work = check,
        .deliver = deliver,
        .discard = checked_free,
        .data = run,
    };

    g_autoptr(GPtrArray) domains = g_ptr_array_new();

    for (guint i = 0; i < run->targets->len; i++) {
        const struct target *target = g_ptr_array_index(run->targets, i);

        if (target->domain)
            g_ptr_array_add(domains, target->domain);
    }
    if (domains->len > 1)
        run->session->ahead = fetch_ahead_new(run->session->connection, domains);
    workers_run(&job, run->options->jobs);
    if (run->session)
        g_clear_pointer(&run->session->ahead, fetch_ahead_free);
}
