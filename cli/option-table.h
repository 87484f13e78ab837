/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-table.h: the options there are, with their help: what the parser and --help both read.
 */
#pragma once

#include <glib.h>

/* The options as they stand on the command line, before they are checked. */
struct raw_options {
    gboolean fix, diff, history, list_rules, help, version;
    gboolean all, convert, shutdown, keep_going, unsafe_fixes, host, strict, quiet, yes;
    GStrv explain, rules, except, formats, targets; /* NULL where not given */
    char *fail_on, *min_severity, *color, *undo, *resume, *forget, *to, *preallocation, *connect, *state_dir;
    int jobs, shutdown_timeout, rate_limit;
};

/* The table for GOption, which fills in @raw, in the order of --help; to be freed with g_free(). */
GOptionEntry *option_table(struct raw_options *raw);

/* The heading in --help above the option @long_name, where a group starts there; NULL elsewhere. */
const char *option_table_heading(const char *long_name);

/* The long names of all options, NULL-terminated, to be freed with g_free() (not the names). */
const char **option_table_names(void);

/* Whether @name (without dashes) is an option that is designed, and comes with a later version. */
gboolean option_table_is_for_later(const char *name);
