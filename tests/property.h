/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property.h: what must hold of every document and every edit. */
#ifndef TEST_PROPERTY_H
#define TEST_PROPERTY_H

#include "libdomxml/domxml.h"
#include "tests/random.h"
#include "tests/variant.h"

/* A document that edits are tried on. */
struct subject {
    const char *text;
    size_t length;
    domxml_doc *doc;
    struct test_random random;
};

/* ---- property-base.c: each fails the test where the library fails ---- */

domxml_doc *property_parse(const char *text, size_t length);
domxml_editor *property_editor(const domxml_doc *doc);
domxml_edits *property_finish(const domxml_editor *editor);
bool property_same_edits(const domxml_edits *a, const domxml_edits *b);

/* Applies the edits; expects what splicing by hand gives, and that the inverse restores the text.
 * To be freed with free(). */
char *property_apply(const domxml_edits *edits, const char *text, size_t length,
                     size_t *new_length);

/* One of a list. */
const char *property_pick(struct test_random *random, const char *const *list, size_t count);

/* ---- property-edits.c ---- */

/* One random change touches bytes of its own element alone. */
void property_one(struct subject *subject);

/* Setting a value: only the bytes between its quotes change, and a second time nothing does. */
void property_value(struct subject *subject);

/* Ten changes in one editor, then three more of what they made: done at once they give the same. */
void property_composing(struct subject *subject);

/* ---- property-disk.c ---- */

/* A random disk-level change keeps what it promises, or is refused without a trace. */
void property_disk(struct subject *subject);

/* Several of them in one editor: what it shows is what the text then says. */
void property_disks(struct subject *subject);

/* ---- property-diff.c ---- */

/* The diff of some changes, given to patch and to git apply, gives the changed text. */
void property_diff(struct subject *subject);

#endif
