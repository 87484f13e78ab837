/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model.c: a second opinion on a document: libxml2's tree, changed in step with an editor. */
#include <libxml/parser.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/model.h"

static xmlDocPtr
read_tree(const char *text, size_t length)
{
    xmlDocPtr doc = xmlReadMemory(text, (int)length, NULL, NULL,
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                      XML_PARSE_HUGE);

    expect(doc != NULL, "libxml2 refuses:\n%s", text);
    return doc;
}

static bool
is_text(const xmlNode *node)
{
    return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

/* The element's own text, to be freed with free(). */
static char *
own_text(const xmlNode *node)
{
    size_t length = 0, used = 0;
    char *text;

    for (const xmlNode *child = node->children; child; child = child->next) {
        if (is_text(child) && child->content)
            length += strlen((const char *)child->content);
    }
    text = malloc(length + 1);
    expect(text != NULL, "no memory");
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (is_text(child) && child->content) {
            memcpy(text + used, child->content, strlen((const char *)child->content));
            used += strlen((const char *)child->content);
        }
    }
    text[used] = '\0';
    return text;
}

static xmlNodePtr
first_element(xmlNodePtr node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

static size_t
add_pair(struct model *model, const domxml_elem *elem, xmlNodePtr node)
{
    if (model->count == model->size) {
        model->size = model->size ? model->size * 2 : 64;
        model->pairs = realloc(model->pairs, model->size * sizeof(*model->pairs));
        expect(model->pairs != NULL, "no memory");
    }
    model->pairs[model->count] = (struct model_pair){ .elem = elem, .node = node };
    node->_private = (void *)(uintptr_t)(model->count + 1);
    return model->count++;
}

static struct model_pair *
pair_of(const struct model *model, const xmlNode *node)
{
    uintptr_t number = (uintptr_t)node->_private;

    return number ? &model->pairs[number - 1] : NULL;
}

/* Expects that the two readers say the same of one element. */
static void
compare_readers(const domxml_elem *elem, const xmlNode *node)
{
    const char *prefix = node->ns ? (const char *)node->ns->prefix : NULL;
    const char *uri = node->ns ? (const char *)node->ns->href : NULL;
    size_t declarations = 0, attributes = 0;
    char *text = own_text(node);

    expect(same_string(domxml_elem_local_name(elem), (const char *)node->name),
           "<%s> is read as <%s>", node->name, domxml_elem_local_name(elem));
    expect(strlen(domxml_elem_name(elem)) ==
               strlen((const char *)node->name) + (prefix ? strlen(prefix) + 1 : 0),
           "<%s> is read with another prefix", node->name);
    expect(same_string(domxml_elem_namespace(elem), uri), "<%s> is read in another namespace",
           node->name);
    expect(same_string(domxml_elem_text(elem), text),
           "the text of <%s> is read as '%s' instead of '%s'", node->name, domxml_elem_text(elem),
           text);
    free(text);
    for (size_t i = 0; i < domxml_elem_attr_count(elem); i++) {
        const char *name = domxml_elem_attr_name(elem, i);
        xmlChar *value;

        if (strncmp(name, "xmlns", 5) == 0) {
            declarations++;
            continue;
        }
        value = strchr(name, ':') ? NULL : xmlGetNoNsProp((xmlNodePtr)node, (const xmlChar *)name);
        if (value)
            expect(same_string(domxml_elem_attr_value(elem, i), (const char *)value),
                   "<%s %s> is read as '%s' instead of '%s'", node->name, name,
                   domxml_elem_attr_value(elem, i), (const char *)value);
        xmlFree(value);
        attributes++;
    }
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
        attributes--;
    for (const xmlNs *ns = node->nsDef; ns; ns = ns->next)
        declarations--;
    expect(attributes == 0 && declarations == 0, "<%s> is read with other attributes", node->name);
}

/* Walks both trees in document order. */
static void
read_pairs(struct model *model, const domxml_doc *doc)
{
    const domxml_elem *elem = domxml_doc_root(doc);
    xmlNodePtr node = xmlDocGetRootElement(model->doc);

    while (elem) {
        const domxml_elem *next = domxml_elem_child(elem, NULL);
        xmlNodePtr next_node = first_element(node->children);

        add_pair(model, elem, node);
        compare_readers(elem, node);
        expect((next != NULL) == (next_node != NULL), "<%s> is read with other children",
               node->name);
        while (elem && !next) {
            next = domxml_elem_next(elem, NULL);
            next_node = elem == domxml_doc_root(doc) ? NULL : first_element(node->next);
            expect((next != NULL) == (next_node != NULL), "<%s> is read with other siblings",
                   node->name);
            elem = domxml_elem_parent(elem);
            node = node->parent;
        }
        elem = next;
        node = next_node;
    }
}

void
model_read(struct model *model, const char *text, size_t length, const domxml_doc *doc)
{
    *model = (struct model){ .doc = read_tree(text, length) };
    read_pairs(model, doc);
}

void
model_free(struct model *model)
{
    xmlFreeDoc(model->doc);
    free(model->pairs);
}

size_t
model_find(const struct model *model, const domxml_elem *elem)
{
    size_t index = 0;

    while (index < model->count && model->pairs[index].elem != elem)
        index++;
    return index;
}

void
model_set_attr(struct model *model, size_t index, const char *name, const char *value)
{
    xmlNodePtr node = model->pairs[index].node;

    if (value)
        expect(xmlSetNsProp(node, NULL, (const xmlChar *)name, (const xmlChar *)value) != NULL,
               "no memory");
    else
        xmlUnsetNsProp(node, NULL, (const xmlChar *)name);
}

void
model_insert(struct model *model, size_t parent, const char *name, size_t before,
             const domxml_elem *elem)
{
    xmlNodePtr node = xmlNewDocNode(model->doc, NULL, (const xmlChar *)name, NULL);
    xmlNodePtr last = model->pairs[parent].node->last;
    size_t index;

    expect(node != NULL, "no memory");
    model->pairs[parent].touched = true;
    if (before < model->count) {
        xmlAddPrevSibling(model->pairs[before].node, node);
    } else {
        /* Behind the last element; where what is no element goes is the editor's choice. */
        while (last && last->type != XML_ELEMENT_NODE)
            last = last->prev;
        if (last)
            xmlAddNextSibling(last, node);
        else
            xmlAddChild(model->pairs[parent].node, node);
    }
    index = add_pair(model, elem, node);
    model->pairs[index].touched = true;
}

void
model_remove(struct model *model, size_t index)
{
    xmlNodePtr top = model->pairs[index].node;
    xmlNodePtr node = top;

    if (pair_of(model, top->parent))
        pair_of(model, top->parent)->touched = true;
    while (node) {
        xmlNodePtr next = node->children;

        if (node->type == XML_ELEMENT_NODE)
            pair_of(model, node)->node = NULL;
        while (!next && node) {
            next = node == top ? NULL : node->next;
            node = node == top ? NULL : node->parent;
        }
        node = next;
    }
    xmlUnlinkNode(top);
    xmlFreeNode(top);
}

void
model_set_text(struct model *model, size_t index, const char *text)
{
    xmlNodePtr node = model->pairs[index].node;
    char *old_text = own_text(node);

    model->pairs[index].has_text = *text && strcmp(text, old_text) != 0;
    free(old_text);
    xmlNodeSetContent(node, NULL);
    xmlNodeAddContent(node, (const xmlChar *)text);
}

bool
model_has_elements(const struct model *model, size_t index)
{
    return first_element(model->pairs[index].node->children) != NULL;
}

bool
model_has_others(const struct model *model, size_t index)
{
    for (const xmlNode *node = model->pairs[index].node->children; node; node = node->next) {
        if (node->type != XML_TEXT_NODE)
            return true;
    }
    return false;
}

/* ---- Comparing ---- */

static void
strip(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (!strchr(" \t\r\n", *text))
            *to++ = *text;
    }
    *to = '\0';
}

