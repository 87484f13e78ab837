/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-file.c: documents that are files, folders of files, or standard input.
 */
#include "probe/source-file.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "probe/file.h"
#include "probe/root-name.h"

/* Where the root element's name stands in nearly all files; where it does not, more is read, up
 * to the limit. A file whose root is still not known then is taken, for the parser to judge. */
#define LOOK_FIRST 4096
#define LOOK_LIMIT (1024 * 1024)

/* ---- Reading ----------------------------------------------------------------------------- */

/* Reads on to the end of @fd, SOURCE_FILE_MAX bytes at most. */
static GBytes *
read_all(int fd, gsize expected, GError **error)
{
    /* One byte more than expected, so that the end is seen without growing. */
    gsize size = MIN(MAX(expected, 4095) + 1, SOURCE_FILE_MAX), length = 0;
    g_autofree char *text = g_malloc(size);

    while (length < SOURCE_FILE_MAX) {
        gssize got;

        if (length == size) {
            size = MIN(size * 2, SOURCE_FILE_MAX);
            text = g_realloc(text, size);
        }
        got = read(fd, text + length, size - length);
        if (got == 0)
            break;
        if (got > 0) {
            length += (gsize)got;
        } else if (errno == EAGAIN) {
            /* Standard input may be a pipe that somebody else made non-blocking. */
            struct pollfd ready = { .fd = fd, .events = POLLIN };

            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            file_set_error(error, errno);
            return NULL;
        }
    }
    return g_bytes_new_take(g_steal_pointer(&text), length);
}

/* Opens a regular file for reading. */
static int
open_regular(const char *path, struct stat *st, GError **error)
{
    int path_fd = file_open_path(path, st, error), fd = -1;

    if (path_fd < 0)
        return -1;
    if (S_ISREG(st->st_mode))
        fd = file_reopen(path_fd, st, 0, error);
    else
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "it is %s",
                    file_kind(st->st_mode));
    close(path_fd);
    return fd;
}

GBytes *
source_file_read(const char *path, GError **error)
{
    struct stat st;
    GBytes *text;
    int fd;

    if (g_str_equal(path, "-"))
        return read_all(STDIN_FILENO, 0, error);
    fd = open_regular(path, &st, error);
    if (fd < 0)
        return NULL;
    text = read_all(fd, (gsize)MIN((guint64)st.st_size, SOURCE_FILE_MAX), error);
    close(fd);
    return text;
}

/* ---- Listing ----------------------------------------------------------------------------- */

struct listing {
    GPtrArray *files;   /* of char *, what is found */
    GPtrArray *folders; /* of char *, those not yet read */
    void (*problem)(const char *path, const GError *error, void *data);
    void *data;
};

static void
report(const struct listing *listing, const char *path, const GError *error)
{
    if (listing->problem)
        listing->problem(path, error, listing->data);
}

/* Whether the root element of the file is one that is read here. */
static gboolean
is_ours(int fd, GError **error)
{
    gsize size = LOOK_FIRST;
    g_autofree char *text = g_malloc(size);

    for (;;) {
        gssize length = file_pread(fd, text, size, 0);
        enum root_name name;

        if (length < 0) {
            file_set_error(error, errno);
            g_prefix_error(error, "cannot be read: ");
            return FALSE;
        }
        name = root_name_look(text, (gsize)length);
        if (name != ROOT_UNDECIDED)
            return name == ROOT_OURS;
        /* All of it was seen, and there is no root element. An empty *.xml is nobody's domain. */
        if ((gsize)length < size)
            return FALSE;
        if (size >= LOOK_LIMIT)
            return TRUE;
        size = MIN(size * 8, LOOK_LIMIT);
        text = g_realloc(text, size);
    }
}

/* Adds what @path is to the listing: a folder to be read, or a document. */
static void
add_entry(struct listing *listing, const char *path)
{
    g_autoptr(GError) error = NULL;
    struct stat st;
    int fd;

    if (lstat(path, &st) < 0) {
        file_set_error(&error, errno);
        report(listing, path, error);
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        g_ptr_array_add(listing->folders, g_strdup(path));
        return;
    }
    if (!g_str_has_suffix(path, ".xml") && !g_str_has_suffix(path, ".xml.j2"))
        return;
    if (S_ISLNK(st.st_mode)) {
        struct stat target;

        /* A link to a folder is not followed; one to nothing is reported when it is opened. */
        if (stat(path, &target) == 0 && !S_ISREG(target.st_mode))
            return;
    } else if (!S_ISREG(st.st_mode)) {
        return;
    }
    fd = open_regular(path, &st, &error);
    if (fd >= 0) {
        if (is_ours(fd, &error))
            g_ptr_array_add(listing->files, g_strdup(path));
        close(fd);
    }
    if (error)
        report(listing, path, error);
}

static int
compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
read_folder(struct listing *listing, const char *folder)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int number = errno;

    while (dir) {
        /* GDir keeps quiet about a folder that fails half-way. */
        errno = 0;
        entry = readdir(dir);
        number = errno;
        if (!entry)
            break;
        if (!g_str_equal(entry->d_name, ".") && !g_str_equal(entry->d_name, ".."))
            g_ptr_array_add(names, g_build_filename(folder, entry->d_name, NULL));
    }
    if (dir)
        closedir(dir);
    if (number != 0) {
        g_autoptr(GError) error = NULL;

        file_set_error(&error, number);
        g_prefix_error(&error, "the folder cannot be read: ");
        report(listing, folder, error);
    }
    /* Sorted, so that problems are reported in a fixed order too. */
    g_ptr_array_sort(names, compare_strings);
    for (guint i = 0; i < names->len; i++)
        add_entry(listing, g_ptr_array_index(names, i));
}

GPtrArray *
source_file_list(const char *path,
                 void (*problem)(const char *path, const GError *error, void *data), void *data)
{
    struct listing listing = {
        .files = g_ptr_array_new_with_free_func(g_free),
        .folders = g_ptr_array_new_with_free_func(g_free),
        .problem = problem,
        .data = data,
    };

    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_ptr_array_add(listing.files, g_strdup(path));
    } else {
        g_ptr_array_add(listing.folders, g_strdup(path));
        while (listing.folders->len > 0) {
            g_autofree char *folder =
                g_ptr_array_steal_index(listing.folders, listing.folders->len - 1);

            read_folder(&listing, folder);
        }
        g_ptr_array_sort(listing.files, compare_strings);
    }
    g_ptr_array_unref(listing.folders);
    return listing.files;
}
