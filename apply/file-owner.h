/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-owner.h: which files are libvirtd's own, and so not for others to write.
 */
#pragma once

#include <glib.h>

/**
 * file_owned_by_libvirtd:
 * @real_path: the file's path, absolute and without symlinks
 * @text, @length: what it holds
 *
 * Returns: why it is libvirtd's file, with the way out, to be freed; NULL where it is not.
 */
char *file_owned_by_libvirtd(const char *real_path, const char *text, gsize length);
