/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domxml-check.c: helpers for tests of changes to a document, compared byte for byte. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/domxml-check.h"

domxml_doc *
check_parse(const char *text)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "line %d, column %d: %s", error.line, error.column, error.text);
    return doc;
}

/* Makes the change; the caller frees both. */
static domxml_editor *
make(const domxml_doc *doc, size_t index, check_change change, const void *data)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_editor *editor = domxml_editor_new(doc, &error);

    ck_assert_ptr_nonnull(editor);
    ck_assert_ptr_nonnull(domxml_disk(doc, index));
    ck_assert_msg(change(editor, domxml_disk(doc, index), data, &error), "%s", error.text);
    ck_assert_int_eq(error.code, DOMXML_OK);
    return editor;
}

void
check_changes(const char *text, size_t index, check_change change, const void *data,
              const char *expected)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = make(doc, index, change, data);
    domxml_edits *edits = domxml_editor_finish(editor, &error);
    domxml_edits *inverse = NULL;
    size_t length;
    char *changed, *restored;

    ck_assert_ptr_nonnull(edits);
    changed = domxml_edits_apply(edits, text, strlen(text), &length, &inverse, &error);
    ck_assert_ptr_nonnull(changed);
    ck_assert_str_eq(changed, expected);
    ck_assert_uint_eq(length, strlen(expected));
    if (strcmp(text, expected) == 0) {
        ck_assert_uint_eq(domxml_edits_count(edits), 0);
        ck_assert_uint_eq(domxml_editor_note_count(editor), 0);
    }
    restored = domxml_edits_apply(inverse, changed, length, &length, NULL, &error);
    ck_assert_ptr_nonnull(restored);
    ck_assert_str_eq(restored, text);
    free(restored);
    domxml_edits_free(inverse);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);

    doc = check_parse(changed);
    editor = make(doc, index, change, data);
    edits = domxml_editor_finish(editor, &error);
    ck_assert_ptr_nonnull(edits);
    ck_assert_uint_eq(domxml_edits_count(edits), 0);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    free(changed);
}

/* Whether a remark contains @part; all are put into @all for a failing test to show. */
static bool
find_note(const char *text, size_t index, check_change change, const void *data, const char *part,
          char *all, size_t size)
{
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = make(doc, index, change, data);
    bool found = false;
    size_t used = 0;

    all[0] = '\0';
    for (size_t i = 0; i < domxml_editor_note_count(editor); i++) {
        const char *note = domxml_editor_note(editor, i);

        found = found || strstr(note, part);
        if (used < size)
            used += (size_t)snprintf(all + used, size - used, "%s\n", note);
    }
    ck_assert_ptr_null(domxml_editor_note(editor, domxml_editor_note_count(editor)));
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    return found;
}

void
check_notes(const char *text, size_t index, check_change change, const void *data,
            const char *note)
{
    char all[2048];

    ck_assert_msg(find_note(text, index, change, data, note, all, sizeof(all)),
                  "no note '%s' in:\n%s", note, all);
}

void
check_no_note(const char *text, size_t index, check_change change, const void *data,
              const char *part)
{
    char all[2048];

    ck_assert_msg(!find_note(text, index, change, data, part, all, sizeof(all)),
                  "a note with '%s' in:\n%s", part, all);
}

void
check_refuses(const char *text, size_t index, check_change change, const void *data,
              enum domxml_code code)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    const domxml_elem *disk = domxml_disk(doc, index);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;

    ck_assert_ptr_nonnull(editor);
    ck_assert_ptr_nonnull(disk);
    ck_assert(domxml_editor_set_attr(editor, disk, "kept", "yes", &error));
    ck_assert(!change(editor, disk, data, &error));
    ck_assert_msg(error.code == code, "code %d: %s", error.code, error.text);
    /* What is wrong with an argument is nowhere in the document. */
    if (code != DOMXML_ERR_VALUE && code != DOMXML_ERR_ARGUMENT) {
        ck_assert_int_gt(error.line, 0);
        ck_assert_int_gt(error.column, 0);
    }
    ck_assert_int_ne(error.text[0], '\0');
    ck_assert_uint_eq(domxml_editor_note_count(editor), 0);
    error = (struct domxml_error)DOMXML_ERROR_INIT;
    edits = domxml_editor_finish(editor, &error);
    ck_assert_ptr_nonnull(edits);
    ck_assert_uint_eq(domxml_edits_count(edits), 1);
    ck_assert_str_eq(domxml_edits_get(edits, 0)->text, " kept='yes'");
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}

char *
check_join(const char *before, const char *between, const char *after)
{
    size_t length = strlen(before) + strlen(between) + strlen(after);
    char *joined = malloc(length + 1);

    ck_assert_ptr_nonnull(joined);
    snprintf(joined, length + 1, "%s%s%s", before, between, after);
    return joined;
}
