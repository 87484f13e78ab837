/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * editor.h: what an editor consists of, for the files that it is spread over: editor.c (life,
 * history, notes), view.c (reading through the changes) and change.c (making them).
 *
 * Memory comes from an arena that lives as long as the editor; nothing in it is freed before, so
 * the history can name what was there.
 */
#ifndef DX_EDITOR_H
#define DX_EDITOR_H

#include "libdomxml/internal.h"

/* What one step of the history puts back, and where. */
enum undo_kind { UNDO_STRING, UNDO_ATTR, UNDO_CHILD, UNDO_REMOVAL, UNDO_NOTE };

struct undo {
    enum undo_kind kind;
    union {
        const char **string;
        struct dx_attr_change **attr;
        struct dx_pending **child;
        bool *removed;
    } where;
    union {
        const char *string;
        struct dx_attr_change *attr;
        struct dx_pending *child;
    } was;
};

struct domxml_editor {
    const domxml_doc *doc;
    struct dx_change **by_row; /* one for each element of the document, NULL: no change */
    struct dx_change *changes;
    struct dx_arena arena;
    struct undo *history;
    size_t history_count, history_size;
    const char **notes;
    size_t note_count, note_size;
};

/* ---- History: each change is recorded while it is made ------------------------------------- */

/* Makes room for one step, so that recording it cannot fail. */
bool dx_reserve_step(domxml_editor *editor, struct domxml_error *error);

/* Each makes a change for which room was made. */
void dx_change_string(domxml_editor *editor, const char **where, const char *to);
void dx_link_attr(domxml_editor *editor, struct dx_attr_change **where,
                  struct dx_attr_change *attr);
void dx_link_child(domxml_editor *editor, struct dx_pending **where, struct dx_pending *child);
void dx_flag_removed(domxml_editor *editor, struct dx_change *change);

/* ---- Reading ------------------------------------------------------------------------------ */

/* The value that an attribute has with the changes in force, or NULL. */
const char *dx_editor_attr(const domxml_editor *editor, const domxml_elem *elem, const char *name);

/* The text likewise. */
const char *dx_editor_text(const domxml_editor *editor, const domxml_elem *elem);

#endif
