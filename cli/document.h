/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.h: one document of a run, read and parsed, and what there is to say of it.
 */
#pragma once

#include "cli/targets.h"
#include "lint/output.h"

struct document {
    struct lint_target target; /* owns its strings; the doc in it is @doc or one that outlives it */
    char *path;                /* to be opened by; "-": standard input; NULL for a domain */
    const struct source_domain *domain; /* the target's; NULL for a file */
    gboolean listed;           /* the domain was listed, not named */
    gboolean vanished;         /* the domain is not there any more: there is nothing to report */
    struct facts_source *facts; /* those that hold for it */
    gboolean own_facts;        /* whether they are freed with it */
    domxml_doc *doc;           /* NULL where it could not be read or is no document */
    GPtrArray *messages;       /* of char *: what else is to be said, each with its place */
};

/* Reads what @target stands for; where that fails, the document's target has a failure. To be
 * freed.
 * @session: NULL where no target is a domain; @facts: those of this host. Both outlive it. */
struct document *document_read(const struct target *target, struct session *session,
                               struct facts_source *facts);
void document_free(struct document *document);

/* Adds a message, about @line and @column (0: none) of the document. */
void document_message(struct document *document, int line, int column, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* For documents that describe this host: images that are not there make the target's failure.
 * The document must have been parsed. */
void document_require_images(struct document *document);

/* The SHA-256 of the text, in hexadecimal; to be freed. The document must have been parsed. */
char *document_digest(const struct document *document);
