/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-format.h: an image's format by its content.
 */
#pragma once

#include <glib.h>

/* How many of a file's first bytes image_format() wants to see. */
#define IMAGE_FORMAT_BYTES 512

/* The format of a file that starts with @start, by QEMU's name for it; "raw" for no known magic.
 * Static. */
const char *image_format(const guint8 *start, gsize length);
