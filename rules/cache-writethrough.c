/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lint/lint.h"

const struct lint_rule rule_cache_writethrough = {
    .id = "cache-writethrough",
};
