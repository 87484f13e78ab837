/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h: the engine: rules over (document, facts) -> findings. It takes the rule table as an
 * argument and names no rule.
 */
#pragma once

#include "lint/finding.h"

/* Which rules run. */
struct lint_selection {
    GPtrArray *rules; /* of const struct lint_rule *, in table order */
};

/**
 * lint_select: the rules of @table (NULL-terminated) that @only (comma-separated ids; NULL: all
 * but the opt-in ones) names less those in @except (NULL: none). An unknown id is an error that
 * suggests the nearest. To be freed.
 */
struct lint_selection *lint_select(const struct lint_rule *const *table, const char *only,
                                   const char *except, GError **error);
void lint_selection_free(struct lint_selection *selection);

/**
 * lint_run: runs the rules over a document. Thread-safe.
 * Returns: an array of struct lint_finding *, sorted by position, rule, subject; to be
 * unreferenced (frees them).
 */
GPtrArray *lint_run(const struct lint_selection *selection, const domxml_doc *doc,
                    struct facts_source *facts);
