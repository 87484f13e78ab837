/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * editor.c: the changes that are wished for, as an overlay over an immutable document.
 *
 * For each element that is touched there is a struct dx_change: what its attributes and text shall
 * be, which elements were inserted in it, whether it is gone. Operations read through this overlay,
 * so they compose, and what was set twice or set back is seen to be no change. Turning the overlay
 * into edits is render.c's part.
 *
 * Memory comes from an arena that lives as long as the editor; nothing in it is freed before, so the
 * history can name what was there.
 */
#include "libdomxml/internal.h"

#include <libxml/tree.h>
#include <string.h>

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

/* Makes room for one step, so that recording it cannot fail. */
static bool
reserve_step(domxml_editor *editor, struct domxml_error *error)
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

static void
change_string(domxml_editor *editor, const char **where, const char *to)
{
    struct undo *step = record(editor, UNDO_STRING);

    step->where.string = where;
    step->was.string = *where;
    *where = to;
}

static void
link_attr(domxml_editor *editor, struct dx_attr_change **where, struct dx_attr_change *attr)
{
    struct undo *step = record(editor, UNDO_ATTR);

    step->where.attr = where;
    step->was.attr = *where;
    attr->next = *where;
    *where = attr;
}

static void
link_child(domxml_editor *editor, struct dx_pending **where, struct dx_pending *child)
{
    struct undo *step = record(editor, UNDO_CHILD);

    step->where.child = where;
    step->was.child = *where;
    child->next = *where;
    *where = child;
}

static void
flag_removed(domxml_editor *editor, struct dx_change *change)
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
    if (!reserve_step(editor, error))
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

/* ---- Reading through the overlay ------------------------------------------------------------ */

const struct dx_change *
dx_editor_change(const domxml_editor *editor, const domxml_elem *elem)
{
    if (dx_elem_is_pending(elem))
        return &((const struct dx_pending *)elem)->change;
    return editor->by_row[elem->index];
}

const struct dx_attr_change *
dx_change_attr(const struct dx_change *change, const char *name)
{
    const struct dx_attr_change *attr = change ? change->attrs : NULL;

    while (attr && strcmp(attr->name, name) != 0)
        attr = attr->next;
    return attr;
}

const struct dx_pending *
dx_pending_live(const struct dx_pending *pending)
{
    while (pending && pending->change.removed)
        pending = pending->next;
    return pending;
}

bool
dx_editor_is_removed(const domxml_editor *editor, const domxml_elem *elem)
{
    for (; elem; elem = domxml_elem_parent(elem)) {
        const struct dx_change *change = dx_editor_change(editor, elem);

        if (change && change->removed)
            return true;
    }
    return false;
}

static bool
is_there(const domxml_editor *editor, const domxml_elem *elem, const char *name,
         size_t name_length)
{
    const struct dx_change *change = dx_editor_change(editor, elem);

    return !(change && change->removed) && dx_elem_is_named(elem, name, name_length);
}

/* The first that is there and named so of the inserted elements from @pending and the document's from
 * @elem on, in the order in which they stand. */
static const domxml_elem *
first_there(const domxml_editor *editor, const struct dx_pending *pending, const domxml_elem *elem,
            const char *name, size_t name_length)
{
    while (pending || elem) {
        const domxml_elem *candidate;

        if (pending && pending->anchor == elem) {
            candidate = &pending->elem;
            pending = pending->next;
        } else {
            candidate = elem;
            elem = domxml_elem_next(elem, NULL);
        }
        if (is_there(editor, candidate, name, name_length))
            return candidate;
    }
    return NULL;
}

static const domxml_elem *
view_child(const void *data, const domxml_elem *elem, const char *name, size_t name_length)
{
    const domxml_editor *editor = data;
    const struct dx_change *change = dx_editor_change(editor, elem);

    return first_there(editor, change ? change->children : NULL, domxml_elem_child(elem, NULL),
                       name, name_length);
}

