/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.c: all the facts of one image, put together.
 */
#include "probe/image.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "probe/chain.h"
#include "probe/direct-io.h"
#include "probe/extents.h"
#include "probe/file.h"
#include "probe/image-format.h"
#include "probe/qcow2.h"
#include "probe/storage.h"

#define MAX_SNAPSHOT_NAMES 32

/* Shares of the data area for which there must be blocks. For qcow2 QEMU's own tolerance when it
 * looks for preallocated metadata; for raw, exact extents are held to more than the block count,
 * which is also off at the file's tail. */
#define QCOW2_SHARE 0.9
#define RAW_SHARE 0.999
#define RAW_SHARE_BLOCKS 0.99
/* How much of a preallocated file may be written before it counts as full: nearly all. */
#define FALLOC_SHARE 0.01

/* An image that is open. */
struct image {
    struct image_facts *facts;
    const char *root;
    gint64 deadline;
    int path_fd;      /* O_PATH */
    int fd;           /* for reading */
    struct stat st;
};

static void
preallocation_unknown(struct image_facts *facts, const char *reason)
{
    facts->preallocation = PREALLOCATION_UNKNOWN;
    g_free(facts->preallocation_unknown);
    facts->preallocation_unknown = g_strdup(reason);
}

static double
share(guint64 part, guint64 whole)
{
    return whole == 0 || part >= whole ? 1 : (double)part / (double)whole;
}

/* ---- Raw --------------------------------------------------------------------------------- */

static enum preallocation
written_or_not(const struct extents *extents)
{
    return share(extents->unwritten, extents->reserved) > FALLOC_SHARE ? PREALLOCATION_FALLOC
                                                                      : PREALLOCATION_FULL;
}

static void
judge_raw(struct image *image)
{
    struct image_facts *facts = image->facts;
    struct extents extents;

    if (facts->file_size == 0) {
        preallocation_unknown(facts, "the file is empty");
        return;
    }
    facts->host_allocated = share(facts->allocated, facts->file_size);
    if (facts->host_allocated < RAW_SHARE_BLOCKS) {
        if (storage_is_zfs(image->fd))
            preallocation_unknown(facts, "on ZFS, allocated blocks do not tell what is reserved");
        else
            facts->preallocation = PREALLOCATION_OFF;
        return;
    }
    /* Enough blocks: but are they this file's own, and where its data are? */
    if (!extents_read(image->fd, facts->file_size, image->deadline, &extents)) {
        facts->preallocation = PREALLOCATION_FULL;
        return;
    }
    facts->host_allocated = share(extents.reserved, facts->file_size);
    facts->preallocation = facts->host_allocated < RAW_SHARE ? PREALLOCATION_OFF
                                                             : written_or_not(&extents);
}

/* ---- qcow2 ------------------------------------------------------------------------------- */

/* Decides between metadata, falloc and full by what the host holds for the file that the guest's
 * @data bytes lie in. */
static enum preallocation
judge_host_blocks(struct image *image, int fd, const struct stat *st, guint64 data)
{
    struct image_facts *facts = image->facts;
    struct extents extents;

    if (S_ISBLK(st->st_mode)) {
        facts->host_allocated = 1;
        return PREALLOCATION_FULL;
    }
    facts->host_allocated = share((guint64)st->st_blocks * 512, data);
    if (facts->host_allocated < QCOW2_SHARE)
        return PREALLOCATION_METADATA;
    if (!extents_read(fd, (guint64)st->st_size, image->deadline, &extents))
        return PREALLOCATION_FULL;
    facts->host_allocated = share(extents.reserved, data);
    if (facts->host_allocated < QCOW2_SHARE)
        return PREALLOCATION_METADATA;
    return written_or_not(&extents);
}

/* The same for an image whose data lie in another file. */
static void
judge_data_file(struct image *image, const struct qcow2_header *header, guint64 data)
{
    g_autofree char *path =
        header->data_file ? chain_resolve(image->facts->path, header->data_file) : NULL;
    g_autoptr(GError) error = NULL;
    struct stat st;
    int path_fd, fd;

    if (!path) {
        preallocation_unknown(image->facts, "its external data file is not known");
        return;
    }
    path_fd = file_open_path(path, &st, &error);
    fd = path_fd < 0 ? -1 : file_reopen(path_fd, &st, 0, &error);
    if (fd >= 0) {
        image->facts->preallocation = judge_host_blocks(image, fd, &st, data);
        close(fd);
    } else {
        g_autofree char *reason = g_strdup_printf("its external data file: %s", error->message);

        preallocation_unknown(image->facts, reason);
    }
    if (path_fd >= 0)
        close(path_fd);
}

