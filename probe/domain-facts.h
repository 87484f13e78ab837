/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-facts.h: the facts of a connection's domains: those of this host where the
 * daemon is on it and sees the same images, and unknown otherwise.
 */
#pragma once

#include "probe/source-libvirt.h"
#include "probe/volumes.h"

/* What the domains of one connection share. */
struct connection_facts;

/**
 * connection_facts_new:
 * @local: this host's facts
 *
 * All three must outlive it. Thread-safe.
 */
struct connection_facts *connection_facts_new(struct connection *connection,
                                              struct volumes *volumes,
                                              struct facts_source *local);
void connection_facts_free(struct connection_facts *facts);

/**
 * connection_facts_domain: the facts source of one domain, to be freed with
 * facts_source_free(). Both @facts and @domain must outlive it. Volumes are resolved through
 * their pools. Before an image's facts are used, one image of its file system has been found to
 * be the same for the daemon as for us; on a test: connection, whose images are made up, files
 * that exist count as they are.
 */
struct facts_source *connection_facts_domain(struct connection_facts *facts,
                                             const struct source_domain *domain);
