/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * editor.c: the changes that are wished for, as an overlay over an immutable document: its life,
 * its history and its notes.
 *
 * For each element that is touched there is a struct dx_change: what its attributes and text shall
 * be, which elements were inserted in it, whether it is gone. Operations read through this overlay,
 * so they compose, and what was set twice or set back is seen to be no change. Turning the overlay
 * into edits is render.c's part.
 */
#include "libdomxml/editor.h"

#include <string.h>

domxml_editor *
domxml_editor_new(const domxml_doc *doc, struct domxml_error *error)
{
    domxml_editor *editor = calloc(1, sizeof(*editor));

    if (editor) {
        editor->doc = doc;
        editor->by_row = calloc(doc->elem_count, sizeof(*editor->by_row));
    }
    if (!editor || !editor->by_row) {
        free(editor);
        dx_error_no_memory(error);
        return NULL;
    }
    return editor;
}

void
domxml_editor_free(domxml_editor *editor)
{
    if (!editor)
        return;
    free(editor->by_row);
    free(editor->history);
    free(editor->notes);
    dx_arena_free(&editor->arena);
    free(editor);
}

const domxml_doc *
dx_editor_doc(const domxml_editor *editor)
{
    return editor->doc;
}

const struct dx_change *
dx_editor_changes(const domxml_editor *editor)
{
    return editor->changes;
}

/* ---- History ------------------------------------------------------------------------------ */

bool
dx_reserve_step(domxml_editor *editor, struct domxml_error *error)
{
    size_t size = editor->history_size + editor->history_size / 2 + 16;
    struct undo *history;

    if (editor->history_count < editor->history_size)
        return true;
    history = realloc(editor->history, size * sizeof(*history));
    if (!history)
        return dx_error_no_memory(error);
    editor->history = history;
    editor->history_size = size;
    return true;
}

static struct undo *
record(domxml_editor *editor, enum undo_kind kind)
{
    struct undo *step = &editor->history[editor->history_count++];

    step->kind = kind;
    return step;
}

void
dx_change_string(domxml_editor *editor, const char **where, const char *to)
{
    struct undo *step = record(editor, UNDO_STRING);

    step->where.string = where;
    step->was.string = *where;
    *where = to;
}

void
dx_link_attr(domxml_editor *editor, struct dx_attr_change **where, struct dx_attr_change *attr)
{
    struct undo *step = record(editor, UNDO_ATTR);

    step->where.attr = where;
    step->was.attr = *where;
    attr->next = *where;
    *where = attr;
}

void
dx_link_child(domxml_editor *editor, struct dx_pending **where, struct dx_pending *child)
{
    struct undo *step = record(editor, UNDO_CHILD);

    step->where.child = where;
    step->was.child = *where;
    child->next = *where;
    *where = child;
}

void
dx_flag_removed(domxml_editor *editor, struct dx_change *change)
{
    record(editor, UNDO_REMOVAL)->where.removed = &change->removed;
    change->removed = true;
}

size_t
dx_editor_mark(const domxml_editor *editor)
{
    return editor->history_count;
}

void
dx_editor_rollback(domxml_editor *editor, size_t mark)
{
    while (editor->history_count > mark) {
        const struct undo *step = &editor->history[--editor->history_count];

        switch (step->kind) {
        case UNDO_STRING:
            *step->where.string = step->was.string;
            break;
        case UNDO_ATTR:
            *step->where.attr = step->was.attr;
            break;
        case UNDO_CHILD:
            *step->where.child = step->was.child;
            break;
        case UNDO_REMOVAL:
            *step->where.removed = false;
            break;
        case UNDO_NOTE:
            editor->note_count--;
            break;
        }
    }
}

/* ---- Notes -------------------------------------------------------------------------------- */

bool
dx_editor_note(domxml_editor *editor, struct domxml_error *error, const char *format, ...)
{
    dx_autofree char *text = NULL;
    const char *note;
    va_list args;

    if (editor->note_count == editor->note_size) {
        size_t size = editor->note_size * 2 + 8;
        const char **notes = realloc(editor->notes, size * sizeof(*notes));

        if (!notes)
            return dx_error_no_memory(error);
        editor->notes = notes;
        editor->note_size = size;
    }
    va_start(args, format);
    text = dx_vformat(format, args);
    va_end(args);
    note = text ? dx_arena_copy(&editor->arena, text, strlen(text)) : NULL;
    if (!note)
        return dx_error_no_memory(error);
    if (!dx_reserve_step(editor, error))
        return false;
    record(editor, UNDO_NOTE);
    editor->notes[editor->note_count++] = note;
    return true;
}

size_t
domxml_editor_note_count(const domxml_editor *editor)
{
    return editor->note_count;
}

const char *
domxml_editor_note(const domxml_editor *editor, size_t index)
{
    return index < editor->note_count ? editor->notes[index] : NULL;
}
