/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-output-json.c: the JSON report: its form, version 1, and that it is valid, come what may. */
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <json-glib/json-glib.h>

#include "tests/fake.h"

#define TEXT                                                                                       \
    "<domain>\n <title>t</title>\n <devices>\n  <disk>\n   <driver cache='writethrough'/>\n"       \
    "   <source file='/srv/&#xfc;.qcow2'/>\n   <target dev='vda'/>\n  </disk>\n </devices>\n"      \
    "</domain>\n"

struct report {
    char *text;
    size_t length;
    FILE *stream;
    struct lint_output *output;
    struct lint_summary summary;
};

static void
begin(struct report *report, enum lint_severity min_severity)
{
    struct lint_output_options options = { .min_severity = min_severity };

    memset(report, 0, sizeof(*report));
    report->stream = open_memstream(&report->text, &report->length);
    report->output = lint_output_json_new(report->stream, &options);
}

static void
add(struct report *report, const struct lint_target *target, GPtrArray *applied,
    GPtrArray *findings)
{
    report->output->target(report->output, target, applied, findings);
    lint_summary_add(&report->summary, target, applied, findings);
}

/* Ends the report; it must be valid JSON. */
static JsonNode *
end(struct report *report)
{
    g_autoptr(GError) error = NULL;
    JsonNode *node;

    report->output->end(report->output, &report->summary);
    report->output->free(report->output);
    fclose(report->stream);
    node = json_from_string(report->text, &error);
    ck_assert_msg(node != NULL, "%s: %s", error ? error->message : "", report->text);
    return node;
}

static GPtrArray *
lint(const struct lint_selection *selection, const domxml_doc *doc)
{
    struct facts_source *facts = fake_facts();
    GPtrArray *findings = lint_run(selection, doc, facts);

    facts_source_free(facts);
    return findings;
}

/* The members of @object, in order, joined by a space; to be freed. */
static char *
keys(JsonObject *object)
{
    g_autoptr(GList) members = json_object_get_members(object);
    GString *names = g_string_new(NULL);

    for (GList *l = members; l; l = l->next)
        g_string_append_printf(names, "%s%s", names->len ? " " : "", (char *)l->data);
    return g_string_free(names, FALSE);
}

static void
assert_keys(JsonObject *object, const char *expected)
{
    g_autofree char *names = keys(object);

    ck_assert_str_eq(names, expected);
}

static JsonObject *
element(JsonObject *object, const char *member, guint index)
{
    return json_array_get_object_element(json_object_get_array_member(object, member), index);
}

START_TEST(the_form_is_version_1)
{
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_source, NULL);
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) findings = lint(selection, doc);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"web",
        .path = (char *)"web.xml",
        .managed_by = (char *)"oVirt",
        .doc = doc,
    };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *root, *finding, *location, *fix, *edit;

    begin(&report, LINT_INFO);
    add(&report, &target, NULL, findings);
    node = end(&report);
    root = json_node_get_object(node);
    assert_keys(root, "format version tool findings targets summary");
    ck_assert_str_eq(json_object_get_string_member(root, "format"), "domlint-report");
    ck_assert_int_eq(json_object_get_int_member(root, "version"), 1);
    assert_keys(json_object_get_object_member(root, "tool"), "name version");

    finding = element(root, "findings", 0);
    assert_keys(finding, "rule severity result reason target_id target subject message location "
                         "fixes notes suppressed");
    ck_assert_str_eq(json_object_get_string_member(finding, "rule"), "fake-cache");
    ck_assert_str_eq(json_object_get_string_member(finding, "severity"), "warning");
    ck_assert_str_eq(json_object_get_string_member(finding, "result"), "fail");
    ck_assert(json_object_get_null_member(finding, "reason"));
    ck_assert_str_eq(json_object_get_string_member(finding, "target"), "web");
    ck_assert_str_eq(json_object_get_string_member(finding, "target_id"), "1");
    ck_assert_str_eq(json_object_get_string_member(finding, "subject"), "vda");
    ck_assert(json_object_get_null_member(finding, "suppressed"));

    location = json_object_get_object_member(finding, "location");
    assert_keys(location,
                "file line column end_line end_column byte_offset byte_length text");
    ck_assert_str_eq(json_object_get_string_member(location, "file"), "web.xml");
    ck_assert_int_eq(json_object_get_int_member(location, "line"), 5);
    ck_assert_int_eq(json_object_get_int_member(location, "column"), 12);
    ck_assert_int_eq(json_object_get_int_member(location, "end_column"), 32);
    ck_assert_int_eq(json_object_get_int_member(location, "byte_offset"),
                     strstr(TEXT, "cache=") - TEXT);
    ck_assert_int_eq(json_object_get_int_member(location, "byte_length"), 20);

    fix = element(finding, "fixes", 0);
    assert_keys(fix, "title safety effect edits steps notes exclusive");
    ck_assert_str_eq(json_object_get_string_member(fix, "safety"), "safe");
    ck_assert(!json_object_get_boolean_member(fix, "exclusive"));
    edit = element(fix, "edits", 0);
    assert_keys(edit, "byte_offset byte_length text");
    ck_assert_int_eq(json_object_get_int_member(edit, "byte_offset"),
                     strstr(TEXT, "writethrough") - TEXT);
    ck_assert_int_eq(json_object_get_int_member(edit, "byte_length"), 12);
    ck_assert_str_eq(json_object_get_string_member(edit, "text"), "none");

    assert_keys(element(root, "targets", 0),
                "id name kind uuid uri path status message line column managed_by state notes applied");
    assert_keys(json_object_get_object_member(root, "summary"),
                "targets failed error warning info unknown suppressed applied fixable");
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(an_empty_report_is_valid)
{
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *root;

    begin(&report, LINT_INFO);
    node = end(&report);
    root = json_node_get_object(node);
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "findings")), 0);
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "targets")), 0);
    free(report.text);
}
END_TEST

