/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step-file.h: writing a changed document back into its file, whole or not at all.
 *
 * Reasons and errors are clauses about the file ("it has 2 hard links, ..."), without its path:
 * whoever reports them names it.
 */
#pragma once

#include <glib.h>

/**
 * step_file_refusal:
 * @text, @length: what the file holds
 *
 * Returns: why @path must not be written, to be freed, with the way out; NULL where it may be: a
 * file that libvirtd owns (below /etc/libvirt or /run/libvirt, or with libvirt's AUTO-GENERATED
 * FILE comment at its top), one with more than one hard link, not a regular file,
 * write-protected, gone.
 */
char *step_file_refusal(const char *path, const char *text, gsize length);

/**
 * step_file_write:
 * @old_text, @old_length: what the file held when the change was made
 *
 * Replaces the file's content by @new_text: a temporary file in the same folder (O_EXCL, random
 * name), written, given mode, owner and extended attributes of the old one, flushed, renamed
 * over it, the folder flushed. Symlinks are resolved first. Refused where step_file_refusal()
 * says so, or the file changed since it was read. After a failure or a kill at any moment the
 * file holds either the old or the new text, whole; no temporary file is left but by a kill or a
 * crash (.domlint-*.tmp). Signals that can be blocked are, in the calling thread, while a
 * temporary file is there.
 *
 * Returns: whether it is done; FALSE with @error otherwise: STEP_FILE_REFUSED (nothing touched) or
 * STEP_FILE_FAILED.
 */
gboolean step_file_write(const char *path, const char *old_text, gsize old_length,
                         const char *new_text, gsize new_length, GError **error);

#define STEP_FILE_ERROR step_file_error_quark()
GQuark step_file_error_quark(void);
enum step_file_error {
    STEP_FILE_REFUSED,
    STEP_FILE_FAILED,
};
