/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h: a second opinion on a document: libxml2's tree, changed in step with an editor.
 *
 * The editor changes bytes, the model changes nodes; what the bytes then say must be what the nodes
 * say. White space between elements is layout and not compared.
 */
#ifndef TEST_MODEL_H
#define TEST_MODEL_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdomxml/domxml.h"

/* An element, as both see it. */
struct model_pair {
    const domxml_elem *elem;
    xmlNodePtr node; /* NULL: removed */
    bool touched;    /* children came or went, so that its white space may differ */
    bool has_text;   /* was given another text, and so takes no children */
};

struct model {
    xmlDocPtr doc;
    struct model_pair *pairs; /* in document order, then as inserted */
    size_t count, size;
};

/* Reads @text, whose document is @doc, and expects that both say the same: elements, names,
 * attributes, texts. */
void model_read(struct model *model, const char *text, size_t length, const domxml_doc *doc);
void model_free(struct model *model);

/* The number of the pair of @elem, or @model->count. */
size_t model_find(const struct model *model, const domxml_elem *elem);

/* The changes of an editor. */
void model_set_attr(struct model *model, size_t index, const char *name, const char *value);
void model_insert(struct model *model, size_t parent, const char *name, size_t before,
                  const domxml_elem *elem);
void model_remove(struct model *model, size_t index);
void model_set_text(struct model *model, size_t index, const char *text);

/* Whether the element has children that are elements, or ones that are no text at all. */
bool model_has_elements(const struct model *model, size_t index);
bool model_has_others(const struct model *model, size_t index);

/* Expects that @text says what the model says. */
void model_expect(const struct model *model, const char *text, size_t length);

#endif
