/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-attributes.h: giving a new file the owner, mode and extended attributes of the one it
 * replaces.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/**
 * file_attributes_copy:
 * @from, @to: open files on one file system
 * @from_stat: what fstat() says of @from
 *
 * Owner, group, mode and extended attributes (ACLs and SELinux labels are some) of @to become
 * those of
 * @from. Left out are those that describe the old content: IMA and EVM signatures, and
 * capabilities, which the kernel itself drops at a write. To be called once the content is
 * written.
 *
 * Returns: whether all could be kept; FALSE with @error, in STEP_FILE_ERROR, naming the one that
 * could not.
 */
gboolean file_attributes_copy(int from, const struct stat *from_stat, int to, GError **error);
