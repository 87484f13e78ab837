/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * excerpt.h: pieces of a document in the text report: a source line with carets, and the lines
 * that a fix changes. Long lines are shown around what matters in them, whatever their length.
 */
#pragma once

#include "lint/finding.h"

/* What switches colours on; all are "" where there are none. */
struct lint_style {
    const char *severity[3]; /* by enum lint_severity */
    const char *bold;
    const char *gutter;
    const char *removed;
    const char *added;
    const char *reset;
};

const struct lint_style *lint_style_get(gboolean color);

/* The line that @offset is on, found from the finding's own, which is near as a rule. */
int lint_line_of(const domxml_doc *doc, const struct lint_finding *finding, size_t offset);

/* How wide the line numbers are that the report on @finding names. */
int lint_gutter_width(const domxml_doc *doc, const struct lint_finding *finding);

/**
 * lint_line_append: appends the part of a line around what matters, escaped, tabs as one space.
 * @line, @end: the line, or the part of it that is at hand
 * @focus, @focus_end: what matters, within it
 * @cut_front, @cut_back: whether the line goes on before or after that part
 * @from, @to: where the columns, from 0, of @focus go; each may be NULL
 */
void lint_line_append(GString *out, const char *line, const char *end, const char *focus,
                      const char *focus_end, gboolean cut_front, gboolean cut_back, size_t *from,
                      size_t *to);

/* Appends the finding's source line, with carets under its place. */
void lint_excerpt_append(GString *out, const struct lint_style *style, const domxml_doc *doc,
                         const struct lint_finding *finding, int gutter);

/* Appends the lines that @fix of @finding changes, as they are (-) and will be (+). */
void lint_changes_append(GString *out, const struct lint_style *style, const domxml_doc *doc,
                         const struct lint_finding *finding, const struct lint_fix *fix,
                         int gutter);
