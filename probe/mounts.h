/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts.h: what is mounted, as /proc/self/mountinfo says.
 */
#pragma once

#include <glib.h>

struct mount {
    guint64 id;
    char *point;        /* where it is mounted */
    char *type;         /* of the file system: "ext4" */
    char *source;       /* "/dev/vda1", "server:/export" */
    GStrv options;      /* of the mount, then of the file system ("rw", "nodatasum", ...) */
};

/**
 * mounts_read: all mounts, in mountinfo's order, below the folder @root that stands for /
 * (NULL: /). Lines that cannot be read are left out.
 * Returns: an array of struct mount *, to be unreferenced (frees them); NULL with @error set.
 */
GPtrArray *mounts_read(const char *root, GError **error);

/* The mount of that id (STATX_MNT_ID), or NULL. */
const struct mount *mounts_by_id(GPtrArray *mounts, guint64 id);

/* The mount that the absolute @path, without symlinks in it, lies in: the longest prefix, of two
 * at one place the later; NULL without any. Looks at names alone. */
const struct mount *mounts_by_path(GPtrArray *mounts, const char *path);

/* Whether @mount has @option, by name: "nodatasum", or "data" for "data=journal". */
gboolean mount_has_option(const struct mount *mount, const char *option);
