/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-fix.c: applying fixes to documents: files in place, standard input to standard output.
 */
#include <string.h>

#include "apply/file-change.h"
#include "apply/power.h"
#include "apply/step-file.h"
#include "cli/convert-target.h"
#include "cli/converted-facts.h"
#include "cli/domain-notes.h"
#include "cli/fix-domain.h"
#include "cli/message.h"
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
    GPtrArray *conversions;    /* of struct planned *: to be carried out first, in deliver() */
    GPtrArray *converted;      /* of struct planned *: those that were; NULL where none was to be */
    struct facts_source *converted_facts;
    struct journal_run *record; /* tells a file's changes, where it has conversions; or NULL */
    GPtrArray *applied;        /* what is cleared, in the file or on standard output */
    enum exit_status status;   /* by the fixing itself, not by what is left */
};

/* Where the fixing goes on. */
struct fixing {
    struct run *run;
    struct fix_domains *domains;
    gboolean stopped;     /* a conversion failed: no other begins */
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
    facts_source_free(outcome->converted_facts);
    g_ptr_array_unref(outcome->conversions);
    if (outcome->converted)
        g_ptr_array_unref(outcome->converted);
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
    if (outcome->record) {
        g_autofree char *path = g_canonicalize_filename(document->path, NULL);

        done = file_change_write(outcome->record, path, text, length, outcome->fixed->edits,
                                 &problem);
    } else {
        done = step_file_write(document->path, text, length, outcome->fixed->text,
                               outcome->fixed->length, &problem);
    }
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
    outcome->conversions = convert_plan_of(fixing->run->plan, (guint)index);
    if (outcome->document->doc && !is_as_shown(target, outcome))
        g_ptr_array_set_size(outcome->conversions, 0);
    else if (outcome->document->doc && !outcome->conversions->len)
        fix_document(fixing->run, outcome);
    if (!outcome->findings)
        outcome->findings = outcome->document->doc
                                ? lint_run(fixing->run->selection, outcome->document->doc,
                                           outcome->document->facts)
                                : g_ptr_array_new();
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

/* The other fixes of what conversions left; none where one of them failed, and what stands now
 * has to be looked at first. */
static void
fix_converted(struct run *run, struct outcome *outcome, gboolean failed)
{
    const struct document *document = outcome->document;

    g_ptr_array_unref(outcome->findings);
    g_ptr_array_unref(outcome->applied);
    outcome->findings = outcome->applied = NULL;
    if (document->doc && !failed)
        fix_document(run, outcome);
    if (!outcome->findings)
        outcome->findings = document->doc
                                ? lint_run(run->selection, document->doc, document->facts)
                                : g_ptr_array_new();
    if (!outcome->applied)
        outcome->applied = g_ptr_array_new();
}

/* Carries out the conversions, then makes the other fixes in what became of the document.
 * Returns whether the domain is to be started again. */
static gboolean
convert(struct fixing *fixing, guint index, struct outcome *outcome)
{
    struct run *run = fixing->run;
    struct converted_target *made =
        convert_target(run, fixing->domains, outcome->conversions);
    gboolean was_running = made->was_running;
    gboolean failed;

    exit_status_raise(&outcome->status, made->status);
    outcome->converted = g_ptr_array_ref(made->done);
    document_free(outcome->document);
    outcome->document = document_read(g_ptr_array_index(run->targets, index), run->session,
                                      run->facts);
    outcome->converted_facts = converted_facts_new(outcome->document->facts);
    for (guint i = 0; i < made->done->len; i++) {
        const struct planned *planned = g_ptr_array_index(made->done, i);

        converted_facts_add(outcome->converted_facts, planned->elem, planned->record.new_path,
                            planned->to, planned->preallocation);
        fix_domains_count(fixing->domains);
    }
    if (made->done->len && !outcome->document->domain)
        outcome->record = fix_domains_record(fixing->domains, NULL);
    failed = made->status == STATUS_FAILED ||
             g_cancellable_is_cancelled(interrupt_cancellable(run->interrupt));
    fixing->stopped |= failed && !run->options->keep_going;
    converted_target_free(made);
    document_use_facts(outcome->document, outcome->converted_facts);
    fix_converted(run, outcome, failed);
    return was_running;
}

/* The findings that conversions cleared are told with those that edits cleared. */
static void
tell_converted(struct outcome *outcome)
{
    GPtrArray *applied = g_ptr_array_new();

    for (guint i = 0; i < outcome->converted->len; i++) {
        const struct planned *planned = g_ptr_array_index(outcome->converted, i);

        /* qcow2 that grows again is what was asked for, and is found again. */
        if (!g_str_equal(planned->to, "qcow2") || !g_str_equal(planned->preallocation, "off"))
            g_ptr_array_add(applied, planned->finding);
    }
    for (guint i = 0; i < outcome->applied->len; i++)
        g_ptr_array_add(applied, g_ptr_array_index(outcome->applied, i));
    g_ptr_array_unref(outcome->applied);
    outcome->applied = applied;
}

static void
start_again(struct run *run, const struct document *document, enum exit_status *status)
{
    g_autoptr(GError) problem = NULL;

    if (power_on(run->session->connection, document->domain, &problem))
        return;
    exit_status_raise(status, STATUS_FAILED);
    message("%s: cannot be started again: %s", document->target.name, problem->message);
}

static gboolean
deliver(gsize index, gpointer result, gpointer data)
{
    struct outcome *outcome = result;
    struct document *document;
    struct fixing *fixing = data;
    gboolean was_running = FALSE;

    if (outcome->conversions->len && fixing->stopped) {
        message("%s: not converted: a conversion failed before it (--keep-going goes on)",
                outcome->document->target.name);
        g_ptr_array_set_size(outcome->conversions, 0);
    }
    if (outcome->conversions->len) {
        /* A signal ends the copy, and then the program, once nothing is left of it. */
        interrupt_enter_long(fixing->run->interrupt);
        was_running = convert(fixing, (guint)index, outcome);
    }
    document = outcome->document;
    if (document->domain && outcome->fixed && outcome->fixed->doc)
        change_domain(fixing, outcome);
    if (was_running)
        start_again(fixing->run, document, &outcome->status);
    if (outcome->conversions->len)
        interrupt_leave_long(fixing->run->interrupt);
    if (outcome->converted)
        tell_converted(outcome);
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
