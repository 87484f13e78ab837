/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-file.h: documents that are files, folders of files, or standard input.
 */
#pragma once

#include <gio/gio.h>

#include "libdomxml/domxml.h"

/* The largest file that is read whole: one byte over libdomxml's limit, so that it can refuse. */
#define SOURCE_FILE_MAX (DOMXML_MAX_LENGTH + 1)

/**
 * source_file_list: the files that @path stands for, in a fixed order (bytewise by path): itself,
 * or for a directory, recursively, its *.xml and *.xml.j2 whose root element is a domain (or what
 * else libdomxml reads). Symlinks to directories are not followed; @problem is called for a
 * folder or file that cannot be read.
 * Returns: an array of char *, to be unreferenced.
 */
GPtrArray *source_file_list(const char *path,
                            void (*problem)(const char *path, const GError *error, void *data),
                            void *data);

/**
 * source_file_read: reads a file ("-": standard input) whole. Never blocks on a FIFO or device:
 * only regular files are read ("-" may be anything).
 * Returns: the text, NULL with @error set otherwise.
 */
GBytes *source_file_read(const char *path, GError **error);
