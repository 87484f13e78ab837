/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-name.h: what the file of a converted image is called, and where it lies.
 */
#pragma once

#include <gio/gio.h>

struct image_name {
    char *folder;      /* the real folder, without symlinks, of the old file and the new one */
    char *real;        /* the old file, without symlinks */
    char *new_real;    /* the new file there; with @exchange: the name that the old file gets */
    char *new_path;    /* what the XML calls the new image, in the folder that it names now; with
                        * @exchange: as now */
    gboolean exchange; /* the format stays, and so does the name: the two names are exchanged */
};

/**
 * image_name_for:
 * @path: the image as the XML names it, absolute
 * @from, @to: the old and new format, "raw", "qcow2"
 *
 * A known image extension (.qcow2 .qcow .qed .raw .img) is replaced by the new format's (.raw,
 * .qcow2); to any other name it is appended. Where the format stays the name stays, and the old
 * file is to be called NAME.domlint-ID by @id (the run's).
 * Returns: to be freed; NULL with @error: G_IO_ERROR_NOT_SUPPORTED where @path is a link into
 * another folder, so that the XML would have to name another place than the link's; any other where
 * it cannot be looked at.
 */
struct image_name *image_name_for(const char *path, const char *from, const char *to,
                                  const char *id, GError **error);
void image_name_free(struct image_name *name);
