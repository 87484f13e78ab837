/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c: the program: from the command line to the exit status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <libxml/parser.h>

#include "cli/consent.h"
#include "cli/convert-plan.h"
#include "cli/message.h"
#include "cli/mode.h"
#include "probe/probe.h"
#include "rules/rules.h"

/* Descriptors 0 to 2 that the caller closed are taken, so that no file of ours gets one of those
 * numbers and what is meant for a report goes into it. Writing to them fails. */
static void
take_standard_descriptors(void)
{
    int taken;

    do
        taken = open("/dev/null", O_RDONLY);
    while (taken >= 0 && taken <= STDERR_FILENO);
    if (taken > STDERR_FILENO)
        close(taken);
}

static enum exit_status
usage_error(const GError *problem)
{
    message("%s", problem->message);
    fputs("Try 'domlint --help'.\n", stderr);
    return STATUS_USAGE;
}

/* Versions of the libraries that run, not those that it was built with. */
static void
print_version(void)
{
    int libxml2 = atoi(xmlParserVersion);

    printf("domlint %s\n"
           "libdomxml %s, libxml2 %d.%d.%d, GLib %u.%u.%u\n",
           PACKAGE_VERSION, domxml_version(), libxml2 / 10000, libxml2 / 100 % 100, libxml2 % 100,
           glib_major_version, glib_minor_version, glib_micro_version);
}

/* Closes standard output, which all but --fix of standard input wrote to last. */
static enum exit_status
finish(struct run *run)
{
    struct stream output = {.file = stdout};

    run_close_output(run, &output, "text");
    if (run->reader_gone)
        interrupt_die(SIGPIPE);
    return run->status;
}

static enum exit_status
document_rules(const struct options *options)
{
    gboolean explain = options->mode == MODE_EXPLAIN;
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    g_autoptr(GError) problem = NULL;
    struct lint_selection *selection = NULL;
    struct stream output;
    struct run run = {.options = options};
    gboolean color;

    stream_open(&output, NULL, stdout, NULL);
    color = stream_has_color(&output, options->color);
    if (explain || options->rules || options->except) {
        selection = lint_select(lint_rules, explain ? options->explain : options->rules,
                                explain ? NULL : options->except, &problem);
        if (!selection)
            return usage_error(problem);
    } else {
        for (gsize i = 0; lint_rules[i]; i++)
            g_ptr_array_add(rules, (gpointer)lint_rules[i]);
    }
    if (explain)
        mode_explain(selection->rules, color);
    else
        mode_list_rules(selection ? selection->rules : rules, color);
    lint_selection_free(selection);
    return finish(&run);
}

static void
work(struct run *run)
{
    switch (run->options->mode) {
    case MODE_FIX:
        mode_fix(run);
        break;
    case MODE_DIFF:
        mode_diff(run);
        break;
    default:
        mode_lint(run);
        break;
    }
}

static void
end_report(struct run *run, gboolean worked)
{
    switch (report_end(run->report, worked)) {
    case REPORT_WRITTEN:
        break;
    case REPORT_READER_GONE:
        run->reader_gone = TRUE;
        break;
    case REPORT_FAILED:
        exit_status_raise(&run->status, STATUS_FAILED);
        break;
    }
}

/* --all is a target, never consent; the fixes that a guest must be ready for ask on domains. */
static gboolean
needs_consent(const struct run *run)
{
    return run->options->mode == MODE_FIX &&
           (run->options->all || run->options->convert ||
            (run->options->unsafe_fixes && targets_have_domains(run->targets)));
}

/* Opening a report for writing empties the file: it must be none of the documents. */
static gboolean
spare_targets(const struct run *run, GError **error)
{
    for (guint i = 0; i < run->options->reports->len; i++) {
        const struct report_choice *choice = g_ptr_array_index(run->options->reports, i);
        const struct target *target =
            choice->path ? targets_find(run->targets, choice->path) : NULL;

        if (target) {
            g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                        "--format: the report would overwrite the document %s", target->path);
            return FALSE;
        }
    }
    return TRUE;
}

/* Finds all that can be wrong with the command line, before any work. */
static gboolean
prepare(struct run *run, GError **error)
{
    gboolean fixing = run->options->mode == MODE_FIX;

    run->selection = lint_select(lint_rules, run->options->rules, run->options->except, error);
    if (!run->selection || !(run->targets = targets_list(run->options->targets, error)) ||
        !spare_targets(run, error))
        return FALSE;
    if (needs_consent(run) && !consent_possible(run->options)) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s asks first: --diff shows what it changes; there is no terminal to ask on, "
                    "so say --yes to carry it out",
                    run->options->convert ? "--fix --convert"
                    : run->options->all   ? "--fix of all domains"
                                          : "--fix --unsafe-fixes");
        return FALSE;
    }
    /* Of --fix, standard output is the document's where one comes from standard input. */
    run->report = report_new(run->options,
                             fixing && targets_have_stdin(run->targets) ? stderr : stdout, fixing,
                             error);
    return run->report != NULL;
}

/* Files whose images are to be converted, and no connection that knows who else uses them. */
static gboolean
nobody_to_ask(struct run *run, const GError *problem)
{
    if (run->options->mode != MODE_FIX || run->options->yes) {
        message("who else uses the images is not known: %s", problem->message);
        return TRUE;
    }
    message("--convert: who else uses the images is not known: %s; --yes converts all the same",
            problem->message);
    exit_status_raise(&run->status, STATUS_REFUSED);
    return FALSE;
}