static const domxml_elem *
view_next(const void *data, const domxml_elem *elem, const char *name, size_t name_length)
{
    const domxml_editor *editor = data;
    const domxml_elem *parent = domxml_elem_parent(elem);
    const struct dx_change *change;
    const struct dx_pending *pending;

    if (dx_elem_is_pending(elem)) {
        pending = (const struct dx_pending *)elem;
        return first_there(editor, pending->next, pending->anchor, name, name_length);
    }
    change = parent ? dx_editor_change(editor, parent) : NULL;
    pending = change ? change->children : NULL;
    while (pending && pending->anchor && pending->anchor->index <= elem->index)
        pending = pending->next;
    return first_there(editor, pending, domxml_elem_next(elem, NULL), name, name_length);
}

const domxml_elem *
dx_editor_child(const domxml_editor *editor, const domxml_elem *parent, const char *name)
{
    return view_child(editor, parent, name, name ? strlen(name) : 0);
}

const domxml_elem *
dx_editor_next(const domxml_editor *editor, const domxml_elem *elem, const char *name)
{
    return view_next(editor, elem, name, name ? strlen(name) : 0);
}

static const char *
attr_value(const domxml_editor *editor, const domxml_elem *elem, const char *name)
{
    const struct dx_attr_change *changed = dx_change_attr(dx_editor_change(editor, elem), name);
    const struct dx_attr *attr;

    if (changed)
        return changed->value;
    attr = dx_elem_attr(elem, name);
    return attr ? dx_string(elem->doc, attr->value) : NULL;
}

static const char *
text_of(const domxml_editor *editor, const domxml_elem *elem)
{
    const struct dx_change *change = dx_editor_change(editor, elem);

    return change && change->text ? change->text : domxml_elem_text(elem);
}

const char *
dx_editor_attr_name(const domxml_editor *editor, const domxml_elem *elem, size_t index)
{
    const struct dx_change *change = dx_editor_change(editor, elem);
    const char *name;

    for (size_t i = 0; (name = domxml_elem_attr_name(elem, i)); i++)
        if (attr_value(editor, elem, name) && index-- == 0)
            return name;
    for (const struct dx_attr_change *attr = change ? change->attrs : NULL; attr; attr = attr->next)
        if (attr->value && !dx_elem_attr(elem, attr->name) && index-- == 0)
            return attr->name;
    return NULL;
}

const domxml_elem *
domxml_editor_find(const domxml_editor *editor, const domxml_elem *elem, const char *path)
{
    const struct dx_view view = { view_child, view_next, editor };

    if (dx_editor_is_removed(editor, elem))
        return NULL;
    return dx_walk(&view, elem, path, NULL, NULL);
}

const char *
domxml_editor_get(const domxml_editor *editor, const domxml_elem *elem, const char *path)
{
    const char *at_sign = strchr(path, '@');

    elem = domxml_editor_find(editor, elem, path);
    if (!elem)
        return NULL;
    return at_sign ? attr_value(editor, elem, at_sign + 1) : text_of(editor, elem);
}

/* ---- Changing ------------------------------------------------------------------------------- */

/* Whether @elem is of this editor or its document. */
static bool
check_owner(const domxml_editor *editor, const domxml_elem *elem, struct domxml_error *error)
{
    if (!elem)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "no element is given");
    if (dx_elem_is_pending(elem) ? ((const struct dx_pending *)elem)->editor != editor
                                 : elem->doc != editor->doc)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, elem,
                             "<%.60s> belongs to another document or editor",
                             domxml_elem_name(elem));
    return true;
}

/* Whether it can be worked on. */
static bool
check_elem(const domxml_editor *editor, const domxml_elem *elem, struct domxml_error *error)
{
    if (!check_owner(editor, elem, error))
        return false;
    if (dx_editor_is_removed(editor, elem))
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, elem, "<%.60s> has been removed",
                             domxml_elem_name(elem));
    return true;
}

