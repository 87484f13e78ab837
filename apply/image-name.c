/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-name.c: what the file of a converted image is called. */
#include "apply/image-name.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "probe/file.h"

/* The real path of @path, to be freed; NULL with @error. */
static char *
resolve(const char *path, GError **error)
{
    g_autofree char *link = NULL;
    char buffer[PATH_MAX];
    struct stat st;
    gssize length;
    int fd = file_open_path(path, &st, error);

    if (fd < 0)
        return NULL;
    /* The kernel knows; realpath() would walk the path once more, to what may be another file by
     * then. */
    link = g_strdup_printf("/proc/self/fd/%d", fd);
    length = readlink(link, buffer, sizeof buffer);
    close(fd);
    if (length <= 0 || length == sizeof buffer || buffer[0] != '/') {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, "its real path cannot be told");
        return NULL;
    }
    return g_strndup(buffer, (gsize)length);
}

/* Whether two paths lead to one folder. */
static gboolean
same_folder(const char *a, const char *b)
{
    struct stat a_st, b_st;

    return stat(a, &a_st) == 0 && stat(b, &b_st) == 0 && a_st.st_dev == b_st.st_dev &&
           a_st.st_ino == b_st.st_ino;
}

/* The base name for an image of format @to; to be freed. */
static char *
base_for(const char *base, const char *to)
{
    static const char *const extensions[] = { ".qcow2", ".qcow", ".qed", ".raw", ".img" };
    const char *dot = strrchr(base, '.');

    for (gsize i = 0; dot && dot != base && i < G_N_ELEMENTS(extensions); i++) {
        g_autofree char *name = NULL;

        if (g_ascii_strcasecmp(dot, extensions[i]) != 0)
            continue;
        name = g_strdup_printf("%.*s.%s", (int)(dot - base), base, to);
        /* A qcow2 image that is called web.raw keeps its name beside it, too. */
        if (!g_str_equal(name, base))
            return g_steal_pointer(&name);
    }
    return g_strdup_printf("%s.%s", base, to);
}

static gboolean
fill_in(struct image_name *name, const char *path, const char *from, const char *to,
        const char *id, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *base = NULL, *new_base = NULL;

    name->real = resolve(path, error);
    if (!name->real)
        return FALSE;
    name->folder = g_path_get_dirname(name->real);
    name->exchange = g_str_equal(from, to);
    base = g_path_get_basename(name->real);
    new_base = name->exchange ? g_strdup_printf("%s.domlint-%s", base, id) : base_for(base, to);
    if (strlen(new_base) > NAME_MAX) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FILENAME_TOO_LONG,
                    "the new name would be longer than %d bytes", NAME_MAX);
        return FALSE;
    }
    name->new_real = g_build_filename(name->folder, new_base, NULL);
    if (name->exchange) {
        /* Names change where the real file is; the link, if any, goes on leading there. */
        name->new_path = g_strdup(path);
        return TRUE;
    }
    if (!same_folder(folder, name->folder)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                    "it is a link into another folder, to %s, where the new image would be: name "
                    "that path in the definition first",
                    name->real);
        return FALSE;
    }
    name->new_path = g_build_filename(folder, new_base, NULL);
    return TRUE;
}

struct image_name *
image_name_for(const char *path, const char *from, const char *to, const char *id, GError **error)
{
    struct image_name *name = g_new0(struct image_name, 1);

    if (fill_in(name, path, from, to, id, error))
        return name;
    image_name_free(name);
    return NULL;
}

void
image_name_free(struct image_name *name)
{
    if (!name)
        return;
    g_free(name->folder);
    g_free(name->real);
    g_free(name->new_real);
    g_free(name->new_path);
    g_free(name);
}