/* Opens the connection that the targets need, and finds the domains; where they cannot be had,
 * the targets say why, and the others are worked on. FALSE: wrong usage, and the run's status
 * says so. */
static gboolean
find_domains(struct run *run)
{
    const struct options *options = run->options;
    const char *uri = session_default_uri(options->connect);
    g_autoptr(GError) problem = NULL;
    const char *hint;

    if (!options->all && !options->convert && !targets_have_domains(run->targets))
        return TRUE;
    run->session = session_open(options->connect,
                                options->mode == MODE_FIX ? CONNECTION_READ_WRITE
                                                          : CONNECTION_READ_ONLY,
                                run->facts, &problem);
    if (run->session) {
        uri = connection_uri(run->session->connection);
        if (options->all)
            targets_add_all(run->targets, run->session, &problem);
        else
            targets_find_domains(run->targets, run->session, &problem);
    }
    if (problem && problem->domain == G_OPTION_ERROR) {
        run->status = usage_error(problem);
        return FALSE;
    }
    if (problem && options->convert &&
        ((!options->all && !targets_have_domains(run->targets)) ||
         (!options->yes && targets_have_files(run->targets))))
        return nobody_to_ask(run, problem);
    hint = run->session ? session_hint_for_none(run->session) : NULL;
    if (problem)
        targets_fail_domains(run->targets, uri ? uri : "libvirt's default connection",
                             problem->message);
    else if (options->all && !run->targets->len)
        message("there are no domains on %s%s%s", uri, hint ? "; " : "", hint ? hint : "");
    return TRUE;
}

/* Shows what will be done and asks, where that is due. */
static gboolean
have_consent(struct run *run)
{
    g_autofree char *question = NULL;
    guint fixes, conversions = 0;

    if (run->options->convert) {
        run->plan = convert_plan_new(run);
        conversions = convert_plan_show(run->plan, run);
    }
    if (!needs_consent(run))
        return TRUE;
    if (run->options->yes)
        return TRUE;
    fixes = mode_diff_for_consent(run);
    if (!fixes && !conversions)
        return TRUE;
    question = conversions
                   ? g_strdup_printf("Convert %u image%s, and clear %u other finding%s by these "
                                     "changes?", conversions, conversions == 1 ? "" : "s", fixes,
                                     fixes == 1 ? "" : "s")
                   : g_strdup_printf("Clear %u finding%s by these changes?", fixes,
                                     fixes == 1 ? "" : "s");
    return consent_have(run->options, question, &run->status);
}

static void
run_free(struct run *run)
{
    /* The targets hold domains of the session. */
    if (run->targets)
        g_ptr_array_unref(run->targets);
    convert_plan_free(run->plan);
    session_close(run->session);
    facts_source_free(run->facts);
    if (run->interrupt)
        interrupt_free(run->interrupt);
    if (run->report)
        report_free(run->report);
    lint_selection_free(run->selection);
}

static enum exit_status
run_on_documents(const struct options *options)
{
    const struct probe_options probe_options = {0};
    g_autoptr(GError) problem = NULL;
    struct run run = {.options = options};
    enum exit_status status;
    gboolean worked;

    if (!prepare(&run, &problem)) {
        run_free(&run);
        return usage_error(problem);
    }
    /* First of all threads, so that the others have its signals blocked. */
    run.interrupt = interrupt_new();
    run.facts = probe_new(&probe_options);
    worked = find_domains(&run) && have_consent(&run);
    if (worked)
        work(&run);
    end_report(&run, worked);
    status = finish(&run);
    run_free(&run);
    return status;
}

/* The modes about what was done. */
static enum exit_status
run_on_journal(const struct options *options)
{
    const struct probe_options probe_options = {0};
    struct run run = {.options = options};
    enum exit_status status;

    run.interrupt = interrupt_new();
    run.facts = probe_new(&probe_options);
    switch (options->mode) {
    case MODE_UNDO:
        mode_undo(&run);
        break;
    case MODE_RESUME:
        mode_resume(&run);
        break;
    case MODE_FORGET:
        mode_forget(&run);
        break;
    default:
        mode_history(&run);
        break;
    }
    status = finish(&run);
    run_free(&run);
    return status;
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) problem = NULL;
    struct options *options;
    enum exit_status status = STATUS_CLEAN;
    struct run nothing = {0};

    take_standard_descriptors();
    g_set_prgname("domlint");
    /* Both arrive as errors of the write that they are about, and are dealt with there. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    options = options_parse(argc, argv, &problem);
    if (!options)
        return usage_error(problem);
    nothing.options = options;
    switch (options->mode) {
    case MODE_HELP:
        options_print_help(stdout);
        status = finish(&nothing);
        break;
    case MODE_VERSION:
        print_version();
        status = finish(&nothing);
        break;
    case MODE_EXPLAIN:
    case MODE_LIST_RULES:
        status = document_rules(options);
        break;
    case MODE_UNDO:
    case MODE_RESUME:
    case MODE_FORGET:
    case MODE_HISTORY:
        status = run_on_journal(options);
        break;
    case MODE_LINT:
    case MODE_FIX:
    case MODE_DIFF:
        status = run_on_documents(options);
        break;
    }
    options_free(options);
    return status;
}
