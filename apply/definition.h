/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definition.h: a domain's persistent definition as it stands, and the one careful way to replace it.
 */
#pragma once

#include "apply/journal.h"
#include "probe/source-libvirt.h"

#define DEFINITION_ERROR definition_error_quark()
GQuark definition_error_quark(void);
enum definition_error {
    DEFINITION_REFUSED, /* nothing was touched; the message says why and names the way out */
    DEFINITION_UNKNOWN, /* libvirt's answer was lost: nobody knows whether it was defined */
    DEFINITION_FAILED,  /* something failed part-way; the message says what stands now */
};

/* A definition, fetched. */
struct definition {
    struct connection *connection;
    const struct source_domain *domain; /* both outlive it */
    gboolean active;
    int snapshots;
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
 * definition_replace: the journal is told, the present text is fetched once more and must be what @definition holds, @text is
 * defined (validated where the old text validates), read back and compared with what stood before; where anything but the
 * edited disks differs, or what was written does not read back, the old definition is put back.
 * @text: the new definition, made from @definition->full
 * @notes: remarks for the user are added here (array of char *)
 */
gboolean definition_replace(const struct definition *definition, const char *text,
                            struct journal_run *run, GPtrArray *notes, GError **error);
