/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-metadata.c: elements of other programs in <metadata>. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/domxml-check.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define URI "http://example.org/notes"
#define DOMAIN(head, rest)                                                                         \
    "<domain type='kvm'>\n" head rest "  <devices>\n    <disk/>\n  </devices>\n</domain>\n"
#define HEAD "  <name>a</name>\n  <uuid>b</uuid>\n  <title>t</title>\n"
#define REST "  <memory>1</memory>\n"
#define OTHER "    <o:x xmlns:o='urn:o' k=\"1\"><o:y/></o:x>\n"
#define META(content) "  <metadata>\n" content "  </metadata>\n"
#define NOTE(text) "    <n:note xmlns:n='" URI "'>" text "</n:note>\n"

/* The disk is of no account. */
static bool
set(domxml_editor *editor, const domxml_elem *disk, const void *data, struct domxml_error *error)
{
    (void)disk;
    return domxml_metadata_set(editor, URI, "n:note", data, error);
}

static bool
drop(domxml_editor *editor, const domxml_elem *disk, const void *data, struct domxml_error *error)
{
    (void)disk;
    return domxml_metadata_remove(editor, data, error);
}

static const struct {
    const char *before, *after;
} settings[] = {
    /* Where libvirt writes it. */
    { DOMAIN(HEAD, REST), DOMAIN(HEAD META(NOTE("a&lt;b")), REST) },
    { DOMAIN("", REST), DOMAIN(META(NOTE("a&lt;b")), REST) },
    { DOMAIN(REST, "  <name>a</name>\n"),
      DOMAIN(REST, "  <name>a</name>\n" META(NOTE("a&lt;b"))) },
    /* What is there stays. */
    { DOMAIN(HEAD META(OTHER), REST), DOMAIN(HEAD META(OTHER NOTE("a&lt;b")), REST) },
    { DOMAIN(HEAD META("    <!-- mine -->\n" NOTE("old")), REST),
      DOMAIN(HEAD META("    <!-- mine -->\n" NOTE("a&lt;b")), REST) },
    /* Another prefix, the default one, or one that is declared further out: the same element. */
    { DOMAIN(META("    <note xmlns='" URI "'/>\n"), REST),
      DOMAIN(META("    <note xmlns='" URI "'>a&lt;b</note>\n"), REST) },
    { "<domain xmlns:q='" URI "'><metadata><q:note>1</q:note></metadata><devices><disk/></devices>"
      "</domain>",
      "<domain xmlns:q='" URI "'><metadata><q:note>a&lt;b</q:note></metadata><devices><disk/>"
      "</devices></domain>" },
    /* The prefix is another namespace's there. */
    { DOMAIN(META("    <n:note xmlns:n='urn:n'>1</n:note>\n"), REST),
      DOMAIN(META("    <n:note xmlns:n='urn:n'>1</n:note>\n" NOTE("a&lt;b")), REST) },
};

START_TEST(element_is_set)
{
    check_changes(settings[_i].before, 0, set, "a<b", settings[_i].after);
}
END_TEST

static const struct {
    const char *before, *after;
} removals[] = {
    { DOMAIN(HEAD META(OTHER NOTE("1")), REST), DOMAIN(HEAD META(OTHER), REST) },
    { DOMAIN(HEAD META(NOTE("1")), REST), DOMAIN(HEAD, REST) },
    { DOMAIN(HEAD META(NOTE("1") "    <!-- kept -->\n"), REST),
      DOMAIN(HEAD META("    <!-- kept -->\n"), REST) },
    { DOMAIN(HEAD META("    <note/>\n"), REST), DOMAIN(HEAD META("    <note/>\n"), REST) },
    { DOMAIN(HEAD, REST), DOMAIN(HEAD, REST) },
};

START_TEST(element_is_removed)
{
    check_changes(removals[_i].before, 0, drop, URI, removals[_i].after);
}
END_TEST

START_TEST(element_is_found_and_changed)
{
    const char *text = DOMAIN(HEAD META(OTHER), REST);
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    const domxml_elem *elem = domxml_metadata_find(editor, "urn:o");
    domxml_edits *edits;

    ck_assert_str_eq(domxml_editor_get(editor, elem, "@k"), "1");
    ck_assert_ptr_null(domxml_metadata_find(editor, URI));
    elem = domxml_metadata_ensure(editor, URI, "n:note", &error);
    ck_assert(domxml_editor_set_attr(editor, elem, "rule", "x", &error));
    ck_assert_ptr_eq(domxml_metadata_find(editor, URI), elem);
    ck_assert_ptr_eq(domxml_metadata_ensure(editor, URI, "m:note", &error), elem);
    /* Set and removed in one editor: nothing at all. */
    ck_assert(domxml_metadata_remove(editor, URI, &error));
    edits = domxml_editor_finish(editor, &error);
    ck_assert_uint_eq(domxml_edits_count(edits), 0);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

static const struct {
    const char *text, *uri, *name;
    enum domxml_code code;
} refusals[] = {
    { "<disk/>", URI, "n:note", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), "", "n:note", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, "", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, ":note", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, "n:", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, "n:a:b", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, "xmlns:a", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), URI, "n:a b", DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), "a\001", "n:note", DOMXML_ERR_VALUE },
    { DOMAIN(META(NOTE("1")), ""), URI, "n:other", DOMXML_ERR_REFUSED },
};

START_TEST(setting_is_refused_without_a_trace)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(refusals[_i].text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;

    ck_assert(!domxml_metadata_set(editor, refusals[_i].uri, refusals[_i].name, "x", &error));
    ck_assert_msg(error.code == refusals[_i].code, "code %d: %s", error.code, error.text);
    error = (struct domxml_error)DOMXML_ERROR_INIT;
    edits = domxml_editor_finish(editor, &error);
    ck_assert_uint_eq(domxml_edits_count(edits), 0);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

static Suite *
metadata_suite(void)
{
    Suite *suite = suite_create("metadata");
    TCase *tcase = tcase_create("metadata");

    tcase_add_loop_test(tcase, element_is_set, 0, N_ELEMENTS(settings));
    tcase_add_loop_test(tcase, element_is_removed, 0, N_ELEMENTS(removals));
    tcase_add_test(tcase, element_is_found_and_changed);
    tcase_add_loop_test(tcase, setting_is_refused_without_a_trace, 0, N_ELEMENTS(refusals));
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(metadata_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
