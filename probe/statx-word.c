/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statx-word.c: fields of statx(2) by their place.
 */
#include "probe/statx-word.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    guint32 mask;
    guint offset;
    guint size;
} words[] = {
    [STATX_WORD_MNT_ID] = { 0x1000, 144, 8 },
    [STATX_WORD_DIO_MEM_ALIGN] = { 0x2000, 152, 4 },
    [STATX_WORD_DIO_OFFSET_ALIGN] = { 0x2000, 156, 4 },
};

G_STATIC_ASSERT(sizeof(struct statx) == 256);
G_STATIC_ASSERT(G_STRUCT_OFFSET(struct statx, stx_dev_minor) == 140);

gboolean
statx_word(int fd, enum statx_word word, guint64 *value)
{
    struct statx status;
    const char *place = (const char *)&status + words[word].offset;
    guint32 half;

    memset(&status, 0, sizeof status);
    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, words[word].mask, &status) < 0 ||
        !(status.stx_mask & words[word].mask))
        return FALSE;
    if (words[word].size == 8) {
        memcpy(value, place, 8);
    } else {
        memcpy(&half, place, 4);
        *value = half;
    }
    return TRUE;
}
