/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-files.c: which files an image is and stands on.
 */
#include "probe/image-files.h"

#include <string.h>
#include <unistd.h>

#include "probe/chain.h"
#include "probe/file.h"
#include "probe/image-format.h"

static void
free_file(void *data)
{
    struct image_file *file = data;

    g_free(file->path);
    g_free(file->key);
    g_free(file);
}

void
image_files_free(struct image_files *files)
{
    if (!files)
        return;
    g_free(files->key);
    g_ptr_array_unref(files->below);
    g_ptr_array_unref(files->problems);
    g_free(files);
}

char *
image_path_key(const char *path)
{
    g_autofree char *canonical = g_canonicalize_filename(path, "/");

    return g_strconcat("path ", canonical, NULL);
}

/* A block device is the same under every node that has its number. */
static char *
key_of(const struct stat *st)
{
    if (S_ISBLK(st->st_mode))
        return g_strdup_printf("device %" G_GUINT64_FORMAT, (guint64)st->st_rdev);
    return g_strdup_printf("file %" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64)st->st_dev,
                           (guint64)st->st_ino);
}

static gboolean
is_missing(const GError *error)
{
    return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);
}

char *
image_file_key(const char *path, GError **error)
{
    g_autoptr(GError) failure = NULL;
    struct stat st;
    int fd = file_open_path(path, &st, &failure);

    if (fd < 0) {
        if (!is_missing(failure))
            g_propagate_error(error, g_steal_pointer(&failure));
        return NULL;
    }
    close(fd);
    return key_of(&st);
}

/* ---- What an image stands on ----------------------------------------------------------- */

static void
add_file(struct image_files *files, const char *path, char *key)
{
    struct image_file *file = g_new0(struct image_file, 1);

    file->path = g_strdup(path);
    file->key = key;
    g_ptr_array_add(files->below, file);
}

static void
visit_file(const char *path, int path_fd G_GNUC_UNUSED, const struct stat *st, void *data)
{
    add_file(data, path, key_of(st));
}

static void
visit_problem(enum chain_problem problem, const char *path, const char *reason, void *data)
{
    struct image_files *files = data;
    gboolean json = g_str_has_prefix(path, "json:");
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

    /* The URL of a network image names nothing that is here. */
    if (strstr(path, "://") && !json)
        return;
    if (*path == '/') {
        g_autoptr(GError) error = NULL;

        add_file(files, path, image_file_key(path, &error));
    } else {
        /* "json:{...}", "host_device:/dev/sdb" */
        paths_in_argument(path, paths, files->problems);
        for (guint i = 0; i < paths->len; i++) {
            g_autoptr(GError) error = NULL;
            const char *name = g_ptr_array_index(paths, i);

            add_file(files, name, image_file_key(name, &error));
        }
    }
    if (problem != CHAIN_MISSING && (*path == '/' || json))
        g_ptr_array_add(files->problems, g_strdup(reason));
}

static void
read_chain(struct image_files *files, const char *path, int fd, const struct stat *st,
           enum image_chain chain)
{
    const struct chain_visitor visitor = {
        .file = visit_file,
        .problem = visit_problem,
        .data = files,
    };
    guint64 size = S_ISREG(st->st_mode) ? (guint64)st->st_size : (guint64)G_MAXINT64;
    struct qcow2_header header = { 0 };
    g_autofree char *reason = NULL;
    guint8 start[IMAGE_FORMAT_BYTES];

    if (chain == IMAGE_CHAIN_PROBE) {
        gssize got = file_pread(fd, start, sizeof start, 0);
        const char *format = got < 0 ? "unknown" : image_format(start, (gsize)got);

        if (g_str_equal(format, "raw"))
            return;
        if (!g_str_equal(format, "qcow2")) {
            g_ptr_array_add(files->problems,
                            g_strdup_printf("%s: format %s is not read here", path, format));
            return;
        }
    }
    if (qcow2_header_read(fd, size, &header, &reason))
        chain_walk(path, st, &header, &visitor);
    else
        g_ptr_array_add(files->problems, g_strdup_printf("%s: %s", path, reason));
    qcow2_header_clear(&header);
}

struct image_files *
image_files_look(const char *path, enum image_chain chain)
{
    struct image_files *files = g_new0(struct image_files, 1);
    g_autoptr(GError) error = NULL;
    struct stat st;
    int fd, path_fd = file_open_path(path, &st, &error);

    files->below = g_ptr_array_new_with_free_func(free_file);
    files->problems = g_ptr_array_new_with_free_func(g_free);
    if (path_fd < 0) {
        if (!is_missing(error))
            g_ptr_array_add(files->problems, g_strdup_printf("%s: %s", path, error->message));
        return files;
    }
    if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
        files->key = key_of(&st);
        if (chain == IMAGE_CHAIN_OTHER) {
            g_ptr_array_add(files->problems,
                            g_strdup_printf("%s: its format is not read here", path));
        } else if (chain != IMAGE_CHAIN_NONE) {
            fd = file_reopen(path_fd, &st, 0, &error);
            if (fd >= 0) {
                read_chain(files, path, fd, &st, chain);
                close(fd);
            } else {
                g_ptr_array_add(files->problems, g_strdup_printf("%s: %s", path, error->message));
            }
        }
    }
    close(path_fd);
    return files;
}
