/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * path.c: read access to a document's table, by elements and by short paths.
 */
#include "libdomxml/internal.h"

#include <string.h>

/* ---- Elements and attributes --------------------------------------------------------------- */

const char *
domxml_elem_name(const domxml_elem *elem)
{
    if (dx_elem_is_pending(elem))
        return ((const struct dx_pending *)elem)->name;
    return dx_string(elem->doc, elem->name);
}

const char *
domxml_elem_local_name(const domxml_elem *elem)
{
    const char *name = domxml_elem_name(elem);
    const char *colon = strchr(name, ':');

    return colon ? colon + 1 : name;
}

const char *
domxml_elem_namespace(const domxml_elem *elem)
{
    if (dx_elem_is_pending(elem) || elem->uri == 0)
        return NULL;
    return dx_string(elem->doc, elem->uri);
}

const domxml_elem *
domxml_elem_parent(const domxml_elem *elem)
{
    if (dx_elem_is_pending(elem))
        return ((const struct dx_pending *)elem)->parent;
    return dx_elem_at(elem->doc, elem->parent);
}

bool
dx_elem_is_named(const domxml_elem *elem, const char *name, size_t name_length)
{
    const char *own;

    if (!name)
        return true;
    own = domxml_elem_name(elem);
    return strncmp(own, name, name_length) == 0 && own[name_length] == '\0';
}

/* The first of the element in row @index and its followers that is named so. */
static const domxml_elem *
first_named(const domxml_doc *doc, uint32_t index, const char *name, size_t name_length)
{
    while (index != DX_NONE && !dx_elem_is_named(&doc->elems[index], name, name_length))
        index = doc->elems[index].next;
    return dx_elem_at(doc, index);
}

static const domxml_elem *
view_child(const void *data, const domxml_elem *elem, const char *name, size_t name_length)
{
    (void)data;
    if (dx_elem_is_pending(elem))
        return NULL;
    return first_named(elem->doc, elem->first_child, name, name_length);
}

static const domxml_elem *
view_next(const void *data, const domxml_elem *elem, const char *name, size_t name_length)
{
    (void)data;
    if (dx_elem_is_pending(elem))
        return NULL;
    return first_named(elem->doc, elem->next, name, name_length);
}

static const struct dx_view document_view = { view_child, view_next, NULL };

const domxml_elem *
domxml_elem_child(const domxml_elem *elem, const char *name)
{
    return view_child(NULL, elem, name, name ? strlen(name) : 0);
}

const domxml_elem *
domxml_elem_next(const domxml_elem *elem, const char *name)
{
    return view_next(NULL, elem, name, name ? strlen(name) : 0);
}

const domxml_elem *
domxml_elem_child_ns(const domxml_elem *elem, const char *uri, const char *local_name)
{
    const domxml_elem *child = domxml_elem_child(elem, NULL);

    for (; child; child = domxml_elem_next(child, NULL)) {
        const char *own = domxml_elem_namespace(child);

        if (own && strcmp(own, uri) == 0 &&
            strcmp(domxml_elem_local_name(child), local_name) == 0)
            return child;
    }
    return NULL;
}

const char *
domxml_elem_text(const domxml_elem *elem)
{
    return dx_elem_is_pending(elem) ? "" : dx_string(elem->doc, elem->text);
}

static const struct dx_attr *
attr_at(const domxml_elem *elem, size_t index)
{
    if (dx_elem_is_pending(elem) || index >= elem->attr_count)
        return NULL;
    return &elem->doc->attrs[elem->first_attr + index];
}

size_t
domxml_elem_attr_count(const domxml_elem *elem)
{
    return dx_elem_is_pending(elem) ? 0 : elem->attr_count;
}

const char *
domxml_elem_attr_name(const domxml_elem *elem, size_t index)
{
    const struct dx_attr *attr = attr_at(elem, index);

    return attr ? dx_string(elem->doc, attr->name) : NULL;
}

const char *
domxml_elem_attr_value(const domxml_elem *elem, size_t index)
{
    const struct dx_attr *attr = attr_at(elem, index);

    return attr ? dx_string(elem->doc, attr->value) : NULL;
}

const struct dx_attr *
dx_elem_attr(const domxml_elem *elem, const char *name)
{
    const struct dx_attr *attr;

    for (size_t i = 0; (attr = attr_at(elem, i)); i++)
        if (strcmp(dx_string(elem->doc, attr->name), name) == 0)
            return attr;
    return NULL;
}

struct domxml_span
domxml_elem_span(const domxml_elem *elem)
{
    if (dx_elem_is_pending(elem))
        return (struct domxml_span){ 0, 0 };
    return (struct domxml_span){ elem->start, elem->end - elem->start };
}

/* ---- Paths -------------------------------------------------------------------------------- */

/* The path's part before @part, which is not the first one. */
static const char *
part_before(const char *path, const char *part)
{
    for (part--; part > path && part[-1] != '/'; part--)
        ;
    return part;
}

/* Looks at all ways that the names leave open, in document order: where the first <source> has no
 * <slices>, a second one may. */
const domxml_elem *
dx_walk(const struct dx_view *view, const domxml_elem *elem, const char *path,
        const domxml_elem **deepest, const char **attr)
{
    const char *at_sign = strchr(path, '@');
    const char *end = at_sign ? at_sign : path + strlen(path);
    const char *part = path;
    size_t depth = 0, deepest_depth = 0;
    const domxml_elem *found;

    if (attr)
        *attr = at_sign ? at_sign + 1 : NULL;
    if (deepest)
        *deepest = elem;
    if (path == end)
        return elem;
    found = view->child(view->data, elem, part, strcspn(part, "/@"));
    for (;;) {
        const char *slash;

        while (!found) {
            if (part == path)
                return NULL;
            part = part_before(path, part);
            found = view->next(view->data, elem, part, strcspn(part, "/@"));
            elem = domxml_elem_parent(elem);
            depth--;
        }
        elem = found;
        if (++depth > deepest_depth) {
            deepest_depth = depth;
            if (deepest)
                *deepest = elem;
        }
        slash = memchr(part, '/', (size_t)(end - part));
        if (!slash)
            return elem;
        part = slash + 1;
        found = view->child(view->data, elem, part, strcspn(part, "/@"));
    }
}

const domxml_elem *
domxml_find(const domxml_elem *elem, const char *path)
{
    return dx_walk(&document_view, elem, path, NULL, NULL);
}

const char *
domxml_get(const domxml_elem *elem, const char *path)
{
    const struct dx_attr *attr;
    const char *name;

    elem = dx_walk(&document_view, elem, path, NULL, &name);
    if (!elem)
        return NULL;
    if (!name)
        return domxml_elem_text(elem);
    attr = dx_elem_attr(elem, name);
    return attr ? dx_string(elem->doc, attr->value) : NULL;
}

bool
domxml_get_span(const domxml_elem *elem, const char *path, struct domxml_span *span)
{
    const domxml_elem *deepest, *found;
    const struct dx_attr *attr;
    const char *name;

    found = dx_walk(&document_view, elem, path, &deepest, &name);
    attr = found && name ? dx_elem_attr(found, name) : NULL;
    if (attr)
        *span = (struct domxml_span){ attr->start, attr->value_end + 1 - attr->start };
    else if (dx_elem_is_pending(deepest))
        *span = (struct domxml_span){ 0, 0 };
    else
        *span = (struct domxml_span){ deepest->start, deepest->content_start - deepest->start };
    return name ? attr != NULL : found != NULL;
}
