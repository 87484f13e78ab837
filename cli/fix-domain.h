/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fix-domain.h: carrying out the fixes of domains, one after another, each told to the journal.
 */
#pragma once

#include "apply/step-define.h"
#include "cli/mode.h"

struct fix_domains;

/* To be freed with fix_domains_end(). The journal is opened with the first change. */
struct fix_domains *fix_domains_new(struct run *run);

/* The step that carries out what @fixed, which was made from the document, changes in the domain's definition. All must
 * outlive it. */
struct step_define fix_domains_step(const struct run *run, const struct document *document,
                                    const struct lint_fixed *fixed);

/**
 * fix_domains_do: carries out in the domain's definition what @fixed, which was made from the document, changes. What
 * there is to say is added to the document's messages, and *@status raised where it was refused or failed.
 * Returns: whether it is done.
 */
gboolean fix_domains_do(struct fix_domains *fix, struct document *document,
                        const struct lint_fixed *fixed, enum exit_status *status);

/* Ends the journal's run, and says how to take it back. */
void fix_domains_end(struct fix_domains *fix);

/* Raises *@status by what @problem, of the journal, a connection or a definition, says. */
void fix_domains_account(const GError *problem, enum exit_status *status);
