/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extents.h: for which bytes of a file the file system holds blocks.
 */
#pragma once

#include <glib.h>

/* Bytes of the file, up to its end. */
struct extents {
    guint64 reserved;  /* held for this file alone: a write allocates nothing */
    guint64 unwritten; /* of those: reserved by fallocate, not yet written */
    guint64 moving;    /* mapped, but a write allocates anew: shared by reflink, or compressed */
};

/**
 * extents_read: asks the file system for the extents of the file open as @fd; nothing is flushed.
 * Returns: FALSE where it does not tell (no FIEMAP: NFS, tmpfs), or not before @deadline.
 */
gboolean extents_read(int fd, guint64 file_size, gint64 deadline, struct extents *extents);
