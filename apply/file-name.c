/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file-name.c: changing which file a name means, never by replacing one. */
#include "apply/file-name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/file.h"
#include "probe/mounts.h"

static gboolean
fail(GError **error, int number, const char *what)
{
    GError *reason = NULL;

    file_set_error(&reason, number);
    g_propagate_prefixed_error(error, reason, "%s: ", what);
    return FALSE;
}

/* Whether @number says that a flag of renameat2() is not to be had here. */
static gboolean
is_unsupported(int number)
{
    return number == EINVAL || number == ENOSYS || number == EOPNOTSUPP;
}

gboolean
file_name_flush(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* EINVAL: a file system that has nothing to flush. */
    gboolean done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

    if (!done)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the folder %s cannot be flushed: %s",
                    folder, g_strerror(errno));
    if (fd >= 0)
        close(fd);
    return done;
}

/* For file systems that know no flags: a second name, then without the first. Nothing is
 * replaced, but a crash in between leaves both names. */
static gboolean
link_and_unlink(const char *from, const char *to, GError **error)
{
    if (link(from, to) < 0) {
        if (errno != EPERM && !is_unsupported(errno))
            return fail(error, errno, to);
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                    "%s: its file system can neither rename without replacing nor link", to);
        return FALSE;
    }
    if (unlink(from) == 0)
        return TRUE;
    fail(error, errno, from);
    unlink(to);
    return FALSE;
}

gboolean
file_name_move(const char *from, const char *to, GError **error)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) < 0) {
        if (!is_unsupported(errno))
            return fail(error, errno, errno == EEXIST ? to : from);
        if (!link_and_unlink(from, to, error))
            return FALSE;
    }
    return file_name_flush(to, error);
}

gboolean
file_name_exchange(const char *a, const char *b, GError **error)
{
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0)
        return file_name_flush(a, error);
    if (!is_unsupported(errno))
        return fail(error, errno, a);
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                "%s: its file system cannot exchange two names at one instant", a);
    return FALSE;
}

/* Linux has had it for these for many years. */
static gboolean
is_known_to_exchange(const char *folder)
{
    static const char *const types[] = { "btrfs", "ext3", "ext4", "f2fs", "tmpfs", "xfs", NULL };
    g_autoptr(GPtrArray) mounts = mounts_read(NULL, NULL);
    const struct mount *mount = mounts ? mounts_by_path(mounts, folder) : NULL;

    return mount && g_strv_contains(types, mount->type);
}

/* Tried: with all that a kill in between leaves. */
static gboolean
can_exchange(const char *folder, GError **error)
{
    g_autofree char *a = g_build_filename(folder, ".domlint-XXXXXX.tmp", NULL);
    g_autofree char *b = g_strdup(a);
    int a_fd = g_mkstemp_full(a, O_RDWR | O_CLOEXEC, 0600);
    int a_errno = errno;
    int b_fd = a_fd < 0 ? -1 : g_mkstemp_full(b, O_RDWR | O_CLOEXEC, 0600);
    gboolean can = FALSE;

    if (a_fd < 0 || b_fd < 0)
        fail(error, a_fd < 0 ? a_errno : errno, folder);
    else
        can = file_name_exchange(a, b, error);
    if (a_fd >= 0) {
        close(a_fd);
        unlink(a);
    }
    if (b_fd >= 0) {
        close(b_fd);
        unlink(b);
    }
    return can;
}

gboolean
file_name_can_exchange(const char *folder, GError **error)
{
    return is_known_to_exchange(folder) || can_exchange(folder, error);
}

gboolean
file_name_remove(const char *path, const struct file_identity *identity, GError **error)
{
    struct file_identity here;
    g_autoptr(GError) reason = NULL;

    if (!file_identity_at(path, &here, &reason)) {
        if (g_error_matches(reason, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
            return TRUE;
        g_propagate_prefixed_error(error, g_steal_pointer(&reason), "%s: ", path);
        return FALSE;
    }
    if (!file_identity_same(&here, identity)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG,
                    "%s is another file than the one that was put there: it stays", path);
        return FALSE;
    }
    if (unlink(path) < 0 && errno != ENOENT)
        return fail(error, errno, path);
    return file_name_flush(path, error);
}
