/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * metadata.c: elements of other programs in the domain's <metadata>.
 *
 * libvirt keeps one element for each namespace there, and drops those without one.
 */
#include <string.h>

#include "libdomxml/editor.h"

/* Whether an attribute declares the prefix (of length 0: the default namespace). */
static bool
declares(const char *attr, const char *prefix, size_t length)
{
    if (strncmp(attr, "xmlns", 5) != 0)
        return false;
    if (length == 0)
        return attr[5] == '\0';
    return attr[5] == ':' && strncmp(attr + 6, prefix, length) == 0 && attr[6 + length] == '\0';
}

/* The namespace URI that is in force for an element with the editor's changes, or NULL. Allocates
 * nothing: not to find one for lack of memory would be to add another. */
static const char *
namespace_of(const domxml_editor *editor, const domxml_elem *elem)
{
    const char *prefix = domxml_elem_name(elem);
    const char *colon = strchr(prefix, ':');
    size_t length = colon ? (size_t)(colon - prefix) : 0;

    for (; elem; elem = domxml_elem_parent(elem)) {
        const char *attr;

        for (size_t i = 0; (attr = dx_editor_attr_name(editor, elem, i)); i++) {
            const char *uri;

            if (!declares(attr, prefix, length))
                continue;
            uri = dx_editor_attr(editor, elem, attr);
            return uri && *uri ? uri : NULL;
        }
    }
    return NULL;
}

static const domxml_elem *
find_metadata(const domxml_editor *editor)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));

    return domain ? domxml_editor_find(editor, domain, "metadata") : NULL;
}

const domxml_elem *
domxml_metadata_find(const domxml_editor *editor, const char *uri)
{
    const domxml_elem *metadata = find_metadata(editor);
    const domxml_elem *child = metadata ? dx_editor_child(editor, metadata, NULL) : NULL;

    for (; child; child = dx_editor_next(editor, child, NULL)) {
        const char *own = namespace_of(editor, child);

        if (own && strcmp(own, uri) == 0)
            return child;
    }
    return NULL;
}

/* What <metadata> stands before where it is new: what follows the elements that libvirt writes
 * before it, as far as they are there. */
static const domxml_elem *
place_for_metadata(const domxml_editor *editor, const domxml_elem *domain)
{
    static const char *const names[] = { "name", "uuid", "genid", "title", "description" };
    const domxml_elem *place = dx_editor_child(editor, domain, NULL);

    for (const domxml_elem *child = place; child; child = dx_editor_next(editor, child, NULL)) {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (strcmp(domxml_elem_name(child), names[i]) == 0)
                place = dx_editor_next(editor, child, NULL);
        }
    }
    return place;
}

static bool
check_arguments(const domxml_editor *editor, const char *uri, const char *name,
                struct domxml_error *error)
{
    const char *colon = strchr(name, ':');

    if (!domxml_doc_domain(dx_editor_doc(editor)))
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0,
                        "the document is a disk alone: it has no <metadata>");
    if (!*uri)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0,
                        "an element of <metadata> needs a namespace, or libvirt drops it");
    /* Prefixes that begin with xml have a meaning of their own. */
    if (strncmp(name, "xml", 3) == 0 || colon == name ||
        (colon && (!colon[1] || strchr(colon + 1, ':'))))
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0,
                        "'%.60s' is no name with a prefix for <metadata>", name);
    return true;
}

static const domxml_elem *
add_element(domxml_editor *editor, const char *uri, const char *name, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const domxml_elem *metadata =
        domxml_editor_ensure_child(editor, domain, "metadata", place_for_metadata(editor, domain),
                                   error);
    const char *colon = strchr(name, ':');
    dx_autofree char *declaration =
        colon ? dx_format("xmlns:%.*s", (int)(colon - name), name) : dx_format("xmlns");
    const domxml_elem *elem;

    if (!declaration)
        return dx_error_no_memory(error), NULL;
    elem = metadata ? domxml_editor_insert_child(editor, metadata, name, NULL, error) : NULL;
    return elem && domxml_editor_set_attr(editor, elem, declaration, uri, error) ? elem : NULL;
}

const domxml_elem *
domxml_metadata_ensure(domxml_editor *editor, const char *uri, const char *name,
                       struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);
    const char *local = strchr(name, ':');
    const domxml_elem *elem;

    local = local ? local + 1 : name;
    if (!check_arguments(editor, uri, name, error))
        return NULL;
    elem = domxml_metadata_find(editor, uri);
    if (elem) {
        const char *colon = strchr(domxml_elem_name(elem), ':');

        if (strcmp(colon ? colon + 1 : domxml_elem_name(elem), local) == 0)
            return elem;
        dx_error_elem(error, DOMXML_ERR_REFUSED, elem,
                      "<%.60s> has that namespace, and libvirt keeps one element of each",
                      domxml_elem_name(elem));
        return NULL;
    }
    elem = add_element(editor, uri, name, error);
    if (!elem)
        dx_editor_rollback(editor, mark);
    return elem;
}

bool
domxml_metadata_set(domxml_editor *editor, const char *uri, const char *name, const char *text,
                    struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);
    const domxml_elem *elem = domxml_metadata_ensure(editor, uri, name, error);

    if (elem && domxml_editor_set_text(editor, elem, text, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}

static bool
is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n", text[i]))
            return false;
    }
    return true;
}

/* Whether nothing is left in @metadata but blanks: no element, comment or text. */
static bool
is_left_empty(const domxml_editor *editor, const domxml_elem *metadata)
{
    const domxml_doc *doc = dx_editor_doc(editor);
    const char *text = domxml_doc_text(doc, NULL);
    size_t at = metadata->content_start;

    if (dx_editor_child(editor, metadata, NULL))
        return false;
    if (dx_elem_is_pending(metadata))
        return true;
    for (const domxml_elem *child = domxml_elem_child(metadata, NULL); child;
         child = domxml_elem_next(child, NULL)) {
        struct domxml_span span = domxml_elem_span(child);

        if (!is_blank(text + at, span.offset - at))
            return false;
        at = span.offset + span.length;
    }
    return is_blank(text + at, metadata->content_end - at);
}

bool
domxml_metadata_remove(domxml_editor *editor, const char *uri, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);
    const domxml_elem *elem = domxml_metadata_find(editor, uri);
    const domxml_elem *metadata = elem ? domxml_elem_parent(elem) : NULL;

    if (!elem)
        return true;
    if (domxml_editor_remove(editor, elem, error) &&
        (!is_left_empty(editor, metadata) || domxml_editor_remove(editor, metadata, error)))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
