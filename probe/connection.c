/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection.c: a connection to libvirt on which no call can hang for ever.
 */
#include "probe/connection.h"

#include "probe/deadline.h"

G_DEFINE_QUARK(domlint-connection-error, connection_error)

/* So many calls overdue at once, and the daemon counts as one that does not answer. It serves
 * five of a client's at a time unless it is set up otherwise: a sixth would be waited for in
 * vain. */
enum { MAX_OVERDUE = 4 };

/* Shared with the calls that are under way: those which are overdue may outlive the connection. */
struct shared {
    virConnectPtr handle;
    gint overdue; /* atomic */
};

struct connection {
    struct shared *shared; /* g_atomic_rc_box */
    struct deadline_threads *threads;
    struct connection_limits limits;
    enum connection_access access;
    enum connection_place place;
    char *uri;
};

static void
shared_clear(void *data)
{
    struct shared *shared = data;

    if (shared->handle)
        virConnectClose(shared->handle);
}

static void
shared_release(struct shared *shared)
{
    g_atomic_rc_box_release_full(shared, shared_clear);
}

/* ---- Errors ---------------------------------------------------------------------------- */

static enum connection_error
error_code(int code)
{
    switch (code) {
    case VIR_ERR_NO_DOMAIN:
        return CONNECTION_ERROR_GONE;
    case VIR_ERR_NO_STORAGE_POOL:
    case VIR_ERR_NO_STORAGE_VOL:
    case VIR_ERR_NO_DOMAIN_SNAPSHOT:
    case VIR_ERR_NO_DOMAIN_CHECKPOINT:
        return CONNECTION_ERROR_NOT_FOUND;
    case VIR_ERR_OPERATION_DENIED:
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_AUTH_UNAVAILABLE:
        return CONNECTION_ERROR_DENIED;
    case VIR_ERR_NO_SUPPORT:
    case VIR_ERR_OPERATION_UNSUPPORTED:
    case VIR_ERR_ARGUMENT_UNSUPPORTED:
    case VIR_ERR_CONFIG_UNSUPPORTED:
        return CONNECTION_ERROR_UNSUPPORTED;
    default:
        return CONNECTION_ERROR_FAILED;
    }
}

/* ---- Calls ----------------------------------------------------------------------------- */

struct call {
    struct shared *shared;
    connection_func func;
    void *data;
    GDestroyNotify free_data;
    gboolean done;       /* the function succeeded */
    gboolean lost;       /* it failed, and the connection no longer stands */
    virErrorPtr failure; /* it failed: libvirt's error, of which each thread has its own */
};

static void
call_free(struct call *call)
{
    if (call->data)
        call->free_data(call->data);
    if (call->failure)
        virFreeError(call->failure);
    shared_release(call->shared);
    g_free(call);
}

/* Frees a call that was left behind and has returned after all. */
static void
free_overdue(void *data)
{
    struct call *call = data;

    g_atomic_int_add(&call->shared->overdue, -1);
    call_free(call);
}

static void
run_call(void *data)
{
    struct call *call = data;

    virResetLastError();
    call->done = call->func(call->shared->handle, call->data);
    if (call->done)
        return;
    call->failure = virSaveLastError();
    call->lost = call->shared->handle && virConnectIsAlive(call->shared->handle) == 0;
}

static void
set_error(const struct connection *connection, const struct call *call, GError **error)
{
    g_autofree char *text = g_strdup(call->failure && call->failure->message
                                         ? call->failure->message : "it fails without a reason");
    enum connection_error code = call->failure ? error_code(call->failure->code)
                                               : CONNECTION_ERROR_FAILED;

    g_strstrip(text);
    if (!call->shared->handle)
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_OPEN, "cannot connect to %s: %s",
                    connection->uri, text);
    else if (call->lost)
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST,
                    "%s: the connection is lost: %s", connection->uri, text);
    else
        g_set_error(error, CONNECTION_ERROR, (int)code, "%s: %s", connection->uri, text);
}

