/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render.c: from the changes of an editor to edits of the document's text.
 *
 * Each change gives raw edits, in any order. They are sorted, and those that touch are joined: an
 * element that takes the place of a removed one is one edit.
 */
#include "libdomxml/internal.h"

#include <string.h>

/* An edit whose text is a piece of the common buffer. */
struct raw_edit {
    size_t offset, length;
    size_t text, text_length;
    size_t order; /* in which they came, for those at one offset */
};

struct renderer {
    const domxml_editor *editor;
    const domxml_doc *doc;
    struct dx_buffer text; /* of all raw edits */
    struct raw_edit *edits;
    size_t count, size;
    bool failed; /* memory ran out */
};

/* ---- Collecting --------------------------------------------------------------------------- */

/* Adds an edit whose text is what was added to the buffer since it was @from long. */
static void
add_edit(struct renderer *render, size_t offset, size_t length, size_t from)
{
    if (render->count == render->size) {
        size_t size = render->size * 2 + 16;
        struct raw_edit *edits = realloc(render->edits, size * sizeof(*edits));

        if (!edits) {
            render->failed = true;
            return;
        }
        render->edits = edits;
        render->size = size;
    }
    render->edits[render->count] = (struct raw_edit){
        .offset = offset,
        .length = length,
        .text = from,
        .text_length = render->text.length - from,
        .order = render->count,
    };
    render->count++;
}

static void
add_removal(struct renderer *render, struct domxml_span span)
{
    add_edit(render, span.offset, span.length, render->text.length);
}

static void
put(struct renderer *render, const char *text)
{
    dx_buffer_add_string(&render->text, text);
}

static void
put_span(struct renderer *render, struct domxml_span span)
{
    dx_buffer_add(&render->text, render->doc->text + span.offset, span.length);
}

/* ---- Attributes --------------------------------------------------------------------------- */

static void
put_attr(struct renderer *render, const char *name, const char *value, char quote)
{
    put(render, name);
    put(render, "=");
    dx_buffer_add(&render->text, &quote, 1);
    dx_escape_attr(&render->text, value, quote);
    dx_buffer_add(&render->text, &quote, 1);
}

/* The quote of the document's first attribute. */
static char
usual_quote(const domxml_doc *doc)
{
    return doc->attr_count > 0 ? doc->text[doc->attrs[0].value_start - 1] : '\'';
}

/* Behind what attribute @index of the element, or else its name, ends. */
static uint32_t
end_before_attr(const domxml_elem *elem, uint32_t index)
{
    const domxml_doc *doc = elem->doc;

    if (index > 0)
        return doc->attrs[elem->first_attr + index - 1].value_end + 1;
    return elem->start + 1 + (uint32_t)strlen(dx_string(doc, elem->name));
}

/* What stands before attribute @index of the element. */
static struct domxml_span
space_before_attr(const domxml_elem *elem, uint32_t index)
{
    uint32_t end = end_before_attr(elem, index);

    return (struct domxml_span){ end, elem->doc->attrs[elem->first_attr + index].start - end };
}

/* Whether the element's attributes stand one on each line (the first may stand beside the name). */
static bool
has_attr_lines(const domxml_elem *elem)
{
    for (uint32_t i = elem->attr_count > 1; i < elem->attr_count; i++) {
        struct domxml_span space = space_before_attr(elem, i);

        if (!memchr(elem->doc->text + space.offset, '\n', space.length))
            return false;
    }
    return elem->attr_count > 0;
}

static void
insert_attr(struct renderer *render, const domxml_elem *elem, const struct dx_attr_change *change)
{
    const domxml_doc *doc = render->doc;
    size_t from = render->text.length;
    char quote = usual_quote(doc);

    if (has_attr_lines(elem))
        put_span(render, space_before_attr(elem, elem->attr_count - 1));
    else
        put(render, " ");
    if (elem->attr_count > 0)
        quote = doc->text[doc->attrs[elem->first_attr + elem->attr_count - 1].value_end];
    put_attr(render, change->name, change->value, quote);
    add_edit(render, end_before_attr(elem, elem->attr_count), 0, from);
}

static void
render_attr(struct renderer *render, const domxml_elem *elem, const struct dx_attr_change *change)
{
    const domxml_doc *doc = render->doc;
    const struct dx_attr *attr = dx_elem_attr(elem, change->name);
    size_t from = render->text.length;

    if (!attr) {
        if (change->value)
            insert_attr(render, elem, change);
        return;
    }
    if (!change->value) {
        uint32_t start = end_before_attr(elem, (uint32_t)(attr - doc->attrs) - elem->first_attr);

        add_removal(render, (struct domxml_span){ start, attr->value_end + 1 - start });
        return;
    }
    if (strcmp(change->value, dx_string(doc, attr->value)) == 0)
        return;
    dx_escape_attr(&render->text, change->value, doc->text[attr->value_end]);
    add_edit(render, attr->value_start, attr->value_end - attr->value_start, from);
}

