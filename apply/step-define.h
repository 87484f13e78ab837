/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step-define.h: carrying out the XML fixes of a domain in its persistent definition, and taking them back.
 *
 * The present definition is fetched again: its form without secrets must be byte for byte what the fixes were
 * made from, else drift. The fixes are derived again on the text with secrets (a definition made from the other
 * form would erase the graphics password), and definition_replace() does the rest.
 * libvirt has no compare-and-swap on define: between the last look and the define a moment is left open.
 */
#pragma once

#include "apply/definition.h"
#include "lint/fix.h"

struct step_define {
    struct connection *connection; /* read-write */
    const struct source_domain *domain;
    const domxml_doc *plan_doc;     /* the inactive XML without secrets that the fixes were made from */
    const struct lint_fixed *plan;  /* those fixes */
    const struct lint_selection *selection;
    struct facts_source *facts;
    enum lint_safety safety;
};

/**
 * step_define_check: whether what stands in the way of the step now, as far as that can be known before it is carried
 * out.
 * @notes: as for step_define_run()
 * Returns: FALSE with @error (DEFINITION_ERROR, CONNECTION_ERROR)
 */
gboolean step_define_check(const struct step_define *step, GPtrArray *notes, GError **error);

/**
 * step_define_run: carries out the XML fixes of one domain.
 * @notes: remarks for the user are added here (array of char *): when it takes effect, ...
 * Returns: what was fixed and what is left, to be freed with lint_fixed_free(): its text holds secrets and must never
 * be printed or written; NULL with @error (DEFINITION_ERROR, JOURNAL_ERROR, CONNECTION_ERROR) otherwise.
 */
struct lint_fixed *step_define_run(const struct step_define *step, struct journal_run *run,
                                   GPtrArray *notes, GError **error);

/**
 * step_define_undo: takes back what @records (a run's, as journal_read() gives them) tell of this domain, each value only
 * where it is still ours.
 * @left: sentences about what was not ours any more and so was left, are added here
 */
gboolean step_define_undo(struct connection *connection, const struct source_domain *domain,
                          JsonArray *records, struct journal_run *run, GPtrArray *notes,
                          GPtrArray *left, GError **error);