gboolean
connection_call(struct connection *connection, connection_func func, void *data,
                GDestroyNotify free_data, GError **error)
{
    struct shared *shared = connection->shared;
    guint timeout_ms = connection->limits.call_ms;
    struct call *call;

    if (g_atomic_int_get(&shared->overdue) >= MAX_OVERDUE) {
        free_data(data);
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST,
                    "%s does not answer: %d calls are overdue", connection->uri, MAX_OVERDUE);
        return FALSE;
    }
    call = g_new0(struct call, 1);
    call->shared = g_atomic_rc_box_acquire(shared);
    call->func = func;
    call->data = data;
    call->free_data = free_data;
    if (!deadline_run(connection->threads, run_call, call, free_overdue, timeout_ms)) {
        g_atomic_int_inc(&shared->overdue);
        g_set_error(error, CONNECTION_ERROR,
                    shared->handle ? CONNECTION_ERROR_TIMEOUT : CONNECTION_ERROR_OPEN,
                    "%s does not answer (waited for %.3g s)", connection->uri,
                    timeout_ms / 1000.0);
        return FALSE;
    }
    if (!call->done) {
        set_error(connection, call, error);
        call_free(call);
        return FALSE;
    }
    call->data = NULL;
    call_free(call);
    return TRUE;
}

/* ---- Opening --------------------------------------------------------------------------- */

enum connection_place
connection_place_of(const char *uri)
{
    g_autofree char *scheme = NULL;
    g_autofree char *host = NULL;
    g_autofree char *driver = NULL;
    const char *transport;

    if (!g_uri_split(uri, G_URI_FLAGS_NONE, &scheme, NULL, &host, NULL, NULL, NULL, NULL, NULL)
        || !scheme || (host && *host))
        return CONNECTION_REMOTE;
    transport = strchr(scheme, '+');
    if (transport && !g_str_equal(transport, "+unix"))
        return CONNECTION_REMOTE;
    driver = transport ? g_strndup(scheme, (gsize)(transport - scheme)) : g_strdup(scheme);
    return g_str_equal(driver, "test") ? CONNECTION_TEST : CONNECTION_LOCAL;
}

struct open_data {
    char *uri;
    enum connection_access access;
    struct connection_limits limits;
    virConnectPtr handle;
    char *resolved; /* the URI that libvirt made of it */
};

static void
open_data_free(void *data)
{
    struct open_data *open = data;

    if (open->handle)
        virConnectClose(open->handle);
    g_free(open->uri);
    g_free(open->resolved);
    g_free(open);
}

static gboolean
open_handle(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct open_data *open = data;

    open->handle = open->access == CONNECTION_READ_ONLY ? virConnectOpenReadOnly(open->uri)
                                                        : virConnectOpen(open->uri);
    if (!open->handle)
        return FALSE;
    /* Drivers without a daemon have no keepalive, and need none. */
    (void)virConnectSetKeepAlive(open->handle, (int)open->limits.keepalive_interval_s,
                                 open->limits.keepalive_count);
    open->resolved = virConnectGetURI(open->handle);
    return TRUE;
}

struct connection *
connection_open(struct event_loop *loop G_GNUC_UNUSED, const char *uri,
                enum connection_access access, const struct connection_limits *limits,
                GError **error)
{
    struct connection *connection = g_new0(struct connection, 1);
    struct open_data *open;

    connection->shared = g_atomic_rc_box_new0(struct shared);
    connection->threads = deadline_threads_new();
    connection->access = access;
    connection->uri = g_strdup(uri ? uri : "libvirt's default connection");
    if (limits)
        connection->limits = *limits;
    if (connection->limits.call_ms == 0)
        connection->limits.call_ms = 30000;
    if (connection->limits.keepalive_interval_s == 0)
        connection->limits.keepalive_interval_s = 5;
    if (connection->limits.keepalive_count == 0)
        connection->limits.keepalive_count = 3;

    open = g_new0(struct open_data, 1);
    open->uri = g_strdup(uri);
    open->access = access;
    open->limits = connection->limits;
    if (!connection_call(connection, open_handle, open, open_data_free, error)) {
        connection_close(connection);
        return NULL;
    }
    connection->shared->handle = g_steal_pointer(&open->handle);
    if (open->resolved) {
        g_free(connection->uri);
        connection->uri = g_strdup(open->resolved);
    }
    open_data_free(open);
    connection->place = connection_place_of(connection->uri);
    return connection;
}

static void
close_now(void *data)
{
    shared_release(data);
}

static void
free_nothing(void *data G_GNUC_UNUSED)
{
}

void
connection_close(struct connection *connection)
{
    if (!connection)
        return;
    /* Closing is a call, too: the daemon is told, and its answer waited for. */
    (void)deadline_run(connection->threads, close_now, connection->shared, free_nothing,
                       connection->limits.call_ms);
    deadline_threads_free(connection->threads);
    g_free(connection->uri);
    g_free(connection);
}

const char *
connection_uri(const struct connection *connection)
{
    return connection->uri;
}

enum connection_place
connection_place(const struct connection *connection)
{
    return connection->place;
}

enum connection_access
connection_access(const struct connection *connection)
{
    return connection->access;
}
