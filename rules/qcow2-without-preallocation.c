/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lint/lint.h"

const struct lint_rule rule_qcow2_without_preallocation = {
    .id = "qcow2-without-preallocation",
};
