/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h: what domlint did to domains, written down before each step, so that it can be taken
 back. *
 * The state folder (0700) holds `lock`, and one folder a run: runs/ID/. In it the file `journal`
 * is append-only, one JSON object a line, each flushed to the disk before what it announces
 * begins. No password is ever written: texts are in the form without secrets. A torn last line
 * (power loss while it was appended) announces a step that did not begin, and is ignored.
 */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

struct journal;     /* the state folder, opened */
struct journal_run; /* one run in it */

#define JOURNAL_ERROR journal_error_quark()
GQuark journal_error_quark(void);
enum journal_error {
    JOURNAL_BUSY,   /* another domlint writes to this state folder */
    JOURNAL_UNSAFE, /* the folder belongs to, or can be written by, somebody else */
    JOURNAL_FAILED, /* I/O */
    JOURNAL_NONE,   /* there is no such run */
};

/**
 * journal_default_dir: the state folder without --state-dir: /var/lib/domlint for root, else
 * $XDG_STATE_HOME/domlint (~/.local/state/domlint); to be freed.
 */
char *journal_default_dir(void);

/**
 * journal_open:
 * @write: take the one writer's lock (never waits: JOURNAL_BUSY names the pid that holds it), and
 *   create the folder where it is absent; without it a folder that is absent is an empty journal
 */
struct journal *journal_open(const char *dir, gboolean write, GError **error);
void journal_close(struct journal *journal);

/* ---- writing ---- */

/**
 * journal_begin: starts a run; its ID is the next number, from "1".
 * @command: what was asked for, in words: "fix", "undo 2026..."
 */
struct journal_run *journal_begin(struct journal *journal, const char *command, const char *uri,
                                  GError **error);
/* Goes on with run @id: more records are added to it. */
struct journal_run *journal_continue(struct journal *journal, const char *id, GError **error);

const char *journal_run_id(const struct journal_run *run);

/**
 * journal_append: adds a record and flushes it; only when it returns TRUE may the step begin.
 * @type: "define", "define-done", "define-failed", "undo-of", "end", ...
 * @members: an object whose members are added to the record (consumed), or NULL
 */
gboolean journal_append(struct journal_run *run, const char *type, JsonObject *members,
                        GError **error);
void journal_run_free(struct journal_run *run);

/* ---- reading ---- */

/* The IDs of all runs, in the order they began, as a NULL-terminated array to be freed with
 * g_strfreev(). */
GStrv journal_list(struct journal *journal, GError **error);

/**
 * journal_read: the records of a run, as a JsonArray of objects with "type" and "time"; to be
 * unreferenced. NULL with JOURNAL_NONE for an unknown ID.
 */
JsonArray *journal_read(struct journal *journal, const char *id, GError **error);
