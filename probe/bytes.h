/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h: big-endian numbers at any address.
 */
#pragma once

#include <glib.h>
#include <string.h>

static inline guint16
bytes_be16(const void *bytes)
{
    guint16 number;

    memcpy(&number, bytes, sizeof number);
    return GUINT16_FROM_BE(number);
}

static inline guint32
bytes_be32(const void *bytes)
{
    guint32 number;

    memcpy(&number, bytes, sizeof number);
    return GUINT32_FROM_BE(number);
}

static inline guint64
bytes_be64(const void *bytes)
{
    guint64 number;

    memcpy(&number, bytes, sizeof number);
    return GUINT64_FROM_BE(number);
}
