/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event-loop.h: libvirt's event loop, in a thread. Without one no connection can
 * tell a daemon that is dead from one that is slow: keepalive messages are sent and counted by it.
 */
#pragma once

#include <glib.h>

struct event_loop;

/**
 * event_loop_ready_libvirt: readies libvirt for this process; needed before the first connection is opened. Libvirt's errors are
 * no longer printed from then on; they reach the caller as GError. Connections that are opened without a loop have no keepalive;
 * the time limit of each call holds all the same.
 * Returns: FALSE with @error.
 */
gboolean event_loop_ready_libvirt(GError **error);

/**
 * event_loop_new: readies libvirt for this process and starts its event loop: needed before the
 * first connection is opened, and made once, by main(). Each call costs several times as much with
 * it, since the threads wake each other: an audit goes without.
 * Returns: the loop, to be freed after the last connection; NULL with @error set.
 */
struct event_loop *event_loop_new(GError **error);
void event_loop_free(struct event_loop *loop);
