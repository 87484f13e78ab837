/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h: the libvirt connection of a run, opened where a TARGET is a domain and never
 * otherwise: a hook that libvirtd calls would hang it by calling back.
 */
#pragma once

#include "probe/domain-facts.h"
#include "probe/fetch-ahead.h"

struct session {
    struct event_loop *loop;   /* NULL for an audit */
    struct connection *connection;
    struct volumes *volumes;
    struct connection_facts *facts;
    struct fetch_ahead *ahead; /* definitions that are fetched before they are asked for; or NULL */
};

/**
 * session_open:
 * @uri: NULL: libvirt's default
 * @local: this host's facts; must outlive the session
 * Returns: to be closed with session_close(); NULL with @error, which names the URI.
 */
struct session *session_open(const char *uri, enum connection_access access,
                             struct facts_source *local, GError **error);
void session_close(struct session *session);

/* @uri or, where that is NULL, what the environment says, as libvirt itself takes it; NULL where
 * libvirt decides. */
const char *session_default_uri(const char *uri);

/* A remark on a connection without domains: which other one may be meant; NULL where there is
 * none. Static. */
const char *session_hint_for_none(const struct session *session);
