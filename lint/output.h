/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h: reports. All formats are fed one target at a time and write at once, so that memory
 * does not grow with the number of findings.
 */
#pragma once

#include <stdio.h>

#include "lint/finding.h"

enum lint_target_kind {
    LINT_TARGET_FILE,
    LINT_TARGET_DOMAIN,
    LINT_TARGET_HOST,
};

/* One thing that was linted, or could not be. */
struct lint_target {
    enum lint_target_kind kind;
    char *name;        /* the domain's name; for a file without one, its path */
    char *uuid;        /* NULL where there is none */
    char *uri;         /* of the connection; NULL for files */
    char *path;        /* of the file as it was given, "<stdin>" for standard input; NULL for
                        * domains */
    char *managed_by;  /* the manager that owns the domain, "OpenStack Nova"; NULL without one */
    char *failure;     /* why it could not be checked; NULL where it was */
    int failure_line, failure_column; /* where in the file; 0 where that does not apply */
    const char *state; /* of a domain: "running", "shut off", ...; NULL for others */
    gboolean live;     /* a domain: its live definition was checked, since it has no other */
    GPtrArray *notes;  /* of char *: remarks on the target itself; NULL without any */
    const domxml_doc *doc; /* for source lines; NULL where it could not be read */
};

struct lint_output_options {
    gboolean color;
    enum lint_severity min_severity; /* findings below are counted, not shown */
    gboolean quiet;    /* text: no summary, no notes */
    gboolean fixed;    /* the run is --fix: say what was applied */
};

struct lint_summary {
    guint targets, failed;
    guint severity[3];    /* findings that fail, by enum lint_severity */
    guint unknown, suppressed;
    guint fixable_safe, fixable_unsafe, fixable_image, fixable_manual;
    guint applied;        /* fixes carried out in this run */
};

struct lint_output {
    /* @applied: what --fix cleared in this target (NULL without); @findings: what is left. */
    void (*target)(struct lint_output *output, const struct lint_target *target,
                   GPtrArray *applied, GPtrArray *findings);
    void (*end)(struct lint_output *output, const struct lint_summary *summary);
    void (*free)(struct lint_output *output);
};

struct lint_output *lint_output_text_new(FILE *stream, const struct lint_output_options *options);
struct lint_output *lint_output_json_new(FILE *stream, const struct lint_output_options *options);

/* Adds a target's findings to the counts. */
void lint_summary_add(struct lint_summary *summary, const struct lint_target *target,
                      GPtrArray *applied, GPtrArray *findings);

/* @text with control, bidi and invalid characters escaped for a terminal; to be freed. */
char *lint_escape(const char *text);
