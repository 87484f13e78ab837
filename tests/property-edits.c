/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property-edits.c: random low-level changes, to an editor and to a model in step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/model.h"
#include "tests/property.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static const char *const values[] = {
    "", "none", "writethrough", "/var/lib/libvirt/images/a b.qcow2", "a'b\"c<d>e&f", "]]>",
    "&amp; &#10; &lt;", "line\nbreak\ttab\rreturn", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x92\xbe",
    "  blank  ends  ", "{{ template }}", "<!-- no comment -->", "<![CDATA[no]]>",
};

static const char *const names[] = {
    "driver", "source", "target", "x-unknown", "boot", "a", "Gr\xc3\xb6\xc3\x9f" "e", "auth",
};

/* A random element that is still there; one of a disk in half of the cases. */
static size_t
pick_element(struct subject *subject, const struct model *model)
{
    size_t disks = domxml_disk_count(subject->doc);

    for (int tries = 0; tries < 20 && disks > 0; tries++) {
        if (test_random_below(&subject->random, 2))
            break;
        const domxml_elem *disk = domxml_disk(subject->doc,
                                              test_random_below(&subject->random, disks));
        size_t index = model_find(model, disk) + test_random_below(&subject->random, 8);

        if (index < model->count && model->pairs[index].node)
            return index;
    }
    for (;;) {
        size_t index = test_random_below(&subject->random, model->count);

        if (model->pairs[index].node)
            return index;
    }
}

/* The name of a random attribute that is there and has no prefix, or NULL. */
static const char *
pick_attribute(struct subject *subject, const struct model *model, size_t index)
{
    const xmlAttr *attr = model->pairs[index].node->properties;
    size_t skip = test_random_below(&subject->random, 4);

    while (attr && (attr->ns || (skip > 0 && attr->next && skip--)))
        attr = attr->next;
    return attr ? (const char *)attr->name : NULL;
}

/* A random child that is there, to insert before; @model->count for behind all. */
static size_t
pick_child(struct subject *subject, const struct model *model, size_t parent)
{
    size_t skip = test_random_below(&subject->random, 6);
    const xmlNode *node = model->pairs[parent].node->children;

    for (; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && skip-- == 0)
            break;
    }
    for (size_t i = 0; node && i < model->count; i++) {
        if (model->pairs[i].node == node)
            return i;
    }
    return model->count;
}

static void
change_attr(domxml_editor *editor, struct model *model, size_t index, const char *name,
            const char *value)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const domxml_elem *elem = model->pairs[index].elem;
    char path[128];
    char *own_name = strdup(name);

    expect(own_name != NULL, "no memory");
    snprintf(path, sizeof(path), "@%s", own_name);
    expect(domxml_editor_set_attr(editor, elem, own_name, value, &error), "cannot set %s: %s",
           own_name, error.text);
    expect(same_string(domxml_editor_get(editor, elem, path), value),
           "the editor does not show %s='%s'", own_name, value);
    model_set_attr(model, index, own_name, value);
    free(own_name);
}

static void
change_insert(struct subject *subject, domxml_editor *editor, struct model *model, size_t parent)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const char *name = property_pick(&subject->random, names, N_ELEMENTS(names));
    size_t before = pick_child(subject, model, parent);
    const domxml_elem *elem;

    elem = domxml_editor_insert_child(editor, model->pairs[parent].elem, name,
                                      before < model->count ? model->pairs[before].elem : NULL,
                                      &error);
    if (model->pairs[parent].has_text) {
        expect(!elem && error.code == DOMXML_ERR_ARGUMENT, "a child beside a text that was set");
        return;
    }
    expect(elem != NULL, "cannot insert <%s>: %s", name, error.text);
    expect(same_string(domxml_elem_name(elem), name), "<%s> has another name", name);
    model_insert(model, parent, name, before, elem);
    if (test_random_below(&subject->random, 2))
        change_attr(editor, model, model->count - 1, "made",
                    property_pick(&subject->random, values, N_ELEMENTS(values)));
}

static void
change_text(struct subject *subject, domxml_editor *editor, struct model *model, size_t index)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const char *text = property_pick(&subject->random, values, N_ELEMENTS(values));
    const domxml_elem *elem = model->pairs[index].elem;

    if (model_has_elements(model, index)) {
        expect(!domxml_editor_set_text(editor, elem, text, &error) &&
                   error.code == DOMXML_ERR_ARGUMENT,
               "the text of an element with children was set");
        return;
    }
    /* What becomes of comments and of inserted and removed children is not promised. */
    if (model_has_others(model, index) || model->pairs[index].touched ||
        model->pairs[index].has_text)
        return;
    expect(domxml_editor_set_text(editor, elem, text, &error), "cannot set text: %s", error.text);
    expect(same_string(domxml_editor_get(editor, elem, ""), text), "the editor does not show '%s'",
           text);
    model_set_text(model, index, text);
}

