/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * space.h: whether a whole plan fits on the disks: all its copies together, on each file system,
 * with 5 % of it left free.
 */
#pragma once

#include <glib.h>

struct space;

struct space *space_new(void);
void space_free(struct space *space);

/* One copy. */
struct space_need {
    const char *folder;    /* where it will be */
    const char *name;      /* what to call it to the user: "web, vda" */
    guint64 bytes;         /* what it takes */
    guint64 bytes_least;   /* what it would take at the least, with @least; as @bytes without */
    const char *least;     /* an option, "--preallocation=metadata"; NULL: nothing takes less */
};

/**
 * space_add: notes one copy; the strings are copied. Returns: FALSE with @error (G_IO_ERROR) where
 * the folder cannot be looked at.
 */
gboolean space_add(struct space *space, const struct space_need *need, GError **error);

/* The file system of the plan that @folder lies on, as its place in what space_measure() returns;
 * -1 for none. */
int space_place(const struct space *space, const char *folder);

/* One file system of the plan. */
struct space_left {
    char *folder;      /* the first folder on it */
    guint64 needed;    /* all copies on it */
    guint64 available; /* free for us now */
    guint64 reserve;   /* 5 % of its size */
    gboolean fits;     /* needed + reserve <= available */
};

/**
 * space_measure: asks each file system anew.
 * Returns: an array of struct space_left *, in the order added, to be unreferenced; NULL with
 * @error.
 */
GPtrArray *space_measure(const struct space *space, GError **error);

/**
 * space_shortage: one sentence for each file system that the plan does not fit on: how much is
 * short, and what would fit.
 * @left: what space_measure() returned for @space
 * Returns: an array of char *, to be unreferenced; empty where all fits.
 */
GPtrArray *space_shortage(const struct space *space, GPtrArray *left);
