/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-fixtures.c: every folder of tests/fixtures: input.xml is linted by all rules, with the
 * facts of facts.ini, and the JSON report compared with expected.json; it is fixed, and the text
 * compared with fixed.xml (without one it must not change). Folders RULE.unsafe... are fixed with
 * unsafe fixes. Each rule must have a folder of its name, with a finding, and a folder RULE.ok,
 * without.
 *
 * With DOMLINT_UPDATE set in the environment, expected.json and fixed.xml are written anew.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lint/fix.h"
#include "lint/output.h"
#include "probe/probe.h"
#include "rules/rules.h"

#define FOLDER SRCDIR "/tests/fixtures"

/* A fixture, read. */
struct fixture {
    char *path; /* of the folder */
    char *input;
    gsize length;
    domxml_doc *doc;
    struct facts_source *facts;
    struct lint_selection *selection;
    enum lint_safety safety;
};

static gboolean
updating(void)
{
    return g_getenv("DOMLINT_UPDATE") != NULL;
}

static gint
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all fixtures' folders, bytewise in order. */
static GPtrArray *
list_fixtures(void)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(FOLDER, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(FOLDER, name, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    return names;
}

/* The name of fixture number @index; to be freed. */
static char *
fixture_name(int index)
{
    g_autoptr(GPtrArray) names = list_fixtures();

    return g_strdup(names->pdata[index]);
}

static domxml_doc *
parse(const char *name, const char *text, gsize length)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, length, &error);

    ck_assert_msg(doc != NULL, "%s:%d:%d: %s", name, error.line, error.column, error.text);
    return doc;
}

/* Every rule there is, also those that run on demand only. */
static struct lint_selection *
all_rules(void)
{
    struct lint_selection *selection = g_new0(struct lint_selection, 1);

    selection->rules = g_ptr_array_new();
    for (size_t i = 0; lint_rules[i]; i++)
        g_ptr_array_add(selection->rules, (gpointer)lint_rules[i]);
    return selection;
}

/* The facts of the fixture's facts.ini; without one all images are on another host. */
static struct facts_source *
read_facts(const char *name)
{
    g_autofree char *path = g_build_filename(FOLDER, name, "facts.ini", NULL);
    g_autoptr(GError) error = NULL;
    struct facts_source *facts;

    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        facts = facts_file_new(path, &error);
    } else {
        g_autofree char *empty = NULL;
        int fd = g_file_open_tmp("facts-XXXXXX", &empty, &error);

        ck_assert(fd >= 0);
        close(fd);
        facts = facts_file_new(empty, &error);
        unlink(empty);
    }
    ck_assert_msg(facts != NULL, "%s: %s", name, error ? error->message : "");
    return facts;
}

static struct fixture *
fixture_new(const char *name)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    g_autofree char *input = g_build_filename(FOLDER, name, "input.xml", NULL);
    g_autoptr(GError) error = NULL;
    const char *suffix = strchr(name, '.');

    fixture->path = g_build_filename(FOLDER, name, NULL);
    fixture->selection = all_rules();
    fixture->safety = suffix && g_str_has_prefix(suffix, ".unsafe") ? LINT_UNSAFE : LINT_SAFE;
    ck_assert_msg(g_file_get_contents(input, &fixture->input, &fixture->length, &error), "%s: %s",
                  name, error ? error->message : "");
    fixture->doc = parse(name, fixture->input, fixture->length);
    fixture->facts = read_facts(name);
    return fixture;
}

static void
fixture_free(struct fixture *fixture)
{
    domxml_doc_free(fixture->doc);
    facts_source_free(fixture->facts);
    lint_selection_free(fixture->selection);
    g_free(fixture->input);
    g_free(fixture->path);
    g_free(fixture);
}

typedef struct fixture fixture_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture_t, fixture_free)

/* The JSON report without the line that names the tool's version; to be freed. */
static char *
report(const struct fixture *fixture, GPtrArray *findings)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .path = (char *)"input.xml",
        .doc = fixture->doc,
    };
    const domxml_elem *domain = domxml_doc_domain(fixture->doc);
    const char *name = domain ? domxml_get(domain, "name") : NULL;
    struct lint_summary summary = { 0 };
    char *text = NULL, *tool, *end;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    struct lint_output *output = lint_output_json_new(stream, &options);

    target.name = (char *)(name ? name : target.path);
    output->target(output, &target, NULL, findings);
    lint_summary_add(&summary, &target, NULL, findings);
    output->end(output, &summary);
    output->free(output);
    fclose(stream);

    tool = strstr(text, "\"tool\":");
    end = strchr(tool, '\n') + 1;
    memmove(tool, end, strlen(end) + 1);
    return text;
}

/* Compares @text with the fixture's file @name, or writes it there. NULL: there must be no such
 * file. */
