/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step-define.h: the safe change of a domain's persistent definition.
 *
 * The order: the present definition is fetched again, without secrets (it must be byte for byte what the fixes were
 * made from, else drift) and with them; the fixes are derived again on the text with secrets; the journal is told; it is fetched once more
 * and must not have changed; virDomainDefineXMLFlags, with VALIDATE where the old text validates; read back and compared
 * (canonical.h) with what stood before but for what was edited; where it differs, the old definition is put back.
 * libvirt has no compare-and-swap on define: between the last look and the define a moment is left open.
 */
#pragma once

#include <libvirt/libvirt.h>

#include "apply/journal.h"
#include "lint/fix.h"

#define STEP_DEFINE_ERROR step_define_error_quark()
GQuark step_define_error_quark(void);
enum step_define_error {
    STEP_DEFINE_REFUSED, /* nothing was touched: drift, transient, managed save, snapshots, managed by another tool */
    STEP_DEFINE_FAILED,  /* something failed part-way; the message says what stands now */
};

struct step_define {
    virDomainPtr domain;
    const char *plan_text;  /* the inactive XML without secrets that the fixes were made from */
    const struct lint_selection *selection;
    struct facts_source *facts;
    enum lint_safety safety;
};

/* What came of it, to be freed with step_defined_free(). */
struct step_defined {
    struct lint_fixed *fixed; /* on the text with secrets: its text must never be printed or written */
    GPtrArray *notes;         /* of char *: "takes effect after the next shutdown and start", validation left out, ... */
};

/**
 * step_define_run: carries out the XML fixes of one domain.
 * Returns: what came of it; NULL with @error otherwise.
 */
struct step_defined *step_define_run(const struct step_define *step, struct journal_run *run,
                                     GError **error);
void step_defined_free(struct step_defined *defined);

/**
 * step_define_undo: takes back the changes that @records (a run's records of one domain) tell of, under the same care.
 * @left: sentences about what was not ours any more and so was left
 */
gboolean step_define_undo(virDomainPtr domain, JsonArray *records, struct journal_run *run,
                          GPtrArray *notes, GPtrArray *left, GError **error);
