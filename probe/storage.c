/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storage.c: properties of the file system that an image lies on.
 */
#include "probe/storage.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

#include "probe/mounts.h"
#include "probe/statx-word.h"

#define ZFS_MAGIC 0x2fc12fc1u

static guint32
file_system_magic(int fd)
{
    struct statfs status;

    return fstatfs(fd, &status) == 0 ? (guint32)status.f_type : 0;
}

static gboolean
find_option(const char *root, int fd, const char *path, const char *option)
{
    g_autoptr(GPtrArray) mounts = mounts_read(root, NULL);
    const struct mount *mount = NULL;
    guint64 id;

    if (!mounts)
        return FALSE;
    /* By mount, not by device number: each btrfs subvolume has one of its own, which mountinfo
     * does not show. */
    if (statx_word(fd, STATX_WORD_MNT_ID, &id))
        mount = mounts_by_id(mounts, id);
    if (!mount) {
        g_autofree char *real = realpath(path, NULL);

        mount = real ? mounts_by_path(mounts, real) : NULL;
    }
    return mount && mount_has_option(mount, option);
}

enum fact_answer
storage_btrfs_checksums(const char *root, int fd, const char *path)
{
    guint32 magic = file_system_magic(fd);
    int flags = 0;

    if (magic == 0)
        return FACT_UNKNOWN;
    if (magic != BTRFS_SUPER_MAGIC)
        return FACT_NO;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
        return FACT_UNKNOWN;
    if (flags & FS_NOCOW_FL)
        return FACT_NO;
    /* Files made under nodatasum have no checksums, those made before keep theirs, and nothing
     * that may be asked without privileges tells which this is. (nodatacow implies nodatasum.) */
    if (find_option(root, fd, path, "nodatasum"))
        return FACT_UNKNOWN;
    return FACT_YES;
}

gboolean
storage_is_zfs(int fd)
{
    return file_system_magic(fd) == ZFS_MAGIC;
}
