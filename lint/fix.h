/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix.h: choosing, combining and applying the XML fixes of one document, until nothing changes.
 */
#pragma once

#include "lint/run.h"

#define LINT_FIX_ROUNDS 10

/* What fixing a document came to. */
struct lint_fixed {
    domxml_edits *edits;    /* of the original text, all rounds composed; may be empty */
    char *text;             /* the new text, NUL-terminated */
    size_t length;
    domxml_doc *doc;        /* of the new text; NULL where nothing changed: the original holds */
    GPtrArray *applied;     /* of struct lint_finding *: the findings cleared, with the fix applied
                             * in fixes[0]; their places are those in the original text, the edits
                             * of their fixes those of the round that applied them */
    GPtrArray *remaining;   /* of struct lint_finding *: findings on the new text */
    GPtrArray *failed;      /* of char *: a fix that did not clear its finding, or made a new one,
                             * and was put back (exit 5) */
};

/**
 * lint_fix_document: applies the fixes of effect xml whose safety is at most @safety, the best
 * alternative of each finding, those that do not overlap together, round after round until
 * nothing changes, at most LINT_FIX_ROUNDS. A fix after which its finding is still there is put
 * back, and not tried again.
 * Returns: what came of it, to be freed; NULL with @error where a result does not parse (a bug;
 * nothing is to be written).
 */
struct lint_fixed *lint_fix_document(const struct lint_selection *selection, const domxml_doc *doc,
                                     struct facts_source *facts, enum lint_safety safety,
                                     struct domxml_error *error);
void lint_fixed_free(struct lint_fixed *fixed);

/* The fix of @finding that lint_fix_document() would apply first, or NULL. */
const struct lint_fix *lint_choose_fix(const struct lint_finding *finding, enum lint_safety safety);
