/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statx-word.h: fields of statx(2) that the C library's headers may be too old
 * to name. The layout is the kernel's and fixed; a kernel that does not know a field leaves
 * its bit out of the mask.
 */
#pragma once

#include <glib.h>

enum statx_word {
    STATX_WORD_MNT_ID,           /* mask 0x1000, Linux 5.8 */
    STATX_WORD_DIO_MEM_ALIGN,    /* mask 0x2000, Linux 6.1 */
    STATX_WORD_DIO_OFFSET_ALIGN,
};

/* The field @word of the file open as @fd; FALSE where the kernel or the file system does not
 * tell. */
gboolean statx_word(int fd, enum statx_word word, guint64 *value);
