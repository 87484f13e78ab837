/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c: opening hostile paths.
 */
#include "probe/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

const char *
file_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a regular file";
    case S_IFBLK:
        return "a block device";
    case S_IFCHR:
        return "a character device";
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "no regular file";
    }
}

void
file_set_error(GError **error, int number)
{
    const char *text = g_strerror(number);

    switch (number) {
    case ENOENT:
    case ENOTDIR:
        text = "no such file on this host";
        break;
    case EACCES:
    case EPERM:
        /* Root is refused by network file systems and by other users' FUSE mounts. */
        text = geteuid() == 0 ? "permission denied, even as root"
                              : "permission denied: run as root";
        break;
    case ELOOP:
        text = "too many levels of symbolic links";
        break;
    case EIO:
        text = "input/output error: the storage or its server has a fault";
        break;
    case ESTALE:
        text = "stale file handle: its network file system has to be mounted anew";
        break;
    case ENOTCONN:
        text = "the FUSE process that serves it is gone";
        break;
    case ENOMEDIUM:
        text = "there is no medium in the drive";
        break;
    case EWOULDBLOCK:
        text = "another process holds a lease on it";
        break;
    default:
        break;
    }
    g_set_error_literal(error, G_IO_ERROR, (int)g_io_error_from_errno(number), text);
}

int
file_open_path(const char *path, struct stat *st, GError **error)
{
    int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0) {
        file_set_error(error, errno);
        return -1;
    }
    if (fstat(fd, st) < 0) {
        file_set_error(error, errno);
        close(fd);
        return -1;
    }
    return fd;
}

/* Reading a "regular file" of the kernel's own may have effects: /proc/kmsg and trace_pipe are
 * emptied by it. */
static gboolean
is_pseudo(int path_fd)
{
    static const guint32 magics[] = {
        BPF_FS_MAGIC,     CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC, DEBUGFS_MAGIC,
        EFIVARFS_MAGIC,   PROC_SUPER_MAGIC,    PSTOREFS_MAGIC,     SECURITYFS_MAGIC,
        SELINUX_MAGIC,    SMACK_MAGIC,         SYSFS_MAGIC,        TRACEFS_MAGIC,
    };
    struct statfs status;

    if (fstatfs(path_fd, &status) < 0)
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(magics); i++) {
        if ((guint32)status.f_type == magics[i])
            return TRUE;
    }
    return FALSE;
}

int
file_reopen(int path_fd, const struct stat *st, int flags, GError **error)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    int fd;

    if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "it is %s",
                    file_kind(st->st_mode));
        return -1;
    }
    if (is_pseudo(path_fd)) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                            "it is in a file system of the kernel's own");
        return -1;
    }
    /* The link leads to the very inode that was looked at, whatever its name means by now. */
    g_snprintf(link, sizeof link, "/proc/self/fd/%d", path_fd);
    fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (fd >= 0)
        return fd;
    if (errno == ENOENT)
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, "/proc is not mounted");
    else
        file_set_error(error, errno);
    return -1;
}

gssize
file_pread(int fd, void *buffer, gsize length, guint64 offset)
{
    gsize done = 0;

    while (done < length) {
        gssize got;

        if (offset + done > (guint64)G_MAXINT64) {
            errno = EOVERFLOW;
            return -1;
        }
        got = pread(fd, (char *)buffer + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (gsize)got;
    }
    return (gssize)done;
}