static void
compare_texts(const struct model *model, const xmlNode *expected, const xmlNode *found)
{
    char *a = own_text(expected), *b = own_text(found);
    const struct model_pair *pair = pair_of(model, expected);

    if ((pair && pair->touched) || first_element(expected->children)) {
        strip(a);
        strip(b);
    }
    expect(strcmp(a, b) == 0, "<%s>: '%s' instead of '%s'", expected->name, b, a);
    free(a);
    free(b);
}

static void
compare_attributes(const xmlNode *expected, const xmlNode *found)
{
    int balance = 0;

    for (const xmlAttr *attr = expected->properties; attr; attr = attr->next) {
        const xmlChar *uri = attr->ns ? attr->ns->href : NULL;
        xmlChar *a = xmlGetNsProp((xmlNodePtr)expected, attr->name, uri);
        xmlChar *b = xmlGetNsProp((xmlNodePtr)found, attr->name, uri);

        expect(b && strcmp((const char *)a, (const char *)b) == 0,
                      "<%s %s>: '%s' instead of '%s'", expected->name, attr->name, b, a);
        xmlFree(a);
        xmlFree(b);
        balance++;
    }
    for (const xmlAttr *attr = found->properties; attr; attr = attr->next)
        balance--;
    expect(balance == 0, "<%s> has other attributes", expected->name);
}

