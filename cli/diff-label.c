/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-label.c: the names of files in a diff's headers.
 */
#include <string.h>

#include "cli/diff-label.h"

/* @path without what patch and git refuse: a leading slash, "." and "..". */
static char *
plain_path(const char *path)
{
    g_autofree char *here = g_get_current_dir();
    g_autofree char *whole = g_canonicalize_filename(path, here);
    gsize length = strlen(here);

    if (!g_path_is_absolute(path) && strncmp(whole, here, length) == 0 && whole[length] == '/')
        return g_strdup(whole + length + 1);
    return g_strdup(g_path_skip_root(whole));
}

char *
diff_label(const char *prefix, const char *path)
{
    g_autofree char *plain = g_str_equal(path, "-") ? g_strdup("stdin.xml") : plain_path(path);

    return g_strconcat(prefix, plain, NULL);
}
