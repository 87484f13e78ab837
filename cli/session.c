/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c: the libvirt connection of a run.
 */
#include <string.h>

#include "cli/session.h"

const char *
session_default_uri(const char *uri)
{
    const char *variable = g_getenv("LIBVIRT_DEFAULT_URI");

    return uri || !variable || !*variable ? uri : variable;
}

struct session *
session_open(const char *uri, enum connection_access access, struct facts_source *local,
             GError **error)
{
    struct session *session = g_new0(struct session, 1);

    if (access == CONNECTION_READ_WRITE)
        session->loop = event_loop_new(error);
    if (session->loop || (access == CONNECTION_READ_ONLY && event_loop_ready_libvirt(error)))
        session->connection = connection_open(session->loop, session_default_uri(uri), access,
                                              NULL, error);
    if (!session->connection) {
        session_close(session);
        return NULL;
    }
    session->volumes = volumes_new(session->connection);
    session->facts = connection_facts_new(session->connection, session->volumes, local);
    return session;
}

void
session_close(struct session *session)
{
    if (!session)
        return;
    if (session->facts)
        connection_facts_free(session->facts);
    if (session->volumes)
        volumes_free(session->volumes);
    if (session->connection)
        connection_close(session->connection);
    if (session->loop)
        event_loop_free(session->loop);
    g_free(session);
}

const char *
session_hint_for_none(const struct session *session)
{
    return g_str_has_suffix(connection_uri(session->connection), ":///session")
               ? "system domains are at -c qemu:///system"
               : NULL;
}
