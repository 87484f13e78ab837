/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse-mount.h: tests/system/fusefs mounted in a scratch folder.
 */
#pragma once

#include <sys/types.h>

#include "tests/scratch.h"

typedef struct {
    GPid pid;
    char *point; /* where it is mounted, absolute */
} fuse_mount;

/* Why there is no FUSE here, or NULL where it works; static. */
const char *fuse_mount_missing(void);

/* Mounts @folder at @point, both names in the scratch folder that are made where they are not
 * there, with the faults @rules (NULL-terminated; see fusefs.c). It goes away with the calling
 * process at the latest. */
fuse_mount fuse_mount_start(const scratch *s, const char *folder, const char *point,
                            const char *const *rules);
void fuse_mount_stop(fuse_mount *mount);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(fuse_mount, fuse_mount_stop)
