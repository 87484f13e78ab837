/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * view.c: reading a document with the changes of an editor in force.
 */
#include "libdomxml/editor.h"

#include <string.h>

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

/* The first that is there and named so of the inserted elements from @pending and the document's
 * from @elem on, in the order in which they stand. */
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

const char *
dx_editor_attr(const domxml_editor *editor, const domxml_elem *elem, const char *name)
{
    const struct dx_attr_change *changed = dx_change_attr(dx_editor_change(editor, elem), name);
    const struct dx_attr *attr;

    if (changed)
        return changed->value;
    attr = dx_elem_attr(elem, name);
    return attr ? dx_string(elem->doc, attr->value) : NULL;
}

const char *
dx_editor_text(const domxml_editor *editor, const domxml_elem *elem)
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
        if (dx_editor_attr(editor, elem, name) && index-- == 0)
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
    return at_sign ? dx_editor_attr(editor, elem, at_sign + 1) : dx_editor_text(editor, elem);
}
