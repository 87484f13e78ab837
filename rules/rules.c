/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.c: the table of all rules. */
#include "rules/rules.h"

#define RULE(name) extern const struct lint_rule rule_##name;
#include "rules/rules.def"
#undef RULE

#define RULE(name) &rule_##name,
const struct lint_rule *const lint_rules[] = {
#include "rules/rules.def"
    NULL,
};
