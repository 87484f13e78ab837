/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-target.h: carrying out the planned conversions of one target.
 */
#pragma once

#include "cli/convert-plan.h"
#include "cli/fix-domain.h"

/* What came of them. */
struct converted_target {
    GPtrArray *done;     /* of struct planned * */
    gboolean was_running; /* shut down for it, and not started yet */
    enum exit_status status;
};

/**
 * convert_target:
 * @items: of struct planned *, all of this target
 * @document: as it was read; it is read anew before each conversion after the first
 *
 * Remarks are said on standard error. A failure sets status STATUS_FAILED, a refusal
 * STATUS_REFUSED.
 * Returns: to be freed with converted_target_free().
 */
struct converted_target *convert_target(struct run *run, struct fix_domains *fix,
                                        GPtrArray *items);
void converted_target_free(struct converted_target *converted);
