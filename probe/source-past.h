/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-past.h: the snapshots and checkpoints of a domain, whose XML still names
 * the images of their time.
 */
#pragma once

#include "probe/source-libvirt.h"

struct source_past {
    char *name;
    gboolean checkpoint; /* no snapshot */
    char *xml;           /* <domainsnapshot> or <domaincheckpoint>; NULL where it cannot be read */
    char *unreadable;    /* why not; NULL otherwise */
};

/**
 * source_past_list: the snapshots of a domain, then its checkpoints, each by name; one that vanishes
 * meanwhile is left out.
 * Returns: an array of struct source_past *, to be unreferenced (frees them); NULL with @error set.
 */
GPtrArray *source_past_list(struct connection *connection, const struct source_domain *domain,
                            GError **error);
