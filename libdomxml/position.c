/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * position.c: from byte offsets to lines and columns, in bounded time whatever the length of lines.
 */
#include "libdomxml/internal.h"

#include <string.h>

enum { STRIDE = 1024 };

/* Moves @at, the position of @from, on to @to. Columns count the bytes that begin a code point. */
static void
advance(const char *text, size_t from, size_t to, struct dx_checkpoint *at)
{
    int lines = 0, points = 0;

    for (size_t i = from; i < to; i++)
        lines += text[i] == '\n';
    if (lines > 0) {
        for (from = to; text[from - 1] != '\n'; from--)
            ;
        at->line += lines;
        at->column = 1;
    }
    for (size_t i = from; i < to; i++)
        points += ((unsigned char)text[i] & 0xC0) != 0x80;
    at->column += points;
}

/* The position of offset 0: a BOM takes no column, so it takes off the one that it will add. */
static struct dx_checkpoint
origin(const char *text, size_t length)
{
    struct dx_checkpoint at = { 1, 1 };

    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at.column = 0;
    return at;
}

static void
report(struct dx_checkpoint at, int *line, int *column)
{
    if (line)
        *line = at.line;
    if (column)
        *column = at.column > 0 ? at.column : 1;
}

void
dx_position(const char *text, size_t offset, int *line, int *column)
{
    struct dx_checkpoint at = origin(text, offset);

    advance(text, 0, offset, &at);
    report(at, line, column);
}

struct dx_checkpoint *
dx_checkpoints(const char *text, size_t length)
{
    struct dx_checkpoint *checkpoints = malloc((length / STRIDE + 1) * sizeof(*checkpoints));
    struct dx_checkpoint at = origin(text, length);

    if (!checkpoints)
        return NULL;
    checkpoints[0] = at;
    for (size_t i = 1; i <= length / STRIDE; i++) {
        advance(text, (i - 1) * STRIDE, i * STRIDE, &at);
        checkpoints[i] = at;
    }
    return checkpoints;
}

void
domxml_doc_position(const domxml_doc *doc, size_t offset, int *line, int *column)
{
    struct dx_checkpoint at;

    if (offset > doc->length)
        offset = doc->length;
    at = doc->checkpoints[offset / STRIDE];
    advance(doc->text, offset / STRIDE * STRIDE, offset, &at);
    report(at, line, column);
}
