/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-cost.h: what planned conversions cost: space, time off.
 */
#pragma once

#include "cli/convert-plan.h"

/* Notes what it takes at the most and the least, as far as @facts, of the image, tell what could
 * not be measured. */
void convert_cost_estimate(struct planned *planned, const struct image_facts *facts);

/* Refuses what does not fit: all of the plan on that file system, since nobody can say which was
 * meant. Notes what is left on the others. */
void convert_cost_fit(struct convert_plan *plan);

/* "copies 3 GiB, takes 10 GiB of space, about 60 s", to be freed. */
char *convert_cost_text(const struct planned *planned);
