/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-identity.h: which file it is, whatever it is called, and whether it is as it was.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* Plain data, for the journal too: all but the birth is never 0 in a file that is there. */
struct file_identity {
    guint64 device, inode;
    /* When it was made; 0 where the file system does not tell. An inode's number is soon given to
     * another file once it is free: this tells the two apart. */
    gint64 birth_ns;
    guint64 size;
    gint64 mtime_ns;
};

/* Of the file open as @fd (O_PATH will do). Returns: FALSE with @error (G_IO_ERROR). */
gboolean file_identity_of(int fd, struct file_identity *identity, GError **error);

/**
 * file_identity_at: of what @path names; a symlink is looked at itself, not followed.
 * Returns: FALSE with @error: G_IO_ERROR_NOT_FOUND where nothing is there.
 */
gboolean file_identity_at(const char *path, struct file_identity *identity, GError **error);

/* Whether both are one file: device, inode and, where both are known, birth. */
gboolean file_identity_same(const struct file_identity *a, const struct file_identity *b);

/* The same file, and with the same size and time of the last write. */
gboolean file_identity_unchanged(const struct file_identity *a, const struct file_identity *b);
