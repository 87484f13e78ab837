/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * edits.c: sorted lists of edits that do not overlap, and applying them.
 */
#include "libdomxml/internal.h"

#include <string.h>

domxml_edits *
domxml_edits_new(struct domxml_error *error)
{
    domxml_edits *edits = calloc(1, sizeof(*edits));

    if (!edits)
        dx_error_no_memory(error);
    return edits;
}

void
domxml_edits_free(domxml_edits *edits)
{
    if (!edits)
        return;
    free(edits->items);
    dx_arena_free(&edits->texts);
    free(edits);
}

size_t
domxml_edits_count(const domxml_edits *edits)
{
    return edits->count;
}

const struct domxml_edit *
domxml_edits_get(const domxml_edits *edits, size_t index)
{
    return index < edits->count ? &edits->items[index] : NULL;
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* Whether an edit stands before another: by offset; an insertion before a change of what
 * follows. */
static bool
stands_before(const struct domxml_edit *one, const struct domxml_edit *two)
{
    if (one->offset != two->offset)
        return one->offset < two->offset;
    return one->length == 0 && two->length > 0;
}

/* Whether two edits, the first of which stands before the second, or neither does, overlap. */
static bool
overlap(const struct domxml_edit *one, const struct domxml_edit *two)
{
    if (one->offset == two->offset)
        return (one->length > 0) == (two->length > 0);
    return two->offset < one->offset + one->length;
}

static bool
refuse_overlap(const struct domxml_edit *edit, struct domxml_error *error)
{
    dx_error(error, DOMXML_ERR_OVERLAP, NULL, 0, "the edit at offset %zu overlaps another one",
             edit->offset);
    if (error && error->code == DOMXML_ERR_OVERLAP)
        error->offset = edit->offset;
    return false;
}

static bool
reserve(domxml_edits *edits, size_t more, struct domxml_error *error)
{
    size_t size = edits->size + edits->size / 2 + more + 4;
    struct domxml_edit *items;

    if (edits->size - edits->count >= more)
        return true;
    items = size < SIZE_MAX / sizeof(*items) ? realloc(edits->items, size * sizeof(*items)) : NULL;
    if (!items)
        return dx_error_no_memory(error);
    edits->items = items;
    edits->size = size;
    return true;
}

/* The index at which @edit belongs. */
static size_t
find_place(const domxml_edits *edits, const struct domxml_edit *edit)
{
    size_t low = 0, high = edits->count;

    if (high > 0 && stands_before(&edits->items[high - 1], edit))
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (stands_before(&edits->items[middle], edit))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool
domxml_edits_add(domxml_edits *edits, size_t offset, size_t length, const char *text,
                 size_t text_length, struct domxml_error *error)
{
    struct domxml_edit edit = { offset, length, NULL, text_length };
    size_t index;

    if (length > SIZE_MAX - offset)
        return dx_error(error, DOMXML_ERR_OVERLAP, NULL, 0, "the edit ends past any text");
    index = find_place(edits, &edit);
    if ((index > 0 && overlap(&edits->items[index - 1], &edit)) ||
        (index < edits->count && overlap(&edit, &edits->items[index])))
        return refuse_overlap(&edit, error);
    edit.text = dx_arena_copy(&edits->texts, text, text_length);
    if (!edit.text)
        return dx_error_no_memory(error);
    if (!reserve(edits, 1, error))
        return false;
    memmove(edits->items + index + 1, edits->items + index,
            (edits->count - index) * sizeof(*edits->items));
    edits->items[index] = edit;
    edits->count++;
    return true;
}

bool
dx_edits_append(domxml_edits *edits, const char *original, size_t offset, size_t length,
                const char *text, size_t text_length, struct domxml_error *error)
{
    if (length == text_length &&
        (length == 0 || memcmp(original + offset, text, length) == 0))
        return true;
    return domxml_edits_add(edits, offset, length, text, text_length, error);
}

bool
domxml_edits_merge(domxml_edits *edits, const domxml_edits *more, struct domxml_error *error)
{
    struct domxml_edit *items;
    size_t one = 0, two = 0, count = 0;
    bool done = true;

    if (more->count == 0)
        return true;
    items = malloc((edits->count + more->count) * sizeof(*items));
    if (!items)
        return dx_error_no_memory(error);
    while (done && (one < edits->count || two < more->count)) {
        bool own = two == more->count ||
            (one < edits->count && stands_before(&edits->items[one], &more->items[two]));
        struct domxml_edit *item = &items[count];

        *item = own ? edits->items[one++] : more->items[two++];
        if (count > 0 && overlap(item - 1, item)) {
            done = refuse_overlap(item, error);
        } else if (!own) {
            item->text = dx_arena_copy(&edits->texts, item->text, item->text_length);
            if (!item->text)
                done = dx_error_no_memory(error);
        }
        count++;
    }
    if (!done) {
        free(items);
        return false;
    }
    free(edits->items);
    edits->items = items;
    edits->count = edits->size = count;
    return true;
}

/* ---- Applying ----------------------------------------------------------------------------- */

bool
dx_edits_check(const domxml_edits *edits, size_t length, struct domxml_error *error)
{
    for (size_t i = 0; i < edits->count; i++) {
        const struct domxml_edit *edit = &edits->items[i];

        if (edit->offset > length || edit->length > length - edit->offset)
            return dx_error(error, DOMXML_ERR_OVERLAP, NULL, 0,
                            "the edit at offset %zu lies outside the text, which has %zu bytes",
                            edit->offset, length);
    }
    return true;
}

/* The length of the text after the edits, or SIZE_MAX where it cannot be. */
static size_t
measure(const domxml_edits *edits, size_t length)
{
    for (size_t i = 0; i < edits->count; i++) {
        length -= edits->items[i].length;
        if (edits->items[i].text_length >= SIZE_MAX - length)
            return SIZE_MAX;
        length += edits->items[i].text_length;
    }
    return length;
}

/* Edits that touch are undone by one, since two might then insert at one place. */
static domxml_edits *
invert(const domxml_edits *edits, const char *text, struct domxml_error *error)
{
    domxml_edits *inverse = domxml_edits_new(error);
    size_t at = 0, moved = 0, end; /* an offset in @text, and the same in the changed text */
    bool done = inverse != NULL;

    for (size_t i = 0; done && i < edits->count; i = end) {
        size_t start = edits->items[i].offset, stop = start, length = 0;

        for (end = i; end < edits->count && edits->items[end].offset == stop; end++) {
            stop += edits->items[end].length;
            length += edits->items[end].text_length;
        }
        moved += start - at;
        done = domxml_edits_add(inverse, moved, length, text + start, stop - start, error);
        moved += length;
        at = stop;
    }
    if (!done) {
        domxml_edits_free(inverse);
        return NULL;
    }
    return inverse;
}

static void
copy_applied(const domxml_edits *edits, const char *text, size_t length, char *out)
{
    size_t at = 0;

    for (size_t i = 0; i < edits->count; i++) {
        const struct domxml_edit *edit = &edits->items[i];

        memcpy(out, text + at, edit->offset - at);
        out += edit->offset - at;
        memcpy(out, edit->text, edit->text_length);
        out += edit->text_length;
        at = edit->offset + edit->length;
    }
    memcpy(out, text + at, length - at);
    out[length - at] = '\0';
}

char *
domxml_edits_apply(const domxml_edits *edits, const char *text, size_t length, size_t *new_length,
                   domxml_edits **inverse, struct domxml_error *error)
{
    domxml_edits *undo = NULL;
    size_t changed_length;
    char *changed;

    if (!text && length == 0)
        text = "";
    if (!dx_edits_check(edits, length, error))
        return NULL;
    changed_length = measure(edits, length);
    changed = changed_length < SIZE_MAX ? malloc(changed_length + 1) : NULL;
    if (!changed) {
        dx_error_no_memory(error);
        return NULL;
    }
    if (inverse) {
        undo = invert(edits, text, error);
        if (!undo) {
            free(changed);
            return NULL;
        }
        *inverse = undo;
    }
    copy_applied(edits, text, length, changed);
    if (new_length)
        *new_length = changed_length;
    return changed;
}
