/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extents.c: the extents of a file, by FIEMAP.
 *
 * SEEK_HOLE cannot serve: it shows a file that is wholly reserved as one hole.
 */
#include "probe/extents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

/* Extents asked for at a time: about 28 KiB. */
#define BATCH 512

static void
add_extent(struct extents *extents, const struct fiemap_extent *extent, guint64 file_size)
{
    guint64 start = extent->fe_logical, end = start + extent->fe_length;

    /* XFS reserves beyond the end of files that grow. */
    end = MIN(end, file_size);
    if (start >= end)
        return;
    if (extent->fe_flags & (FIEMAP_EXTENT_SHARED | FIEMAP_EXTENT_ENCODED)) {
        extents->moving += end - start;
    } else {
        extents->reserved += end - start;
        if (extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
            extents->unwritten += end - start;
    }
}

gboolean
extents_read(int fd, guint64 file_size, gint64 deadline, struct extents *extents)
{
    g_autofree struct fiemap *map =
        g_malloc0(sizeof(struct fiemap) + BATCH * sizeof(struct fiemap_extent));
    guint64 start = 0;

    *extents = (struct extents){ 0 };
    while (start < file_size) {
        const struct fiemap_extent *last;

        if (g_get_monotonic_time() > deadline)
            return FALSE;
        /* No FIEMAP_FLAG_SYNC: it would write out a stranger's dirty pages. */
        map->fm_start = start;
        map->fm_length = file_size - start;
        map->fm_flags = 0;
        map->fm_mapped_extents = 0;
        map->fm_extent_count = BATCH;
        if (ioctl(fd, FS_IOC_FIEMAP, map) < 0)
            return FALSE;
        if (map->fm_mapped_extents == 0)
            return TRUE;
        for (guint32 i = 0; i < MIN(map->fm_mapped_extents, BATCH); i++)
            add_extent(extents, &map->fm_extents[i], file_size);
        last = &map->fm_extents[MIN(map->fm_mapped_extents, BATCH) - 1];
        if ((last->fe_flags & FIEMAP_EXTENT_LAST) || last->fe_logical + last->fe_length <= start)
            return TRUE;
        start = last->fe_logical + last->fe_length;
    }
    return TRUE;
}
