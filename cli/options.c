/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c: the command line, checked.
 */
#include <string.h>

#include "apply/journal.h"
#include "cli/nearest.h"
#include "cli/option-table.h"
#include "cli/options.h"
#include "lint/finding.h"

#define MOST_JOBS 1024
#define JOBS_NOT_GIVEN G_MININT

static gboolean G_GNUC_PRINTF(2, 3)
wrong(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (error)
        *error = g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format, arguments);
    va_end(arguments);
    return FALSE;
}

static void
raw_options_clear(struct raw_options *raw)
{
    g_strfreev(raw->explain);
    g_strfreev(raw->rules);
    g_strfreev(raw->except);
    g_strfreev(raw->formats);
    g_strfreev(raw->targets);
    g_free(raw->fail_on);
    g_free(raw->min_severity);
    g_free(raw->color);
    g_free(raw->undo);
    g_free(raw->connect);
    g_free(raw->state_dir);
}

static void
report_choice_free(gpointer data)
{
    struct report_choice *choice = data;

    g_free(choice->path);
    g_free(choice);
}

void
options_free(struct options *options)
{
    if (!options)
        return;
    g_free(options->rules);
    g_free(options->except);
    g_free(options->explain);
    g_free(options->connect);
    g_free(options->undo);
    g_free(options->state_dir);
    g_ptr_array_unref(options->reports);
    g_strfreev(options->targets);
    g_free(options);
}

/* Says of an option that GOption does not know what may have been meant. */
static void
explain_unknown_option(GError **error)
{
    static const char words[] = "Unknown option ";
    g_autofree const char **names = NULL;
    g_autofree char *option = NULL;
    const char *name, *meant;

    if (!g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) ||
        !g_str_has_prefix((*error)->message, words))
        return;
    option = g_strdup((*error)->message + strlen(words));
    name = option + strspn(option, "-");
    option[strcspn(option, "=")] = '\0';
    names = option_table_names();
    meant = nearest(name, names);
    g_clear_error(error);
    if (option_table_is_for_later(name))
        wrong(error, "%s comes with a later version of domlint", option);
    else if (g_str_has_prefix(option, "--") && meant)
        wrong(error, "unknown option %s; did you mean --%s?", option, meant);
    else
        wrong(error, "unknown option %s", option);
}

/* The place of @word in @words, to *@place; FALSE with @error where it is none of them. */
static gboolean
parse_word(const char *option, const char *word, const char *const *words, int *place,
           GError **error)
{
    g_autofree char *all = NULL;

    for (int i = 0; words[i]; i++) {
        if (g_str_equal(words[i], word)) {
            *place = i;
            return TRUE;
        }
    }
    all = g_strjoinv(", ", (GStrv)words);
    return wrong(error, "%s: '%s' is none of %s", option, word, all);
}

static gboolean
parse_level(const char *option, const char *word, enum lint_severity *level, GError **error)
{
    const char *const levels[] = {
        lint_severity_name(LINT_INFO),
        lint_severity_name(LINT_WARNING),
        lint_severity_name(LINT_ERROR),
        NULL,
    };
    int place;

    if (!word)
        return TRUE;
    if (!parse_word(option, word, levels, &place, error))
        return FALSE;
    *level = (enum lint_severity)place;
    return TRUE;
}

static gboolean
parse_mode(const struct raw_options *raw, struct options *options, GError **error)
{
    const struct {
        gboolean given;
        enum mode mode;
        const char *name;
    } modes[] = {
        {raw->fix, MODE_FIX, "--fix"},
        {raw->diff, MODE_DIFF, "--diff"},
        {raw->undo != NULL, MODE_UNDO, "--undo"},
        {raw->history, MODE_HISTORY, "--history"},
        {raw->explain != NULL, MODE_EXPLAIN, "--explain"},
        {raw->list_rules, MODE_LIST_RULES, "--list-rules"},
    };
    const char *first = NULL;

    for (gsize i = 0; i < G_N_ELEMENTS(modes); i++) {
        if (!modes[i].given)
            continue;
        if (first)
            return wrong(error, "%s and %s are two modes; give one of them", first, modes[i].name);
        first = modes[i].name;
        options->mode = modes[i].mode;
    }
    return TRUE;
}

