/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compose.c: two lists of edits, the second for what the first makes of a text, as one.
 *
 * What the first list makes is looked at as a sequence of pieces: bytes kept of the text, and texts
 * of edits. The second list cuts pieces out and puts texts of its own between. What is left is read
 * off as edits again: whatever stands between two kept ranges takes the place of what stood there.
 */
#include "libdomxml/internal.h"

#include <string.h>

struct composer {
    /* The pieces: */
    const domxml_edits *first;
    const char *text;
    size_t length;
    size_t index;  /* the edit of @first that comes next, or whose text is being read */
    size_t at;     /* in @text: what comes next of it */
    size_t within; /* in the text of edit @index */
    bool in_edit;
    /* The result: */
    domxml_edits *edits;
    size_t kept;           /* the end of the range kept last */
    struct dx_buffer made; /* what was put behind it */
    struct domxml_error *error;
};

/* Reads the text from @kept up to @start off as an edit. */
static bool
keep(struct composer *composer, size_t start, size_t end)
{
    struct dx_buffer *made = &composer->made;

    if (made->failed)
        return dx_error_no_memory(composer->error);
    if ((start > composer->kept || made->length > 0) &&
        !dx_edits_append(composer->edits, composer->text, composer->kept, start - composer->kept,
                         made->text, made->length, composer->error))
        return false;
    made->length = 0;
    composer->kept = end;
    return true;
}

/* Takes @count bytes off the pieces, into the result where @wanted. False also where there are not
 * as many. */
static bool
take(struct composer *composer, size_t count, bool wanted)
{
    while (count > 0) {
        const struct domxml_edit *edit = domxml_edits_get(composer->first, composer->index);
        size_t step;

        if (edit && !composer->in_edit && edit->offset == composer->at) {
            composer->in_edit = true;
            composer->within = 0;
            composer->at += edit->length;
        }
        if (composer->in_edit) {
            step = edit->text_length - composer->within;
            step = step < count ? step : count;
            if (wanted)
                dx_buffer_add(&composer->made, edit->text + composer->within, step);
            composer->within += step;
            if (composer->within == edit->text_length) {
                composer->in_edit = false;
                composer->index++;
            }
        } else {
            step = (edit ? edit->offset : composer->length) - composer->at;
            if (step == 0)
                return dx_error(composer->error, DOMXML_ERR_OVERLAP, NULL, 0,
                                "the second edits lie outside what the first make");
            step = step < count ? step : count;
            if (wanted && !keep(composer, composer->at, composer->at + step))
                return false;
            composer->at += step;
        }
        count -= step;
    }
    return true;
}

static bool
compose(struct composer *composer, const domxml_edits *second)
{
    size_t at = 0, rest = composer->length;

    for (size_t i = 0; i < composer->first->count; i++) {
        rest -= composer->first->items[i].length;
        rest += composer->first->items[i].text_length;
    }
    if (!dx_edits_check(second, rest, composer->error))
        return false;
    for (size_t i = 0; i < second->count; i++) {
        const struct domxml_edit *edit = &second->items[i];

        if (!take(composer, edit->offset - at, true) || !take(composer, edit->length, false))
            return false;
        dx_buffer_add(&composer->made, edit->text, edit->text_length);
        at = edit->offset + edit->length;
    }
    return take(composer, rest - at, true) && keep(composer, composer->length, composer->length);
}

domxml_edits *
domxml_edits_compose(const domxml_edits *first, const domxml_edits *second, const char *text,
                     size_t length, struct domxml_error *error)
{
    struct composer composer = { .first = first, .text = text, .length = length, .error = error };
    bool done;

    if (!dx_edits_check(first, length, error))
        return NULL;
    composer.edits = domxml_edits_new(error);
    done = composer.edits && compose(&composer, second);
    free(composer.made.text);
    if (!done) {
        domxml_edits_free(composer.edits);
        return NULL;
    }
    return composer.edits;
}
