/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-fix.c: applying fixes to documents: files in place, standard input to standard output.
 */
#include <string.h>

#include "apply/step-file.h"
#include "cli/domain-notes.h"
#include "cli/fix-domain.h"
#include "cli/mode.h"
#include "cli/stream.h"
#include "cli/workers.h"
#include "lint/fix.h"

/* What came of one document. */
struct outcome {
    struct document *document;
    struct lint_fixed *fixed;  /* NULL where there is no document, or fixing it failed */
    domxml_doc *changed;       /* a domain's definition as it stands after the fixes; or NULL */
    GPtrArray *findings;       /* what is left */
    GPtrArray *applied;        /* what is cleared, in the file or on standard output */
    enum exit_status status;   /* by the fixing itself, not by what is left */
};

/* Where the fixing goes on. */
struct fixing {
    struct run *run;
    struct fix_domains *domains;
    struct stream output; /* standard output, for a document that came from standard input */
};

static void
outcome_free(gpointer data)
{
    struct outcome *outcome = data;

    g_ptr_array_unref(outcome->findings);
    g_ptr_array_unref(outcome->applied);
    lint_fixed_free(outcome->fixed);
    domxml_doc_free(outcome->changed);
    document_free(outcome->document);
    g_free(outcome);
}

static gboolean
is_stdin(const struct document *document)
{
    return g_strcmp0(document->path, "-") == 0;
}

/* Puts the new text in the file's place. Whether that is done. */
static gboolean
write_back(struct run *run, struct outcome *outcome)
{
    struct document *document = outcome->document;
    g_autoptr(GError) problem = NULL;
    gsize length;
    const char *text = domxml_doc_text(document->doc, &length);
    gboolean done;

    interrupt_enter(run->interrupt);
    done = step_file_write(document->path, text, length, outcome->fixed->text,
                           outcome->fixed->length, &problem);
    interrupt_leave(run->interrupt);
    if (done)
        return TRUE;
    if (g_error_matches(problem, STEP_FILE_ERROR, STEP_FILE_REFUSED)) {
        exit_status_raise(&outcome->status, STATUS_REFUSED);
        document_message(document, 0, 0, "not fixed: %s", problem->message);
    } else {
        exit_status_raise(&outcome->status, STATUS_FAILED);
        document_message(document, 0, 0, "fixing failed: %s", problem->message);
    }
    return FALSE;
}

static void
fix_document(struct run *run, struct outcome *outcome)
{
    struct document *document = outcome->document;
    struct domxml_error problem = DOMXML_ERROR_INIT;
    struct lint_fixed *fixed;
    gboolean done;

    fixed = outcome->fixed = lint_fix_document(run->selection, document->doc, document->facts,
                                               run->options->unsafe_fixes ? LINT_UNSAFE : LINT_SAFE,
                                               &problem);
    if (!fixed) {
        exit_status_raise(&outcome->status, STATUS_FAILED);
        document_message(document, problem.line, problem.column,
                         "fixing failed, nothing is changed: %s", problem.text);
    }
    for (guint i = 0; fixed && i < fixed->failed->len; i++) {
        exit_status_raise(&outcome->status, STATUS_FAILED);
        document_message(document, 0, 0, "%s",
                         (const char *)g_ptr_array_index(fixed->failed, i));
    }

    /* Domains wait for their turn: they are changed one after another, in deliver(). */
    done = fixed && (!fixed->doc || is_stdin(document) || document->domain ||
                     write_back(run, outcome));
    if (done) {
        outcome->findings = g_ptr_array_ref(fixed->remaining);
        outcome->applied = g_ptr_array_ref(fixed->applied);
        if (fixed->doc)
            document->target.doc = fixed->doc;
    } else {
        outcome->findings = lint_run(run->selection, document->doc, document->facts);
    }
    if (run->options->host)
        document_require_images(document);
}

/* Consent was given to what was shown, and to nothing else. */
static gboolean
is_as_shown(const struct target *target, struct outcome *outcome)
{
    g_autofree char *digest = target->shown ? document_digest(outcome->document) : NULL;

    if (g_strcmp0(digest, target->shown) == 0)
        return TRUE;
    exit_status_raise(&outcome->status, STATUS_REFUSED);
    document_message(outcome->document, 0, 0,
                     "not fixed: changed by someone else since it was shown; run domlint again");
    return FALSE;
}

