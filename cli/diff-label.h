/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-label.h: the names of files in a diff's headers.
 */
#pragma once

#include <glib.h>

/**
 * diff_label:
 * @prefix: "a/" or "b/"
 * @path: the file; "-" for standard input
 *
 * Returns: the name for domxml_edits_diff(), so that patch -p1 and git apply find the file: from
 * the current folder for a file in it, else from the root; without "." and "..". To be freed.
 */
char *diff_label(const char *prefix, const char *path);
