/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-texts.c: what the program makes of words and paths: suggestions, broken lines, names in
 * diffs.
 */
#include <check.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diff-label.h"
#include "cli/nearest.h"
#include "cli/wrap.h"

static const char *const words[] = {
    "fix", "diff", "explain", "list-rules", "fail-on", "format", NULL,
};

START_TEST(finds_the_word_that_was_meant)
{
    ck_assert_str_eq(nearest("fxi", words), "fix");
    ck_assert_str_eq(nearest("difff", words), "diff");
    ck_assert_str_eq(nearest("explian", words), "explain");
    ck_assert_str_eq(nearest("list_rules", words), "list-rules");
    ck_assert_str_eq(nearest("list", words), "list-rules");
    ck_assert_ptr_null(nearest("preallocation", words));
    ck_assert_ptr_null(nearest("zzzzz", words));
}
END_TEST

START_TEST(suggests_nothing_for_a_very_long_word)
{
    g_autofree char *word = g_strnfill(1000 * 1000, 'x');

    ck_assert_ptr_null(nearest(word, words));
}
END_TEST

static void
ck_assert_wrapped(const char *text, guint indent, guint column, const char *expected)
{
    g_autofree char *wrapped = wrap(text, indent, column);

    ck_assert_str_eq(wrapped, expected);
}

START_TEST(breaks_lines)
{
    ck_assert_wrapped("", 2, 2, "\n");
    ck_assert_wrapped("one  two\nthree", 2, 2, "one two three\n");
    ck_assert_wrapped("one\n\ntwo", 2, 2, "one\n\n  two\n");
    ck_assert_wrapped("aaaa bbbb cccc", 4, 72, "aaaa\n    bbbb cccc\n");
    ck_assert_wrapped("aaaa bbb cccc", 4, 72, "aaaa bbb\n    cccc\n");
    /* Columns count characters, not bytes. */
    ck_assert_wrapped("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 bbb", 4, 72,
                      "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 bbb\n");
}
END_TEST

START_TEST(does_not_break_a_long_word)
{
    g_autofree char *word = g_strnfill(200, 'x');
    g_autofree char *expected = g_strdup_printf("a\n  %s\n  b\n", word);
    g_autofree char *text = g_strdup_printf("a %s b", word);

    ck_assert_wrapped(text, 2, 2, expected);
}
END_TEST

static void
ck_assert_label(const char *path, const char *expected)
{
    g_autofree char *label = diff_label("a/", path);

    ck_assert_str_eq(label, expected);
}

START_TEST(names_files_as_patch_finds_them)
{
    ck_assert_label("web1.xml", "a/web1.xml");
    ck_assert_label("./web1.xml", "a/web1.xml");
    ck_assert_label("guests//./web1.xml", "a/guests/web1.xml");
    ck_assert_label("guests/../web1.xml", "a/web1.xml");
    ck_assert_label("/srv/guests/web1.xml", "a/srv/guests/web1.xml");
    ck_assert_label("-", "a/stdin.xml");
    ck_assert_label("two words.xml", "a/two words.xml");
}
END_TEST

START_TEST(names_files_outside_from_the_root)
{
    g_autofree char *folder = g_dir_make_tmp("domlint-test-XXXXXX", NULL);
    g_autofree char *inner = g_build_filename(folder, "inner", NULL);
    g_autofree char *here = g_get_current_dir();
    g_autofree char *real = NULL;
    g_autofree char *expected = NULL;

    ck_assert_int_eq(g_mkdir(inner, 0700), 0);
    ck_assert_int_eq(chdir(inner), 0);
    real = g_get_current_dir();
    *strrchr(real, '/') = '\0';
    expected = g_strdup_printf("a%s/web1.xml", real);
    ck_assert_label("../web1.xml", expected);
    ck_assert_int_eq(chdir(here), 0);
    g_rmdir(inner);
    g_rmdir(folder);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("texts");
    TCase *tests = tcase_create("texts");
    SRunner *runner;
    int failed;

    tcase_add_test(tests, finds_the_word_that_was_meant);
    tcase_add_test(tests, suggests_nothing_for_a_very_long_word);
    tcase_add_test(tests, breaks_lines);
    tcase_add_test(tests, does_not_break_a_long_word);
    tcase_add_test(tests, names_files_as_patch_finds_them);
    tcase_add_test(tests, names_files_outside_from_the_root);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
