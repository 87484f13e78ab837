/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * change.c: the low-level operations of an editor. Each checks all, then allocates all, and only
 * then changes anything, so that one that fails leaves the editor as it was.
 */
#include "libdomxml/editor.h"

#include <libxml/tree.h>
#include <string.h>

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
    current = dx_editor_attr(editor, elem, name);
    if (current == value || (current && value && strcmp(current, value) == 0))
        return true;
    change = touch(editor, elem, error);
    if (!change || !dx_reserve_step(editor, error))
        return false;
    if (value) {
        copy = dx_arena_copy(&editor->arena, value, strlen(value));
        if (!copy)
            return dx_error_no_memory(error);
    }
    link = find_attr(change, name);
    if (*link) {
        dx_change_string(editor, &(*link)->value, copy);
        return true;
    }
    attr = dx_arena_alloc(&editor->arena, sizeof(*attr));
    name = dx_arena_copy(&editor->arena, name, strlen(name));
    if (!attr || !name)
        return dx_error_no_memory(error);
    *attr = (struct dx_attr_change){ .name = name, .value = copy };
    dx_link_attr(editor, link, attr);
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
    if (!change || !dx_reserve_step(editor, error))
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
    dx_link_child(editor, link, child);
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
    if (!change || !dx_reserve_step(editor, error))
        return false;
    dx_flag_removed(editor, change);
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
    if (strcmp(dx_editor_text(editor, elem), text) == 0)
        return true;
    change = touch(editor, elem, error);
    if (!change || !dx_reserve_step(editor, error))
        return false;
    if (domxml_elem_child(elem, NULL) || strcmp(domxml_elem_text(elem), text) != 0) {
        copy = dx_arena_copy(&editor->arena, text, strlen(text));
        if (!copy)
            return dx_error_no_memory(error);
    }
    dx_change_string(editor, &change->text, copy);
    return true;
}
