/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch-ahead.h: the definitions of many domains, fetched before they are asked for.
 *
 * Several threads ask the daemon for some domains at a time, and keep a little ahead of whoever takes the texts. So nobody
 * waits for each answer, and threads change hands once for many domains.
 */
#pragma once

#include "probe/source-libvirt.h"

struct fetch_ahead;

/**
 * fetch_ahead_new: begins to fetch.
 * @domains: of struct source_domain *, in the order in which they will be taken; must outlive it, as must @connection
 */
struct fetch_ahead *fetch_ahead_new(struct connection *connection, GPtrArray *domains);

/* Waits for what is under way, no longer than a call may take. */
void fetch_ahead_free(struct fetch_ahead *ahead);

/**
 * fetch_ahead_take: the text that source_libvirt_xml() has for the domain (source_domain_text(), without secrets); may wait for it.
 * May be called by any thread, once for each domain.
 * Returns: to be freed; NULL where it could not be had: ask for it, which tells why.
 */
char *fetch_ahead_take(struct fetch_ahead *ahead, const struct source_domain *domain);
