/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c: the program: from the command line to the exit status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <libxml/parser.h>

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
    switch (report_end(run->report)) {
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
    /* Of --fix, standard output is the document's where one comes from standard input. */
    run->report = report_new(run->options,
                             fixing && targets_have_stdin(run->targets) ? stderr : stdout, fixing,
                             error);
    return run->report != NULL;
}

static enum exit_status
run_on_documents(const struct options *options)
{
    const struct probe_options probe_options = {0};
    g_autoptr(GError) problem = NULL;
    struct run run = {.options = options};
    gboolean prepared = prepare(&run, &problem);

    if (prepared) {
        /* First of all threads, so that the others have its signals blocked. */
        run.interrupt = interrupt_new();
        run.facts = probe_new(&probe_options);
        work(&run);
        facts_source_free(run.facts);
        interrupt_free(run.interrupt);
        report_free(run.report);
    }
    if (run.targets)
        g_ptr_array_unref(run.targets);
    lint_selection_free(run.selection);
    return prepared ? finish(&run) : usage_error(problem);
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
    case MODE_LINT:
    case MODE_FIX:
    case MODE_DIFF:
        status = run_on_documents(options);
        break;
    }
    options_free(options);
    return status;
}
