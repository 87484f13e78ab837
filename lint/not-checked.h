/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * not-checked.h: what could not be checked, gathered over a run by its cause: a report names each
 * cause once, not once for each disk.
 */
#pragma once

#include "lint/output.h"

struct lint_not_checked;

struct lint_not_checked *lint_not_checked_new(void);
void lint_not_checked_free(struct lint_not_checked *not_checked);

/* What is added from here on is of another target. */
void lint_not_checked_begin_target(struct lint_not_checked *not_checked);

/* Adds a finding whose result is unknown. */
void lint_not_checked_add(struct lint_not_checked *not_checked, const struct lint_target *target,
                          const struct lint_finding *finding);

/* One line for each cause, escaped, in order of appearance; "" without any; to be freed. */
char *lint_not_checked_text(const struct lint_not_checked *not_checked);
