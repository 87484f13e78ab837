/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.c: text from outside, made harmless for a terminal and readable in a report. */
#include <string.h>

#include "lint/escape.h"
#include "lint/output.h"

/* Characters that act on a terminal, reorder the text around them or cannot be seen. */
static gboolean
is_hostile(gunichar c)
{
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return TRUE;
    default:
        return FALSE;
    }
}

const char *
lint_escape_next(GString *out, const char *text, const char *end)
{
    unsigned char byte = (unsigned char)*text;
    gunichar c;

    if (byte >= 0x20 && byte < 0x7f) {
        g_string_append_c(out, *text);
        return text + 1;
    }
    c = g_utf8_get_char_validated(text, end - text);
    if (byte == '\0' || c == (gunichar)-1 || c == (gunichar)-2) {
        g_string_append_printf(out, "\\x%02x", byte);
        return text + 1;
    }
    if (c < 0x100 && is_hostile(c))
        g_string_append_printf(out, "\\x%02x", c);
    else if (is_hostile(c))
        g_string_append_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    else
        g_string_append_unichar(out, c);
    return g_utf8_next_char(text);
}

size_t
lint_plain_length(const char *text, const char *end)
{
    const char *p = text;

    while (p < end && *p >= 0x20 && *p < 0x7f)
        p++;
    return (size_t)(p - text);
}

void
lint_escape_append(GString *out, const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end) {
        size_t plain = lint_plain_length(text, end);

        g_string_append_len(out, text, (gssize)plain);
        text += plain;
        if (text < end)
            text = lint_escape_next(out, text, end);
    }
}

char *
lint_escape(const char *text)
{
    size_t length = strlen(text);
    GString *out = g_string_sized_new(length + 1);

    lint_escape_append(out, text, length);
    return g_string_free(out, FALSE);
}
