/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.c: prose broken into lines.
 */
#include <string.h>

#include "cli/wrap.h"

#define WIDTH 80

static void
start_line(GString *out, guint indent)
{
    g_string_append_printf(out, "\n%*s", (int)indent, "");
}

static void
wrap_paragraph(GString *out, const char *text, guint indent, guint column)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
    guint start = column;

    for (gsize i = 0; words[i]; i++) {
        guint width = g_utf8_strlen(words[i], -1);

        if (!width)
            continue;
        if (column > start && column + 1 + width > WIDTH) {
            start_line(out, indent);
            column = start = indent;
        } else if (column > start) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, words[i]);
        column += width;
    }
}

char *
wrap(const char *text, guint indent, guint column)
{
    g_auto(GStrv) paragraphs = g_strsplit(text, "\n\n", -1);
    GString *out = g_string_new(NULL);

    for (gsize i = 0; paragraphs[i]; i++) {
        if (i) {
            g_string_append_c(out, '\n');
            start_line(out, indent);
            column = indent;
        }
        wrap_paragraph(out, paragraphs[i], indent, column);
    }
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}
