/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qcow2-clusters.c: which of the guest's clusters have a place of their own in
 * a qcow2 image, and what that says of its preallocation.
 */
#include <errno.h>
#include <sys/stat.h>

#include "probe/bytes.h"
#include "probe/file.h"
#include "probe/qcow2.h"

/* Bits 9 to 55 of L1 and L2 entries. */
#define OFFSET_MASK G_GUINT64_CONSTANT(0x00fffffffffffe00)
#define L2_COPIED (G_GUINT64_CONSTANT(1) << 63)
#define L2_COMPRESSED (G_GUINT64_CONSTANT(1) << 62)
#define L2_ZERO (G_GUINT64_CONSTANT(1) << 0)

#define BUFFER_SIZE ((gsize)64 * 1024)
/* Of L2 tables, in all: 4 TiB of guest disk with the usual clusters of 64 KiB. A hostile L1 table
 * can name one L2 table four million times. */
#define MAX_L2_BYTES (G_GUINT64_CONSTANT(512) * 1024 * 1024)

struct counter {
    int fd;
    const struct qcow2_header *header;
    struct qcow2_clusters *clusters;
    guint64 file_size;
    guint64 cluster_size;
    guint64 budget;      /* bytes of L2 tables that may yet be read */
    gint64 deadline;
    gsize entry_size;    /* of an L2 entry: 8, or 16 with subclusters */
    guint8 *buffer;      /* BUFFER_SIZE bytes */
    char **reason;
};

static gboolean
malformed(const struct counter *counter, const char *what)
{
    *counter->reason = g_strdup_printf("malformed qcow2 image: %s", what);
    return FALSE;
}

/* Whether @offset lies in the file; a running guest's image may have grown since it was looked
 * at. */
static gboolean
in_file(struct counter *counter, guint64 offset)
{
    struct stat st;

    if (offset < counter->file_size)
        return TRUE;
    if (fstat(counter->fd, &st) == 0 && (guint64)st.st_size > counter->file_size)
        counter->file_size = (guint64)st.st_size;
    return offset < counter->file_size;
}

/* A cluster without a host offset. */
static void
count_hole(const struct counter *counter, const guint8 *bytes, guint64 entry)
{
    gboolean zero;

    if (counter->header->extended_l2)
        zero = bytes_be32(bytes + 8) != 0; /* zero bits of the 32 subclusters */
    else
        zero = counter->header->version >= 3 && (entry & L2_ZERO);
    if (zero)
        counter->clusters->zero++;
    else
        counter->clusters->unallocated++;
}

/* Counts @n entries; FALSE for one that points where it must not. */
static gboolean
count_entries(struct counter *counter, const guint8 *bytes, guint64 n)
{
    struct qcow2_clusters *clusters = counter->clusters;
    gboolean external = counter->header->external_data;

    for (guint64 i = 0; i < n; i++, bytes += counter->entry_size) {
        guint64 entry = bytes_be64(bytes), offset = entry & OFFSET_MASK;

        if (entry & L2_COMPRESSED) {
            clusters->compressed++;
        } else if (external ? !(entry & L2_COPIED) : offset == 0) {
            /* In an external data file offset 0 is a place like any other. */
            count_hole(counter, bytes, entry);
        } else if (!external &&
                   ((offset & (counter->cluster_size - 1)) || !in_file(counter, offset))) {
            return malformed(counter, "clusters lie outside of the file (was it cut off?)");
        } else if (entry & L2_COPIED) {
            clusters->mapped++;
        } else {
            clusters->shared++;
        }
    }
    clusters->examined += n;
    return TRUE;
}

/* Reads one L2 table, or as many entries of it as belong to the guest's disk. */
static gboolean
count_l2(struct counter *counter, guint64 offset, guint64 n)
{
    guint64 length = n * counter->entry_size;

    if ((offset & (counter->cluster_size - 1)) || !in_file(counter, offset))
        return malformed(counter, "an L2 table lies outside of the file");
    for (guint64 done = 0; done < length;) {
        gsize part = (gsize)MIN(length - done, BUFFER_SIZE);
        gssize got = file_pread(counter->fd, counter->buffer, part, offset + done);

        if (got < 0) {
            *counter->reason = g_strdup_printf("an L2 table cannot be read: %s", g_strerror(errno));
            return FALSE;
        }
        /* What a table at the file's end lacks reads as zeros, in QEMU too. */
        memset(counter->buffer + got, 0, part - (gsize)got);
        if (!count_entries(counter, counter->buffer, part / counter->entry_size))
            return FALSE;
        done += part;
    }
    return TRUE;
}

