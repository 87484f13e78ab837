/* SPDX-License-Identifier: GPL-2.0-or-later */
/* changes.c: the lines that a fix changes, as a small diff in the text report. */
#include <string.h>

#include "lint/excerpt.h"

/* How many bytes of a line are looked at on either side of an edit. */
#define AT_HAND 1000
/* How many lines are shown of one fix. */
#define MAX_LINES 16

/* A stretch of whole lines (or of what is at hand of them) that edits change. */
struct stretch {
    size_t start, end; /* in the text */
    size_t first, last; /* edits: from @first, before @last */
};

struct changes {
    GString *out;
    const struct lint_style *style;
    const char *text;
    size_t length;
    int gutter;
    int shown, hidden; /* lines */
};

static size_t
stretch_start(const char *text, size_t offset)
{
    size_t start = offset;

    while (start > 0 && text[start - 1] != '\n' && offset - start < AT_HAND)
        start--;
    while (start < offset && ((unsigned char)text[start] & 0xc0) == 0x80)
        start++;
    return start;
}

static size_t
stretch_end(const char *text, size_t length, size_t offset)
{
    size_t end = offset;

    while (end < length && text[end] != '\n' && end - offset < AT_HAND)
        end++;
    while (end > offset && end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return end;
}

static struct stretch
find_stretch(const struct changes *changes, const domxml_edits *edits, size_t first)
{
    const struct domxml_edit *edit = domxml_edits_get(edits, first);
    struct stretch stretch = {
        .start = stretch_start(changes->text, edit->offset),
        .end = edit->offset,
        .first = first,
        .last = first,
    };

    for (; edit && edit->offset <= stretch.end; edit = domxml_edits_get(edits, ++stretch.last)) {
        size_t end = stretch_end(changes->text, changes->length, edit->offset + edit->length);

        stretch.end = MAX(stretch.end, end);
    }
    return stretch;
}

/* The lines that the stretch becomes. */
static char *
new_text(const struct changes *changes, const domxml_edits *edits, const struct stretch *stretch)
{
    GString *text = g_string_new(NULL);
    size_t position = stretch->start;

    for (size_t i = stretch->first; i < stretch->last; i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);

        g_string_append_len(text, changes->text + position, (gssize)(edit->offset - position));
        g_string_append_len(text, edit->text, (gssize)edit->text_length);
        position = edit->offset + edit->length;
    }
    g_string_append_len(text, changes->text + position, (gssize)(stretch->end - position));
    return g_string_free(text, FALSE);
}

/* Where @line begins to differ from @other, its counterpart (NULL: at its start). */
static const char *
difference(const char *line, const char *other)
{
    const char *p = line;

    if (!other)
        return line;
    while (*p && *p == *other) {
        p++;
        other++;
    }
    while (p > line && ((unsigned char)*p & 0xc0) == 0x80)
        p--;
    return p;
}

static void
append_line(struct changes *changes, char sign, int number, const char *line, const char *other,
            gboolean cut_front, gboolean cut_back)
{
    const struct lint_style *style = changes->style;
    const char *end = line + strlen(line);
    const char *focus;

    if (changes->shown == MAX_LINES) {
        changes->hidden++;
        return;
    }
    changes->shown++;
    if (end > line && end[-1] == '\r')
        end--;
    focus = MIN(difference(line, other), end);
    g_string_append_printf(changes->out, "%s%*d %c ", sign == '-' ? style->removed : style->added,
                           changes->gutter, number, sign);
    lint_line_append(changes->out, line, end, focus, focus, cut_front, cut_back, NULL, NULL);
    g_string_append_printf(changes->out, "%s\n", style->reset);
}

/* Shows one stretch without the lines at its ends that stay. Returns by how many lines it grows. */
static int
append_stretch(struct changes *changes, const char *old_chunk, const char *new_chunk, int old_line,
               int new_line, gboolean cut_front, gboolean cut_back)
{
    g_auto(GStrv) old_lines = g_strsplit(old_chunk, "\n", -1);
    g_auto(GStrv) new_lines = g_strsplit(new_chunk, "\n", -1);
    int old_count = (int)g_strv_length(old_lines), new_count = (int)g_strv_length(new_lines);
    int old_end = old_count, new_end = new_count, start = 0;

    while (start < MIN(old_end, new_end) && g_str_equal(old_lines[start], new_lines[start]))
        start++;
    while (old_end > start && new_end > start &&
           g_str_equal(old_lines[old_end - 1], new_lines[new_end - 1])) {
        old_end--;
        new_end--;
    }
    for (int i = start; i < old_end; i++)
        append_line(changes, '-', old_line + i, old_lines[i], i < new_end ? new_lines[i] : NULL,
                    cut_front && i == 0, cut_back && i == old_count - 1);
    for (int i = start; i < new_end; i++)
        append_line(changes, '+', new_line + i, new_lines[i], i < old_end ? old_lines[i] : NULL,
                    cut_front && i == 0, cut_back && i == new_count - 1);
    return new_count - old_count;
}

void
lint_changes_append(GString *out, const struct lint_style *style, const domxml_doc *doc,
                    const struct lint_finding *finding, const struct lint_fix *fix, int gutter)
{
    const domxml_edits *edits = fix->edits;
    struct changes changes = {
        .out = out,
        .style = style,
        .gutter = gutter,
    };
    size_t count = domxml_edits_count(edits);
    int growth = 0;

    changes.text = domxml_doc_text(doc, &changes.length);
    for (size_t i = 0; i < count;) {
        struct stretch stretch = find_stretch(&changes, edits, i);
        g_autofree char *old_chunk =
            g_strndup(changes.text + stretch.start, stretch.end - stretch.start);
        g_autofree char *new_chunk = new_text(&changes, edits, &stretch);
        gboolean cut_front = stretch.start > 0 && changes.text[stretch.start - 1] != '\n';
        gboolean cut_back = stretch.end < changes.length && changes.text[stretch.end] != '\n';
        int line = lint_line_of(doc, finding, stretch.start);

        growth += append_stretch(&changes, old_chunk, new_chunk, line, line + growth, cut_front,
                                 cut_back);
        i = stretch.last;
    }
    if (changes.hidden > 0)
        g_string_append_printf(out, "%*s    (and %d more lines)\n", gutter, "", changes.hidden);
}
