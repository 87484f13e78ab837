/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-users.h: who has a file open or holds it otherwise, on this host and now: what no XML tells.
 * Processes of others are only seen by root.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/**
 * file_users_writing: processes but this one that have the file open as @fd open for writing, loop
 * devices on it, swap on it, and processes with a lock (flock, POSIX) on it. OFD locks, QEMU's, are
 * the guard's matter.
 * Returns: sentences without a full stop ("qemu-nbd (process 4711) has it open for writing"), in a
 * fixed order, to be unreferenced; empty where there is none.
 */
GPtrArray *file_users_writing(int fd);

/**
 * file_users_open: processes but this one that have it open in any way, as "qemu-system-x86
 * (process 4711, guest web)"; for saying by whom it is locked.
 */
GPtrArray *file_users_open(int fd);
