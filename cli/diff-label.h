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
 * Returns: what follows "--- " or "+++ " so that patch -p1 and git apply find the file: from the current folder
 * for a file in it, else from the root; without "." and "..". A name with characters that end or
 * confuse such a line is quoted as git quotes it. To be freed.
 */
char *diff_label(const char *prefix, const char *path);