static void
compare_file(const struct fixture *fixture, const char *name, const char *text, gsize length)
{
    g_autofree char *path = g_build_filename(fixture->path, name, NULL);
    g_autofree char *expected = NULL;
    g_autoptr(GError) error = NULL;
    gsize expected_length;

    if (updating()) {
        if (!text)
            remove(path);
        else
            ck_assert(g_file_set_contents(path, text, (gssize)length, &error));
        return;
    }
    if (!text) {
        ck_assert_msg(!g_file_test(path, G_FILE_TEST_EXISTS), "%s is there, but nothing was fixed",
                      path);
        return;
    }
    ck_assert_msg(g_file_get_contents(path, &expected, &expected_length, NULL),
                  "%s is missing; it would be:\n%s", path, text);
    ck_assert_msg(length == expected_length && memcmp(text, expected, length) == 0,
                  "%s differs; it would be:\n%s", path, text);
}

/* Nothing is lost or changed by reading. */
START_TEST(text_stays)
{
    g_autofree char *name = fixture_name(_i);
    g_autoptr(fixture_t) fixture = fixture_new(name);
    gsize length;
    const char *text = domxml_doc_text(fixture->doc, &length);

    ck_assert_uint_eq(length, fixture->length);
    ck_assert(memcmp(text, fixture->input, length) == 0);
}
END_TEST

START_TEST(findings_are_as_expected)
{
    g_autofree char *name = fixture_name(_i);
    g_autoptr(fixture_t) fixture = fixture_new(name);
    g_autoptr(GPtrArray) findings = lint_run(fixture->selection, fixture->doc, fixture->facts);
    char *text = report(fixture, findings);

    compare_file(fixture, "expected.json", text, strlen(text));
    free(text);
}
END_TEST

static gboolean
is_there(GPtrArray *findings, const struct lint_finding *wanted)
{
    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        if (finding->rule == wanted->rule && finding->disk == wanted->disk)
            return TRUE;
    }
    return FALSE;
}

/* The fixed text is as expected; in it, what was fixed is not found, and nothing is left to fix. */
START_TEST(fixes_are_as_expected)
{
    g_autofree char *name = fixture_name(_i);
    g_autoptr(fixture_t) fixture = fixture_new(name);
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct lint_fixed *fixed, *again;
    g_autoptr(domxml_doc) doc = NULL;
    gboolean changed;

    fixed = lint_fix_document(fixture->selection, fixture->doc, fixture->facts, fixture->safety,
                              &error);
    ck_assert_msg(fixed != NULL, "%s: %s", name, error.text);
    ck_assert_msg(fixed->failed->len == 0, "%s: %s", name, (char *)fixed->failed->pdata[0]);
    changed = fixed->length != fixture->length ||
              memcmp(fixed->text, fixture->input, fixture->length) != 0;
    ck_assert_int_eq(changed, fixed->applied->len > 0);
    compare_file(fixture, "fixed.xml", changed ? fixed->text : NULL, fixed->length);

    doc = parse(name, fixed->text, fixed->length);
    again = lint_fix_document(fixture->selection, doc, fixture->facts, fixture->safety, &error);
    ck_assert_msg(again != NULL, "%s: %s", name, error.text);
    ck_assert_str_eq(again->text, fixed->text);
    ck_assert_uint_eq(again->applied->len, 0);
    ck_assert_uint_eq(again->remaining->len, fixed->remaining->len);
    for (guint i = 0; i < fixed->applied->len; i++) {
        const struct lint_finding *finding = fixed->applied->pdata[i];

        ck_assert_msg(!is_there(again->remaining, finding), "%s: %s is still found", name,
                      finding->rule->id);
    }
    lint_fixed_free(fixed);
    lint_fixed_free(again);
}
END_TEST

/* Whether the rule reports anything (@result of FAIL) on the fixture. */
static gboolean
rule_fires(const struct lint_rule *rule, const char *name)
{
    g_autoptr(fixture_t) fixture = NULL;
    g_autoptr(GPtrArray) findings = NULL;
    g_autofree char *path = g_build_filename(FOLDER, name, "input.xml", NULL);

    ck_assert_msg(g_file_test(path, G_FILE_TEST_EXISTS), "the rule %s has no tests/fixtures/%s",
                  rule->id, name);
    fixture = fixture_new(name);
    findings = lint_run(fixture->selection, fixture->doc, fixture->facts);
    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        if (finding->rule == rule && finding->result == LINT_RESULT_FAIL)
            return TRUE;
    }
    return FALSE;
}

START_TEST(each_rule_has_fixtures)
{
    const struct lint_rule *rule = lint_rules[_i];
    g_autofree char *ok = g_strconcat(rule->id, ".ok", NULL);

    ck_assert_msg(rule_fires(rule, rule->id), "%s finds nothing in its own fixture", rule->id);
    ck_assert_msg(!rule_fires(rule, ok), "%s finds something in %s", rule->id, ok);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("fixtures");
    TCase *folders = tcase_create("folders"), *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    g_autoptr(GPtrArray) names = list_fixtures();
    int rule_count = 0, failed;

    while (lint_rules[rule_count])
        rule_count++;
    tcase_add_loop_test(folders, text_stays, 0, (int)names->len);
    tcase_add_loop_test(folders, findings_are_as_expected, 0, (int)names->len);
    tcase_add_loop_test(folders, fixes_are_as_expected, 0, (int)names->len);
    tcase_add_loop_test(rules, each_rule_has_fixtures, 0, rule_count);
    suite_add_tcase(suite, folders);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
