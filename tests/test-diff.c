/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-diff.c: unified diffs from edits, held against what diff writes and patch and git make of
 * them.
 */
#include "libdomxml/domxml.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct replacement {
    const char *what; /* in the old text, its first place behind the last one's */
    const char *by;
};

struct diff_case {
    const char *text;
    struct replacement replacements[3];
    const char *expected; /* without the two header lines */
};

#define TEN "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

static const struct diff_case cases[] = {
    {TEN, {{"5", "x"}}, "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
    {TEN, {{"1", "x"}}, "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n"},
    {TEN, {{"5\n", ""}}, "@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n"},
    {TEN, {{"5", "n\n5"}}, "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+n\n 5\n 6\n 7\n"},
    {TEN,
     {{"10\n", "10"}},
     "@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+10\n\\ No newline at end of file\n"},
    {"a\nb", {{"b", "b\n"}}, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
    {"a\nb", {{"a", "x"}}, "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
    {"a\nb",
     {{"b", "c"}},
     "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
    {"a\r\nb\r\n", {{"b", "c"}}, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
    {"a\rb\n", {{"b", "c"}}, "@@ -1 +1 @@\n-a\rb\n+a\rc\n"},
    {"a\n", {{"a\n", ""}}, "@@ -1 +0,0 @@\n-a\n"},
    {"", {{"", "a\n"}}, "@@ -0,0 +1 @@\n+a\n"},
    /* Two changes on one line, and two hunks of one or two */
    {"1 2\n3\n", {{"1", "x"}, {"2", "y"}}, "@@ -1,2 +1,2 @@\n-1 2\n+x y\n 3\n"},
    {TEN,
     {{"1", "x"}, {"8", "y"}},
     "@@ -1,10 +1,10 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n 10\n"},
    {TEN,
     {{"1", "x"}, {"9", "y"}},
     "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,5 +6,5 @@\n 6\n 7\n 8\n-9\n+y\n 10\n"},
    /* A removal that could be either of two equal lines is the last one, as for diff */
    {"a\na\nb\n", {{"a\n", ""}}, "@@ -1,3 +1,2 @@\n a\n-a\n b\n"},
    /* An edit of several lines of which only one differs */
    {"1\n2\n3\n", {{"1\n2\n3", "1\nx\n3"}}, "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n"},
    {"1\n2\n", {{"2", "2"}}, ""},
};

static domxml_edits *
make_edits(const char *text, const struct replacement *replacements)
{
    domxml_edits *edits = domxml_edits_new(NULL);
    const char *at = text;

    for (size_t i = 0; i < 3 && replacements[i].what; i++) {
        at = strstr(at, replacements[i].what);
        ck_assert(domxml_edits_add(edits, (size_t)(at - text), strlen(replacements[i].what),
                                   replacements[i].by, strlen(replacements[i].by), NULL));
        at += strlen(replacements[i].what);
    }
    return edits;
}

START_TEST(test_cases)
{
    const struct diff_case *c = &cases[_i];
    domxml_edits *edits = make_edits(c->text, c->replacements);
    size_t length;
    char *diff = domxml_edits_diff(edits, c->text, strlen(c->text), "a/x", "b/x", &length, NULL);

    ck_assert_uint_eq(length, strlen(diff));
    if (*c->expected) {
        ck_assert_int_eq(strncmp(diff, "--- a/x\n+++ b/x\n", 16), 0);
        ck_assert_str_eq(diff + 16, c->expected);
    } else {
        ck_assert_str_eq(diff, "");
    }
    free(diff);
    domxml_edits_free(edits);
}
END_TEST

/* ---- Against the tools ---------------------------------------------------------------------- */

/* A folder of our own to work in. */
struct folder {
    char path[64];
};

static struct folder
enter_folder(void)
{
    struct folder folder = { "/tmp/test-diff-XXXXXX" };

    ck_assert_ptr_nonnull(mkdtemp(folder.path));
    ck_assert_int_eq(chdir(folder.path), 0);
    return folder;
}

static void
leave_folder(struct folder folder)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder.path);
    ck_assert_int_eq(system(command), 0);
}

static void
write_file(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(name, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

/* NULL where there is no such file. */
static char *
read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    char *text = calloc(1, 1 << 20);

    if (!file) {
        free(text);
        return NULL;
    }
    *length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void
expect_file(const char *name, const char *text, size_t length, const char *what)
{
    size_t found_length = 0;
    char *found = read_file(name, &found_length);

    ck_assert_msg(found || length == 0, "%s: no file", what);
    ck_assert_msg(found_length == length && (!found || memcmp(found, text, length) == 0),
                  "%s: \"%s\", not \"%s\"", what, found, text);
    free(found);
}

/* Says so where the tool is not there. */
static bool
have_tool(const char *name)
{
    char command[64];

    snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
    if (system(command) == 0)
        return true;
    fprintf(stderr, "%s is not installed: not tried\n", name);
    return false;
}

static size_t
below(uint32_t *state, size_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

/* Lines that are all different, with all kinds of line ends. */
static char *
random_text(uint32_t *state)
{
    static const char *const ends[] = { "\n", "\n", "\n", "\r\n", "\r", "" };
    char *text = calloc(1, 4096), *at = text;
    size_t lines = below(state, 40);

    for (size_t i = 0; i < lines; i++)
        at += sprintf(at, "line %zu%s", i,
                      i + 1 < lines ? ends[below(state, 4)] : ends[below(state, 6)]);
    return text;
}

static domxml_edits *
random_edits(uint32_t *state, size_t length)
{
    static const char *const texts[] = { "", "A", "B\n", "C\nD", "\n", "\r\n", "E\nF\n" };
    domxml_edits *edits = domxml_edits_new(NULL);

    for (size_t count = 1 + below(state, 4); count > 0; count--) {
        size_t offset = below(state, length + 1), rest = length - offset;
        const char *text = texts[below(state, 7)];

        (void)domxml_edits_add(edits, offset, below(state, (rest < 30 ? rest : 30) + 1), text,
                               strlen(text), NULL);
    }
    return edits;
}

/* What patch and git make of the diff is what the edits make; diff makes one as long. */
START_TEST(test_tools_agree)
{
    uint32_t state = (uint32_t)_i * 7919 + 1;
    struct folder folder = enter_folder();
    bool have_patch = have_tool("patch"), have_git = have_tool("git");

    if (have_git)
        ck_assert_int_eq(system("git init -q . 2>init.err"), 0);
    for (int round = 0; round < 10; round++) {
        char *text = random_text(&state), *changed, *diff;
        size_t length = strlen(text), changed_length, diff_length;
        domxml_edits *edits = random_edits(&state, length);

        changed = domxml_edits_apply(edits, text, length, &changed_length, NULL, NULL);
        diff = domxml_edits_diff(edits, text, length, "a/my vm.xml", "b/my vm.xml", &diff_length,
                                 NULL);
        ck_assert_ptr_nonnull(diff);
        write_file("x.diff", diff, diff_length);
        if (strcmp(text, changed) == 0)
            ck_assert_uint_eq(diff_length, 0);
        if (diff_length > 0 && have_patch) {
            write_file("my vm.xml", text, length);
            ck_assert_int_eq(system("patch -s -p1 --binary <x.diff >patch.out 2>&1"), 0);
            expect_file("my vm.xml", changed, changed_length, "patch");
        }
        if (diff_length > 0 && have_git) {
            write_file("my vm.xml", text, length);
            ck_assert_int_eq(system("git apply --whitespace=nowarn x.diff >git.out 2>&1"), 0);
            expect_file("my vm.xml", changed, changed_length, "git apply");
        }
        free(text);
        free(changed);
        free(diff);
        domxml_edits_free(edits);
    }
    leave_folder(folder);
}
END_TEST

/* With one change of each line, and lines that are unlike each other, there is one shortest
 * diff. */
START_TEST(test_same_bytes_as_diff)
{
    uint32_t state = (uint32_t)_i * 104729 + 1;
    struct folder folder = enter_folder();

    for (int round = 0; round < 10; round++) {
        char *text = random_text(&state), *changed, *diff;
        size_t length = strlen(text), changed_length, diff_length;
        domxml_edits *edits = domxml_edits_new(NULL);

        for (size_t i = 0; i < length; i++) {
            if (text[i] == 'l' && below(&state, 6) == 0)
                ck_assert(domxml_edits_add(edits, i, below(&state, 2), "<new/>", 6, NULL));
            else if (text[i] == 'l' && below(&state, 6) == 0)
                ck_assert(domxml_edits_add(edits, i, 0, "  <own-line/>\n", 14, NULL));
        }
        changed = domxml_edits_apply(edits, text, length, &changed_length, NULL, NULL);
        diff = domxml_edits_diff(edits, text, length, "a/x", "b/x", &diff_length, NULL);
        write_file("old", text, length);
        write_file("new", changed, changed_length);
        ck_assert_int_ne(system("diff -u --label a/x --label b/x old new >x.diff"), -1);
        expect_file("x.diff", diff, diff_length, "diff -u");
        free(text);
        free(changed);
        free(diff);
        domxml_edits_free(edits);
    }
    leave_folder(folder);
}
END_TEST

START_TEST(test_labels_are_safe)
{
    static const struct {
        const char *label, *written;
    } labels[] = {
        { "a/x.xml", "--- a/x.xml\n" },
        { "a/my vm.xml", "--- a/my vm.xml\t\n" },
        { "a/x\n+++ b/y", "--- \"a/x\\012+++ b/y\"\n" },
        { "a/\"\\", "--- \"a/\\\"\\\\\"\n" },
        { "a/\xC3\xA4", "--- a/\xC3\xA4\n" },
    };
    domxml_edits *edits = domxml_edits_new(NULL);

    ck_assert(domxml_edits_add(edits, 0, 1, "x", 1, NULL));
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        char *diff = domxml_edits_diff(edits, "a\n", 2, labels[i].label, "b", NULL, NULL);

        ck_assert_int_eq(strncmp(diff, labels[i].written, strlen(labels[i].written)), 0);
        free(diff);
    }
    domxml_edits_free(edits);
}
END_TEST

/* Ten thousand edits, in as many lines and in one. */
START_TEST(test_time_is_linear)
{
    enum { COUNT = 10000, WIDTH = 1000 };
    size_t length = (size_t)COUNT * WIDTH;
    char *text = malloc(length + 1), *diff;
    domxml_edits *edits = domxml_edits_new(NULL);
    struct timespec before, after;

    memset(text, 'x', length);
    text[length] = '\0';
    for (size_t i = 0; i < COUNT; i++) {
        if (_i == 0)
            text[i * WIDTH + WIDTH - 1] = '\n';
        ck_assert(domxml_edits_add(edits, i * WIDTH + 7, 3, "new", 3, NULL));
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    diff = domxml_edits_diff(edits, text, length, "a", "b", NULL, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    ck_assert_ptr_nonnull(diff);
    ck_assert_int_lt(after.tv_sec - before.tv_sec, 10);
    free(diff);
    free(text);
    domxml_edits_free(edits);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("diff");
    TCase *tcase = tcase_create("diff");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_cases, 0, sizeof(cases) / sizeof(cases[0]));
    tcase_add_loop_test(tcase, test_tools_agree, 0, 10);
    tcase_add_loop_test(tcase, test_same_bytes_as_diff, 0, 10);
    tcase_add_test(tcase, test_labels_are_safe);
    tcase_add_loop_test(tcase, test_time_is_linear, 0, 2);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
