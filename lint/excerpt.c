/* SPDX-License-Identifier: GPL-2.0-or-later */
/* excerpt.c: a finding's source line with carets under the place that is meant. */
#include <string.h>

#include "lint/escape.h"
#include "lint/excerpt.h"

/* Of a line with more code points than WIDTH, a window of that many is shown that starts BEFORE
 * ahead of what matters. A code point takes up to four bytes; so AT_HAND bytes to each side are
 * enough to look at. */
#define WIDTH 100
#define BEFORE 40
#define AT_HAND (8 * WIDTH)

const struct lint_style *
lint_style_get(gboolean color)
{
    static const struct lint_style plain = {
        .severity = { "", "", "" },
        .bold = "",
        .gutter = "",
        .removed = "",
        .added = "",
        .reset = "",
    };
    static const struct lint_style colored = {
        .severity = { "\033[1;36m", "\033[1;33m", "\033[1;31m" },
        .bold = "\033[1m",
        .gutter = "\033[34m",
        .removed = "\033[31m",
        .added = "\033[32m",
        .reset = "\033[0m",
    };

    return color ? &colored : &plain;
}

/* Farther than this it is quicker to ask the document, which knows some of its lines. */
#define NEAR 4096

int
lint_line_of(const domxml_doc *doc, const struct lint_finding *finding, size_t offset)
{
    const char *text = domxml_doc_text(doc, NULL);
    size_t start = MIN(finding->span.offset, offset), end = MAX(finding->span.offset, offset);
    int lines = 0, line;

    if (!finding->located || end - start > NEAR) {
        domxml_doc_position(doc, offset, &line, NULL);
        return line;
    }
    for (const char *p = text + start; (p = memchr(p, '\n', (size_t)(text + end - p))); p++)
        lines++;
    return finding->span.offset < offset ? finding->line + lines : finding->line - lines;
}

int
lint_gutter_width(const domxml_doc *doc, const struct lint_finding *finding)
{
    int line = finding->located ? finding->line : 1, width = 1;

    for (guint i = 0; i < finding->fixes->len; i++) {
        const struct lint_fix *fix = finding->fixes->pdata[i];
        size_t count = domxml_edits_count(fix->edits);
        const struct domxml_edit *last = count > 0 ? domxml_edits_get(fix->edits, count - 1) : NULL;

        if (last)
            line = MAX(line, lint_line_of(doc, finding, last->offset + last->length));
    }
    for (; line >= 10; line /= 10)
        width++;
    return width;
}

static const char *
step_back(const char *text, const char *line, int count)
{
    for (; count > 0 && text > line; count--)
        text = g_utf8_prev_char(text);
    return text;
}

static const char *
step_on(const char *text, const char *end, int count)
{
    for (; count > 0 && text < end; count--)
        text = g_utf8_next_char(text);
    return MIN(text, end);
}

/* Appends what of the line is from @from to @to. */
static void
append_part(GString *out, const char *from, const char *to)
{
    while (from < to) {
        size_t plain = lint_plain_length(from, to);

        g_string_append_len(out, from, (gssize)plain);
        from += plain;
        if (from == to)
            break;
        if (*from == '\t') {
            g_string_append_c(out, ' ');
            from++;
        } else {
            from = lint_escape_next(out, from, to);
        }
    }
}

static size_t
columns_from(const GString *out, size_t start)
{
    return (size_t)g_utf8_strlen(out->str + start, (gssize)(out->len - start));
}

void
lint_line_append(GString *out, const char *line, const char *end, const char *focus,
                 const char *focus_end, gboolean cut_front, gboolean cut_back, size_t *from,
                 size_t *to)
{
    const char *start = line, *stop = end;
    size_t before = out->len;

    if (cut_front || cut_back ||
        (end - line > WIDTH && g_utf8_strlen(line, end - line) > WIDTH)) {
        start = step_back(focus, line, BEFORE);
        stop = step_on(start, end, WIDTH);
    }
    focus_end = MIN(focus_end, stop);
    if (start > line || cut_front)
        g_string_append(out, "...");
    append_part(out, start, focus);
    if (from)
        *from = columns_from(out, before);
    append_part(out, focus, focus_end);
    if (to)
        *to = columns_from(out, before);
    append_part(out, focus_end, stop);
    if (stop < end || cut_back)
        g_string_append(out, "...");
}

/* The line of @text around @focus, or as much of it as can be needed. */
static void
find_line(const char *text, size_t length, size_t focus, const char **line, const char **end,
          gboolean *cut_front, gboolean *cut_back)
{
    size_t start = focus, stop = focus;

    while (start > 0 && text[start - 1] != '\n' && focus - start < AT_HAND)
        start--;
    *cut_front = start > 0 && text[start - 1] != '\n';
    while (*cut_front && start < focus && ((unsigned char)text[start] & 0xc0) == 0x80)
        start++;

    while (stop < length && text[stop] != '\n' && stop - focus < AT_HAND)
        stop++;
    *cut_back = stop < length && text[stop] != '\n';
    while (*cut_back && stop > focus && ((unsigned char)text[stop] & 0xc0) == 0x80)
        stop--;

    if (start == 0 && stop >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        start = MIN(3, focus); /* a byte order mark takes no column */
    if (!*cut_back && stop > focus && text[stop - 1] == '\r')
        stop--;
    *line = text + start;
    *end = text + stop;
}

void
lint_excerpt_append(GString *out, const struct lint_style *style, const domxml_doc *doc,
                    const struct lint_finding *finding, int gutter)
{
    size_t length, from = 0, to = 0;
    const char *text = domxml_doc_text(doc, &length);
    const char *focus, *focus_end, *line, *end;
    gboolean cut_front, cut_back;

    if (!finding->located || finding->span.offset > length)
        return;
    focus = text + finding->span.offset;
    find_line(text, length, finding->span.offset, &line, &end, &cut_front, &cut_back);
    focus_end = MIN(focus + finding->span.length, end);
    focus_end = MAX(focus_end, focus);

    g_string_append_printf(out, "%s%*s |%s\n", style->gutter, gutter, "", style->reset);
    g_string_append_printf(out, "%s%*d |%s ", style->gutter, gutter, finding->line, style->reset);
    lint_line_append(out, line, end, focus, focus_end, cut_front, cut_back, &from, &to);
    g_string_append_printf(out, "\n%s%*s |%s ", style->gutter, gutter, "", style->reset);
    g_string_append_printf(out, "%*s%s", (int)from, "", style->severity[finding->severity]);
    do
        g_string_append_c(out, '^');
    while (++from < to);
    g_string_append_printf(out, "%s\n", style->reset);
}
