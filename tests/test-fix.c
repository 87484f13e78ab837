/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-fix.c: the fix loop: what is combined, what waits, what is put back, and where it ends. */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "lint/fix.h"
#include "tests/fake.h"

#define DISK(driver, target) "<disk><driver" driver "/><target dev='" target "'/></disk>"
#define DOMAIN(disks) "<domain><title>t</title><devices>" disks "</devices></domain>"

static struct lint_fixed *
fix(const struct lint_selection *selection, const char *text, enum lint_safety safety)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct facts_source *facts = fake_facts();
    g_autoptr(domxml_doc) doc = fake_parse(text);
    struct lint_fixed *fixed = lint_fix_document(selection, doc, facts, safety, &error);
    char *applied;
    size_t length;

    ck_assert_msg(fixed != NULL, "%s", error.text);
    /* Whatever the rounds were, the edits are of the original text. */
    applied = domxml_edits_apply(fixed->edits, text, strlen(text), &length, NULL, &error);
    ck_assert_msg(applied != NULL, "%s", error.text);
    ck_assert_str_eq(applied, fixed->text);
    ck_assert_uint_eq(length, fixed->length);
    ck_assert((fixed->doc == NULL) == g_str_equal(text, fixed->text));
    if (fixed->doc)
        ck_assert_str_eq(domxml_doc_text(fixed->doc, NULL), fixed->text);
    free(applied);
    facts_source_free(facts);
    return fixed;
}

/* Fixes @text and compares the text, what was applied and what is left, and how many were put
 * back. */
static void
assert_fixed(struct lint_selection *selection, enum lint_safety safety, const char *text,
             const char *expected, const char *applied, const char *remaining, guint failed)
{
    struct lint_fixed *fixed = fix(selection, text, safety);
    g_autofree char *applied_list = fake_list(fixed->applied);
    g_autofree char *remaining_list = fake_list(fixed->remaining);

    ck_assert_str_eq(fixed->text, expected);
    ck_assert_str_eq(applied_list, applied);
    ck_assert_str_eq(remaining_list, remaining);
    ck_assert_uint_eq(fixed->failed->len, failed);
    lint_fixed_free(fixed);
    lint_selection_free(selection);
}

START_TEST(nothing_to_fix_changes_nothing)
{
    const char *text = DOMAIN(DISK(" cache='none'", "vda"));

    assert_fixed(fake_selection(&fake_cache, &fake_title, NULL), LINT_UNSAFE, text, text, "", "",
                 0);
}
END_TEST

START_TEST(fixes_apart_are_combined)
{
    assert_fixed(fake_selection(&fake_cache, &fake_title, NULL), LINT_SAFE,
                 "<domain>\n  <devices>\n    <disk><driver cache='writethrough'/>"
                 "<target dev='vda'/></disk>\n  </devices>\n</domain>\n",
                 "<domain>\n  <title>a guest</title>\n  <devices>\n"
                 "    <disk><driver cache='none'/><target dev='vda'/></disk>\n"
                 "  </devices>\n</domain>\n",
                 "1:1 fake-title - fail\n3:19 fake-cache vda fail\n", "", 0);
}
END_TEST

/* Both put an attribute at the end of the same tag: the second is made anew for what the first
 * left. */
START_TEST(fixes_in_one_place_go_one_after_the_other)
{
    assert_fixed(fake_selection(&fake_io, &fake_discard, &fake_cache, NULL), LINT_SAFE,
                 DOMAIN(DISK(" cache='writethrough'", "vda")),
                 DOMAIN(DISK(" cache='none' discard='unmap' io='threads'", "vda")),
                 "1:40 fake-discard vda fail\n1:48 fake-cache vda fail\n1:40 fake-io vda fail\n",
                 "", 0);
}
END_TEST

START_TEST(fixes_that_insert_the_same_element_go_one_after_the_other)
{
    assert_fixed(fake_selection(&fake_io, &fake_discard, NULL), LINT_SAFE,
                 "<disk><target dev='vda'/></disk>",
                 "<disk><target dev='vda'/><driver discard='unmap' io='threads'/></disk>",
                 "1:1 fake-discard vda fail\n1:26 fake-io vda fail\n", "", 0);
}
END_TEST

START_TEST(unsafe_fixes_need_leave)
{
    const char *text = DOMAIN("<disk><target dev='hda' bus='ide'/></disk>");

    assert_fixed(fake_selection(&fake_bus, NULL), LINT_SAFE, text, text, "",
                 "1:58 fake-bus hda fail\n", 0);
    assert_fixed(fake_selection(&fake_bus, NULL), LINT_UNSAFE, text,
                 DOMAIN("<disk><target dev='vda' bus='virtio'/></disk>"),
                 "1:58 fake-bus hda fail\n", "", 0);
}
END_TEST

