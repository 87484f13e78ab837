/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.c: what a converted image means for the XML that names it; rules propose it, apply/
 * carries it out. */
#include "lint/lint.h"

#include <string.h>

/* What the guest discards loses its clusters again, unless qcow2 keeps their mapping. */
static gboolean
stop_decay(domxml_editor *editor, const domxml_elem *disk, const char *format, GPtrArray *notes,
           struct domxml_error *error)
{
    static const char *const names[] = { "discard", "detect_zeroes" };

    if (g_str_equal(format, "qcow2")
        && g_strcmp0(domxml_get(disk, "driver@discard_no_unref"), "on") == 0)
        return TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strconcat("driver@", names[i], NULL);

        if (g_strcmp0(domxml_get(disk, path), "unmap") != 0)
            continue;
        if (!domxml_disk_set_driver(editor, disk, names[i], NULL, error))
            return FALSE;
        g_ptr_array_add(notes, g_strdup_printf("removed %s='unmap': it would undo the "
                                               "preallocation", names[i]));
    }
    return TRUE;
}

gboolean
lint_convert_edits(domxml_editor *editor, const domxml_elem *disk, const char *new_path,
                   const char *format, const char *preallocation, GPtrArray *notes,
                   struct domxml_error *error)
{
    const struct domxml_attr source = { "file", new_path };

    return domxml_disk_set_format(editor, disk, format, error)
           && domxml_disk_set_source(editor, disk, "file", &source, 1, error)
           && (g_str_equal(preallocation, "off")
               || stop_decay(editor, disk, format, notes, error));
}
