/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-format.c: an image's format by its content.
 *
 * What a raw disk holds is the guest's to choose, so the answer is for showing and comparing,
 * never for deciding how an image is to be opened.
 */
#include "probe/image-format.h"

#include <string.h>

#include "probe/qcow2.h"

static const struct {
    const char *format;
    gsize offset;
    const char *magic;
    gsize length;
} magics[] = {
    { "qcow", 0, "QFI\xfb\0\0\0\1", 8 },
    { "qed", 0, "QED\0", 4 },
    { "vmdk", 0, "KDMV", 4 },
    { "vmdk", 0, "COWD", 4 },
    { "vmdk", 0, "# Disk DescriptorFile", 21 },
    { "vdi", 64, "\x7f\x10\xda\xbe", 4 },
    { "vhdx", 0, "vhdxfile", 8 },
    { "vpc", 0, "conectix", 8 },
    { "parallels", 0, "WithoutFreeSpace", 16 },
    { "parallels", 0, "WithouFreSpacExt", 16 },
};

const char *
image_format(const guint8 *start, gsize length)
{
    if (qcow2_is(start, length))
        return "qcow2";
    for (gsize i = 0; i < G_N_ELEMENTS(magics); i++) {
        if (length >= magics[i].offset + magics[i].length &&
            memcmp(start + magics[i].offset, magics[i].magic, magics[i].length) == 0)
            return magics[i].format;
    }
    return "raw";
}
