/* SPDX-License-Identifier: GPL-2.0-or-later */
/* new-file.c: the new image while it is made. */
#include "apply/new-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "apply/file-attributes.h"
#include "apply/file-name.h"
#include "probe/file.h"

struct new_file {
    char *folder;
    int fd;
    char *temporary; /* NULL: it has no name, or its final one */
};

static gboolean
fail(GError **error, int number, const char *what)
{
    GError *reason = NULL;

    file_set_error(&reason, number);
    g_propagate_prefixed_error(error, reason, "%s: ", what);
    return FALSE;
}

/* ---- Making it ------------------------------------------------------------------------- */

/* btrfs takes NOCOW for empty files alone, and ignores it silently for others. */
static gboolean
keep_nocow(int original, int fd, GError **error)
{
    int wanted = 0, flags = 0;

    if (ioctl(original, FS_IOC_GETFLAGS, &wanted) < 0 || (wanted & FS_NOCOW_FL) == 0)
        return TRUE;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_NOCOW_FL) != 0)
        return TRUE;
    flags |= FS_NOCOW_FL;
    if (ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0)
        return fail(error, errno, "the new file cannot be made NOCOW like the old one");
    return TRUE;
}

/* With a name, where there cannot be a file without one. */
static int
make_named(struct new_file *file)
{
    g_autofree char *path = g_build_filename(file->folder, ".domlint-XXXXXX.tmp", NULL);
    int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0)
        file->temporary = g_steal_pointer(&path);
    return fd;
}

struct new_file *
new_file_create(const char *folder, int original, GError **error)
{
    struct new_file *file = g_new0(struct new_file, 1);
    g_autofree char *what = g_strdup_printf("no file can be made in %s", folder);

    file->folder = g_strdup(folder);
    file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    /* A file system, or a kernel, that does not know O_TMPFILE takes it for opening a folder. */
    if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        file->fd = make_named(file);
    if (file->fd < 0)
        fail(error, errno, what);
    else if (keep_nocow(original, file->fd, error))
        return file;
    new_file_free(file);
    return NULL;
}

int
new_file_fd(const struct new_file *file)
{
    return file->fd;
}

gboolean
new_file_identity(const struct new_file *file, struct file_identity *identity, GError **error)
{
    return file_identity_of(file->fd, identity, error);
}

const char *
new_file_temporary(const struct new_file *file)
{
    return file->temporary;
}

/* ---- Its attributes -------------------------------------------------------------------- */

/* Removes what libvirt remembers of the other file's owner and label. */
static gboolean
forget_remembered(int fd, GError **error)
{
    static const char prefix[] = "trusted.libvirt.";
    gssize length = flistxattr(fd, NULL, 0);
    g_autofree char *names = length > 0 ? g_malloc((gsize)length) : NULL;

    length = names ? flistxattr(fd, names, (gsize)length) : length;
    if (length < 0 && errno != EOPNOTSUPP)
        return fail(error, errno, "its extended attributes");
    for (gssize at = 0; at < length; at += (gssize)strlen(names + at) + 1) {
        if (g_str_has_prefix(names + at, prefix) && fremovexattr(fd, names + at) < 0)
            return fail(error, errno, names + at);
    }
    return TRUE;
}

gboolean
new_file_dress(struct new_file *file, int original, GError **error)
{
    g_autoptr(GError) reason = NULL;
    struct stat st;

    if (fstat(original, &st) < 0)
        return fail(error, errno, "the old image");
    if (!file_attributes_copy(original, &st, file->fd, &reason)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the new image: %s", reason->message);
        return FALSE;
    }
    return forget_remembered(file->fd, error);
}

gboolean
new_file_flush(struct new_file *file, GError **error)
{
    if (fsync(file->fd) < 0)
        return fail(error, errno, "the new image cannot be flushed to the disk");
    return TRUE;
}

/* ---- Its name -------------------------------------------------------------------------- */

static gboolean
link_unnamed(const struct new_file *file, const char *path, GError **error)
{
    g_autofree char *self = g_strdup_printf("/proc/self/fd/%d", file->fd);

    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return TRUE;
    return fail(error, errno, path);
}

gboolean
new_file_name(struct new_file *file, const char *path, GError **error)
{
    if (!file->temporary)
        return link_unnamed(file, path, error) && file_name_flush(path, error);
    if (!file_name_move(file->temporary, path, error))
        return FALSE;
    g_clear_pointer(&file->temporary, g_free);
    return TRUE;
}

void
new_file_free(struct new_file *file)
{
    struct file_identity identity;

    if (!file)
        return;
    if (file->temporary && file_identity_of(file->fd, &identity, NULL))
        file_name_remove(file->temporary, &identity, NULL);
    if (file->fd >= 0)
        close(file->fd);
    g_free(file->temporary);
    g_free(file->folder);
    g_free(file);
}
