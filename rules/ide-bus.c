/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lint/lint.h"

const struct lint_rule rule_ide_bus = {
    .id = "ide-bus",
};
