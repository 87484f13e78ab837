/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-past.h: what is kept of a domain's past: its snapshots, checkpoints and
 * managed save, whose XML still names the images of their time.
 */
#pragma once

#include "probe/source-libvirt.h"

enum source_past_kind {
    SOURCE_PAST_SNAPSHOT,     /* <domainsnapshot> */
    SOURCE_PAST_CHECKPOINT,   /* <domaincheckpoint> */
    SOURCE_PAST_MANAGED_SAVE, /* <domain>, as the saved guest will run; it has no name */
};

struct source_past {
    enum source_past_kind kind;
    char *name;
    char *xml;        /* NULL where it cannot be read */
    char *unreadable; /* why not; NULL otherwise */
};

/**
 * source_past_list: the past of a domain, by kind and name; what vanishes meanwhile is left out.
 * Returns: an array of struct source_past *, to be unreferenced (frees them); NULL with @error set.
 */
GPtrArray *source_past_list(struct connection *connection, const struct source_domain *domain,
                            GError **error);
