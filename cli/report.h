/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h: the reports of a run, one for each --format, fed alike.
 */
#pragma once

#include "cli/options.h"
#include "lint/output.h"

struct report;

/**
 * report_new: opens the reports that @options asks for.
 * @standard: where those without a file go
 * @fixed: whether the run is --fix
 * Returns: to be freed; NULL with @error where a file cannot be opened.
 */
struct report *report_new(const struct options *options, FILE *standard, gboolean fixed,
                          GError **error);

/* Adds a target; @applied is NULL but in --fix. Whether all reports could be written so far. */
gboolean report_target(struct report *report, const struct lint_target *target,
                       GPtrArray *applied, GPtrArray *findings);

enum report_end {
    REPORT_WRITTEN,
    REPORT_READER_GONE, /* standard output has no reader any more */
    REPORT_FAILED,      /* said on standard error */
};

/* Ends and closes the reports.
 * @worked: whether there was anything to report; if not, those that are nothing without an end get one all the same */
enum report_end report_end(struct report *report, gboolean worked);
void report_free(struct report *report);
