/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qcow2-header.c: the header, its extensions and the snapshot table of qcow2
 * images.
 *
 * Layout after QEMU's docs/interop/qcow2.txt; limits are those that QEMU itself opens images
 * with, so that what it refuses is malformed here too.
 */
#include "probe/qcow2.h"

#include <errno.h>
#include <string.h>

#include "probe/bytes.h"
#include "probe/file.h"

#define HEADER_V2 72
#define HEADER_V3 104
#define HEADER_READ 112

#define MIN_CLUSTER_BITS 9
#define MIN_CLUSTER_BITS_EXTENDED_L2 14
#define MAX_CLUSTER_BITS 21
#define MAX_L1_BYTES (32u * 1024 * 1024)
#define MAX_SNAPSHOTS 65536
#define MAX_NAME 1023 /* of backing and data files */
/* Ours: QEMU writes up to five; a cluster full of empty ones would cost a read each. */
#define MAX_EXTENSIONS 1000

#define INCOMPATIBLE_DIRTY (G_GUINT64_CONSTANT(1) << 0)
#define INCOMPATIBLE_CORRUPT (G_GUINT64_CONSTANT(1) << 1)
#define INCOMPATIBLE_DATA_FILE (G_GUINT64_CONSTANT(1) << 2)
#define INCOMPATIBLE_COMPRESSION (G_GUINT64_CONSTANT(1) << 3)
#define INCOMPATIBLE_EXTENDED_L2 (G_GUINT64_CONSTANT(1) << 4)
#define INCOMPATIBLE_KNOWN                                                                        \
    (INCOMPATIBLE_DIRTY | INCOMPATIBLE_CORRUPT | INCOMPATIBLE_DATA_FILE |                         \
     INCOMPATIBLE_COMPRESSION | INCOMPATIBLE_EXTENDED_L2)
#define AUTOCLEAR_BITMAPS (G_GUINT64_CONSTANT(1) << 0)

#define EXTENSION_END 0x00000000u
#define EXTENSION_BACKING_FORMAT 0xe2792acau
#define EXTENSION_BITMAPS 0x23852875u
#define EXTENSION_DATA_FILE 0x44415441u

gboolean
qcow2_is(const guint8 *start, gsize length)
{
    return length >= 8 && memcmp(start, "QFI\xfb", 4) == 0 && bytes_be32(start + 4) >= 2;
}

static gboolean
malformed(char **reason, const char *what)
{
    *reason = g_strdup_printf("malformed qcow2 image: %s", what);
    return FALSE;
}

/* The text of @length bytes at @offset, up to its first NUL, or NULL. */
static char *
read_text(int fd, guint64 offset, gsize length)
{
    g_autofree char *text = g_malloc0(length + 1);

    return file_pread(fd, text, length, offset) == (gssize)length ? g_steal_pointer(&text) : NULL;
}

static gboolean
read_extensions(int fd, struct qcow2_header *header, guint64 offset, guint64 end,
                gboolean *bitmaps, char **reason)
{
    guint8 start[8];

    for (guint n = 0; offset + sizeof start <= end; n++) {
        guint32 type, length;
        char **text = NULL;

        if (n == MAX_EXTENSIONS)
            return malformed(reason, "too many header extensions");
        if (file_pread(fd, start, sizeof start, offset) != sizeof start)
            return malformed(reason, "the header extensions are cut off");
        type = bytes_be32(start);
        length = bytes_be32(start + 4);
        offset += sizeof start;
        if (type == EXTENSION_END)
            return TRUE;
        if (length > end - offset)
            return malformed(reason, "a header extension is too long");
        if (type == EXTENSION_BACKING_FORMAT)
            text = &header->backing_format;
        else if (type == EXTENSION_DATA_FILE)
            text = &header->data_file;
        else if (type == EXTENSION_BITMAPS)
            *bitmaps = TRUE;
        if (text) {
            if (length > MAX_NAME)
                return malformed(reason, "a name in the header is too long");
            g_free(*text);
            *text = read_text(fd, offset, length);
            if (!*text)
                return malformed(reason, "the header extensions are cut off");
        }
        offset += (guint64)(length + 7u) / 8 * 8;
    }
    return TRUE;
}

/* Features of version 3; a feature that is not known here may change the meaning of all else. */
static gboolean
read_features(const guint8 *bytes, struct qcow2_header *header, char **reason)
{
    guint64 incompatible = bytes_be64(bytes + 72), unknown = incompatible & ~INCOMPATIBLE_KNOWN;

    header->dirty = (incompatible & INCOMPATIBLE_DIRTY) != 0;
    header->corrupt = (incompatible & INCOMPATIBLE_CORRUPT) != 0;
    header->external_data = (incompatible & INCOMPATIBLE_DATA_FILE) != 0;
    header->extended_l2 = (incompatible & INCOMPATIBLE_EXTENDED_L2) != 0;
    if (unknown) {
        *reason = g_strdup_printf("the qcow2 header asks for features that are not known here "
                                  "(incompatible bits 0x%" G_GINT64_MODIFIER "x)", unknown);
        return FALSE;
    }
    if (header->extended_l2 && header->cluster_bits < MIN_CLUSTER_BITS_EXTENDED_L2)
        return malformed(reason, "its clusters are too small for extended L2 entries");
    return TRUE;
}

