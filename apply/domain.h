/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain.h: the few libvirt calls that look at a domain right before and change it, each within the connection's time limit.
 */
#pragma once

#include "probe/source-libvirt.h"

/* What may stand in the way of a change, as it is now and not as it was listed. */
struct domain_now {
    gboolean persistent, managed_save, active, paused;
    int snapshots, checkpoints;
};

/* Returns: FALSE with @error (CONNECTION_ERROR) where libvirt does not say. */
gboolean domain_look(struct connection *connection, const struct source_domain *domain,
                     struct domain_now *now, GError **error);

/**
 * domain_define: virDomainDefineXMLFlags().
 * @invalid: set where it was refused because @xml does not follow libvirt's schema
 * Returns: FALSE with @error: CONNECTION_ERROR_TIMEOUT and CONNECTION_ERROR_LOST leave open whether it was defined, all others say
 * that it was not.
 */
gboolean domain_define(struct connection *connection, const char *xml, gboolean validate,
                       gboolean *invalid, GError **error);
