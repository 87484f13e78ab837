/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definition.h: a domain's persistent definition as it stands, and the one careful way to replace it.
 */
#pragma once

#include "apply/domain.h"
#include "apply/journal.h"

#define DEFINITION_ERROR definition_error_quark()
GQuark definition_error_quark(void);
enum definition_error {
    DEFINITION_REFUSED, /* nothing was touched; the message says why and names the way out */
    DEFINITION_FAILED,  /* something failed part-way; the message says what stands now */
};
/* An error of a connection (CONNECTION_ERROR) says that nothing was touched, too. All messages and notes are clauses
 * about the domain that do not name it. */

/* A definition, fetched. */
struct definition {
    struct connection *connection;
    const struct source_domain *domain; /* both outlive it */
    struct domain_now now;
    char *shown;         /* inactive XML without secrets */
    char *full;          /* with secrets: never printed, never written to disk */
    domxml_doc *doc;     /* of @full */
};

/**
 * definition_fetch: fetches both forms. Refused for a transient domain (there is nothing to change) and one with a managed save
 * (it would start from the saved, old XML: facts 4.6).
 */
struct definition *definition_fetch(struct connection *connection,
                                    const struct source_domain *domain, GError **error);
void definition_free(struct definition *definition);

/**
 * definition_check: whether what stands in the way of changing @before into @after now, as far as that can be known
 * before: for those who only show the change.
 * @notes: as for definition_replace()
 */
gboolean definition_check(struct connection *connection, const struct source_domain *domain,
                          const domxml_doc *before, const domxml_doc *after, GPtrArray *notes,
                          GError **error);

/**
 * definition_replace: the journal is told, the present text is fetched once more and must be what @definition holds, @text is
 * defined (validated where the old text validates), read back and compared with what stood before; where anything but the
 * edited disks differs, or what was written does not read back, the old definition is put back. Refused where snapshots or
 * checkpoints know the disk under what is changed (facts 4.5).
 * @text: the new definition, made from @definition->full
 * @notes: remarks for the user are added here (array of char *)
 */
gboolean definition_replace(const struct definition *definition, const char *text,
                            struct journal_run *run, GPtrArray *notes, GError **error);
