/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-attributes.c: giving a new file the owner, mode and extended attributes of the one it
 * replaces.
 */
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "apply/file-attributes.h"
#include "apply/step-file.h"

/* The ACL that a new file may inherit from its folder; it goes where the old file had none. */
static const char acl_name[] = "system.posix_acl_access";

/* Attributes that speak of the old content. */
static const char *const content_attributes[] = {
    "security.capability",
    "security.evm",
    "security.ima",
    NULL,
};

static gboolean
failed(GError **error, int code, const char *what)
{
    g_set_error(error, STEP_FILE_ERROR, STEP_FILE_FAILED, "its %s cannot be kept: %s", what,
                g_strerror(code));
    return FALSE;
}

/* The names of the extended attributes of @file, NULL-terminated; an empty list where the file
 * system has none. */
static GStrv
list_names(int file)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *buffer = NULL;
    gssize length;

    do {
        length = flistxattr(file, NULL, 0);
        if (length > 0) {
            g_free(buffer);
            buffer = g_malloc(length);
            length = flistxattr(file, buffer, length);
        }
    } while (length < 0 && errno == ERANGE);

    if (length < 0 && errno != ENOTSUP)
        return NULL;
    for (gssize at = 0; at < length; at += strlen(buffer + at) + 1)
        g_ptr_array_add(names, g_strdup(buffer + at));
    g_ptr_array_add(names, NULL);
    return (GStrv)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

/* The value of @name; NULL with errno set where it cannot be read. */
static GBytes *
get_value(int file, const char *name)
{
    g_autofree char *buffer = NULL;
    gssize length;

    do {
        length = fgetxattr(file, name, NULL, 0);
        if (length >= 0) {
            g_free(buffer);
            buffer = g_malloc(length + 1);
            length = fgetxattr(file, name, buffer, length);
        }
    } while (length < 0 && errno == ERANGE);

    return length < 0 ? NULL : g_bytes_new_take(g_steal_pointer(&buffer), length);
}

static gboolean
copy_one(int from, int to, const char *name, GError **error)
{
    g_autofree char *what = g_strdup_printf("extended attribute %s", name);
    g_autoptr(GBytes) wanted = get_value(from, name);
    g_autoptr(GBytes) present = NULL;

    if (!wanted)
        return errno == ENODATA || failed(error, errno, what);
    /* A label that the new file has already need not be set, which an unprivileged user may not. */
    present = get_value(to, name);
    if (present && g_bytes_equal(present, wanted))
        return TRUE;
    if (fsetxattr(to, name, g_bytes_get_data(wanted, NULL), g_bytes_get_size(wanted), 0) < 0)
        return failed(error, errno, what);
    return TRUE;
}

static gboolean
copy_extended(int from, int to, GError **error)
{
    g_auto(GStrv) wanted = list_names(from);
    g_auto(GStrv) present = NULL;

    if (!wanted)
        return failed(error, errno, "extended attributes");
    for (gsize i = 0; wanted[i]; i++) {
        if (!g_strv_contains(content_attributes, wanted[i]) &&
            !copy_one(from, to, wanted[i], error))
            return FALSE;
    }

    present = list_names(to);
    if (!present)
        return failed(error, errno, "extended attributes");
    if (g_strv_contains((const char *const *)present, acl_name) &&
        !g_strv_contains((const char *const *)wanted, acl_name) && fremovexattr(to, acl_name) < 0)
        return failed(error, errno, "lack of an ACL");
    return TRUE;
}

static gboolean
copy_owner(const struct stat *from, int to, GError **error)
{
    struct stat now;

    if (fstat(to, &now) < 0)
        return failed(error, errno, "owner");
    if (now.st_uid == from->st_uid && now.st_gid == from->st_gid)
        return TRUE;
    if (fchown(to, from->st_uid, from->st_gid) < 0)
        return failed(error, errno, now.st_uid == from->st_uid ? "group" : "owner");
    return TRUE;
}

gboolean
file_attributes_copy(int from, const struct stat *from_stat, int to, GError **error)
{
    /* The owner first, since a change of owner drops bits of the mode; the mode last, since an
     * ACL sets its group bits. */
    if (!copy_owner(from_stat, to, error) || !copy_extended(from, to, error))
        return FALSE;
    if (fchmod(to, from_stat->st_mode & 07777) < 0)
        return failed(error, errno, "mode");
    return TRUE;
}
