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

static gboolean
needs_quotes(const char *text)
{
    for (; *text; text++) {
        if (g_ascii_iscntrl(*text) || *text == '"' || *text == '\\')
            return TRUE;
    }
    return FALSE;
}

char *
diff_label(const char *prefix, const char *path)
{
    g_autofree char *plain = NULL;
    g_autofree char *name = NULL;
    g_autofree char *quoted = NULL;

    if (g_str_equal(path, "-"))
        return g_strconcat(prefix, "stdin.xml", NULL);
    plain = plain_path(path);
    name = g_strconcat(prefix, plain, NULL);
    /* A name with a space is ended by a tab: patch would take what follows the space for a date. */
    if (!needs_quotes(name))
        return g_strconcat(name, strchr(name, ' ') ? "\t" : "", NULL);
    quoted = g_strescape(name, NULL);
    return g_strconcat("\"", quoted, "\"", NULL);
}