static bool
check_name(const char *name, const char *what, struct domxml_error *error)
{
    if (!name || xmlValidateQName(BAD_CAST name, 0) != 0)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "'%.60s' is no name for an %s",
                        name ? name : "", what);
    return true;
}

/* Namespaces in XML forbids some declarations; the result would be refused when read again. */
static bool
check_declaration(const char *name, const char *value, struct domxml_error *error)
{
    if (!dx_name_is_xmlns(name, strlen(name)))
        return true;
    if (strcmp(name, "xmlns:xml") == 0 || strcmp(name, "xmlns:xmlns") == 0)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "'%s' cannot be declared", name);
    if (value && ((name[5] && !*value) || strcmp(value, "http://www.w3.org/2000/xmlns/") == 0 ||
                  strcmp(value, "http://www.w3.org/XML/1998/namespace") == 0))
        return dx_error(error, DOMXML_ERR_VALUE, NULL, 0,
                        "'%.100s' cannot be the namespace of a prefix", value);
    return true;
}

/* The change of @elem, made where there is none yet. */
static struct dx_change *
touch(domxml_editor *editor, const domxml_elem *elem, struct domxml_error *error)
{
    struct dx_change *change;

    /* Elements that this editor inserted are its own; the const is for its callers. */
    if (dx_elem_is_pending(elem))
        return &((struct dx_pending *)elem)->change;
    if (editor->by_row[elem->index])
        return editor->by_row[elem->index];
    change = dx_arena_alloc(&editor->arena, sizeof(*change));
    if (!change) {
        dx_error_no_memory(error);
        return NULL;
    }
    *change = (struct dx_change){ .next = editor->changes, .elem = elem };
    editor->changes = editor->by_row[elem->index] = change;
    return change;
}

/* The place of @name in the list, or its end. */
static struct dx_attr_change **
find_attr(struct dx_change *change, const char *name)
{
    struct dx_attr_change **link = &change->attrs;

    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

bool
domxml_editor_set_attr(domxml_editor *editor, const domxml_elem *elem, const char *name,
                       const char *value, struct domxml_error *error)
{
    struct dx_attr_change **link, *attr;
    struct dx_change *change;
    const char *current, *copy = NULL;

    if (!check_elem(editor, elem, error) || !check_name(name, "attribute", error) ||
        !check_declaration(name, value, error) || (value && !dx_check_value(value, error)))
        return false;
    current = attr_value(editor, elem, name);
    if (current == value || (current && value && strcmp(current, value) == 0))
        return true;
    change = touch(editor, elem, error);
    if (!change || !reserve_step(editor, error))
        return false;
    if (value) {
        copy = dx_arena_copy(&editor->arena, value, strlen(value));
        if (!copy)
            return dx_error_no_memory(error);
    }
    link = find_attr(change, name);
    if (*link) {
        change_string(editor, &(*link)->value, copy);
        return true;
    }
    attr = dx_arena_alloc(&editor->arena, sizeof(*attr));
    name = dx_arena_copy(&editor->arena, name, strlen(name));
    if (!attr || !name)
        return dx_error_no_memory(error);
    *attr = (struct dx_attr_change){ .name = name, .value = copy };
    link_attr(editor, link, attr);
    return true;
}

/* Where in the list of inserted children one that stands before @before goes, and its @anchor. */
static struct dx_pending **
find_place(struct dx_change *change, const domxml_elem *before, const domxml_elem **anchor)
{
    struct dx_pending **link = &change->children;

    if (before && dx_elem_is_pending(before)) {
        *anchor = ((const struct dx_pending *)before)->anchor;
        while (&(*link)->elem != before)
            link = &(*link)->next;
        return link;
    }
    *anchor = before;
    while (*link && (!before || ((*link)->anchor && (*link)->anchor->index <= before->index)))
        link = &(*link)->next;
    return link;
}

static bool
check_depth(const domxml_elem *parent, struct domxml_error *error)
{
    int depth = 1;

    for (const domxml_elem *elem = parent; elem; elem = domxml_elem_parent(elem))
        depth++;
    if (depth > DOMXML_MAX_DEPTH)
        return dx_error_elem(error, DOMXML_ERR_TOO_DEEP, parent,
                             "elements would be nested more than %d deep", DOMXML_MAX_DEPTH);
    return true;
}

/* Whether @parent can take a child before @before. */
static bool
check_insertion(const domxml_editor *editor, const domxml_elem *parent, const domxml_elem *before,
                struct domxml_error *error)
{
    const struct dx_change *change = dx_editor_change(editor, parent);

    if (before && !check_elem(editor, before, error))
        return false;
    if (before && domxml_elem_parent(before) != parent)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, before, "<%.60s> is no child of <%.60s>",
                             domxml_elem_name(before), domxml_elem_name(parent));
    if (change && change->text && *change->text)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, parent,
                             "<%.60s> was given a text and takes no elements",
                             domxml_elem_name(parent));
    return check_depth(parent, error);
}

