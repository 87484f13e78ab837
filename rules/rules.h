/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h: the table of all rules, made from the build's list (rule_sources in Makefile.am).
 */
#pragma once

#include "lint/lint.h"

/* NULL-terminated, in order of id. */
extern const struct lint_rule *const lint_rules[];
