/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-name.c: the name that an image gets when its format changes. */
#include <string.h>

#include "lint/lint.h"

/* Where the known image extension of @path starts; its end where there is none, or no name before
 * it. */
static size_t
stem_length(const char *path)
{
    static const char *const extensions[] = { ".qcow2", ".qcow", ".qed", ".raw", ".img" };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < G_N_ELEMENTS(extensions); i++) {
        if (g_str_has_suffix(name, extensions[i]) && strlen(name) > strlen(extensions[i]))
            return strlen(path) - strlen(extensions[i]);
    }
    return strlen(path);
}

char *
lint_converted_name(const char *path, const char *format)
{
    g_autofree char *name = g_strdup_printf("%.*s.%s", (int)stem_length(path), path, format);

    /* A qcow2 image may well be called disk.raw; both files must have room beside each other. */
    if (g_str_equal(name, path))
        return g_strdup_printf("%s.%s", path, format);
    return g_steal_pointer(&name);
}