/* The next node that is an element, or that is neither element nor text. */
static const xmlNode *
next_element(const xmlNode *node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

static const xmlNode *
next_other(const xmlNode *node)
{
    while (node && (node->type == XML_ELEMENT_NODE || is_text(node)))
        node = node->next;
    return node;
}

/* Comments and processing instructions directly in two elements. Where among them an inserted
 * element goes is the editor's choice. */
static void
compare_others(const xmlNode *expected, const xmlNode *found)
{
    const xmlNode *a = next_other(expected->children), *b = next_other(found->children);

    while (a && b) {
        expect(a->type == b->type &&
                   same_string((const char *)a->content, (const char *)b->content),
               "comment '%s' instead of '%s'", b->content, a->content);
        a = next_other(a->next);
        b = next_other(b->next);
    }
    expect(!a && !b, "comments came or went");
}

static void
compare_elements(const struct model *model, const xmlNode *expected, const xmlNode *found)
{
    const char *prefix = expected->ns ? (const char *)expected->ns->prefix : NULL;
    const char *found_prefix = found->ns ? (const char *)found->ns->prefix : NULL;

    expect(strcmp((const char *)expected->name, (const char *)found->name) == 0,
           "<%s> instead of <%s>", found->name, expected->name);
    expect(same_string(prefix, found_prefix), "another prefix");
    compare_attributes(expected, found);
    compare_texts(model, expected, found);
    compare_others(expected, found);
}

void
model_expect(const struct model *model, const char *text, size_t length)
{
    xmlDocPtr doc = read_tree(text, length);
    const xmlNode *expected = xmlDocGetRootElement(model->doc), *found = xmlDocGetRootElement(doc);

    compare_others((const xmlNode *)model->doc, (const xmlNode *)doc);
    while (expected) {
        const xmlNode *next = next_element(expected->children);
        const xmlNode *next_found = next_element(found->children);

        compare_elements(model, expected, found);
        expect((next != NULL) == (next_found != NULL), "<%s> has other children", expected->name);
        while (!next && expected->type != XML_DOCUMENT_NODE) {
            next = next_element(expected->next);
            next_found = next_element(found->next);
            expect((next != NULL) == (next_found != NULL), "%s behind <%s>",
                   next ? "something is missing" : "there is more", expected->name);
            expected = expected->parent;
            found = found->parent;
        }
        expected = next;
        found = next_found;
    }
    xmlFreeDoc(doc);
}
