/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new-file.h: the new image while it is made, beside the old one.
 *
 * Where the file system can, the file has no name until it is whole (O_TMPFILE): whatever ends this
 * process before, nothing is left of it. Elsewhere it has a name of its own (".domlint-RANDOM.tmp")
 * from the start. Either way it is for its owner alone (0600) before its first byte.
 */
#pragma once

#include <gio/gio.h>

#include "apply/file-identity.h"

struct new_file;

/**
 * new_file_create:
 * @folder: where the new file will be: the old one's own
 * @original: the old file, open for reading
 *
 * Makes an empty file, NOCOW on btrfs where the old file is so, or the folder has it (which is
 * possible only while it is empty).
 * Returns: the file, to be freed; NULL with @error (G_IO_ERROR): nothing is left then.
 */
struct new_file *new_file_create(const char *folder, int original, GError **error);

/* Open for reading and writing; the new file's. */
int new_file_fd(const struct new_file *file);

/* As it is now: to be written to the journal before the file gets a name. FALSE with @error. */
gboolean new_file_identity(const struct new_file *file, struct file_identity *identity,
                           GError **error);

/* The path of its temporary name, or NULL where it has none (or has its final name). */
const char *new_file_temporary(const struct new_file *file);

/**
 * new_file_dress: gives it owner, group, mode and extended attributes (ACLs, labels) of @original,
 * once the content is written. What libvirt remembers of a running guest's image
 * (trusted.libvirt.security.*) stays behind: it is about that file.
 */
gboolean new_file_dress(struct new_file *file, int original, GError **error);

/* Flushes content and attributes to the disk; also reports what writing in the background met
 * (EIO, ENOSPC). */
gboolean new_file_flush(struct new_file *file, GError **error);

/**
 * new_file_name: gives it the name @path, in its folder, where nothing has that name
 * (G_IO_ERROR_EXISTS otherwise), and flushes the folder. G_IO_ERROR_NOT_SUPPORTED where the file
 * system cannot do that without the danger of replacing. On failure it is as it was before; only
 * where the flush of the folder fails (G_IO_ERROR_FAILED) may it have its name.
 */
gboolean new_file_name(struct new_file *file, const char *path, GError **error);

/* Closes it. One that has not got its name is removed with its temporary name. */
void new_file_free(struct new_file *file);
