/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-agree.c: that a table which says anything else than libxml2 does is found out.
 */
#include "libdomxml/internal.h"

#include <check.h>
#include <string.h>

static const char text[] =
    "<disk xmlns='u' xmlns:p='v&amp;w' a='1&amp;'>x&amp;<p:b c='2'/><d><![CDATA[y]]></d>z</disk>";

/* The table is ours to spoil; the public type is const for its readers alone. */
static domxml_doc *
parse(void)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "%s", error.text);
    ck_assert(dx_agree(doc, true, &error));
    return doc;
}

static void
expect_disagreement(domxml_doc *doc)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    ck_assert(!dx_agree(doc, true, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_DISAGREE);
    ck_assert_int_eq(error.line, 1);
    domxml_doc_free(doc);
}

START_TEST(test_names)
{
    domxml_doc *doc = parse();

    doc->strings[doc->elems[1].name] = 'q';
    expect_disagreement(doc);
    doc = parse();
    doc->strings[doc->elems[1].name + 2] = 'c';
    expect_disagreement(doc);
    doc = parse();
    doc->strings[doc->attrs[2].name] = 'b';
    expect_disagreement(doc);
}
END_TEST

START_TEST(test_values)
{
    domxml_doc *doc = parse();

    doc->strings[doc->attrs[2].value] = '2';
    expect_disagreement(doc);
    doc = parse();
    doc->attrs[2].value_length--;
    expect_disagreement(doc);
    doc = parse();
    doc->strings[doc->attrs[0].value] = 'w';
    expect_disagreement(doc);
    doc = parse();
    doc->strings[doc->attrs[3].value] = '3';
    expect_disagreement(doc);
}
END_TEST

START_TEST(test_counts)
{
    domxml_doc *doc = parse();

    doc->elems[0].attr_count--;
    expect_disagreement(doc);
    doc = parse();
    doc->elems[0].attr_count++;
    expect_disagreement(doc);
    doc = parse();
    doc->elem_count--;
    expect_disagreement(doc);
    doc = parse();
    doc->elem_count++;
    doc->elems = realloc(doc->elems, doc->elem_count * sizeof(*doc->elems));
    doc->elems[3] = doc->elems[2];
    doc->elems[3].parent = DX_NONE;
    expect_disagreement(doc);
}
END_TEST

START_TEST(test_nesting)
{
    domxml_doc *doc = parse();

    doc->elems[2].parent = 1;
    expect_disagreement(doc);
}
END_TEST

START_TEST(test_text)
{
    domxml_doc *doc = parse();

    doc->strings[doc->elems[0].text] = 'y';
    expect_disagreement(doc);
    doc = parse();
    doc->elems[0].text_length--;
    expect_disagreement(doc);
    doc = parse();
    doc->elems[1].text_length++;
    expect_disagreement(doc);
    doc = parse();
    doc->strings[doc->elems[2].text] = 'z';
    expect_disagreement(doc);
}
END_TEST

START_TEST(test_namespaces)
{
    domxml_doc *doc = parse();

    doc->elems[2].uri = 0;
    expect_disagreement(doc);
    doc = parse();
    doc->elems[1].uri = doc->elems[0].uri;
    expect_disagreement(doc);
}
END_TEST

/* The places of everything, in a document that has all kinds of things. */
START_TEST(test_places)
{
    static const char source[] =
        "<!-- <a> --><?p <b>?>\n<domain  a = '>'\n b=\"'\" ><!-- </domain> -->\n"
        "<c/><d ></d\n><![CDATA[</domain>]]>&lt;<e>t</e></domain >\n<!-- -->";
    domxml_doc *doc = domxml_parse(source, strlen(source), NULL);

    ck_assert_ptr_nonnull(doc);
    ck_assert_uint_eq(doc->elem_count, 4);
    for (uint32_t i = 0; i < doc->elem_count; i++) {
        const struct domxml_elem *elem = &doc->elems[i];

        ck_assert_int_eq(source[elem->start], '<');
        ck_assert_mem_eq(source + elem->start + 1, dx_string(doc, elem->name), 1);
        ck_assert_int_eq(source[elem->content_start - 1], '>');
        ck_assert_int_eq(source[elem->end - 1], '>');
        ck_assert(dx_elem_is_empty_tag(elem) || memcmp(source + elem->content_end, "</", 2) == 0);
    }
    ck_assert(dx_elem_is_empty_tag(&doc->elems[1]));
    ck_assert(!dx_elem_is_empty_tag(&doc->elems[2]));
    ck_assert_uint_eq(doc->elems[0].end, strlen(source) - strlen("\n<!-- -->"));
    ck_assert_mem_eq(source + doc->attrs[0].start, "a = '>'", 7);
    ck_assert_mem_eq(source + doc->attrs[1].value_start, "'\"", 2);
    ck_assert_uint_eq(doc->attrs[1].value_end, doc->attrs[1].value_start + 1);
    ck_assert_str_eq(domxml_elem_text(domxml_doc_root(doc)), "\n</domain><");
    domxml_doc_free(doc);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("agree");
    TCase *tcase = tcase_create("agree");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, test_names);
    tcase_add_test(tcase, test_values);
    tcase_add_test(tcase, test_counts);
    tcase_add_test(tcase, test_nesting);
    tcase_add_test(tcase, test_text);
    tcase_add_test(tcase, test_namespaces);
    tcase_add_test(tcase, test_places);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
