/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts.c: reading mountinfo:
 * id parent major:minor root point options [field]... - type source super-options
 */
#include "probe/mounts.h"

#include <string.h>

static void
mount_free(void *data)
{
    struct mount *mount = data;

    g_free(mount->point);
    g_free(mount->type);
    g_free(mount->source);
    g_strfreev(mount->options);
    g_free(mount);
}

static struct mount *
parse_line(const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, " ", -1);
    guint n = g_strv_length(fields), dash = 6;
    struct mount *mount;
    g_autofree char *options = NULL;
    guint64 id;

    while (dash < n && !g_str_equal(fields[dash], "-"))
        dash++;
    /* A source may be empty, and then stands as an empty field. */
    if (dash + 3 >= n || !g_ascii_string_to_unsigned(fields[0], 10, 0, G_MAXUINT64, &id, NULL))
        return NULL;
    mount = g_new0(struct mount, 1);
    mount->id = id;
    /* The kernel writes white space and backslashes as octal numbers. */
    mount->point = g_strcompress(fields[4]);
    mount->type = g_strcompress(fields[dash + 1]);
    mount->source = g_strcompress(fields[dash + 2]);
    options = g_strconcat(fields[5], ",", fields[dash + 3], NULL);
    mount->options = g_strsplit(options, ",", -1);
    return mount;
}

GPtrArray *
mounts_read(const char *root, GError **error)
{
    g_autofree char *path = g_build_filename(root ? root : "/", "proc/self/mountinfo", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GPtrArray *mounts;

    if (!g_file_get_contents(path, &text, NULL, error))
        return NULL;
    mounts = g_ptr_array_new_with_free_func(mount_free);
    lines = g_strsplit(text, "\n", -1);
    for (GStrv line = lines; *line; line++) {
        struct mount *mount = parse_line(*line);

        if (mount)
            g_ptr_array_add(mounts, mount);
    }
    return mounts;
}

const struct mount *
mounts_by_id(GPtrArray *mounts, guint64 id)
{
    for (guint i = 0; i < mounts->len; i++) {
        const struct mount *mount = g_ptr_array_index(mounts, i);

        if (mount->id == id)
            return mount;
    }
    return NULL;
}

static gboolean
lies_in(const char *path, const char *point)
{
    gsize length = strlen(point);

    while (length > 0 && point[length - 1] == '/')
        length--;
    return strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

const struct mount *
mounts_by_path(GPtrArray *mounts, const char *path)
{
    const struct mount *best = NULL;

    for (guint i = 0; i < mounts->len; i++) {
        const struct mount *mount = g_ptr_array_index(mounts, i);

        if (lies_in(path, mount->point) &&
            (!best || strlen(mount->point) >= strlen(best->point)))
            best = mount;
    }
    return best;
}

gboolean
mount_has_option(const struct mount *mount, const char *option)
{
    gsize length = strlen(option);

    for (GStrv given = mount->options; *given; given++) {
        if (strncmp(*given, option, length) == 0 &&
            ((*given)[length] == '\0' || (*given)[length] == '='))
            return TRUE;
    }
    return FALSE;
}