static gpointer
fix(gsize index, gpointer data)
{
    struct fixing *fixing = data;
    const struct target *target = g_ptr_array_index(fixing->run->targets, index);
    struct outcome *outcome = g_new0(struct outcome, 1);

    outcome->document = document_read(target, fixing->run->session, fixing->run->facts);
    if (outcome->document->doc && is_as_shown(target, outcome))
        fix_document(fixing->run, outcome);
    else if (outcome->document->doc)
        outcome->findings = lint_run(fixing->run->selection, outcome->document->doc,
                                     outcome->document->facts);
    if (!outcome->findings)
        outcome->findings = g_ptr_array_new();
    if (!outcome->applied)
        outcome->applied = g_ptr_array_new();
    return outcome;
}

/* The document that came from standard input: fixed, or as it came; nothing where it could not
 * be checked. */
static void
pass_on(struct fixing *fixing, const struct outcome *outcome)
{
    const struct document *document = outcome->document;
    const struct options *options = fixing->run->options;
    gsize length;
    const char *text;

    if (document->target.failure ||
        exit_status_of_findings(outcome->findings, options->fail_on, options->strict) ==
            STATUS_UNREADABLE)
        return;
    text = domxml_doc_text(document->target.doc, &length);
    fwrite(text, 1, length, fixing->output.file);
    stream_check(&fixing->output);
}

/* What is left of a domain is what is found in its definition as libvirt keeps it now. */
static void
change_domain(struct fixing *fixing, struct outcome *outcome)
{
    struct run *run = fixing->run;
    struct document *document = outcome->document;
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = NULL;
    gboolean done = fix_domains_do(fixing->domains, document, outcome->fixed, &outcome->status);

    document->target.doc = document->doc;
    g_ptr_array_unref(outcome->findings);
    outcome->findings = g_ptr_array_new();
    if (document->vanished)
        return;
    if (done)
        text = source_libvirt_xml(run->session->connection, document->domain, SOURCE_TEXT_INACTIVE,
                                  SOURCE_WITHOUT_SECRETS, &problem);
    if (text)
        outcome->changed = domxml_parse(text, strlen(text), NULL);
    if (outcome->changed)
        document->target.doc = outcome->changed;
    g_ptr_array_unref(outcome->findings);
    outcome->findings = lint_run(run->selection, document->target.doc, document->facts);
    if (!done) {
        g_ptr_array_unref(outcome->applied);
        outcome->applied = g_ptr_array_new();
    } else if (!outcome->changed) {
        exit_status_raise(&outcome->status, STATUS_UNREADABLE);
        document_message(document, 0, 0, "cannot be read again: %s",
                         problem ? problem->message : "it does not parse");
    }
}

static gboolean
deliver(gsize index G_GNUC_UNUSED, gpointer result, gpointer data)
{
    struct outcome *outcome = result;
    struct document *document = outcome->document;
    struct fixing *fixing = data;

    if (document->domain && outcome->fixed && outcome->fixed->doc)
        change_domain(fixing, outcome);
    domain_notes_add(fixing->run, document, outcome->findings);
    if (is_stdin(document))
        pass_on(fixing, outcome);
    run_account(fixing->run, document, outcome->findings);
    exit_status_raise(&fixing->run->status, outcome->status);
    /* What cannot be reported is fixed all the same: half a job is no better than a whole one. */
    if (!document->vanished)
        report_target(fixing->run->report, &document->target, outcome->applied,
                      outcome->findings);
    outcome_free(outcome);
    return TRUE;
}

void
mode_fix(struct run *run)
{
    struct fixing fixing = {.run = run};
    const struct workers_job job = {
        .count = run->targets->len,
        .work = fix,
        .deliver = deliver,
        .discard = outcome_free,
        .data = &fixing,
    };

    stream_open(&fixing.output, NULL, stdout, NULL);
    fixing.domains = fix_domains_new(run);
    workers_run(&job, run->options->jobs);
    fix_domains_end(fixing.domains);
    run_close_output(run, &fixing.output, "document");
}
