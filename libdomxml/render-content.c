/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render-content.c: the edits of what stands between the tags of an element: inserted elements and
 * texts.
 */
#include "libdomxml/render.h"

#include <string.h>

/* ---- Inserted elements ---------------------------------------------------------------------- */

/* The indentation @levels below that of @layout's elements. */
static void
put_indent(struct renderer *render, const struct dx_layout *layout, uint32_t levels)
{
    dx_put_span(render, layout->indent);
    for (uint32_t i = 0; i < levels + layout->deeper; i++) {
        if (layout->unit.length > 0)
            dx_put_span(render, layout->unit);
        else
            dx_put(render, "  ");
    }
}

/* The start of a line for an element @levels below those of @layout. */
static void
put_line(struct renderer *render, const struct dx_layout *layout, uint32_t levels)
{
    if (!layout->own_line)
        return;
    dx_put(render, layout->line_end);
    put_indent(render, layout, levels);
}

/* The start tag, with all of the element where it holds no elements; whether it holds some. */
static bool
put_start(struct renderer *render, const struct dx_pending *pending)
{
    dx_put(render, "<");
    dx_put(render, pending->name);
    for (const struct dx_attr_change *attr = pending->change.attrs; attr; attr = attr->next)
        if (attr->value) {
            dx_put(render, " ");
            dx_put_attr(render, attr->name, attr->value, dx_usual_quote(render->doc));
        }
    if (dx_pending_live(pending->change.children)) {
        dx_put(render, ">");
        return true;
    }
    if (pending->change.text && *pending->change.text) {
        dx_put(render, ">");
        dx_escape_text(&render->text, pending->change.text);
        dx_put(render, "</");
        dx_put(render, pending->name);
        dx_put(render, ">");
    } else {
        dx_put(render, "/>");
    }
    return false;
}

static void
put_end(struct renderer *render, const struct dx_pending *pending)
{
    dx_put(render, "</");
    dx_put(render, pending->name);
    dx_put(render, ">");
}

/* One inserted element with all that was inserted in it, walked by its links. */
static void
put_pending(struct renderer *render, const struct dx_layout *layout, const struct dx_pending *top)
{
    const struct dx_pending *pending = top;
    uint32_t levels = 0;

    for (;;) {
        const struct dx_pending *next = NULL;

        if (put_start(render, pending)) {
            next = dx_pending_live(pending->change.children);
            levels++;
        }
        while (!next) {
            if (pending == top)
                return;
            next = dx_pending_live(pending->next);
            if (!next) {
                pending = (const struct dx_pending *)pending->parent;
                put_line(render, layout, --levels);
                put_end(render, pending);
            }
        }
        pending = next;
        put_line(render, layout, levels);
    }
}

/* The inserted elements from @pending on that stand before the same anchor. */
static void
put_group(struct renderer *render, const struct dx_layout *layout, const struct dx_pending *pending)
{
    const domxml_elem *anchor = pending->anchor;

    for (; pending && pending->anchor == anchor; pending = dx_pending_live(pending->next)) {
        if (layout->own_line && layout->trails)
            put_indent(render, layout, 0);
        else if (layout->own_line)
            put_line(render, layout, 0);
        else if (!layout->trails)
            dx_put_span(render, layout->indent);
        put_pending(render, layout, pending);
        if (layout->own_line && layout->trails)
            dx_put(render, layout->line_end);
        else if (layout->trails)
            dx_put_span(render, layout->indent);
    }
    if (layout->wraps) {
        dx_put(render, layout->line_end);
        dx_put_span(render, layout->indent);
    }
}

/* ---- Content ------------------------------------------------------------------------------ */

/* Replaces the "/>" of <a/>, and blanks before it, so that what is put in the buffer from @from on
 * stands between two tags. */