static gboolean
parse_report(const char *word, struct options *options, GError **error)
{
    static const char *const formats[] = {"text", "json", NULL};
    g_auto(GStrv) parts = g_strsplit(word, ":", 2);
    struct report_choice *choice;
    int format;

    if (!parse_word("--format", parts[0] ? parts[0] : "", formats, &format, error))
        return FALSE;
    if (parts[1] && !*parts[1])
        return wrong(error, "--format: no file name after '%s'", word);
    choice = g_new0(struct report_choice, 1);
    choice->format = (enum report_format)format;
    if (parts[1] && !g_str_equal(parts[1], "-"))
        choice->path = g_strdup(parts[1]);

    for (guint i = 0; i < options->reports->len; i++) {
        const struct report_choice *other = g_ptr_array_index(options->reports, i);

        if (g_strcmp0(other->path, choice->path) == 0) {
            wrong(error, "--format: two reports to %s; give one of them another file (%s:FILE)",
                  choice->path ? choice->path : "standard output", formats[format]);
            report_choice_free(choice);
            return FALSE;
        }
    }
    g_ptr_array_add(options->reports, choice);
    return TRUE;
}

/* What the report goes to; of --diff, standard output is the diff's. */
static gboolean
parse_reports(const struct raw_options *raw, struct options *options, GError **error)
{
    gboolean to_stdout = FALSE;

    for (gsize i = 0; raw->formats && raw->formats[i]; i++) {
        if (!parse_report(raw->formats[i], options, error))
            return FALSE;
    }
    for (guint i = 0; i < options->reports->len; i++)
        to_stdout |= !((struct report_choice *)g_ptr_array_index(options->reports, i))->path;

    if (options->mode != MODE_LINT && options->mode != MODE_FIX && to_stdout)
        return wrong(error,
                     "--format: standard output is taken by the %s; give the report a file "
                     "(--format=FORMAT:FILE)",
                     options->mode == MODE_DIFF ? "diff" : "text");
    /* Quiet where the reports asked for go to files; without any, the text. */
    if (!options->reports->len && options->mode != MODE_DIFF)
        return parse_report("text", options, error);
    return TRUE;
}

static const char *
mode_name(enum mode mode)
{
    switch (mode) {
    case MODE_UNDO:
        return "--undo (its ID is written --undo=ID)";
    case MODE_HISTORY:
        return "--history";
    case MODE_EXPLAIN:
        return "--explain";
    default:
        return "--list-rules";
    }
}

static gboolean
parse_targets(struct raw_options *raw, struct options *options, GError **error)
{
    gboolean takes_targets = options->mode == MODE_LINT || options->mode == MODE_FIX ||
                             options->mode == MODE_DIFF;
    gboolean has_targets = raw->targets && raw->targets[0];

    if ((has_targets || raw->all) && !takes_targets)
        return wrong(error, "%s takes no TARGET: '%s'", mode_name(options->mode),
                     raw->all ? "--all" : raw->targets[0]);
    if (has_targets && raw->all)
        return wrong(error, "--all is all domains: it goes with no TARGET ('%s')",
                     raw->targets[0]);
    options->all = takes_targets && !has_targets;
    options->targets = has_targets ? g_steal_pointer(&raw->targets) : g_new0(char *, 1);
    return TRUE;
}

