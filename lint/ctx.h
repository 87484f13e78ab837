/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctx.h: one rule's look at one document, and the making of findings; the engine's own.
 */
#pragma once

#include "lint/finding.h"

struct lint_ctx {
    const domxml_doc *doc;
    struct facts_source *facts;
    const struct lint_rule *rule; /* that runs now */
    const domxml_elem *disk;      /* that it looks at now; NULL for the domain */
    int disk_index;               /* of @disk; -1 for the domain */
    GPtrArray *findings;          /* of struct lint_finding *, owned: those so far */
};

struct lint_finding *lint_finding_new(const struct lint_rule *rule, enum lint_result result,
                                      const domxml_doc *doc);
struct lint_fix *lint_fix_new(enum lint_safety safety, enum lint_effect effect,
                              const domxml_doc *doc);

/* The index of @disk among the document's disks; -1 for NULL and for anything that is none. */
int lint_ctx_disk_index(const struct lint_ctx *ctx, const domxml_elem *disk);