/* Each of them would take the first free name of the document that it was made for. */
START_TEST(fixes_that_look_at_all_disks_are_never_combined)
{
    assert_fixed(fake_selection(&fake_bus, &fake_cache, NULL), LINT_UNSAFE,
                 DOMAIN("<disk><target dev='hda' bus='ide'/></disk>"
                        "<disk><target dev='vda' bus='virtio'/></disk>"
                        "<disk><driver cache='writethrough'/><target dev='hdb' bus='ide'/></disk>"
                        "<disk><target dev='hdc' bus='ide'/></disk>"),
                 DOMAIN("<disk><target dev='vdb' bus='virtio'/></disk>"
                        "<disk><target dev='vda' bus='virtio'/></disk>"
                        "<disk><driver cache='none'/><target dev='vdc' bus='virtio'/></disk>"
                        "<disk><target dev='vdd' bus='virtio'/></disk>"),
                 "1:58 fake-bus hda fail\n1:135 fake-cache hdb fail\n1:175 fake-bus hdb fail\n"
                 "1:217 fake-bus hdc fail\n",
                 "", 0);
}
END_TEST

START_TEST(a_fix_that_does_not_clear_its_finding_is_put_back)
{
    assert_fixed(fake_selection(&fake_stubborn, &fake_cache, NULL), LINT_SAFE,
                 DOMAIN(DISK(" cache='writethrough'", "vda") DISK(" serial='bad'", "vdb")
                            DISK(" cache='writethrough'", "vdc")),
                 DOMAIN(DISK(" cache='none'", "vda") DISK(" serial='bad'", "vdb")
                            DISK(" cache='none'", "vdc")),
                 "1:48 fake-cache vda fail\n1:164 fake-cache vdc fail\n",
                 "1:102 fake-stubborn vdb fail\n", 1);
}
END_TEST

START_TEST(what_was_put_back_is_named)
{
    struct lint_selection *selection = fake_selection(&fake_stubborn, NULL);
    struct lint_fixed *fixed = fix(selection, DOMAIN(DISK(" serial='bad'", "vdb")), LINT_SAFE);

    ck_assert_uint_eq(fixed->failed->len, 1);
    ck_assert_str_eq(fixed->failed->pdata[0],
                     "fake-stubborn on vdb: put back 'set serial='bad too'': the finding is still "
                     "there afterwards");
    lint_fixed_free(fixed);
    lint_selection_free(selection);
}
END_TEST

/* A fix that makes another warning is no fix. */
START_TEST(fixes_that_fight_are_put_back)
{
    const char *text = DOMAIN(DISK(" cache='none'", "vda"));

    assert_fixed(fake_selection(&fake_none, &fake_writeback, NULL), LINT_SAFE, text, text, "",
                 "1:48 fake-none vda fail\n", 1);
}
END_TEST

/* An info may follow from a fix; but what was mended once must not come back. */
START_TEST(fixes_that_fight_over_advice_end)
{
    assert_fixed(fake_selection(&fake_native, &fake_threads, NULL), LINT_SAFE,
                 DOMAIN(DISK(" io='native'", "vda")), DOMAIN(DISK(" io='threads'", "vda")),
                 "1:48 fake-native vda fail\n", "1:48 fake-threads vda fail\n", 1);
}
END_TEST

START_TEST(not_to_know_any_more_is_not_to_be_mended)
{
    const char *text = "<disk><driver cache='unsafe'/><source file='/a'/></disk>";

    assert_fixed(fake_selection(&fake_source, NULL), LINT_SAFE, text, text, "",
                 "1:15 fake-source ? fail\n", 1);
}
END_TEST

START_TEST(a_fix_that_changes_nothing_is_not_applied)
{
    const char *text = DOMAIN(DISK(" cache='writethrough'", "vda"));

    assert_fixed(fake_selection(&fake_empty, NULL), LINT_SAFE, text, text, "",
                 "1:48 fake-empty vda fail\n", 0);
}
END_TEST

START_TEST(only_xml_is_changed)
{
    const char *text = DOMAIN(DISK(" cache='writethrough'", "vda"));

    assert_fixed(fake_selection(&fake_image, &fake_refused, NULL), LINT_UNSAFE, text, text, "",
                 "1:34 fake-image vda fail\n1:34 fake-refused vda fail\n", 0);
}
END_TEST

START_TEST(a_managers_domain_is_left_alone)
{
    const char *text = "<domain><metadata><kubevirt xmlns='http://kubevirt.io'/></metadata>"
                       "<devices>" DISK(" cache='writethrough'", "vda") "</devices></domain>";

    assert_fixed(fake_selection(&fake_cache, NULL), LINT_UNSAFE, text, text, "",
                 "1:91 fake-cache vda fail\n", 0);
}
END_TEST

