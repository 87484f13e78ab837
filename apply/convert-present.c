/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-present.c: who uses a conversion's images now. */
#include "apply/convert-present.h"

#include <fcntl.h>
#include <unistd.h>

#include "apply/convert.h"
#include "apply/file-users.h"
#include "probe/source-file.h"
#include "probe/users.h"

char *
convert_present_text(struct connection *connection, const struct source_domain *domain,
                     const char *file, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    const char *text;
    gsize length;

    if (domain)
        return source_libvirt_xml(connection, domain, SOURCE_TEXT_INACTIVE, SOURCE_WITHOUT_SECRETS,
                                  error);
    bytes = source_file_read(file, error);
    if (!bytes)
        return NULL;
    text = g_bytes_get_data(bytes, &length);
    return g_strndup(text, length);
}

const domxml_elem *
convert_present_user(const domxml_doc *doc, const struct file_identity *identity)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        const domxml_elem *disk = domxml_disk(doc, i);
        const char *path = domxml_get(disk, "source@file");
        struct file_identity found;
        int fd = path && *path == '/' ? open(path, O_PATH | O_CLOEXEC) : -1;
        gboolean same = fd >= 0 && file_identity_of(fd, &found, NULL) &&
                        file_identity_same(&found, identity);

        if (fd >= 0)
            close(fd);
        if (same)
            return disk;
    }
    return NULL;
}

gboolean
convert_present_at(const char *path, const struct file_identity *identity)
{
    struct file_identity found;

    return path && file_identity_at(path, &found, NULL) && file_identity_same(&found, identity);
}

static gboolean
refuse(GError **error, const char *path, const char *what)
{
    g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED, "%s %s", path, what);
    return FALSE;
}

static gboolean
nobody_has_it_open(const char *path, GError **error)
{
    int fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    g_autoptr(GPtrArray) holders = fd >= 0 ? file_users_open(fd) : NULL;
    g_autofree char *what = NULL;

    if (fd >= 0)
        close(fd);
    if (!holders || holders->len == 0)
        return TRUE;
    what = g_strdup_printf("is open, by %s", (const char *)g_ptr_array_index(holders, 0));
    return refuse(error, path, what);
}

static gboolean
no_domain_names_it(struct connection *connection, const char *path, GError **error)
{
    g_autoptr(GPtrArray) domains = source_libvirt_list(connection, error);
    struct volumes *volumes = domains ? volumes_new(connection) : NULL;
    struct users *users = volumes ? users_new(connection, volumes, domains, 0, error) : NULL;
    g_autoptr(GPtrArray) found = users ? users_of(users, path, error) : NULL;
    gboolean unused = FALSE;
    g_autofree char *what = NULL;

    if (found && found->len > 0)
        what = g_strdup_printf("is named by domain %s",
                               ((const struct image_user *)g_ptr_array_index(found, 0))->domain);
    else if (found && !users_complete(users))
        what = g_strdup_printf("may be in use: %s",
                               (const char *)g_ptr_array_index(users_problems(users), 0));
    else if (found)
        unused = TRUE;
    if (what)
        refuse(error, path, what);
    users_free(users);
    if (volumes)
        volumes_free(volumes);
    return unused;
}

gboolean
convert_present_unused(struct connection *connection, const char *path, GError **error)
{
    return nobody_has_it_open(path, error) &&
           (!connection || no_domain_names_it(connection, path, error));
}
