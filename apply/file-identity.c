/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file-identity.c: which file it is, as statx() tells. */
#include "apply/file-identity.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

#include "probe/file.h"

static gint64
nanoseconds(const struct statx_timestamp *time)
{
    return time->tv_sec * G_GINT64_CONSTANT(1000000000) + time->tv_nsec;
}

static gboolean
look(int fd, const char *path, int flags, struct file_identity *identity, GError **error)
{
    struct statx st;

    if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &st) < 0) {
        file_set_error(error, errno);
        return FALSE;
    }
    *identity = (struct file_identity){
        .device = makedev(st.stx_dev_major, st.stx_dev_minor),
        .inode = st.stx_ino,
        .birth_ns = st.stx_mask & STATX_BTIME ? nanoseconds(&st.stx_btime) : 0,
        .size = st.stx_size,
        .mtime_ns = nanoseconds(&st.stx_mtime),
    };
    return TRUE;
}

gboolean
file_identity_of(int fd, struct file_identity *identity, GError **error)
{
    return look(fd, "", AT_EMPTY_PATH, identity, error);
}

gboolean
file_identity_at(const char *path, struct file_identity *identity, GError **error)
{
    return look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, identity, error);
}

gboolean
file_identity_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->device == b->device && a->inode == b->inode &&
           (a->birth_ns == 0 || b->birth_ns == 0 || a->birth_ns == b->birth_ns);
}

gboolean
file_identity_unchanged(const struct file_identity *a, const struct file_identity *b)
{
    return file_identity_same(a, b) && a->size == b->size && a->mtime_ns == b->mtime_ns;
}
