/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit-status.h: what the program's exit status says. Of those that apply, the highest counts.
 */
#pragma once

#include "lint/finding.h"

enum exit_status {
    STATUS_CLEAN = 0,      /* nothing at or above --fail-on is left */
    STATUS_FINDINGS = 1,   /* findings are left, or --diff has something to change */
    STATUS_USAGE = 2,      /* wrong usage, decided before any work */
    STATUS_UNREADABLE = 3, /* some target could not be read or checked */
    STATUS_REFUSED = 4,    /* a fix was refused, and nothing of that target touched */
    STATUS_FAILED = 5,     /* something failed part-way, or a fix did not clear its finding */
};

/* Makes *@status @other where that is higher. */
void exit_status_raise(enum exit_status *status, enum exit_status other);

/**
 * exit_status_of_findings:
 * @findings: of struct lint_finding *
 * @fail_on: the lowest severity that counts
 * @strict: whether what could not be decided counts as not checked
 */
enum exit_status exit_status_of_findings(GPtrArray *findings, enum lint_severity fail_on,
                                         gboolean strict);
