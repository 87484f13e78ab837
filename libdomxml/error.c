/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error.c: filling in the caller's struct domxml_error; the first error wins.
 */
#include "libdomxml/internal.h"

#include <stdio.h>
#include <string.h>

/* Makes the message one line, without a trailing blank, and cuts off a code point that has no
 * room. */
static void
tidy(char *text, size_t size)
{
    size_t length = strlen(text);

    if (length == size - 1) {
        size_t start = length;

        while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
            start--;
        if (start > 0 && (unsigned char)text[start - 1] >= 0xC0 &&
            dx_utf8_length(text + start - 1, text + length) == 0)
            length = start - 1;
    }
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

static void DX_PRINTF(3, 0)
fill(struct domxml_error *error, enum domxml_code code, const char *format, va_list args)
{
    error->code = code;
    error->offset = 0;
    error->line = error->column = 0;
    vsnprintf(error->text, sizeof(error->text), format, args);
    tidy(error->text, sizeof(error->text));
}

bool
dx_error(struct domxml_error *error, enum domxml_code code, const char *text, size_t offset,
         const char *format, ...)
{
    va_list args;

    if (!error || error->code != DOMXML_OK)
        return false;
    va_start(args, format);
    fill(error, code, format, args);
    va_end(args);
    if (text) {
        error->offset = offset;
        dx_position(text, offset, &error->line, &error->column);
    }
    return false;
}

static void
place(struct domxml_error *error, const domxml_elem *elem, const char *path)
{
    struct domxml_span span;

    if (!elem || dx_elem_is_pending(elem))
        return;
    (void)domxml_get_span(elem, path, &span);
    error->offset = span.offset;
    domxml_doc_position(elem->doc, span.offset, &error->line, &error->column);
}

bool
dx_error_elem(struct domxml_error *error, enum domxml_code code, const domxml_elem *elem,
              const char *format, ...)
{
    va_list args;

    if (!error || error->code != DOMXML_OK)
        return false;
    va_start(args, format);
    fill(error, code, format, args);
    va_end(args);
    place(error, elem, "");
    return false;
}

bool
dx_error_path(struct domxml_error *error, enum domxml_code code, const domxml_elem *elem,
              const char *path, const char *format, ...)
{
    va_list args;

    if (!error || error->code != DOMXML_OK)
        return false;
    va_start(args, format);
    fill(error, code, format, args);
    va_end(args);
    place(error, elem, path);
    return false;
}

bool
dx_error_no_memory(struct domxml_error *error)
{
    return dx_error(error, DOMXML_ERR_NO_MEMORY, NULL, 0, "out of memory");
}
