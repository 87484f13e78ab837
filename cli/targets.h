/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h: what the TARGETs of the command line stand for.
 */
#pragma once

#include "cli/session.h"

/* One document to be worked on. */
struct target {
    char *path;    /* as it is reported; "-": standard input; NULL for a domain */
    char *word;    /* the domain's name or UUID, as given; NULL for a file */
    gboolean could_be_file;       /* a file has that name too */
    char *shown;                  /* the digest of the text that consent was given to; or NULL */
    struct source_domain *domain; /* once it is found; NULL for a file */
    gboolean listed;              /* the domain was listed, not named: it may go again */
    char *connection;             /* the URI of a connection whose domains cannot be listed; NULL for all others */
    char *failure; /* why it is known already that it cannot be read (a folder); NULL otherwise */
};

/**
 * targets_list:
 * @words: the TARGETs as given
 *
 * Domains are not looked up yet. Opens no connection.
 * Returns: an array of struct target *, in the order of @words, those of a folder bytewise by path,
 * each file once however often and by whatever symlinks it is named; to be unreferenced. NULL with
 * @error (of G_OPTION_ERROR) for a word that is no TARGET, and for a folder without documents.
 */
GPtrArray *targets_list(GStrv words, GError **error);

/* Whether some of them are domains, for which a connection is needed. */
gboolean targets_have_domains(GPtrArray *targets);

/**
 * targets_find_domains: looks up the domains that are named, each once however often it is named. One that cannot be had
 * becomes a target with a failure.
 * Returns: FALSE with @error (G_OPTION_ERROR) where a word is a domain and a file.
 */
gboolean targets_find_domains(GPtrArray *targets, struct session *session, GError **error);

/* Adds all domains of the connection, by name bytewise. FALSE with @error (CONNECTION_ERROR). */
gboolean targets_add_all(GPtrArray *targets, struct session *session, GError **error);

/* Where there is no connection @uri to get domains from, for @why: those that are named become targets with a failure;
 * without any, the connection itself becomes one. */
void targets_fail_domains(GPtrArray *targets, const char *uri, const char *why);

/* The one of @targets that is the same file as @path; NULL where none is. */
const struct target *targets_find(GPtrArray *targets, const char *path);

/* Whether standard input is one of @targets. */
gboolean targets_have_stdin(GPtrArray *targets);
