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

/* Descriptors 0 to 2 that the caller closed are taken, so that no file of ours gets one of those numbers
 * and what is meant for a report goes into it. Writing to them fails. */
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

static gboolean
is_stdin_given(const struct run *run)
{
    for (guint i = 0; i < run->targets->len; i++) {
        const struct target *target = g_ptr_array_index(run->targets, i);

        if (g_str_equal(target->path, "-"))
            return TRUE;
    }
    return FALSE;
}

/* Prepares a run; all that can be wrong with the command line is found here, before any work. */
static enum exit_status
run_on_documents(const struct options *options)
{
    const struct probe_options probe_options = {0};
    g_autoptr(GError) problem = NULL;
    struct lint_selection *selection = NULL;
    struct run run = {.options = options};
    gboolean fixing = options->mode == MODE_FIX;
    FILE *standard;

    selection = lint_select(lint_rules, options->rules, options->except, &problem);
    run.targets = selection ? targets_list(options->targets, &problem) : NULL;
    if (run.targets) {
        /* Of --fix, standard output is the document's where one comes from standard input. */
        standard = fixing && is_stdin_given(&run) ? stderr : stdout;
        run.report = report_new(options, standard, fixing, &problem);
    }
    if (run.report) {
        run.selection = selection;
        run.interrupt = interrupt_new();
        run.facts = probe_new(&probe_options);
        work(&run);
        facts_source_free(run.facts);
        interrupt_free(run.interrupt);
        report_free(run.report);
    } else {
        run.status = usage_error(problem);
    }
    if (run.targets)
        g_ptr_array_unref(run.targets);
    lint_selection_free(selection);
    return run.status == STATUS_USAGE ? run.status : finish(&run);
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
