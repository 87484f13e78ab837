/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * render.c: from the changes of an editor to edits of the document's text.
 *
 * Each change gives raw edits, in any order. They are sorted, and those that touch are joined: an
 * element that takes the place of a removed one is one edit.
 */
#include "libdomxml/render.h"

#include <string.h>

/* ---- Collecting --------------------------------------------------------------------------- */

void
dx_render_edit(struct renderer *render, size_t offset, size_t length, size_t from)
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

void
dx_render_removal(struct renderer *render, struct domxml_span span)
{
    dx_render_edit(render, span.offset, span.length, render->text.length);
}

void
dx_put(struct renderer *render, const char *text)
{
    dx_buffer_add_string(&render->text, text);
}

void
dx_put_span(struct renderer *render, struct domxml_span span)
{
    dx_buffer_add(&render->text, render->doc->text + span.offset, span.length);
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
    for (const struct dx_change *change = dx_editor_changes(editor); change;
         change = change->next) {
        removed += change->removed;
        if (dx_editor_is_removed(editor, change->elem))
            continue;
        for (const struct dx_attr_change *attr = change->attrs; attr; attr = attr->next)
            dx_render_attr(&render, change->elem, attr);
        dx_render_content(&render, change);
    }
    if (removed > 0)
        dx_render_removals(&render, removed);
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
