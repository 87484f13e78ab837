/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-libvirt.h: documents that are the domains of a libvirt connection. Reads
 * only. What talks to the daemon does so within the connection's time limit,
 * and from several threads at a time where that is wanted.
 */
#pragma once

#include "probe/connection.h"
#include "probe/facts.h"

enum domain_state {
    DOMAIN_STATE_UNKNOWN,
    DOMAIN_STATE_RUNNING,
    DOMAIN_STATE_PAUSED,
    DOMAIN_STATE_SHUT_OFF,
    DOMAIN_STATE_OTHER, /* crashed, suspended by its guest, being shut down */
};

/* A domain, as it was when it was listed or looked up: who acts on it looks again before. */
struct source_domain {
    char *uri;
    char *name;
    char uuid[VIR_UUID_STRING_BUFLEN];
    enum domain_state state;
    enum fact_answer active;       /* has a live definition: neither shut off nor crashed */
    enum fact_answer persistent;   /* no: it ends with its guest; nothing could be edited */
    enum fact_answer managed_save; /* its next start resumes a guest, under its old definition */
    enum fact_answer snapshots;
    enum fact_answer checkpoints;
    enum fact_answer autostart;
    virDomainPtr handle;
};

enum source_text {
    SOURCE_TEXT_INACTIVE, /* the definition of the next start */
    SOURCE_TEXT_LIVE,     /* that of the guest that runs, with what libvirt added to it */
};

enum source_secrets {
    SOURCE_WITHOUT_SECRETS,
    SOURCE_WITH_SECRETS, /* passwords too; only on a read-write connection, and only for a define */
};

void source_domain_free(struct source_domain *domain);

/* By URI, name and UUID, bytewise; for g_ptr_array_sort(). */
int source_domain_compare(const void *a, const void *b);

/* "running", "paused", "shut off", ...; static. */
const char *domain_state_name(enum domain_state state);

/**
 * source_libvirt_list: all domains of the connection, in source_domain_compare()'s order, with
 * state and flags: a handful of calls, whatever the number of domains.
 * Returns: an array of struct source_domain *, to be unreferenced (frees them); NULL with
 * @error set.
 */
GPtrArray *source_libvirt_list(struct connection *connection, GError **error);

/**
 * source_libvirt_lookup: the domain with that name or UUID.
 * Returns: the domain, to be freed; NULL with @error set: CONNECTION_ERROR_GONE where there is
 * none, CONNECTION_ERROR_FAILED where it is the name of one and the UUID of another.
 */
struct source_domain *source_libvirt_lookup(struct connection *connection, const char *word,
                                            GError **error);

/* Which text a domain is linted by: its inactive definition or, where it has none, the live one. */
enum source_text source_domain_text(const struct source_domain *domain);

/**
 * source_libvirt_xml: a domain's definition.
 * Returns: the text, to be freed with g_free(); NULL with @error set: CONNECTION_ERROR_GONE
 * where the domain has vanished meanwhile, which is no failure of the run.
 */
char *source_libvirt_xml(struct connection *connection, const struct source_domain *domain,
                         enum source_text text, enum source_secrets secrets, GError **error);
