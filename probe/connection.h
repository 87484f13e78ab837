/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection.h: a connection to libvirt on which no call can hang for ever.
 *
 * Two things see to it. Keepalive messages notice a daemon that is gone or stopped, and end the
 * connection and all calls on it. And each call has a time limit of its own, since a daemon
 * that is alive may still be stuck in one of them (a hung monitor, a lock held by a slow
 * define): the call is then left to its thread. With too many calls overdue the connection is
 * given up: a daemon serves few of one client's at a time.
 */
#pragma once

#include <gio/gio.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "probe/event-loop.h"

#define CONNECTION_ERROR connection_error_quark()
GQuark connection_error_quark(void);

enum connection_error {
    CONNECTION_ERROR_OPEN,        /* the connection cannot be made */
    CONNECTION_ERROR_LOST,        /* the daemon is gone, or does not answer: no more calls */
    CONNECTION_ERROR_TIMEOUT,     /* this call is overdue */
    CONNECTION_ERROR_GONE,        /* the domain is not there (any more) */
    CONNECTION_ERROR_NOT_FOUND,   /* another thing is not there: a pool, a volume, a snapshot */
    CONNECTION_ERROR_DENIED,      /* not allowed to this user, or on a read-only connection */
    CONNECTION_ERROR_UNSUPPORTED, /* this hypervisor's driver cannot do it */
    CONNECTION_ERROR_FAILED,      /* anything else */
};

enum connection_access {
    CONNECTION_READ_ONLY,
    CONNECTION_READ_WRITE,
};

/* Where the daemon runs, as its URI says. */
enum connection_place {
    CONNECTION_LOCAL,  /* on this host: no server part, and the transport, if any, is unix */
    CONNECTION_REMOTE, /* on another host, or by a transport that may lead to one */
    CONNECTION_TEST,   /* libvirt's test driver: no daemon, no guests */
};

struct connection_limits {
    guint call_ms;              /* time limit of one call; 0: 30,000 */
    guint keepalive_interval_s; /* seconds between keepalive messages; 0: 5 */
    guint keepalive_count;      /* unanswered ones until the daemon counts as dead; 0: 3 */
};

struct connection;

/**
 * connection_open:
 * @loop: the running event loop
 * @uri: NULL: libvirt's default
 * @limits: NULL: the defaults
 *
 * Returns: the connection, to be closed with connection_close(); NULL with @error set, which
 * names the URI.
 */
struct connection *connection_open(struct event_loop *loop, const char *uri,
                                   enum connection_access access,
                                   const struct connection_limits *limits, GError **error);

/* Within the time limit, too; calls that are overdue keep libvirt's handle, but nothing waits for
 * them. Domains are to be freed before. */
void connection_close(struct connection *connection);

/* The URI as libvirt resolved it; the connection's. */
const char *connection_uri(const struct connection *connection);
enum connection_place connection_place(const struct connection *connection);
enum connection_access connection_access(const struct connection *connection);

/**
 * connection_place_of: the place that a URI means. One that cannot be parsed is remote.
 */
enum connection_place connection_place_of(const char *uri);

/* A libvirt call, or several that belong together: returns FALSE where one failed, with
 * libvirt's error set in this thread. What it needs and what it finds is in @data, which it
 * must not share with other threads. */
typedef gboolean (*connection_func)(virConnectPtr handle, void *data);

/**
 * connection_call:
 * @free_data: frees @data, in whichever thread
 *
 * Runs @func within the time limit. Thread-safe.
 * Returns: TRUE: @data is still the caller's. FALSE with @error set (CONNECTION_ERROR; the text
 * is a clause that names the URI): @data is no longer the caller's.
 */
gboolean connection_call(struct connection *connection, connection_func func, void *data,
                         GDestroyNotify free_data, GError **error);
