/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h: opening paths that come from XML, from image headers or from a folder
 * that somebody else can write to. Nothing is opened before it is known
 * what it is.
 */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

/**
 * file_open_path: looks at @path (symlinks are followed) without opening what is there: no FIFO
 * is waited for, no device is touched. @st gets its status.
 * Returns: a descriptor (O_PATH) for file_reopen(), or -1 with @error (G_IO_ERROR) set.
 */
int file_open_path(const char *path, struct stat *st, GError **error);

/**
 * file_reopen: opens for reading what file_open_path() gave @path_fd and @st for; regular files
 * and block devices only, and none of /proc, /sys and their like. @flags are added (O_DIRECT).
 * Returns: a descriptor, or -1 with @error set, whose code tells whether it was refused here
 * (G_IO_ERROR_NOT_REGULAR_FILE) or by the system.
 */
int file_reopen(int path_fd, const struct stat *st, int flags, GError **error);

/* "a FIFO", "a directory", ...: what a mode is. */
const char *file_kind(mode_t mode);

/* The error that errno @number stands for; "permission denied" says what to do about it. */
void file_set_error(GError **error, int number);

/**
 * file_pread: reads up to @length bytes at @offset, whole unless the file ends there.
 * Returns: how many bytes were read, -1 with errno set.
 */
gssize file_pread(int fd, void *buffer, gsize length, guint64 offset);
