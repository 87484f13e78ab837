/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h: the command line, checked.
 */
#pragma once

#include <stdio.h>

#include "lint/lint.h"

enum mode {
    MODE_LINT,
    MODE_FIX,
    MODE_DIFF,
    MODE_UNDO,
    MODE_HISTORY,
    MODE_EXPLAIN,
    MODE_LIST_RULES,
    MODE_HELP,
    MODE_VERSION,
};

enum report_format {
    REPORT_TEXT,
    REPORT_JSON,
};

enum color_when {
    COLOR_AUTO,
    COLOR_ALWAYS,
    COLOR_NEVER,
};

/* One --format=FORMAT[:FILE]. */
struct report_choice {
    enum report_format format;
    char *path; /* NULL: standard output */
};

struct options {
    enum mode mode;
    char *rules;            /* -r, comma-separated; NULL: those that run by default */
    char *except;           /* -x, comma-separated; NULL: none */
    char *explain;          /* the rules to explain, comma-separated */
    gboolean unsafe_fixes;
    gboolean host;          /* the documents describe this host */
    gboolean strict;
    gboolean quiet;
    gboolean yes;           /* files need no consent, so that nothing is asked with it or without */
    GPtrArray *reports;     /* of struct report_choice *; as given, or what the mode does without */
    enum lint_severity fail_on, min_severity;
    enum color_when color;
    guint jobs;
    gboolean all;           /* all domains of the connection: --all, or no TARGET where that means it */
    char *connect;          /* the connection's URI; NULL: libvirt's default */
    char *undo;             /* the ID of the run to take back; "": the last */
    char *state_dir;        /* of the journal; never NULL */
    gboolean state_dir_given;
    GStrv targets;          /* as given; never NULL */
};

/**
 * options_parse: the command line of @argc words; @argv's strings are not changed.
 * Returns: the options, to be freed; NULL with @error (of G_OPTION_ERROR) on any wrong usage.
 */
struct options *options_parse(int argc, char **argv, GError **error);
void options_free(struct options *options);

/* Writes the text of --help to @stream. */
void options_print_help(FILE *stream);
