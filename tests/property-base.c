/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property-base.c: documents, editors and edits for property tests, checked at each step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/property.h"

domxml_doc *
property_parse(const char *text, size_t length)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, length, &error);

    expect(doc != NULL, "refused at line %d, column %d: %s\n%s", error.line, error.column,
           error.text, text);
    return doc;
}

domxml_editor *
property_editor(const domxml_doc *doc)
{
    domxml_editor *editor = domxml_editor_new(doc, NULL);

    expect(editor != NULL, "no memory");
    return editor;
}

domxml_edits *
property_finish(const domxml_editor *editor)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *edits = domxml_editor_finish(editor, &error);

    expect(edits != NULL, "cannot finish: %s", error.text);
    return edits;
}

/* ---- What edits are made of: bytes ---- */

/* Applies edits by hand: what is not in a range stays, byte for byte. */
static char *
splice(const domxml_edits *edits, const char *text, size_t length, size_t *new_length)
{
    char *out = NULL;
    FILE *file = open_memstream(&out, new_length);
    size_t at = 0;

    expect(file != NULL, "no memory");
    for (size_t i = 0; i < domxml_edits_count(edits); i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);

        expect(edit->offset >= at && edit->offset + edit->length <= length,
               "edit %zu is out of order or of the text", i);
        expect(strlen(edit->text) == edit->text_length, "edit %zu has a wrong length", i);
        fwrite(text + at, 1, edit->offset - at, file);
        fwrite(edit->text, 1, edit->text_length, file);
        at = edit->offset + edit->length;
    }
    fwrite(text + at, 1, length - at, file);
    expect(fclose(file) == 0, "no memory");
    return out;
}

char *
property_apply(const domxml_edits *edits, const char *text, size_t length, size_t *new_length)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *inverse = NULL;
    char *changed = domxml_edits_apply(edits, text, length, new_length, &inverse, &error);
    size_t spliced_length, restored_length;
    char *spliced, *restored;

    expect(changed != NULL, "cannot apply: %s", error.text);
    spliced = splice(edits, text, length, &spliced_length);
    expect(spliced_length == *new_length && memcmp(spliced, changed, spliced_length + 1) == 0,
           "bytes outside of the edits differ");
    restored = domxml_edits_apply(inverse, changed, *new_length, &restored_length, NULL, &error);
    expect(restored != NULL, "cannot apply the inverse: %s", error.text);
    expect(restored_length == length && memcmp(restored, text, length) == 0,
           "the inverse does not restore the text");
    domxml_edits_free(inverse);
    free(spliced);
    free(restored);
    return changed;
}

bool
property_same_edits(const domxml_edits *a, const domxml_edits *b)
{
    if (domxml_edits_count(a) != domxml_edits_count(b))
        return false;
    for (size_t i = 0; i < domxml_edits_count(a); i++) {
        const struct domxml_edit *x = domxml_edits_get(a, i), *y = domxml_edits_get(b, i);

        if (x->offset != y->offset || x->length != y->length || strcmp(x->text, y->text) != 0)
            return false;
    }
    return true;
}

const char *
property_pick(struct test_random *random, const char *const *list, size_t count)
{
    return list[test_random_below(random, count)];
}