/* ---- Inserted elements ---------------------------------------------------------------------- */

/* The indentation @levels below that of @layout's elements. */
static void
put_indent(struct renderer *render, const struct dx_layout *layout, uint32_t levels)
{
    put_span(render, layout->indent);
    for (uint32_t i = 0; i < levels + layout->deeper; i++) {
        if (layout->unit.length > 0)
            put_span(render, layout->unit);
        else
            put(render, "  ");
    }
}

/* The start of a line for an element @levels below those of @layout. */
static void
put_line(struct renderer *render, const struct dx_layout *layout, uint32_t levels)
{
    if (!layout->own_line)
        return;
    put(render, layout->line_end);
    put_indent(render, layout, levels);
}

/* The start tag, with all of the element where it holds no elements; whether it holds some. */
static bool
put_start(struct renderer *render, const struct dx_pending *pending)
{
    put(render, "<");
    put(render, pending->name);
    for (const struct dx_attr_change *attr = pending->change.attrs; attr; attr = attr->next)
        if (attr->value) {
            put(render, " ");
            put_attr(render, attr->name, attr->value, usual_quote(render->doc));
        }
    if (dx_pending_live(pending->change.children)) {
        put(render, ">");
        return true;
    }
    if (pending->change.text && *pending->change.text) {
        put(render, ">");
        dx_escape_text(&render->text, pending->change.text);
        put(render, "</");
        put(render, pending->name);
        put(render, ">");
    } else {
        put(render, "/>");
    }
    return false;
}

static void
put_end(struct renderer *render, const struct dx_pending *pending)
{
    put(render, "</");
    put(render, pending->name);
    put(render, ">");
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
        if (!layout->trails)
            layout->own_line ? put_line(render, layout, 0) : put_span(render, layout->indent);
        else if (layout->own_line)
            put_indent(render, layout, 0);
        put_pending(render, layout, pending);
        if (layout->trails)
            layout->own_line ? put(render, layout->line_end) : put_span(render, layout->indent);
    }
    if (layout->wraps) {
        put(render, layout->line_end);
        put_span(render, layout->indent);
    }
}

/* ---- Content ------------------------------------------------------------------------------ */

/* Replaces the "/>" of <a/>, and blanks before it, so that what is put in the buffer from @from on
 * stands between two tags. */
static void
open_empty_tag(struct renderer *render, const domxml_elem *elem, size_t from)
{
    const char *text = render->doc->text;
    uint32_t start = elem->end - 2, floor = end_before_attr(elem, elem->attr_count);

    while (start > floor && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        start--;
    if (start > floor)
        start = elem->end - 2; /* a line end: "/>" stands on a line of its own */
    put(render, "</");
    put(render, dx_string(render->doc, elem->name));
    put(render, ">");
    add_edit(render, start, elem->end - start, from);
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
        put(render, ">");
        dx_escape_text(&render->text, text);
        open_empty_tag(render, elem, from);
        return;
    }
    if (main.cdata && *text && !strstr(text, "]]>") && !strchr(text, '\r')) {
        put(render, "<![CDATA[");
        put(render, text);
        put(render, "]]>");
    } else {
        dx_escape_text(&render->text, text);
    }
    add_edit(render, main.start, main.end - main.start, from);
    for (uint32_t at = elem->content_start; next_run(elem, at, &run); at = run.end)
        if (run.start != main.start)
            add_removal(render, (struct domxml_span){ run.start, run.end - run.start });
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
            put(render, layout.line_end);
            put_span(render, layout.indent);
        }
    } else {
        dx_escape_text(&render->text, change->text);
    }
    add_edit(render, elem->content_start, elem->content_end - elem->content_start, from);
}

static void
render_children(struct renderer *render, const domxml_elem *elem, const struct dx_pending *child)
{
    while (child) {
        struct dx_layout layout = dx_layout(elem, child->anchor, false);
        const domxml_elem *anchor = child->anchor;
        size_t from = render->text.length;

        if (dx_elem_is_empty_tag(elem)) {
            put(render, ">");
            put_group(render, &layout, child);
            open_empty_tag(render, elem, from);
        } else {
            put_group(render, &layout, child);
            add_edit(render, layout.offset, 0, from);
        }
        while (child && child->anchor == anchor)
            child = dx_pending_live(child->next);
    }
}

static void
render_content(struct renderer *render, const struct dx_change *change)
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

/* ---- Removed elements ----------------------------------------------------------------------- */

static int
compare_rows(const void *one, const void *two)
{
    const domxml_elem *a = *(const domxml_elem *const *)one, *b = *(const domxml_elem *const *)two;

    return a->index < b->index ? -1 : a->index > b->index;
}

/* Whether @next follows @elem on its line with only blanks between. */
static bool
is_beside(const domxml_elem *elem, const domxml_elem *next)
{
    const char *text = elem->doc->text;

    return elem->next == next->index &&
        strspn(text + elem->end, " \t") == (size_t)(next->start - elem->end);
}