static gboolean
check_tables(const struct qcow2_header *header, guint64 file_size, char **reason)
{
    guint64 mask = (G_GUINT64_CONSTANT(1) << header->cluster_bits) - 1;

    if (header->size > (guint64)G_MAXINT64)
        return malformed(reason, "its size is out of range");
    if ((guint64)header->l1_size * 8 > MAX_L1_BYTES)
        return malformed(reason, "the L1 table is too large");
    if (header->l1_size > 0 && ((header->l1_offset & mask) || header->l1_offset >= file_size))
        return malformed(reason, "the L1 table lies outside of the file");
    if (header->snapshot_count > MAX_SNAPSHOTS)
        return malformed(reason, "too many snapshots");
    if (header->snapshot_count > 0 &&
        ((header->snapshots_offset & mask) || header->snapshots_offset >= file_size))
        return malformed(reason, "the snapshot table lies outside of the file");
    return TRUE;
}

gboolean
qcow2_header_read(int fd, guint64 file_size, struct qcow2_header *header, char **reason)
{
    guint8 bytes[HEADER_READ] = { 0 };
    gssize got = file_pread(fd, bytes, sizeof bytes, 0);
    guint64 header_length = HEADER_V2, backing_offset, cluster_size, autoclear = 0;
    guint32 backing_length;
    gboolean bitmaps = FALSE;

    memset(header, 0, sizeof *header);
    if (got < 0) {
        *reason = g_strdup_printf("its header cannot be read: %s", g_strerror(errno));
        return FALSE;
    }
    if (got < HEADER_V2 || !qcow2_is(bytes, (gsize)got))
        return malformed(reason, "the header is cut off");
    header->version = bytes_be32(bytes + 4);
    if (header->version > 3) {
        *reason = g_strdup_printf("qcow2 version %u is not known here", header->version);
        return FALSE;
    }
    backing_offset = bytes_be64(bytes + 8);
    backing_length = bytes_be32(bytes + 16);
    header->cluster_bits = bytes_be32(bytes + 20);
    header->size = bytes_be64(bytes + 24);
    header->crypt_method = bytes_be32(bytes + 32);
    header->l1_size = bytes_be32(bytes + 36);
    header->l1_offset = bytes_be64(bytes + 40);
    header->snapshot_count = bytes_be32(bytes + 60);
    header->snapshots_offset = bytes_be64(bytes + 64);
    if (header->cluster_bits < MIN_CLUSTER_BITS || header->cluster_bits > MAX_CLUSTER_BITS)
        return malformed(reason, "its cluster size is out of range");
    cluster_size = G_GUINT64_CONSTANT(1) << header->cluster_bits;
    if (header->version >= 3) {
        if (got < HEADER_V3)
            return malformed(reason, "the header is cut off");
        header_length = bytes_be32(bytes + 100);
        autoclear = bytes_be64(bytes + 88);
        if (header_length < HEADER_V3 || header_length > cluster_size)
            return malformed(reason, "its header's length is out of range");
        if (!read_features(bytes, header, reason))
            return FALSE;
    }
    if (header->crypt_method > 2)
        return malformed(reason, "its encryption method is not known");
    if (!check_tables(header, file_size, reason))
        return FALSE;
    if (backing_offset > cluster_size ||
        (backing_offset > 0 &&
         backing_length > MIN(MAX_NAME, cluster_size - backing_offset)))
        return malformed(reason, "the backing file's name lies outside of the header");
    if (!read_extensions(fd, header, header_length, backing_offset ? backing_offset : cluster_size,
                         &bitmaps, reason))
        return FALSE;
    header->bitmaps = bitmaps && (autoclear & AUTOCLEAR_BITMAPS);
    if (backing_offset > 0 && backing_length > 0) {
        header->backing_file = read_text(fd, backing_offset, backing_length);
        if (!header->backing_file)
            return malformed(reason, "the backing file's name is cut off");
    }
    return TRUE;
}

void
qcow2_header_clear(struct qcow2_header *header)
{
    g_clear_pointer(&header->backing_file, g_free);
    g_clear_pointer(&header->backing_format, g_free);
    g_clear_pointer(&header->data_file, g_free);
}

GStrv
qcow2_snapshot_names(int fd, const struct qcow2_header *header, guint max)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    guint64 offset = header->snapshots_offset;

    for (guint32 i = 0; i < MIN(header->snapshot_count, max); i++) {
        guint8 entry[40];
        guint32 extra;
        guint16 id_length, name_length;
        g_autofree char *name = NULL;

        if (file_pread(fd, entry, sizeof entry, offset) != sizeof entry)
            break;
        id_length = bytes_be16(entry + 12);
        name_length = bytes_be16(entry + 14);
        extra = bytes_be32(entry + 36);
        name = read_text(fd, offset + sizeof entry + extra + id_length, name_length);
        if (!name)
            break;
        g_ptr_array_add(names, g_utf8_make_valid(name, -1));
        offset += (sizeof entry + extra + id_length + name_length + 7) / 8 * 8;
    }
    if (names->len == 0)
        return NULL;
    g_ptr_array_add(names, NULL);
    return (GStrv)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}