START_TEST(hostile_text_makes_valid_json)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    g_autoptr(domxml_doc) doc =
        fake_parse("<disk><driver cache='writethrough'/><source file='/&quot;\\&#x202e;&#9;'/>"
                   "<target dev='a&quot;&#10;'/></disk>");
    g_autoptr(GPtrArray) findings = lint(selection, doc);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"\xff\x1b[31m\"",
        .path = (char *)"/tmp/\xc3\x28\n",
        .failure = (char *)"\x01 is \xfe",
        .failure_line = 3,
    };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *finding, *first;

    begin(&report, LINT_INFO);
    add(&report, &target, NULL, findings);
    node = end(&report);
    ck_assert(g_utf8_validate(report.text, -1, NULL));
    finding = element(json_node_get_object(node), "findings", 0);
    ck_assert_str_eq(json_object_get_string_member(finding, "subject"), "a\"\n");
    ck_assert_str_eq(json_object_get_string_member(finding, "target"), "\xef\xbf\xbd\x1b[31m\"");
    first = element(json_node_get_object(node), "targets", 0);
    ck_assert_str_eq(json_object_get_string_member(first, "status"), "failed");
    ck_assert_int_eq(json_object_get_int_member(first, "line"), 3);
    ck_assert(json_object_get_null_member(first, "column"));
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(places_of_domains_and_hosts)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) findings = lint(selection, doc);
    struct lint_finding *finding = findings->pdata[0];
    struct lint_target domain = {
        .kind = LINT_TARGET_DOMAIN,
        .name = (char *)"db",
        .uuid = (char *)"6f1a",
        .uri = (char *)"qemu:///system",
        .doc = doc,
    };
    struct lint_target host = { .kind = LINT_TARGET_HOST, .name = (char *)"this host" };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *root, *location;

    begin(&report, LINT_INFO);
    add(&report, &domain, NULL, findings);
    finding->located = FALSE;
    add(&report, &host, NULL, findings);
    node = end(&report);
    root = json_node_get_object(node);
    location = json_object_get_object_member(element(root, "findings", 0), "location");
    ck_assert(json_object_get_null_member(location, "file"));
    ck_assert_str_eq(json_object_get_string_member(location, "text"), "inactive");
    ck_assert(json_object_get_null_member(element(root, "findings", 1), "location"));
    ck_assert_str_eq(json_object_get_string_member(element(root, "findings", 1), "target_id"),
                     "2");
    ck_assert_str_eq(json_object_get_string_member(element(root, "targets", 0), "kind"),
                     "domain");
    ck_assert_str_eq(json_object_get_string_member(element(root, "targets", 1), "kind"), "host");
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

/* What --fix did stands with the target; findings are those that are left. */
START_TEST(what_was_applied_stands_with_the_target)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) applied = lint(selection, doc);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"web",
        .path = (char *)"web.xml",
    };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *root, *fix;

    begin(&report, LINT_INFO);
    add(&report, &target, applied, NULL);
    node = end(&report);
    root = json_node_get_object(node);
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "findings")), 0);
    fix = element(element(root, "targets", 0), "applied", 0);
    assert_keys(fix, "rule subject line column title safety");
    ck_assert_str_eq(json_object_get_string_member(fix, "title"), "set cache='none'");
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

/* Findings below the least severity are counted, not listed. */
START_TEST(min_severity_hides)
{
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_io, NULL);
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) findings = lint(selection, doc);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"web",
        .path = (char *)"web.xml",
    };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    JsonObject *root, *summary;

    ck_assert_uint_eq(findings->len, 2);
    begin(&report, LINT_WARNING);
    add(&report, &target, NULL, findings);
    node = end(&report);
    root = json_node_get_object(node);
    summary = json_object_get_object_member(root, "summary");
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "findings")), 1);
    ck_assert_int_eq(json_object_get_int_member(summary, "info"), 1);
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

/* Findings are in the stream before the report ends, each on its line. */
START_TEST(findings_are_written_as_they_come)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) findings = lint(selection, doc);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"web",
        .path = (char *)"web.xml",
    };
    struct report report;
    g_autoptr(JsonNode) node = NULL;
    guint lines = 0;

    begin(&report, LINT_INFO);
    for (int i = 0; i < 100; i++)
        add(&report, &target, NULL, findings);
    fflush(report.stream);
    for (char *p = report.text; (p = strstr(p, "\n{\"rule\":")); p++)
        lines++;
    ck_assert_uint_eq(lines, 100);
    node = end(&report);
    free(report.text);
    lint_selection_free(selection);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("output-json");
    TCase *tcase = tcase_create("report");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, the_form_is_version_1);
    tcase_add_test(tcase, an_empty_report_is_valid);
    tcase_add_test(tcase, hostile_text_makes_valid_json);
    tcase_add_test(tcase, places_of_domains_and_hosts);
    tcase_add_test(tcase, what_was_applied_stands_with_the_target);
    tcase_add_test(tcase, min_severity_hides);
    tcase_add_test(tcase, findings_are_written_as_they_come);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