/* Counts what the L1 entry says of @n clusters; without @read only if that takes no reading. */
static gboolean
count_l1_entry(struct counter *counter, guint64 entry, guint64 n)
{
    guint64 offset = entry & OFFSET_MASK, bytes = n * counter->entry_size;

    if (offset == 0) {
        counter->clusters->unallocated += n;
        counter->clusters->examined += n;
        return TRUE;
    }
    if (counter->budget < bytes || g_get_monotonic_time() > counter->deadline) {
        /* What is left unread stays unexamined; holes in L1 are counted on. */
        counter->budget = 0;
        return TRUE;
    }
    counter->budget -= bytes;
    return count_l2(counter, offset, n);
}

static gboolean
count_l1(struct counter *counter)
{
    struct qcow2_clusters *clusters = counter->clusters;
    guint64 per_table = counter->cluster_size / counter->entry_size;
    guint64 left = clusters->total, needed = (left + per_table - 1) / per_table;
    g_autofree guint8 *table = g_malloc(BUFFER_SIZE);

    if (needed > counter->header->l1_size)
        return malformed(counter, "the L1 table is too small for the disk");
    /* Entries beyond those belong to saved states of the machine. */
    for (guint64 first = 0; first < needed; first += BUFFER_SIZE / 8) {
        gsize n = (gsize)MIN(needed - first, BUFFER_SIZE / 8);
        gssize got = file_pread(counter->fd, table, n * 8, counter->header->l1_offset + first * 8);

        if (got < 0) {
            *counter->reason = g_strdup_printf("the L1 table cannot be read: %s",
                                               g_strerror(errno));
            return FALSE;
        }
        if ((gsize)got < n * 8)
            return malformed(counter, "the L1 table is cut off");
        for (gsize i = 0; i < n; i++) {
            guint64 here = MIN(left, per_table);

            if (!count_l1_entry(counter, bytes_be64(table + i * 8), here))
                return FALSE;
            left -= here;
        }
    }
    return TRUE;
}

gboolean
qcow2_count(int fd, guint64 file_size, const struct qcow2_header *header, gint64 deadline,
            struct qcow2_clusters *clusters, char **reason)
{
    g_autofree guint8 *buffer = g_malloc(BUFFER_SIZE);
    struct counter counter = {
        .fd = fd,
        .header = header,
        .clusters = clusters,
        .file_size = file_size,
        .cluster_size = G_GUINT64_CONSTANT(1) << header->cluster_bits,
        .budget = MAX_L2_BYTES,
        .deadline = deadline,
        .entry_size = header->extended_l2 ? 16 : 8,
        .buffer = buffer,
        .reason = reason,
    };

    *clusters = (struct qcow2_clusters){
        .total = (header->size + counter.cluster_size - 1) / counter.cluster_size,
    };
    return count_l1(&counter);
}

/* Whether an image that is not all mapped once was: its file has the length that only
 * preallocation, or writing all of the disk, gives it, and discard left its marks. */
static gboolean
is_decayed(const struct qcow2_header *header, guint64 file_size,
           const struct qcow2_clusters *clusters)
{
    guint64 marks = clusters->zero;

    if (header->external_data || file_size < header->size)
        return FALSE;
    /* Version 2 has no zero flag: a discarded cluster looks as if it had never been there. With
     * snapshots the length proves nothing, theirs are in the file too. */
    if (header->version == 2 && header->snapshot_count == 0)
        marks += clusters->unallocated;
    return marks > clusters->total / 1000;
}

enum preallocation
qcow2_judge(const struct qcow2_header *header, guint64 file_size,
            const struct qcow2_clusters *clusters, char **reason)
{
    /* One in a thousand may be missing: guests write zeros that QEMU turns into holes. */
    guint64 tolerance = clusters->total / 1000;
    guint64 unmapped = clusters->unallocated + clusters->zero + clusters->compressed;

    if (clusters->total == 0) {
        *reason = g_strdup("the image has a size of 0");
        return PREALLOCATION_UNKNOWN;
    }
    if (unmapped > tolerance) {
        if (header->backing_file)
            return PREALLOCATION_OVERLAY;
        if (clusters->compressed > 0)
            return PREALLOCATION_COMPRESSED;
        return is_decayed(header, file_size, clusters) ? PREALLOCATION_DECAYED : PREALLOCATION_OFF;
    }
    if (clusters->examined < clusters->total) {
        *reason = g_strdup("the image's tables are too large to judge");
        return PREALLOCATION_UNKNOWN;
    }
    if (clusters->shared <= tolerance)
        return PREALLOCATION_METADATA;
    if (header->snapshot_count > 0)
        return PREALLOCATION_SUSPENDED;
    *reason = g_strdup("clusters are marked as shared though there are no internal snapshots: run "
                       "qemu-img check");
    return PREALLOCATION_UNKNOWN;
}
