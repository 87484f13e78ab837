/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix-check.h: whether fixes did what they promise: their findings are gone, and no other came.
 */
#pragma once

#include "lint/finding.h"

/* What makes a finding the same one before and after a fix: the rule and the disk, by its index,
 * since a fix may rename it. */
struct lint_place {
    const struct lint_rule *rule;
    int disk;
};

struct lint_place *lint_place_new(const struct lint_finding *finding);

/* A set of struct lint_place *, which it owns. */
GHashTable *lint_places_new(void);
gboolean lint_places_contain(GHashTable *places, const struct lint_finding *finding);

/**
 * lint_fix_check:
 * @before, @after: the findings on the text before and after
 * @chosen: those of @before whose fixes were applied
 * @closed: the places that were fixed or given up before
 *
 * Returns: what is wrong, in one clause ("the finding is still there"), to be freed; NULL where the
 * chosen findings are gone, nothing that weighs a warning or more is new, and none came back that
 * was fixed before.
 */
char *lint_fix_check(GPtrArray *before, GPtrArray *after, GPtrArray *chosen, GHashTable *closed);
