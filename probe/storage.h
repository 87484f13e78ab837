/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storage.h: properties of the file system that an image lies on.
 */
#pragma once

#include "probe/facts.h"

/* Whether the file open as @fd, whose path is @path, lies on btrfs and has checksums. */
enum fact_answer storage_btrfs_checksums(const char *root, int fd, const char *path);

/* Whether the file lies on ZFS, where allocated blocks say nothing of what is reserved. */
gboolean storage_is_zfs(int fd);
