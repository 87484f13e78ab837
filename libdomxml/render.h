/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render.h: what the files share that turn the changes of an editor into edits: render.c (the
 * whole), render-attr.c, render-content.c and render-remove.c.
 */
#ifndef DX_RENDER_H
#define DX_RENDER_H

#include "libdomxml/internal.h"

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

/* Adds an edit whose text is what was added to the buffer since it was @from long. */
void dx_render_edit(struct renderer *render, size_t offset, size_t length, size_t from);
void dx_render_removal(struct renderer *render, struct domxml_span span);

/* Each adds to the buffer. */
void dx_put(struct renderer *render, const char *text);
void dx_put_span(struct renderer *render, struct domxml_span span);
void dx_put_attr(struct renderer *render, const char *name, const char *value, char quote);

/* The quote of the document's first attribute. */
char dx_usual_quote(const domxml_doc *doc);

/* Behind what attribute @index of the element, or else its name, ends. */
uint32_t dx_end_before_attr(const domxml_elem *elem, uint32_t index);

/* The edits of one element's attribute, and of its text and inserted children. */
void dx_render_attr(struct renderer *render, const domxml_elem *elem,
                    const struct dx_attr_change *change);
void dx_render_content(struct renderer *render, const struct dx_change *change);

/* The edits of all removed elements, at most @count. */
void dx_render_removals(struct renderer *render, size_t count);

#endif
