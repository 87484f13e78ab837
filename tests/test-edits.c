/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-edits.c: lists of edits: what overlaps, applying and taking back, merging, composing.
 */
#include "libdomxml/domxml.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static domxml_edits *
new_edits(void)
{
    domxml_edits *edits = domxml_edits_new(NULL);

    ck_assert_ptr_nonnull(edits);
    return edits;
}

static void
add(domxml_edits *edits, size_t offset, size_t length, const char *text)
{
    ck_assert(domxml_edits_add(edits, offset, length, text, strlen(text), NULL));
}

static char *
apply(const domxml_edits *edits, const char *text)
{
    size_t length;
    char *changed = domxml_edits_apply(edits, text, strlen(text), &length, NULL, NULL);

    ck_assert_ptr_nonnull(changed);
    ck_assert_uint_eq(strlen(changed), length);
    return changed;
}

static void
expect_applied(const domxml_edits *edits, const char *text, const char *expected)
{
    char *changed = apply(edits, text);

    ck_assert_str_eq(changed, expected);
    free(changed);
}

struct pair {
    size_t offset, length, other_offset, other_length;
    bool overlap;
};

static const struct pair pairs[] = {
    { 2, 3, 4, 2, true },  { 2, 3, 5, 2, false }, { 2, 3, 2, 3, true },  { 2, 3, 3, 1, true },
    { 2, 3, 3, 0, true },  { 2, 3, 4, 0, true },  { 2, 3, 2, 0, false }, { 2, 3, 5, 0, false },
    { 2, 0, 2, 0, true },  { 2, 0, 3, 0, false }, { 2, 3, 0, 2, false }, { 2, 3, 0, 3, true },
};

START_TEST(test_overlap)
{
    const struct pair *p = &pairs[_i];

    for (int turned = 0; turned < 2; turned++) {
        struct domxml_error error = DOMXML_ERROR_INIT;
        domxml_edits *edits = new_edits(), *more = new_edits();
        size_t offset = turned ? p->other_offset : p->offset;
        size_t length = turned ? p->other_length : p->length;
        size_t other = turned ? p->offset : p->other_offset;
        size_t other_length = turned ? p->length : p->other_length;

        ck_assert(domxml_edits_add(edits, offset, length, "x", 1, &error));
        ck_assert(domxml_edits_add(more, other, other_length, "y", 1, &error));
        ck_assert(domxml_edits_merge(edits, more, &error) == !p->overlap);
        ck_assert_uint_eq(domxml_edits_count(edits), p->overlap ? 1 : 2);
        ck_assert_int_eq(error.code, p->overlap ? DOMXML_ERR_OVERLAP : DOMXML_OK);
        error.code = DOMXML_OK;
        ck_assert(!domxml_edits_add(edits, other, other_length, "y", 1, &error));
        ck_assert_int_eq(error.code, DOMXML_ERR_OVERLAP);
        domxml_edits_free(edits);
        domxml_edits_free(more);
    }
}
END_TEST

START_TEST(test_sorted_whatever_the_order)
{
    static const size_t order[] = { 5, 1, 7, 3, 9, 0, 8, 2, 6, 4 };
    domxml_edits *edits = new_edits();

    for (size_t i = 0; i < 10; i++)
        add(edits, order[i], 1, "");
    for (size_t i = 0; i < 10; i++)
        ck_assert_uint_eq(domxml_edits_get(edits, i)->offset, i);
    ck_assert_ptr_null(domxml_edits_get(edits, 10));
    expect_applied(edits, "0123456789rest", "rest");
    domxml_edits_free(edits);
}
END_TEST

START_TEST(test_insertion_beside_a_change)
{
    domxml_edits *edits = new_edits();

    add(edits, 2, 2, "X");
    add(edits, 2, 0, "before");
    add(edits, 4, 0, "behind");
    expect_applied(edits, "abcdef", "abbeforeXbehindef");
    domxml_edits_free(edits);
}
END_TEST

START_TEST(test_text_is_copied)
{
    char text[] = "x\0y";
    domxml_edits *edits = new_edits();

    ck_assert(domxml_edits_add(edits, 0, 0, text, 3, NULL));
    text[0] = 'z';
    ck_assert_mem_eq(domxml_edits_get(edits, 0)->text, "x\0y", 4);
    domxml_edits_free(edits);
}
END_TEST

