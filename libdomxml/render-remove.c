/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render-remove.c: the edits of removed elements, with the lines that they leave empty.
 */
#include "libdomxml/render.h"

#include <string.h>

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

/* Whether an insertion, before one of @count elements or behind the last child, goes inside the
 * range of their removal. */
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
        dx_render_removal(render, span);
        return;
    }
    for (size_t i = 0; i < count; i++)
        dx_render_removal(render, domxml_elem_span(elems[i]));
}

static bool
is_rebuilt(const struct renderer *render, const domxml_elem *elem)
{
    const struct dx_change *change = dx_editor_change(render->editor, elem);

    return change && change->text;
}

/* Of elements whose parents stay and keep their content. */
void
dx_render_removals(struct renderer *render, size_t count)
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
