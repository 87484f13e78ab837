/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power.h: shutting a domain down cleanly for a conversion, and starting it again. Never destroys.
 */
#pragma once

#include <gio/gio.h>

#include "probe/source-libvirt.h"

#define POWER_ERROR power_error_quark()
GQuark power_error_quark(void);
enum power_error {
    POWER_REFUSED, /* it would not stay off, or is in no state to be shut down */
    POWER_TIMEOUT, /* the guest did not shut down in time; it may still do so */
};

/**
 * power_off: asks the guest to shut down (by its agent or ACPI, as libvirt finds best) and waits until it is off.
 * One whose <on_poweroff> is not destroy would start again, and is refused.
 * @timeout_s: how long to wait
 * Returns: FALSE with @error (POWER_ERROR, CONNECTION_ERROR, G_IO_ERROR_CANCELLED).
 */
gboolean power_off(struct connection *connection, const struct source_domain *domain,
                   guint timeout_s, GCancellable *cancellable, GError **error);

/**
 * power_wait_off: waits until the domain is off. A guest that was asked to shut down goes on doing so when power_off() is
 * cancelled.
 * Returns: as power_off().
 */
gboolean power_wait_off(struct connection *connection, const struct source_domain *domain,
                        guint timeout_s, GCancellable *cancellable, GError **error);

/* power_on: starts the domain; one that runs already is fine. */
gboolean power_on(struct connection *connection, const struct source_domain *domain,
                  GError **error);

/* Whether it runs, or is paused; FALSE also where that is not known. */
gboolean power_is_on(struct connection *connection, const struct source_domain *domain);
