/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.c: the files that an image stands on.
 */
#include "probe/chain.h"

#include <string.h>
#include <unistd.h>

#include "probe/file.h"

/* As long as libvirt itself reads chains. */
#define MAX_FILES 200

/* A file that a header names and that was not visited yet. */
struct link {
    char *path;
    char *format;     /* as declared; NULL where it is not */
    gboolean backing; /* not an external data file, which has no header */
};

struct walk {
    const struct chain_visitor *visitor;
    GQueue links;     /* of struct link */
    GHashTable *seen; /* of "device:inode" */
};

static void
link_free(struct link *link)
{
    g_free(link->path);
    g_free(link->format);
    g_free(link);
}

char *
chain_resolve(const char *path, const char *name)
{
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    g_autofree char *folder = NULL;

    if (g_str_has_prefix(name, "file:"))
        name += strlen("file:");
    else if (colon && (!slash || colon < slash))
        return NULL;
    if (*name == '\0')
        return NULL;
    if (*name == '/')
        return g_strdup(name);
    /* The folder as it is written, symlinks or not: so does QEMU. */
    folder = g_path_get_dirname(path);
    return g_build_filename(folder, name, NULL);
}

/* A path for people: headers hold bytes. */
static void
problem(const struct walk *walk, enum chain_problem kind, const char *path, const char *what)
{
    g_autofree char *name = g_utf8_make_valid(path, -1);
    g_autofree char *reason = g_strdup_printf("%s, in its chain: %s", name, what);

    walk->visitor->problem(kind, name, reason, walk->visitor->data);
}

static void
add_link(struct walk *walk, const char *path, const char *name, const char *format,
         gboolean backing)
{
    g_autofree char *resolved = chain_resolve(path, name);
    struct link *link;

    if (!resolved) {
        problem(walk, CHAIN_UNKNOWN, name, "no local file");
        return;
    }
    link = g_new0(struct link, 1);
    link->path = g_steal_pointer(&resolved);
    link->format = g_strdup(format);
    link->backing = backing;
    g_queue_push_tail(&walk->links, link);
}

static void
add_links(struct walk *walk, const char *path, const struct qcow2_header *header)
{
    if (header->data_file && header->external_data)
        add_link(walk, path, header->data_file, NULL, FALSE);
    else if (header->external_data)
        problem(walk, CHAIN_UNKNOWN, path, "its header names no data file");
    if (header->backing_file)
        add_link(walk, path, header->backing_file, header->backing_format, TRUE);
}

/* Whether the file was not seen yet; it is from now on. */
static gboolean
see(const struct walk *walk, const struct stat *st)
{
    return g_hash_table_add(walk->seen, g_strdup_printf("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                                        (guint64)st->st_dev, (guint64)st->st_ino));
}

/* What the header of a backing file adds to the chain. */
static void
follow(struct walk *walk, const struct link *link, int path_fd, const struct stat *st)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *reason = NULL;
    struct qcow2_header header = { 0 };
    guint8 start[8];
    int fd;

    if (!link->backing || g_strcmp0(link->format, "raw") == 0)
        return;
    if (link->format && !g_str_equal(link->format, "qcow2")) {
        reason = g_strdup_printf("format %s is not read here", link->format);
        problem(walk, CHAIN_UNKNOWN, link->path, reason);
        return;
    }
    fd = file_reopen(path_fd, st, 0, &error);
    if (fd < 0) {
        problem(walk, CHAIN_UNKNOWN, link->path, error->message);
        return;
    }
    /* Without a declared format QEMU probes, and anything else is raw. */
    if (link->format || (file_pread(fd, start, sizeof start, 0) == sizeof start &&
                         qcow2_is(start, sizeof start))) {
        guint64 size = S_ISREG(st->st_mode) ? (guint64)st->st_size : (guint64)G_MAXINT64;

        if (qcow2_header_read(fd, size, &header, &reason))
            add_links(walk, link->path, &header);
        else
            problem(walk, CHAIN_UNKNOWN, link->path, reason);
        qcow2_header_clear(&header);
    }
    close(fd);
}

static void
visit(struct walk *walk, const struct link *link)
{
    g_autoptr(GError) error = NULL;
    struct stat st;
    int path_fd = file_open_path(link->path, &st, &error);

    if (path_fd < 0) {
        gboolean missing = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
                           g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);

        problem(walk, missing ? CHAIN_MISSING : CHAIN_UNKNOWN, link->path, error->message);
        return;
    }
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
        g_autofree char *what = g_strdup_printf("it is %s", file_kind(st.st_mode));

        problem(walk, CHAIN_UNKNOWN, link->path, what);
    } else if (!see(walk, &st)) {
        problem(walk, CHAIN_UNKNOWN, link->path, "the chain comes back to it");
    } else if (g_hash_table_size(walk->seen) > MAX_FILES) {
        problem(walk, CHAIN_UNKNOWN, link->path, "the chain is too long");
    } else {
        walk->visitor->file(link->path, path_fd, &st, walk->visitor->data);
        follow(walk, link, path_fd, &st);
    }
    close(path_fd);
}

void
chain_walk(const char *path, const struct stat *st, const struct qcow2_header *header,
           const struct chain_visitor *visitor)
{
    struct walk walk = {
        .visitor = visitor,
        .links = G_QUEUE_INIT,
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    struct link *link;

    see(&walk, st);
    add_links(&walk, path, header);
    while ((link = g_queue_pop_head(&walk.links))) {
        visit(&walk, link);
        link_free(link);
    }
    g_hash_table_unref(walk.seen);
}
