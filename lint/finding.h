/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h: findings and fixes as the engine keeps them and reports, fixers and tests read them.
 */
#pragma once

#include "lint/lint.h"

enum lint_result {
    LINT_RESULT_FAIL,
    LINT_RESULT_UNKNOWN,
};

enum lint_step_kind {
    LINT_STEP_CONVERT,
};

/* A step outside the XML, as data for whoever carries it out. */
struct lint_step {
    enum lint_step_kind kind;
    char *path;          /* the image */
    char *from_format;
    char *new_path;
    char *to_format;
    char *preallocation; /* qemu-img's word: off, metadata, falloc, full */
};

struct lint_fix {
    char *title;
    enum lint_safety safety;
    enum lint_effect effect;
    GPtrArray *notes;      /* of char * */
    GPtrArray *steps;      /* of struct lint_step * */
    domxml_edits *edits;   /* of the document's text; may be empty; never NULL once the rule
                            * has returned */
    gboolean wide;         /* it renames the disk or changes something outside it, and so rests
                            * on the whole domain: never combined with another such fix */
    gboolean refused;      /* the editor refused: the editor's changes are dropped */
    const domxml_doc *doc; /* while the rule runs; NULL afterwards */
    domxml_editor *editor; /* while the rule runs; NULL afterwards */
};

struct lint_finding {
    const struct lint_rule *rule;
    enum lint_severity severity;
    enum lint_result result;
    char *reason;             /* LINT_RESULT_UNKNOWN: why; NULL otherwise */
    int disk;                 /* the disk's index in the document; -1 for a domain or host */
    char *subject;            /* the disk's target name; NULL for a domain or host */
    char *message;            /* one line, no full stop */
    GPtrArray *notes;         /* of char * */
    gboolean located;         /* whether @span holds a place in the document */
    struct domxml_span span;
    int line, column, end_line, end_column;
    GPtrArray *fixes;         /* of struct lint_fix *, the best first */
    const domxml_doc *doc;    /* while the rule runs; NULL afterwards */
};

/* Frees @finding (may be NULL) with its fixes. */
void lint_finding_free(struct lint_finding *finding);
void lint_fix_free(struct lint_fix *fix);

/* One sentence for people: "convert /a.qcow2 (qcow2) to /a.raw (raw, preallocation=falloc)"; to
 * be freed. */
char *lint_step_text(const struct lint_step *step);

const char *lint_severity_name(enum lint_severity severity);
const char *lint_safety_name(enum lint_safety safety);
const char *lint_effect_name(enum lint_effect effect);
const char *lint_result_name(enum lint_result result);