static void
judge_qcow2(struct image *image, const struct qcow2_header *header)
{
    struct image_facts *facts = image->facts;
    struct qcow2_clusters clusters;
    g_autofree char *reason = NULL;
    guint64 placed;

    if (header->corrupt) {
        preallocation_unknown(facts, "the image is marked as corrupt: run qemu-img check");
        return;
    }
    if (!qcow2_count(image->fd, facts->file_size, header, image->deadline, &clusters, &reason)) {
        preallocation_unknown(facts, reason);
        return;
    }
    placed = clusters.mapped + clusters.shared;
    facts->mapped = clusters.examined ? share(placed, clusters.examined) : 0;
    facts->preallocation = qcow2_judge(header, facts->file_size, &clusters, &reason);
    if (facts->preallocation == PREALLOCATION_UNKNOWN)
        preallocation_unknown(facts, reason);
    else if (facts->preallocation == PREALLOCATION_METADATA && header->external_data)
        judge_data_file(image, header, MIN(placed << header->cluster_bits, header->size));
    else if (facts->preallocation == PREALLOCATION_METADATA)
        facts->preallocation =
            judge_host_blocks(image, image->fd, &image->st,
                              MIN(placed << header->cluster_bits, header->size));
    else
        facts->host_allocated = share(facts->allocated, placed << header->cluster_bits);
}

static char *
valid_text(const char *bytes)
{
    return bytes ? g_utf8_make_valid(bytes, -1) : NULL;
}

static void
note_header(struct image_facts *facts, int fd, const struct qcow2_header *header)
{
    facts->virtual_size = header->size;
    facts->version = header->version;
    facts->cluster_size = 1u << header->cluster_bits;
    facts->snapshots = header->snapshot_count;
    facts->snapshot_names = qcow2_snapshot_names(fd, header, MAX_SNAPSHOT_NAMES);
    facts->backing_file = valid_text(header->backing_file);
    facts->backing_format = valid_text(header->backing_format);
    facts->data_file = header->external_data ? valid_text(header->data_file) : NULL;
    facts->encrypted = header->crypt_method != 0;
    facts->dirty = header->dirty;
    facts->corrupt = header->corrupt;
    facts->bitmaps = header->bitmaps;
}

static void
probe_qcow2(struct image *image)
{
    struct image_facts *facts = image->facts;
    struct qcow2_header header;
    g_autofree char *reason = NULL;

    if (qcow2_header_read(image->fd, facts->file_size, &header, &reason)) {
        note_header(facts, image->fd, &header);
        if (facts->state == IMAGE_FILE)
            judge_qcow2(image, &header);
        direct_io_probe(facts, image->path_fd, &image->st, &header);
    } else {
        if (facts->state == IMAGE_FILE)
            preallocation_unknown(facts, reason);
        direct_io_probe(facts, image->path_fd, &image->st, NULL);
        direct_io_unknown(facts, reason);
    }
    qcow2_header_clear(&header);
}

/* ---- Any image --------------------------------------------------------------------------- */

static void
probe_content(struct image *image)
{
    struct image_facts *facts = image->facts;
    guint8 start[IMAGE_FORMAT_BYTES];
    gssize got = file_pread(image->fd, start, sizeof start, 0);

    if (got < 0) {
        g_autoptr(GError) error = NULL;

        file_set_error(&error, errno);
        facts->state = IMAGE_UNKNOWN;
        facts->unknown = g_strdup_printf("it cannot be read: %s", error->message);
        return;
    }
    facts->format = g_strdup(image_format(start, (gsize)got));
    if (facts->state == IMAGE_BLOCK)
        facts->preallocation = PREALLOCATION_HOST;
    if (g_str_equal(facts->format, "qcow2")) {
        probe_qcow2(image);
    } else if (g_str_equal(facts->format, "raw")) {
        facts->virtual_size = facts->file_size;
        if (facts->state == IMAGE_FILE)
            judge_raw(image);
        direct_io_probe(facts, image->path_fd, &image->st, NULL);
    } else {
        g_autofree char *reason = g_strdup_printf("images of format %s are not looked into",
                                                  facts->format);

        if (facts->state == IMAGE_FILE)
            preallocation_unknown(facts, reason);
        direct_io_probe(facts, image->path_fd, &image->st, NULL);
        direct_io_unknown(facts, reason);
    }
    facts->btrfs_checksums = storage_btrfs_checksums(image->root, image->fd, facts->path);
}

static void
could_not_open(struct image_facts *facts, const GError *error)
{
    gboolean missing = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
                       g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY);

    facts->state = missing ? IMAGE_ELSEWHERE : IMAGE_UNKNOWN;
    facts->unknown = g_strdup(error->message);
}

struct image_facts *
image_probe(const char *path, const char *root, gint64 deadline)
{
    g_autoptr(GError) error = NULL;
    struct image image = {
        .facts = image_facts_new(path, IMAGE_UNKNOWN),
        .root = root,
        .deadline = deadline,
        .fd = -1,
    };

    image.path_fd = file_open_path(path, &image.st, &error);
    if (image.path_fd >= 0)
        image.fd = file_reopen(image.path_fd, &image.st, 0, &error);
    if (image.fd < 0) {
        could_not_open(image.facts, error);
    } else if (S_ISBLK(image.st.st_mode)) {
        image.facts->state = IMAGE_BLOCK;
        if (ioctl(image.fd, BLKGETSIZE64, &image.facts->file_size) < 0)
            image.facts->file_size = 0;
        probe_content(&image);
    } else {
        image.facts->state = IMAGE_FILE;
        image.facts->file_size = (guint64)image.st.st_size;
        image.facts->allocated = (guint64)image.st.st_blocks * 512;
        probe_content(&image);
    }
    if (image.fd >= 0)
        close(image.fd);
    if (image.path_fd >= 0)
        close(image.path_fd);
    return image.facts;
}