START_TEST(test_outside_the_text)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *edits = new_edits(), *inverse = NULL;

    ck_assert(!domxml_edits_add(edits, 1, SIZE_MAX, "", 0, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_OVERLAP);
    error.code = DOMXML_OK;
    add(edits, 3, 1, "");
    ck_assert_ptr_null(domxml_edits_apply(edits, "abc", 3, NULL, &inverse, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_OVERLAP);
    ck_assert_ptr_null(inverse);
    ck_assert_ptr_null(domxml_edits_diff(edits, "abc", 3, "a", "b", NULL, NULL));
    ck_assert_ptr_null(domxml_edits_compose(edits, edits, "abc", 3, NULL));
    domxml_edits_free(edits);
}
END_TEST

START_TEST(test_merge_is_all_or_nothing)
{
    domxml_edits *edits = new_edits(), *more = new_edits();

    add(edits, 5, 2, "x");
    add(more, 0, 1, "a");
    add(more, 6, 0, "b");
    ck_assert(!domxml_edits_merge(edits, more, NULL));
    ck_assert_uint_eq(domxml_edits_count(edits), 1);
    expect_applied(edits, "0123456789", "01234x789");
    domxml_edits_free(more);
    more = new_edits();
    add(more, 0, 1, "a");
    add(more, 7, 1, "b");
    ck_assert(domxml_edits_merge(edits, more, NULL));
    domxml_edits_free(more);
    expect_applied(edits, "0123456789", "a1234xb89");
    domxml_edits_free(edits);
}
END_TEST

START_TEST(test_empty)
{
    domxml_edits *edits = new_edits(), *inverse = NULL;
    char *text = domxml_edits_apply(edits, NULL, 0, NULL, &inverse, NULL);

    ck_assert_str_eq(text, "");
    ck_assert_uint_eq(domxml_edits_count(inverse), 0);
    free(text);
    domxml_edits_free(inverse);
    text = domxml_edits_diff(edits, "x\n", 2, "a", "b", NULL, NULL);
    ck_assert_str_eq(text, "");
    free(text);
    domxml_edits_free(edits);
    domxml_edits_free(NULL);
}
END_TEST

/* ---- By chance ---------------------------------------------------------------------------- */

struct random {
    uint32_t state;
};

static size_t
below(struct random *random, size_t limit)
{
    random->state = random->state * 1664525 + 1013904223;
    return (random->state >> 8) % limit;
}

/* Some edits of a text of @length bytes, added in any order; those that overlap fail. */
static domxml_edits *
random_edits(struct random *random, size_t length)
{
    static const char *const texts[] = { "", "x", "yz", "a longer text", "b" };
    domxml_edits *edits = new_edits();

    for (size_t count = below(random, 8); count > 0; count--) {
        size_t offset = below(random, length + 1), rest = length - offset;
        const char *text = texts[below(random, 5)];

        (void)domxml_edits_add(edits, offset, below(random, (rest < 5 ? rest : 5) + 1), text,
                               strlen(text), NULL);
    }
    return edits;
}

START_TEST(test_inverse_restores)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    struct random random = { (uint32_t)_i + 1 };

    for (int round = 0; round < 500; round++) {
        domxml_edits *edits = random_edits(&random, 26), *inverse = NULL, *again = NULL;
        size_t length, back;
        char *changed = domxml_edits_apply(edits, text, 26, &length, &inverse, NULL);
        char *restored = domxml_edits_apply(inverse, changed, length, &back, &again, NULL);
        char *twice = domxml_edits_apply(again, restored, back, NULL, NULL, NULL);

        ck_assert_str_eq(restored, text);
        ck_assert_str_eq(twice, changed);
        free(changed);
        free(restored);
        free(twice);
        domxml_edits_free(edits);
        domxml_edits_free(inverse);
        domxml_edits_free(again);
    }
}
END_TEST

START_TEST(test_composed_does_both)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    struct random random = { (uint32_t)_i + 1000 };

    for (int round = 0; round < 500; round++) {
        domxml_edits *first = random_edits(&random, 26), *second, *both;
        char *once = apply(first, text), *twice;

        second = random_edits(&random, strlen(once));
        twice = apply(second, once);
        both = domxml_edits_compose(first, second, text, 26, NULL);
        ck_assert_ptr_nonnull(both);
        expect_applied(both, text, twice);
        free(once);
        free(twice);
        domxml_edits_free(first);
        domxml_edits_free(second);
        domxml_edits_free(both);
    }
}
END_TEST

START_TEST(test_composed_with_its_inverse_is_nothing)
{
    domxml_edits *edits = new_edits(), *inverse = NULL, *both;
    char *changed;

    add(edits, 1, 2, "xyz");
    add(edits, 5, 0, "n");
    add(edits, 8, 1, "");
    changed = domxml_edits_apply(edits, "0123456789", 10, NULL, &inverse, NULL);
    both = domxml_edits_compose(edits, inverse, "0123456789", 10, NULL);
    ck_assert_uint_eq(domxml_edits_count(both), 0);
    free(changed);
    domxml_edits_free(edits);
    domxml_edits_free(inverse);
    domxml_edits_free(both);
}
END_TEST

START_TEST(test_compose_refuses_what_lies_outside)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *first = new_edits(), *second = new_edits();

    add(first, 0, 2, "");
    add(second, 2, 0, "x");
    ck_assert_ptr_null(domxml_edits_compose(first, second, "abc", 3, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_OVERLAP);
    domxml_edits_free(first);
    domxml_edits_free(second);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("edits");
    TCase *tcase = tcase_create("edits");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_overlap, 0, sizeof(pairs) / sizeof(pairs[0]));
    tcase_add_test(tcase, test_sorted_whatever_the_order);
    tcase_add_test(tcase, test_insertion_beside_a_change);
    tcase_add_test(tcase, test_text_is_copied);
    tcase_add_test(tcase, test_outside_the_text);
    tcase_add_test(tcase, test_merge_is_all_or_nothing);
    tcase_add_test(tcase, test_empty);
    tcase_add_loop_test(tcase, test_inverse_restores, 0, 4);
    tcase_add_loop_test(tcase, test_composed_does_both, 0, 4);
    tcase_add_test(tcase, test_composed_with_its_inverse_is_nothing);
    tcase_add_test(tcase, test_compose_refuses_what_lies_outside);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