static gboolean
check(struct raw_options *raw, struct options *options, GError **error)
{
    static const char *const when[] = {"auto", "always", "never", NULL};
    int color = COLOR_AUTO;

    if (raw->help || raw->version) {
        options->mode = raw->help ? MODE_HELP : MODE_VERSION;
        options->targets = g_new0(char *, 1);
        return TRUE;
    }
    if (raw->jobs != JOBS_NOT_GIVEN && (raw->jobs < 1 || raw->jobs > MOST_JOBS))
        return wrong(error, "--jobs: %d is not between 1 and %d", raw->jobs, MOST_JOBS);
    if (!parse_mode(raw, options, error) || !parse_reports(raw, options, error) ||
        !parse_level("--fail-on", raw->fail_on, &options->fail_on, error) ||
        !parse_level("--min-severity", raw->min_severity, &options->min_severity, error) ||
        (raw->color && !parse_word("--color", raw->color, when, &color, error)) ||
        !parse_targets(raw, options, error))
        return FALSE;

    options->color = (enum color_when)color;
    options->jobs =
        raw->jobs == JOBS_NOT_GIVEN ? g_get_num_processors() : (guint)raw->jobs;
    options->rules = raw->rules ? g_strjoinv(",", raw->rules) : NULL;
    options->except = raw->except ? g_strjoinv(",", raw->except) : NULL;
    options->explain = raw->explain ? g_strjoinv(",", raw->explain) : NULL;
    options->unsafe_fixes = raw->unsafe_fixes;
    options->host = raw->host;
    options->strict = raw->strict;
    options->quiet = raw->quiet;
    options->yes = raw->yes;
    options->connect = g_steal_pointer(&raw->connect);
    options->undo = g_steal_pointer(&raw->undo);
    options->state_dir_given = raw->state_dir != NULL;
    options->state_dir = raw->state_dir ? g_steal_pointer(&raw->state_dir) : journal_default_dir();
    return TRUE;
}

static const GOptionEntry *
find_short(const GOptionEntry *entries, char name)
{
    for (; entries->long_name; entries++) {
        if (entries->short_name == name)
            return entries;
    }
    return NULL;
}

/* Where in the word "-qj8" the value of a short option begins; 0 where there is none. */
static gsize
attached_value(const GOptionEntry *entries, const char *word)
{
    for (gsize i = 1; word[0] == '-' && word[i]; i++) {
        const GOptionEntry *entry = find_short(entries, word[i]);

        if (!entry)
            return 0;
        if (entry->arg != G_OPTION_ARG_NONE)
            return word[i + 1] ? i + 1 : 0;
    }
    return 0;
}

/* The command line with values that follow a short option in the same word (-j8) as words of
 * their own, which is the only form that GOption reads. */
static GPtrArray *
split_words(const GOptionEntry *entries, int argc, char **argv)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    gboolean options = TRUE;

    for (int i = 0; i < argc; i++) {
        gsize value = 0;

        if (g_str_equal(argv[i], "--"))
            options = FALSE;
        if (options && i > 0)
            value = attached_value(entries, argv[i]);
        /* An option whose value may be left out: GOption reads only one that is there. */
        if (options && g_str_equal(argv[i], "--undo"))
            g_ptr_array_add(words, g_strdup("--undo="));
        else
            g_ptr_array_add(words, value ? g_strndup(argv[i], value) : g_strdup(argv[i]));
        if (value)
            g_ptr_array_add(words, g_strdup(argv[i] + value));
    }
    return words;
}

/* Fills in @raw, for which @entries were made. */
static gboolean
parse_words(const GOptionEntry *entries, int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GPtrArray) words = split_words(entries, argc, argv);
    /* GOption takes out of its array what it has read; the words themselves stay ours. */
    g_autofree char **array = g_new0(char *, words->len + 1);
    int count = (int)words->len;

    memcpy(array, words->pdata, sizeof(*array) * words->len);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_help_enabled(context, FALSE);
    if (g_option_context_parse(context, &count, &array, error))
        return TRUE;
    explain_unknown_option(error);
    return FALSE;
}

struct options *
options_parse(int argc, char **argv, GError **error)
{
    struct raw_options raw = {.jobs = JOBS_NOT_GIVEN};
    g_autofree GOptionEntry *entries = option_table(&raw);
    struct options *options = g_new0(struct options, 1);
    GError *problem = NULL;

    options->reports = g_ptr_array_new_with_free_func(report_choice_free);
    options->fail_on = LINT_WARNING;
    options->min_severity = LINT_INFO;

    if (!parse_words(entries, argc, argv, &problem) || !check(&raw, options, &problem)) {
        g_propagate_error(error, problem);
        g_clear_pointer(&options, options_free);
    }
    raw_options_clear(&raw);
    return options;
}
