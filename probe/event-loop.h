/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event-loop.h: libvirt's event loop, in a thread. Without one no connection can
 * tell a daemon that is dead from one that is slow: keepalive messages are sent and counted by it.
 */
#pragma once

#include <glib.h>

struct event_loop;

/**
 * event_loop_new: readies libvirt for this process and starts its event loop: needed before the
 * first connection is opened, and made once, by main(). Libvirt's errors are no longer printed
 * from then on; they reach the caller as GError.
 * Returns: the loop, to be freed after the last connection; NULL with @error set.
 */
struct event_loop *event_loop_new(GError **error);
void event_loop_free(struct event_loop *loop);