/* Whether the document is one by this element: the domain, or what it stands in. */
static bool
is_needed(const domxml_doc *doc, const domxml_elem *elem)
{
    const domxml_elem *needed = domxml_doc_domain(doc);

    while (needed && needed != elem)
        needed = domxml_elem_parent(needed);
    return needed != NULL;
}

static void
change_remove(const domxml_doc *doc, domxml_editor *editor, struct model *model, size_t index)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const domxml_elem *elem = model->pairs[index].elem;

    if (index == 0) {
        expect(!domxml_editor_remove(editor, elem, &error) && error.code == DOMXML_ERR_ARGUMENT,
               "the root was removed");
        return;
    }
    if (is_needed(doc, elem))
        return;
    expect(domxml_editor_remove(editor, elem, &error), "cannot remove: %s", error.text);
    expect(domxml_editor_remove(editor, elem, &error), "cannot remove again: %s", error.text);
    model_remove(model, index);
}

/* What cannot be done must change nothing. */
static void
change_in_vain(domxml_editor *editor, const struct model *model, size_t index)
{
    static const char *const bad_values[] = { "\x01", "a\xff", "\xed\xa0\x80", "\xef\xbf\xbf" };
    static const char *const bad_names[] = { "", "a b", "<", "1a", "a=" };
    const domxml_elem *elem = model->pairs[index].elem;
    domxml_edits *before = property_finish(editor), *after;

    for (size_t i = 0; i < N_ELEMENTS(bad_values); i++) {
        struct domxml_error error = DOMXML_ERROR_INIT;

        expect(!domxml_editor_set_attr(editor, elem, "a", bad_values[i], &error) &&
                   error.code == DOMXML_ERR_VALUE,
               "bad value %zu was set", i);
    }
    for (size_t i = 0; i < N_ELEMENTS(bad_names); i++) {
        struct domxml_error error = DOMXML_ERROR_INIT;

        expect(!domxml_editor_set_attr(editor, elem, bad_names[i], "", &error) &&
                   error.code == DOMXML_ERR_ARGUMENT,
               "attribute '%s' was set", bad_names[i]);
        error = (struct domxml_error)DOMXML_ERROR_INIT;
        expect(!domxml_editor_insert_child(editor, elem, bad_names[i], NULL, &error) &&
                   error.code == DOMXML_ERR_ARGUMENT,
               "<%s> was inserted", bad_names[i]);
    }
    after = property_finish(editor);
    expect(property_same_edits(before, after), "what was refused left its traces");
    domxml_edits_free(before);
    domxml_edits_free(after);
}

/* One random change. Returns the element that it was made to. */
static size_t
change(struct subject *subject, domxml_editor *editor, struct model *model)
{
    size_t index = pick_element(subject, model);
    const char *name = pick_attribute(subject, model, index);
    const char *value = property_pick(&subject->random, values, N_ELEMENTS(values));

    switch (test_random_below(&subject->random, 8)) {
    case 0:
    case 1:
        if (name)
            change_attr(editor, model, index, name, value);
        break;
    case 2:
        change_attr(editor, model, index, "new", value);
        break;
    case 3:
        if (name)
            change_attr(editor, model, index, name, NULL);
        break;
    case 4:
        change_insert(subject, editor, model, index);
        break;
    case 5:
        change_text(subject, editor, model, index);
        break;
    case 6:
        change_remove(subject->doc, editor, model, index);
        break;
    default:
        change_in_vain(editor, model, index);
    }
    return index;
}

/* ---- The properties ---- */

/* Several changes in one editor; the text that they make, to be freed with free(). */
static char *
check_many(struct subject *subject, int count, domxml_edits **edits, size_t *new_length)
{
    domxml_editor *editor = property_editor(subject->doc);
    domxml_edits *again;
    struct model model;
    char *changed;

    model_read(&model, subject->text, subject->length, subject->doc);
    for (int i = 0; i < count; i++)
        change(subject, editor, &model);
    *edits = property_finish(editor);
    again = property_finish(editor);
    expect(property_same_edits(*edits, again), "finishing twice gives other edits");
    changed = property_apply(*edits, subject->text, subject->length, new_length);
    model_expect(&model, changed, *new_length);
    domxml_edits_free(again);
    domxml_editor_free(editor);
    model_free(&model);
    return changed;
}

