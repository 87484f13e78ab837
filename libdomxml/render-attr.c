/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render-attr.c: the edits of attributes: values between their quotes, new ones beside their
 * neighbours.
 */
#include "libdomxml/render.h"

#include <string.h>

void
dx_put_attr(struct renderer *render, const char *name, const char *value, char quote)
{
    dx_put(render, name);
    dx_put(render, "=");
    dx_buffer_add(&render->text, &quote, 1);
    dx_escape_attr(&render->text, value, quote);
    dx_buffer_add(&render->text, &quote, 1);
}

char
dx_usual_quote(const domxml_doc *doc)
{
    return doc->attr_count > 0 ? doc->text[doc->attrs[0].value_start - 1] : '\'';
}

uint32_t
dx_end_before_attr(const domxml_elem *elem, uint32_t index)
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
    uint32_t end = dx_end_before_attr(elem, index);

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
    char quote = dx_usual_quote(doc);

    if (has_attr_lines(elem))
        dx_put_span(render, space_before_attr(elem, elem->attr_count - 1));
    else
        dx_put(render, " ");
    if (elem->attr_count > 0)
        quote = doc->text[doc->attrs[elem->first_attr + elem->attr_count - 1].value_end];
    dx_put_attr(render, change->name, change->value, quote);
    dx_render_edit(render, dx_end_before_attr(elem, elem->attr_count), 0, from);
}

void
dx_render_attr(struct renderer *render, const domxml_elem *elem,
               const struct dx_attr_change *change)
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
        uint32_t start = dx_end_before_attr(elem, (uint32_t)(attr - doc->attrs) - elem->first_attr);

        dx_render_removal(render, (struct domxml_span){ start, attr->value_end + 1 - start });
        return;
    }
    if (strcmp(change->value, dx_string(doc, attr->value)) == 0)
        return;
    dx_escape_attr(&render->text, change->value, doc->text[attr->value_end]);
    dx_render_edit(render, attr->value_start, attr->value_end - attr->value_start, from);
}