static void
open_empty_tag(struct renderer *render, const domxml_elem *elem, size_t from)
{
    const char *text = render->doc->text;
    uint32_t start = elem->end - 2, floor = dx_end_before_attr(elem, elem->attr_count);

    while (start > floor && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        start--;
    if (start > floor)
        start = elem->end - 2; /* a line end: "/>" stands on a line of its own */
    dx_put(render, "</");
    dx_put(render, dx_string(render->doc, elem->name));
    dx_put(render, ">");
    dx_render_edit(render, start, elem->end - start, from);
}

/* A piece of an element's own text. */
struct run {
    uint32_t start, end;
    bool cdata;
};

/* The next piece of text at or behind @at in an element without child elements. */
static bool
next_run(const domxml_elem *elem, uint32_t at, struct run *run)
{
    const char *text = elem->doc->text;

    while (at < elem->content_end) {
        const char *end;

        if (text[at] != '<') {
            end = memchr(text + at, '<', elem->content_end - at);
            *run = (struct run){ at, end ? (uint32_t)(end - text) : elem->content_end, false };
            return true;
        }
        if (strncmp(text + at, "<![CDATA[", 9) == 0) {
            end = strstr(text + at + 9, "]]>");
            *run = (struct run){ at, (uint32_t)(end - text) + 3, true };
            return true;
        }
        end = text[at + 1] == '?' ? strstr(text + at + 2, "?>") + 2
                                  : strstr(text + at + 4, "-->") + 3;
        at = (uint32_t)(end - text);
    }
    return false;
}

static bool
is_white(const domxml_doc *doc, const struct run *run)
{
    return !run->cdata &&
        strspn(doc->text + run->start, " \t\r\n") >= (size_t)(run->end - run->start);
}

/* The piece that the new text takes the place of: the first that is not white. */
static struct run
main_run(const domxml_elem *elem)
{
    struct run run, first = { elem->content_start, elem->content_start, false };

    for (uint32_t at = elem->content_start; next_run(elem, at, &run); at = run.end) {
        if (first.start == first.end)
            first = run;
        if (!is_white(elem->doc, &run))
            return run;
    }
    return first;
}

/* Replaces the text of an element that holds none; comments stay, and so does a CDATA section. */
static void
render_text(struct renderer *render, const domxml_elem *elem, const char *text)
{
    size_t from = render->text.length;
    struct run main = main_run(elem), run;

    if (dx_elem_is_empty_tag(elem)) {
        dx_put(render, ">");
        dx_escape_text(&render->text, text);
        open_empty_tag(render, elem, from);
        return;
    }
    if (main.cdata && *text && !strstr(text, "]]>") && !strchr(text, '\r')) {
        dx_put(render, "<![CDATA[");
        dx_put(render, text);
        dx_put(render, "]]>");
    } else {
        dx_escape_text(&render->text, text);
    }
    dx_render_edit(render, main.start, main.end - main.start, from);
    for (uint32_t at = elem->content_start; next_run(elem, at, &run); at = run.end)
        if (run.start != main.start)
            dx_render_removal(render, (struct domxml_span){ run.start, run.end - run.start });
}

/* All content gives way to a text, or to the inserted elements. */
static void
rebuild_content(struct renderer *render, const struct dx_change *change,
                const struct dx_pending *child)
{
    const domxml_elem *elem = change->elem;
    size_t from = render->text.length;

    if (child) {
        struct dx_layout layout = dx_layout(elem, NULL, true);

        for (; child; child = dx_pending_live(child->next)) {
            put_line(render, &layout, 0);
            put_pending(render, &layout, child);
        }
        if (layout.wraps) {
            dx_put(render, layout.line_end);
            dx_put_span(render, layout.indent);
        }
    } else {
        dx_escape_text(&render->text, change->text);
    }
    dx_render_edit(render, elem->content_start, elem->content_end - elem->content_start, from);
}

static void
render_children(struct renderer *render, const domxml_elem *elem, const struct dx_pending *child)
{
    while (child) {
        struct dx_layout layout = dx_layout(elem, child->anchor, false);
        const domxml_elem *anchor = child->anchor;
        size_t from = render->text.length;

        if (dx_elem_is_empty_tag(elem)) {
            dx_put(render, ">");
            put_group(render, &layout, child);
            open_empty_tag(render, elem, from);
        } else {
            put_group(render, &layout, child);
            dx_render_edit(render, layout.offset, 0, from);
        }
        while (child && child->anchor == anchor)
            child = dx_pending_live(child->next);
    }
}

void
dx_render_content(struct renderer *render, const struct dx_change *change)
{
    const struct dx_pending *child = dx_pending_live(change->children);
    const domxml_elem *elem = change->elem;

    if (change->text && (child || elem->first_child != DX_NONE))
        rebuild_content(render, change, child);
    else if (change->text)
        render_text(render, elem, change->text);
    else
        render_children(render, elem, child);
}