/* Whether an insertion, before one of @count elements or behind the last child, goes inside the range
 * of their removal. */
static bool
holds_insertion(const struct renderer *render, const domxml_elem **elems, size_t count,
                struct domxml_span span)
{
    const domxml_elem *first = elems[0], *last = elems[count - 1];
    const domxml_elem *parent = domxml_elem_parent(first);
    const struct dx_change *change = dx_editor_change(render->editor, parent);
    const struct dx_pending *child = dx_pending_live(change ? change->children : NULL);

    for (; child; child = dx_pending_live(child->next)) {
        const domxml_elem *anchor = child->anchor;
        uint32_t offset;

        if (anchor ? anchor->index < first->index || anchor->index > last->index
                   : last->next != DX_NONE)
            continue;
        offset = dx_layout(parent, anchor, false).offset;
        if (offset > span.offset && offset < span.offset + span.length)
            return true;
    }
    return false;
}

/* Removes elements that stand side by side on a line. */
static void
render_removal(struct renderer *render, const domxml_elem **elems, size_t count)
{
    struct domxml_span span = dx_removal_span(render->doc, elems[0]->start, elems[count - 1]->end);

    if (!holds_insertion(render, elems, count, span)) {
        add_removal(render, span);
        return;
    }
    for (size_t i = 0; i < count; i++)
        add_removal(render, domxml_elem_span(elems[i]));
}

static bool
is_rebuilt(const struct renderer *render, const domxml_elem *elem)
{
    const struct dx_change *change = dx_editor_change(render->editor, elem);

    return change && change->text;
}

/* All removals: of elements whose parents stay and keep their content. */
static void
render_removals(struct renderer *render, size_t count)
{
    dx_autofree const domxml_elem **elems = malloc((count + 1) * sizeof(*elems));
    const struct dx_change *change = dx_editor_changes(render->editor);
    size_t found = 0, end;

    if (!elems) {
        render->failed = true;
        return;
    }
    for (; change; change = change->next) {
        const domxml_elem *parent = domxml_elem_parent(change->elem);

        if (change->removed && !dx_editor_is_removed(render->editor, parent) &&
            !is_rebuilt(render, parent))
            elems[found++] = change->elem;
    }
    qsort(elems, found, sizeof(*elems), compare_rows);
    for (size_t i = 0; i < found; i = end) {
        for (end = i + 1; end < found && is_beside(elems[end - 1], elems[end]); end++)
            ;
        render_removal(render, elems + i, end - i);
    }
}

/* ---- The whole ---------------------------------------------------------------------------- */

static int
compare_edits(const void *one, const void *two)
{
    const struct raw_edit *a = one, *b = two;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if ((a->length > 0) != (b->length > 0))
        return a->length > 0 ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

/* Appends the edits, sorted and those that touch joined. */
static bool
join(struct renderer *render, domxml_edits *edits, struct domxml_error *error)
{
    struct dx_buffer text = { NULL, 0, 0, false };
    bool done = true;
    size_t end;

    if (render->count > 0)
        qsort(render->edits, render->count, sizeof(*render->edits), compare_edits);
    for (size_t i = 0; done && i < render->count; i = end) {
        size_t start = render->edits[i].offset, stop = start;

        text.length = 0;
        for (end = i; end < render->count && render->edits[end].offset <= stop; end++) {
            const struct raw_edit *edit = &render->edits[end];

            if (edit->offset < stop && end > i)
                break;
            dx_buffer_add(&text, render->text.text + edit->text, edit->text_length);
            stop = edit->offset + edit->length;
        }
        done = text.failed ? dx_error_no_memory(error)
                           : dx_edits_append(edits, render->doc->text, start, stop - start,
                                             text.text, text.length, error);
    }
    free(text.text);
    return done;
}

domxml_edits *
domxml_editor_finish(const domxml_editor *editor, struct domxml_error *error)
{
    struct renderer render = { .editor = editor, .doc = dx_editor_doc(editor) };
    domxml_edits *edits = domxml_edits_new(error);
    size_t removed = 0;
    bool done = false;

    if (!edits)
        return NULL;
    dx_buffer_add(&render.text, "", 0);
    for (const struct dx_change *change = dx_editor_changes(editor); change; change = change->next) {
        removed += change->removed;
        if (dx_editor_is_removed(editor, change->elem))
            continue;
        for (const struct dx_attr_change *attr = change->attrs; attr; attr = attr->next)
            render_attr(&render, change->elem, attr);
        render_content(&render, change);
    }
    if (removed > 0)
        render_removals(&render, removed);
    if (render.failed || render.text.failed)
        dx_error_no_memory(error);
    else
        done = join(&render, edits, error);
    free(render.text.text);
    free(render.edits);
    if (!done) {
        domxml_edits_free(edits);
        return NULL;
    }
    return edits;
}