START_TEST(line_ends_stay)
{
    assert_fixed(fake_selection(&fake_title, &fake_cache, NULL), LINT_SAFE,
                 "\xef\xbb\xbf<domain>\r\n\t<devices>\r\n\t\t<disk>\r\n"
                 "\t\t\t<driver cache=\"writethrough\"/>\r\n\t\t\t<target dev=\"vda\"/>\r\n"
                 "\t\t</disk>\r\n\t</devices>\r\n</domain>",
                 "\xef\xbb\xbf<domain>\r\n\t<title>a guest</title>\r\n\t<devices>\r\n"
                 "\t\t<disk>\r\n\t\t\t<driver cache=\"none\"/>\r\n"
                 "\t\t\t<target dev=\"vda\"/>\r\n\t\t</disk>\r\n\t</devices>\r\n</domain>",
                 "1:1 fake-title - fail\n4:12 fake-cache vda fail\n", "", 0);
}
END_TEST

START_TEST(the_best_fix_that_is_allowed_is_chosen)
{
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_image, NULL);
    struct facts_source *facts = fake_facts();
    g_autoptr(domxml_doc) doc = fake_parse(DOMAIN(DISK(" cache='writethrough'", "vda")));
    g_autoptr(GPtrArray) findings = lint_run(selection, doc, facts);
    struct lint_finding *image = findings->pdata[0], *cache = findings->pdata[1];

    ck_assert_ptr_eq(lint_choose_fix(cache, LINT_SAFE), cache->fixes->pdata[0]);
    ck_assert_ptr_eq(lint_choose_fix(cache, LINT_UNSAFE), cache->fixes->pdata[0]);
    ((struct lint_fix *)cache->fixes->pdata[0])->safety = LINT_MANUAL;
    ck_assert_ptr_eq(lint_choose_fix(cache, LINT_UNSAFE), cache->fixes->pdata[1]);
    ck_assert_ptr_null(lint_choose_fix(cache, LINT_SAFE));
    ck_assert_ptr_null(lint_choose_fix(image, LINT_UNSAFE));
    facts_source_free(facts);
    lint_selection_free(selection);
}
END_TEST

/* The applied fix comes first in its finding, whichever it was. */
START_TEST(what_was_applied_is_told)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    struct lint_fixed *fixed =
        fix(selection, DOMAIN(DISK(" cache='writethrough'", "vda")), LINT_SAFE);
    const struct lint_finding *finding = fixed->applied->pdata[0];
    const struct lint_fix *first = finding->fixes->pdata[0];

    ck_assert_str_eq(first->title, "set cache='none'");
    ck_assert_uint_eq(finding->fixes->len, 2);
    lint_fixed_free(fixed);
    lint_selection_free(selection);
}
END_TEST

/* One bad fix among many costs a few attempts, not one for each. */
START_TEST(a_bad_fix_among_many_is_found)
{
    struct lint_selection *selection = fake_selection(&fake_stubborn, &fake_cache, NULL);
    GString *text = g_string_new("<domain><devices>"), *expected = g_string_new(text->str);
    struct lint_fixed *fixed;

    for (int i = 0; i < 2000; i++) {
        g_string_append(text, i == 1234 ? DISK(" serial='bad'", "vda")
                                        : DISK(" cache='writethrough'", "vdb"));
        g_string_append(expected,
                        i == 1234 ? DISK(" serial='bad'", "vda") : DISK(" cache='none'", "vdb"));
    }
    g_string_append(text, "</devices></domain>");
    g_string_append(expected, "</devices></domain>");
    fixed = fix(selection, text->str, LINT_SAFE);
    ck_assert_str_eq(fixed->text, expected->str);
    ck_assert_uint_eq(fixed->applied->len, 1999);
    ck_assert_uint_eq(fixed->failed->len, 1);
    lint_fixed_free(fixed);
    g_string_free(text, TRUE);
    g_string_free(expected, TRUE);
    lint_selection_free(selection);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("fix");
    TCase *tcase = tcase_create("loop");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60); /* room for valgrind */
    tcase_add_test(tcase, nothing_to_fix_changes_nothing);
    tcase_add_test(tcase, fixes_apart_are_combined);
    tcase_add_test(tcase, fixes_in_one_place_go_one_after_the_other);
    tcase_add_test(tcase, fixes_that_insert_the_same_element_go_one_after_the_other);
    tcase_add_test(tcase, unsafe_fixes_need_leave);
    tcase_add_test(tcase, fixes_that_look_at_all_disks_are_never_combined);
    tcase_add_test(tcase, a_fix_that_does_not_clear_its_finding_is_put_back);
    tcase_add_test(tcase, what_was_put_back_is_named);
    tcase_add_test(tcase, fixes_that_fight_are_put_back);
    tcase_add_test(tcase, fixes_that_fight_over_advice_end);
    tcase_add_test(tcase, not_to_know_any_more_is_not_to_be_mended);
    tcase_add_test(tcase, a_fix_that_changes_nothing_is_not_applied);
    tcase_add_test(tcase, only_xml_is_changed);
    tcase_add_test(tcase, a_managers_domain_is_left_alone);
    tcase_add_test(tcase, line_ends_stay);
    tcase_add_test(tcase, the_best_fix_that_is_allowed_is_chosen);
    tcase_add_test(tcase, what_was_applied_is_told);
    tcase_add_test(tcase, a_bad_fix_among_many_is_found);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
