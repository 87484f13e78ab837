/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode.h: the modes of the program, and what they are given.
 */
#pragma once

#include "cli/document.h"
#include "cli/exit-status.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stream.h"
#include "lint/run.h"

/* One run over documents. */
struct convert_plan;

struct run {
    const struct options *options;
    struct lint_selection *selection;
    struct facts_source *facts;
    struct session *session;  /* NULL where no target is a domain */
    struct interrupt *interrupt;
    GPtrArray *targets;       /* of struct target * */
    struct convert_plan *plan; /* of conversions; NULL without --convert */
    struct report *report;
    enum exit_status status;  /* so far */
    gboolean reader_gone;     /* standard output has no reader any more */
};

/* Says what there is to say of a document on standard error, and raises the run's status by
 * that, by whether it could be checked, and by the findings that are left in it. */
void run_account(struct run *run, const struct document *document, GPtrArray *findings);

/* Closes standard output as @output, and says, and notes in the run, where not all of @what
 * could be written. */
void run_close_output(struct run *run, struct stream *output, const char *what);

/* Each works on all targets, and raises the run's status by what it finds. */
void mode_lint(struct run *run);
void mode_fix(struct run *run);
void mode_diff(struct run *run);

/* Shows on standard error what mode_fix() would do, and remembers what was shown: what differs
 * then is not touched.
 * Returns: how many findings would be cleared. */
guint mode_diff_for_consent(struct run *run);

/* The journal's: list what was done; take a run back. */
void mode_history(struct run *run);
void mode_undo(struct run *run);
void mode_resume(struct run *run);
void mode_forget(struct run *run);

/* Write documentation of @rules (of const struct lint_rule *) to standard output. */
void mode_explain(const GPtrArray *rules, gboolean color);
void mode_list_rules(const GPtrArray *rules, gboolean color);
