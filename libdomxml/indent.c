/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * indent.c: the white space that goes with an element: what a new one takes over from its
 * neighbours, and what a removed one takes along.
 *
 * All looks around go over blanks only, so they never leave character data: a line end that blanks
 * alone part from a tag is in no comment and no CDATA section.
 */
#include "libdomxml/internal.h"

#include <string.h>

static bool
is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* The start of the blanks that end at @offset. */
static uint32_t
blanks_before(const domxml_doc *doc, uint32_t offset)
{
    while (offset > 0 && is_blank(doc->text[offset - 1]))
        offset--;
    return offset;
}

/* The end of the blanks that start at @offset. */
static uint32_t
blanks_after(const domxml_doc *doc, uint32_t offset)
{
    while (is_blank(doc->text[offset]))
        offset++;
    return offset;
}

/* The length of the line end at @offset, or 0. */
static uint32_t
line_end_length(const domxml_doc *doc, uint32_t offset)
{
    if (doc->text[offset] == '\n')
        return 1;
    return doc->text[offset] == '\r' && doc->text[offset + 1] == '\n' ? 2 : 0;
}

bool
dx_is_first_on_line(const domxml_doc *doc, uint32_t offset, struct domxml_span *indent)
{
    uint32_t start = blanks_before(doc, offset);

    *indent = (struct domxml_span){ start, offset - start };
    return start == 0 || doc->text[start - 1] == '\n' ||
        (start == 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0);
}

struct domxml_span
dx_removal_span(const domxml_doc *doc, uint32_t start, uint32_t end)
{
    uint32_t after = blanks_after(doc, end);
    uint32_t line_end = line_end_length(doc, after);
    struct domxml_span indent;

    if (dx_is_first_on_line(doc, start, &indent)) {
        if (line_end > 0) { /* the whole line */
            start = (uint32_t)indent.offset;
            end = after + line_end;
        } else { /* the indentation is its neighbour's now */
            end = after;
        }
    } else if (indent.length > 0) {
        start = (uint32_t)indent.offset;
    } else if (doc->text[start - 1] == '>' && doc->text[after] == '<') {
        end = after;
    }
    return (struct domxml_span){ start, end - start };
}

/* The line end that is in use at the start of a line: that of the line before, else the next
 * one. */
static const char *
line_end_around(const domxml_doc *doc, uint32_t line)
{
    const char *found;

    if (line > 0 && doc->text[line - 1] == '\n')
        found = doc->text + line - 1;
    else
        found = strchr(doc->text + line, '\n');
    return found && found > doc->text && found[-1] == '\r' ? "\r\n" : "\n";
}

/* What indentation grows by from a parent to a child, as @elem or one that it stands in shows. */
static struct domxml_span
indent_unit(const domxml_elem *elem)
{
    const domxml_doc *doc = elem->doc;
    const domxml_elem *parent;

    for (; (parent = domxml_elem_parent(elem)); elem = parent) {
        struct domxml_span inner, outer;

        if (dx_is_first_on_line(doc, elem->start, &inner) &&
            dx_is_first_on_line(doc, parent->start, &outer) && inner.length > outer.length &&
            memcmp(doc->text + inner.offset, doc->text + outer.offset, outer.length) == 0)
            return (struct domxml_span){ inner.offset + outer.length, inner.length - outer.length };
    }
    return (struct domxml_span){ 0, 0 };
}

/* Whether the children that @parent does not have yet would stand on lines of their own. */
static bool
is_laid_out_in_lines(const domxml_elem *parent, struct domxml_span *indent)
{
    const domxml_doc *doc = parent->doc;

    if (!dx_is_first_on_line(doc, parent->start, indent))
        return false;
    return parent->parent != DX_NONE ||
        memchr(doc->text + parent->start, '\n', parent->end - parent->start);
}

static const domxml_elem *
last_child(const domxml_elem *parent)
{
    const domxml_elem *last = NULL;

    for (const domxml_elem *child = domxml_elem_child(parent, NULL); child;
         child = domxml_elem_next(child, NULL))
        last = child;
    return last;
}

/* The start of the line behind the one that ends in @child and at most comments, or 0. */
static uint32_t
next_line(const domxml_elem *child)
{
    const domxml_doc *doc = child->doc;
    uint32_t at = blanks_after(doc, child->end);

    while (strncmp(doc->text + at, "<!--", 4) == 0) {
        const char *end = strstr(doc->text + at + 4, "-->");

        at = blanks_after(doc, (uint32_t)(end - doc->text) + 3);
    }
    return line_end_length(doc, at) > 0 ? at + line_end_length(doc, at) : 0;
}

static void
place_before(struct dx_layout *layout, const domxml_elem *anchor)
{
    layout->own_line = dx_is_first_on_line(anchor->doc, anchor->start, &layout->indent);
    layout->offset = layout->own_line ? (uint32_t)layout->indent.offset : anchor->start;
    layout->trails = true;
}

static void
place_behind(struct dx_layout *layout, const domxml_elem *last)
{
    uint32_t line = next_line(last);

    layout->own_line = dx_is_first_on_line(last->doc, last->start, &layout->indent);
    layout->trails = layout->own_line && line > 0;
    layout->offset = layout->trails ? line : last->end;
}

/* Between the tags of @parent stand text and comments, and the end tag is first on its line: before
 * it, indented as the content is if that begins on a line of its own. */
static void
place_last(struct dx_layout *layout, const domxml_elem *parent)
{
    const domxml_doc *doc = parent->doc;
    uint32_t first = blanks_after(doc, parent->content_start);

    layout->own_line = layout->trails = true;
    layout->offset = (uint32_t)layout->indent.offset;
    first += line_end_length(doc, first);
    if (first < parent->content_end && dx_is_first_on_line(doc, first, &layout->indent)) {
        uint32_t content = blanks_after(doc, first);

        if (content < parent->content_end && line_end_length(doc, content) == 0) {
            layout->indent = (struct domxml_span){ first, content - first };
            return;
        }
    }
    (void)dx_is_first_on_line(doc, parent->start, &layout->indent);
    layout->deeper = true;
}

struct dx_layout
dx_layout(const domxml_elem *parent, const domxml_elem *anchor, bool rebuild)
{
    const domxml_doc *doc = parent->doc;
    const domxml_elem *last = anchor || rebuild ? NULL : last_child(parent);
    struct dx_layout layout = { .offset = parent->content_start };
    struct domxml_span indent;

    if (anchor && !rebuild) {
        place_before(&layout, anchor);
    } else if (last) {
        place_behind(&layout, last);
    } else if (rebuild || parent->content_start == parent->content_end) {
        layout.own_line = layout.deeper = layout.wraps =
            is_laid_out_in_lines(parent, &layout.indent);
        if (!layout.own_line)
            layout.indent.length = 0;
    } else if (dx_is_first_on_line(doc, parent->content_end, &indent)) {
        layout.indent = indent;
        place_last(&layout, parent);
    } else {
        layout.offset = parent->content_end;
    }
    if (layout.own_line) {
        layout.unit = indent_unit(parent);
        layout.line_end = line_end_around(doc, (uint32_t)layout.indent.offset);
    }
    return layout;
}
