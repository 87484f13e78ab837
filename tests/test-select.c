/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-select.c: which rules run, from lists of ids. */
#include <stdlib.h>

#include <check.h>

#include "lint/run.h"

static const struct lint_rule alpha = { .id = "cache-alpha" };
static const struct lint_rule beta = { .id = "cache-beta" };
static const struct lint_rule gamma_rule = { .id = "gamma", .opt_in = TRUE };
static const struct lint_rule *const table[] = { &alpha, &beta, &gamma_rule, NULL };

/* The ids that are selected, joined by a space; or the error's text. */
static char *
selected(const char *only, const char *except)
{
    g_autoptr(GError) error = NULL;
    struct lint_selection *selection = lint_select(table, only, except, &error);
    GString *ids = g_string_new(NULL);

    if (!selection) {
        ck_assert(error != NULL);
        g_string_append(ids, error->message);
        return g_string_free(ids, FALSE);
    }
    ck_assert(error == NULL);
    for (guint i = 0; i < selection->rules->len; i++) {
        const struct lint_rule *rule = selection->rules->pdata[i];

        g_string_append_printf(ids, "%s%s", i > 0 ? " " : "", rule->id);
    }
    lint_selection_free(selection);
    return g_string_free(ids, FALSE);
}

static const struct {
    const char *only, *except, *result;
} cases[] = {
    { NULL, NULL, "cache-alpha cache-beta" },
    { "gamma", NULL, "gamma" },
    { "gamma,cache-alpha", NULL, "cache-alpha gamma" },
    { " cache-beta , cache-beta ,", NULL, "cache-beta" },
    { NULL, "cache-alpha", "cache-beta" },
    { "cache-alpha,cache-beta", "cache-beta", "cache-alpha" },
    { NULL, "", "cache-alpha cache-beta" },
    { NULL, "gamma", "cache-alpha cache-beta" },
    { "cache-alfa", NULL, "unknown rule 'cache-alfa'; did you mean 'cache-alpha'?" },
    { "cache-alpha,gama", NULL, "unknown rule 'gama'; did you mean 'gamma'?" },
    { NULL, "beta", "unknown rule 'beta'; did you mean 'cache-beta'?" },
    { "zzz", NULL, "unknown rule 'zzz'; --list-rules lists them" },
    { "", NULL, "no rule is left to run" },
    { "cache-alpha", "cache-alpha", "no rule is left to run" },
};

START_TEST(selects)
{
    g_autofree char *result = selected(cases[_i].only, cases[_i].except);

    ck_assert_str_eq(result, cases[_i].result);
}
END_TEST

START_TEST(long_ids_are_no_work)
{
    g_autofree char *name = g_strnfill(1000000, 'c');
    g_autofree char *result = selected(name, NULL);

    ck_assert(g_str_has_suffix(result, "'; --list-rules lists them"));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("select");
    TCase *tcase = tcase_create("lists");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tcase, selects, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, long_ids_are_no_work);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