/* Ten changes, then three more of what they made: done at once they give the same. */
void
property_composing(struct subject *subject)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *first, *second, *both;
    size_t length, final_length, composed_length;
    char *changed = check_many(subject, 10, &first, &length);
    struct subject next = *subject;
    char *final, *composed;

    next.text = changed;
    next.length = length;
    next.doc = property_parse(changed, length);
    final = check_many(&next, 3, &second, &final_length);
    subject->random = next.random;
    both = domxml_edits_compose(first, second, subject->text, subject->length, &error);
    expect(both != NULL, "cannot compose: %s", error.text);
    composed = property_apply(both, subject->text, subject->length, &composed_length);
    expect(composed_length == final_length && memcmp(composed, final, final_length) == 0,
           "composed edits give:\n%s\ninstead of:\n%s", composed, final);
    domxml_edits_free(first);
    domxml_edits_free(second);
    domxml_edits_free(both);
    domxml_doc_free(next.doc);
    free(changed);
    free(final);
    free(composed);
}

/* One change touches bytes of its own element alone. */
void
property_one(struct subject *subject)
{
    domxml_editor *editor = property_editor(subject->doc);
    domxml_edits *edits;
    struct domxml_span span;
    struct model model;
    size_t new_length, index;
    char *changed;

    model_read(&model, subject->text, subject->length, subject->doc);
    index = change(subject, editor, &model);
    edits = property_finish(editor);
    /* A removal takes its line, which is its parent's. */
    span = domxml_elem_span(model.pairs[index].node || index == 0
                                ? model.pairs[index].elem
                                : domxml_elem_parent(model.pairs[index].elem));
    for (size_t i = 0; i < domxml_edits_count(edits); i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);

        expect(edit->offset > span.offset &&
                   edit->offset + edit->length < span.offset + span.length + 1,
               "an edit of %zu bytes at %zu is outside of its element", edit->length, edit->offset);
    }
    changed = property_apply(edits, subject->text, subject->length, &new_length);
    model_expect(&model, changed, new_length);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    model_free(&model);
}

/* Setting a value: only the bytes between its quotes change, and a second time nothing does. */
void
property_value(struct subject *subject)
{
    domxml_editor *editor = property_editor(subject->doc);
    const char *value = property_pick(&subject->random, values, N_ELEMENTS(values));
    domxml_edits *edits;
    domxml_doc *changed_doc;
    struct domxml_span span;
    struct model model;
    size_t new_length, index;
    char path[128];
    const char *name;
    char *changed;

    model_read(&model, subject->text, subject->length, subject->doc);
    index = pick_element(subject, &model);
    name = pick_attribute(subject, &model, index);
    if (name) {
        snprintf(path, sizeof(path), "@%s", name);
        expect(domxml_editor_set_attr(editor, model.pairs[index].elem, name, value, NULL),
               "cannot set %s", name);
        edits = property_finish(editor);
        expect(domxml_get_span(model.pairs[index].elem, path, &span), "no span of %s", name);
        expect(domxml_edits_count(edits) <= 1, "one value takes several edits");
        if (domxml_edits_count(edits) == 1) {
            const struct domxml_edit *edit = domxml_edits_get(edits, 0);

            expect(edit->offset > span.offset + strlen(name) &&
                       edit->offset + edit->length < span.offset + span.length,
                   "more than the value of %s changes", name);
        }
        changed = property_apply(edits, subject->text, subject->length, &new_length);
        domxml_edits_free(edits);
        domxml_editor_free(editor);

        changed_doc = property_parse(changed, new_length);
        model_free(&model);
        model_read(&model, changed, new_length, changed_doc);
        editor = property_editor(changed_doc);
        expect(same_string(domxml_get(model.pairs[index].elem, path), value),
               "the value does not read back");
        expect(domxml_editor_set_attr(editor, model.pairs[index].elem,
                                      path + 1, value, NULL), "cannot set again");
        edits = property_finish(editor);
        expect(domxml_edits_count(edits) == 0, "setting what stands is a change");
        domxml_edits_free(edits);
        domxml_editor_free(editor);
        domxml_doc_free(changed_doc);
        free(changed);
    } else {
        domxml_editor_free(editor);
    }
    model_free(&model);
}