const domxml_elem *
domxml_editor_insert_child(domxml_editor *editor, const domxml_elem *parent, const char *name,
                           const domxml_elem *before, struct domxml_error *error)
{
    struct dx_pending *child, **link;
    struct dx_change *change;
    const domxml_elem *anchor;

    if (!check_elem(editor, parent, error) || !check_name(name, "element", error) ||
        !check_insertion(editor, parent, before, error))
        return NULL;
    change = touch(editor, parent, error);
    if (!change || !reserve_step(editor, error))
        return NULL;
    child = dx_arena_alloc(&editor->arena, sizeof(*child));
    name = dx_arena_copy(&editor->arena, name, strlen(name));
    if (!child || !name) {
        dx_error_no_memory(error);
        return NULL;
    }
    link = find_place(change, before, &anchor);
    *child = (struct dx_pending){
        .elem = { .index = DX_NONE, .parent = DX_NONE, .first_child = DX_NONE, .next = DX_NONE },
        .editor = editor,
        .parent = parent,
        .anchor = anchor,
        .name = name,
        .change = { .elem = &child->elem },
    };
    link_child(editor, link, child);
    return &child->elem;
}

const domxml_elem *
domxml_editor_ensure_child(domxml_editor *editor, const domxml_elem *parent, const char *name,
                           const domxml_elem *before, struct domxml_error *error)
{
    const domxml_elem *child;

    if (!check_elem(editor, parent, error) || !check_name(name, "element", error))
        return NULL;
    child = dx_editor_child(editor, parent, name);
    return child ? child : domxml_editor_insert_child(editor, parent, name, before, error);
}

bool
domxml_editor_remove(domxml_editor *editor, const domxml_elem *elem, struct domxml_error *error)
{
    struct dx_change *change;

    if (!check_owner(editor, elem, error))
        return false;
    if (dx_editor_is_removed(editor, elem))
        return true;
    if (!domxml_elem_parent(elem))
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, elem, "the root cannot be removed");
    change = touch(editor, elem, error);
    if (!change || !reserve_step(editor, error))
        return false;
    flag_removed(editor, change);
    return true;
}

bool
domxml_editor_set_text(domxml_editor *editor, const domxml_elem *elem, const char *text,
                       struct domxml_error *error)
{
    struct dx_change *change;
    const char *copy = NULL;

    if (!check_elem(editor, elem, error))
        return false;
    if (!text)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "no text is given");
    if (!dx_check_value(text, error))
        return false;
    if (dx_editor_child(editor, elem, NULL))
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, elem,
                             "<%.60s> holds elements and takes no text", domxml_elem_name(elem));
    if (strcmp(text_of(editor, elem), text) == 0)
        return true;
    change = touch(editor, elem, error);
    if (!change || !reserve_step(editor, error))
        return false;
    if (domxml_elem_child(elem, NULL) || strcmp(domxml_elem_text(elem), text) != 0) {
        copy = dx_arena_copy(&editor->arena, text, strlen(text));
        if (!copy)
            return dx_error_no_memory(error);
    }
    change_string(editor, &change->text, copy);
    return true;
}
