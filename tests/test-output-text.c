/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-output-text.c: the report for people, as a whole, and with hostile and huge input. */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "tests/fake.h"

#define TEXT                                                                                       \
    "<domain>\n"                                                                                   \
    "  <title>t</title>\n"                                                                         \
    "  <devices>\n"                                                                                \
    "    <disk>\n"                                                                                 \
    "      <driver name='qemu' cache='writethrough'/>\n"                                           \
    "      <source file='/srv/a.qcow2'/>\n"                                                        \
    "      <target dev='vda'/>\n"                                                                  \
    "    </disk>\n"                                                                                \
    "  </devices>\n"                                                                               \
    "</domain>\n"

static const struct lint_target file = {
    .kind = LINT_TARGET_FILE,
    .name = (char *)"web",
    .path = (char *)"guests/web.xml",
};

/* A report that is being made. */
struct report {
    char *text;
    size_t length;
    FILE *stream;
    struct lint_output *output;
    struct lint_summary summary;
};

static void
begin(struct report *report, const struct lint_output_options *options)
{
    memset(report, 0, sizeof(*report));
    report->stream = open_memstream(&report->text, &report->length);
    report->output = lint_output_text_new(report->stream, options);
}

static void
add(struct report *report, const struct lint_target *target, GPtrArray *applied,
    GPtrArray *findings)
{
    report->output->target(report->output, target, applied, findings);
    lint_summary_add(&report->summary, target, applied, findings);
}

/* Ends the report; its text is to be freed. */
static char *
end(struct report *report)
{
    report->output->end(report->output, &report->summary);
    report->output->free(report->output);
    fclose(report->stream);
    return report->text;
}

/* Lints @text as @target (its doc is filled in) and adds it. */
static void
add_text(struct report *report, struct lint_target target, const struct lint_selection *selection,
         const char *text)
{
    struct facts_source *facts = fake_facts();
    g_autoptr(domxml_doc) doc = fake_parse(text);
    g_autoptr(GPtrArray) findings = lint_run(selection, doc, facts);

    target.doc = doc;
    add(report, &target, NULL, findings);
    facts_source_free(facts);
}

/* The report on one text, its last lines (the summary) left out. */
static char *
report_on(struct lint_selection *selection, const char *text)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct report report;
    char *whole, *summary;

    begin(&report, &options);
    add_text(&report, file, selection, text);
    whole = end(&report);
    summary = g_strrstr(whole, "Checked ");
    ck_assert(summary != NULL);
    *summary = '\0';
    lint_selection_free(selection);
    return whole;
}

static void
assert_report(struct lint_selection *selection, const char *text, const char *expected)
{
    char *report = report_on(selection, text);

    ck_assert_str_eq(report, expected);
    free(report);
}

START_TEST(a_whole_report)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_source, NULL);
    struct lint_target broken = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"b.xml",
        .path = (char *)"b.xml",
        .failure = (char *)"not well-formed",
        .failure_line = 3,
        .failure_column = 14,
    };
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, file, selection, TEXT);
    add(&report, &broken, NULL, NULL);
    add_text(&report, file, selection, "<domain><devices><disk><target dev='vdb'/></disk>"
                                       "<disk/></devices></domain>");
    text = end(&report);
    ck_assert_str_eq(
        text,
        "warning[fake-cache]: disk vda: the cache is slow\n"
        " --> guests/web.xml:5:27\n"
        "  |\n"
        "5 |       <driver name='qemu' cache='writethrough'/>\n"
        "  |                           ^^^^^^^^^^^^^^^^^^^^\n"
        "  = note: the image is /srv/a.qcow2\n"
        "  = fix (safe): set cache='none'   apply with: domlint --fix\n"
        "5 -       <driver name='qemu' cache='writethrough'/>\n"
        "5 +       <driver name='qemu' cache='none'/>\n"
        "  = or fix (unsafe): set cache='writeback'   an alternative, by hand\n"
        "5 -       <driver name='qemu' cache='writethrough'/>\n"
        "5 +       <driver name='qemu' cache='writeback'/>\n"
        "     note: the host's cache is used\n"
        "  = help: domlint --explain=fake-cache\n"
        "\n"
        "error: not well-formed\n"
        " --> b.xml:3:14\n"
        "\n"
        "not checked: 2 disks: the image is not on this host (fake-source; first: "
        "guests/web.xml:1, vdb)\n"
        "\n"
        "Checked 3 files (1 failed): 0 errors, 1 warning, 0 infos, 2 not checked.\n"
        "Fixes: 1 safe (--fix), 0 unsafe (--fix --unsafe-fixes), 0 image, 0 manual.\n");
    free(text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(nothing_wrong_is_one_line)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct lint_selection *selection = fake_selection(&fake_title, NULL);
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, file, selection, TEXT);
    text = end(&report);
    ck_assert_str_eq(text, "Checked 1 file: 0 errors, 0 warnings, 0 infos, 0 not checked.\n");
    free(text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(quiet_has_findings_alone)
{
    struct lint_output_options options = { .min_severity = LINT_INFO, .quiet = TRUE };
    struct lint_selection *selection = fake_selection(&fake_refused, &fake_source, NULL);
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, file, selection, "<disk>\n</disk>");
    text = end(&report);
    ck_assert_str_eq(text, "warning[fake-refused]: disk ?: cannot be fixed\n"
                           " --> guests/web.xml:1:1\n"
                           "  |\n"
                           "1 | <disk>\n"
                           "  | ^^^^^^\n"
                           "  = fix (manual): rename it\n");
    free(text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(min_severity_hides_but_counts)
{
    struct lint_output_options options = { .min_severity = LINT_WARNING };
    struct lint_selection *selection = fake_selection(&fake_io, NULL);
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, file, selection, TEXT);
    text = end(&report);
    ck_assert_str_eq(text, "Checked 1 file: 0 errors, 0 warnings, 1 info, 0 not checked.\n"
                           "Fixes: 1 safe (--fix), 0 unsafe (--fix --unsafe-fixes), 0 image, "
                           "0 manual.\n");
    free(text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(image_fixes_are_shown_only)
{
    assert_report(fake_selection(&fake_image, NULL), "<disk><source file='/srv/a.qcow2'/></disk>",
                  "error[fake-image]: disk ?: the image grows\n"
                  " --> guests/web.xml:1:15\n"
                  "  |\n"
                  "1 | <disk><source file='/srv/a.qcow2'/></disk>\n"
                  "  |               ^^^^^^^^^^^^^^^^^^^\n"
                  "  = fix (image, safe): convert to raw   apply with: domlint --fix "
                  "--convert\n"
                  "     step: convert /srv/a.qcow2 (qcow2) to /srv/a.raw (raw, "
                  "preallocation=falloc)\n"
                  "  = or fix (manual): think again\n"
                  "  = help: domlint --explain=fake-image\n"
                  "\n");
}
END_TEST

START_TEST(lines_put_in_are_shown_alone)
{
    assert_report(fake_selection(&fake_title, NULL),
                  "<domain>\r\n\t<devices>\r\n\t</devices>\r\n</domain>\r\n",
                  "warning[fake-title]: no title\n"
                  " --> guests/web.xml:1:1\n"
                  "  |\n"
                  "1 | <domain>\n"
                  "  | ^^^^^^^^\n"
                  "  = fix (safe): add a title   apply with: domlint --fix\n"
                  "2 +  <title>a guest</title>\n"
                  "  = help: domlint --explain=fake-title\n"
                  "\n");
}
END_TEST

START_TEST(lines_taken_out_are_shown_alone)
{
    assert_report(fake_selection(&fake_source, NULL),
                  "<disk>\n  <driver cache='unsafe'/>\n  <source file='/a'/>\n</disk>\n",
                  "warning[fake-source]: disk ?: unsafe\n"
                  " --> guests/web.xml:2:11\n"
                  "  |\n"
                  "2 |   <driver cache='unsafe'/>\n"
                  "  |           ^^^^^^^^^^^^^^\n"
                  "  = fix (safe): remove the source   apply with: domlint --fix\n"
                  "3 -   <source file='/a'/>\n"
                  "  = help: domlint --explain=fake-source\n"
                  "\n");
}
END_TEST

/* Help is given once for each rule. */
START_TEST(help_is_given_once)
{
    char *report = report_on(fake_selection(&fake_image, NULL),
                             "<domain><devices><disk/><disk/></devices></domain>");
    char *help = strstr(report, "--explain=fake-image");

    ck_assert(help != NULL);
    ck_assert(strstr(help + 1, "--explain=") == NULL);
    free(report);
}
END_TEST

/* Tabs are one space, code points count, a byte order mark takes no column. */
START_TEST(carets_stand_under_the_attribute)
{
    assert_report(fake_selection(&fake_empty, NULL),
                  "\xef\xbb\xbf<disk>\t<!-- \xc3\xbc\xe2\x82\xac --><driver\tcache='writethrough'/>"
                  "</disk>",
                  "warning[fake-empty]: disk ?: the cache is slow\n"
                  " --> guests/web.xml:1:27\n"
                  "  |\n"
                  "1 | <disk> <!-- \xc3\xbc\xe2\x82\xac --><driver cache='writethrough'/></disk>\n"
                  "  |                           ^^^^^^^^^^^^^^^^^^^^\n"
                  "  = fix (safe): set cache='writethrough'   an alternative, by hand\n"
                  "  = help: domlint --explain=fake-empty\n"
                  "\n");
}
END_TEST

/* A tag over several lines: its first line. */
START_TEST(carets_end_with_the_line)
{
    char *report = report_on(fake_selection(&fake_image, NULL), "<disk\n  type='file'>\n</disk>");

    ck_assert(strstr(report, "1 | <disk\n  | ^^^^^\n") != NULL);
    free(report);
}
END_TEST

START_TEST(hostile_text_is_escaped)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    struct lint_target target = {
        .kind = LINT_TARGET_FILE,
        .name = (char *)"web",
        .path = (char *)"a\x1b]0;owned\x07\xff\n.xml",
    };
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, target, selection,
             "<disk><!-- \xe2\x80\xae \xc2\x9b --><driver cache='writethrough'/>"
             "<source file='/srv/&#x202e;a'/><target dev='v&#10;&#x2066;da'/></disk>");
    text = end(&report);
    ck_assert(strstr(text, " --> a\\x1b]0;owned\\x07\\xff\\x0a.xml:1:27\n") != NULL);
    ck_assert(strstr(text, "disk v\\x0a\\u2066da: ") != NULL);
    ck_assert(strstr(text, "1 | <disk><!-- \\u202e \\x9b --><driver cache=") != NULL);
    ck_assert(strstr(text, "\n  |                                   ^^^^^") != NULL);
    ck_assert(strstr(text, "/srv/\\u202ea\n") != NULL);
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char_validated(p, -1);

        ck_assert(c != (gunichar)-1 && c != (gunichar)-2);
        ck_assert(c == '\n' || (!g_unichar_iscntrl(c) && c != 0x202e && c != 0x2066));
    }
    free(text);
    lint_selection_free(selection);
}
END_TEST

START_TEST(escaping)
{
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        { "", "" },
        { "plain text, \\ and 'quotes'", "plain text, \\ and 'quotes'" },
        { "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "\t\r\n\x7f", "\\x09\\x0d\\x0a\\x7f" },
        { "\xc2\x85", "\\x85" },
        { "\xe2\x80\x8f\xe2\x80\xa8\xef\xbb\xbf", "\\u200f\\u2028\\ufeff" },
        { "\xf3\xa0\x81\x81", "\\U000e0041" },
        { "a\xc3", "a\\xc3" },
        { "\xed\xa0\x80z", "\\xed\\xa0\\x80z" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *escaped = lint_escape(cases[i].text);

        ck_assert_str_eq(escaped, cases[i].escaped);
    }
}
END_TEST

/* A line as long as a document costs no more than what is shown of it. */
START_TEST(long_lines_are_shown_around_the_place)
{
    GString *text = g_string_new("<domain><devices>");
    g_autofree char *padding = g_strnfill(100000, 'x');
    char *report;

    for (int i = 0; i < 50; i++)
        g_string_append_printf(text, "<disk><!-- %s\xe2\x82\xac --><driver cache='writethrough'/>"
                                     "<!-- %s --></disk>",
                               padding, padding);
    g_string_append(text, "</devices></domain>");
    report = report_on(fake_selection(&fake_cache, NULL), text->str);
    ck_assert_uint_lt(strlen(report), 50 * 1500);
    ck_assert(strstr(report,
                     "1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxx\xe2\x82\xac --><driver "
                     "cache='writethrough'/>"
                     "<!-- xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"
                     "  |                                            ^^^^^^^^^^^^^^^^^^^^\n") !=
              NULL);
    ck_assert(strstr(report, "1 + ...xxx") != NULL);
    free(report);
    g_string_free(text, TRUE);
}
END_TEST

/* What is put in or taken out may be long; a few lines of it do. */
START_TEST(many_changed_lines_are_cut)
{
    GString *text = g_string_new("<disk>\n<driver cache='unsafe'/>\n<source>\n");
    char *report;

    for (int i = 0; i < 1000; i++)
        g_string_append(text, "<host/>\n");
    g_string_append(text, "</source>\n</disk>\n");
    report = report_on(fake_selection(&fake_source, NULL), text->str);
    ck_assert(strstr(report, "\n   3 - <source>\n   4 - <host/>\n") != NULL);
    ck_assert(strstr(report, "\n        (and 986 more lines)\n") != NULL);
    free(report);
    g_string_free(text, TRUE);
}
END_TEST

START_TEST(fixes_applied_are_listed)
{
    struct lint_output_options options = { .min_severity = LINT_INFO, .fixed = TRUE };
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    struct facts_source *facts = fake_facts();
    g_autoptr(domxml_doc) doc = fake_parse(TEXT);
    g_autoptr(GPtrArray) findings = lint_run(selection, doc, facts);
    struct report report;
    char *text;

    begin(&report, &options);
    add(&report, &file, findings, NULL);
    text = end(&report);
    ck_assert_str_eq(text, "fixed[fake-cache]: disk vda: the cache is slow\n"
                           " --> guests/web.xml:5:27\n"
                           "  = applied (safe): set cache='none'\n"
                           "\n"
                           "Checked 1 file: 1 finding fixed, left: 0 errors, 0 warnings, 0 infos, "
                           "0 not checked.\n");
    free(text);
    facts_source_free(facts);
    lint_selection_free(selection);
}
END_TEST

/* The colours are all switched off again, and without them the report is the same. */
START_TEST(colors_on_demand)
{
    struct lint_output_options plain = { .min_severity = LINT_INFO };
    struct lint_output_options colored = { .min_severity = LINT_INFO, .color = TRUE };
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_io, NULL);
    struct report report;
    char *without, *with;
    GString *stripped = g_string_new(NULL);

    begin(&report, &plain);
    add_text(&report, file, selection, TEXT);
    without = end(&report);
    begin(&report, &colored);
    add_text(&report, file, selection, TEXT);
    with = end(&report);
    ck_assert(strchr(without, '\033') == NULL);
    ck_assert(strstr(with, "\033[1;33mwarning[fake-cache]\033[0m") != NULL);
    for (const char *p = with; *p; p++) {
        if (*p == '\033')
            p = strchr(p, 'm');
        else
            g_string_append_c(stripped, *p);
    }
    ck_assert_str_eq(stripped->str, without);
    g_string_free(stripped, TRUE);
    free(without);
    free(with);
    lint_selection_free(selection);
}
END_TEST

START_TEST(domains_are_named_with_their_connection)
{
    struct lint_output_options options = { .min_severity = LINT_INFO };
    struct lint_selection *selection = fake_selection(&fake_title, NULL);
    struct lint_target domain = {
        .kind = LINT_TARGET_DOMAIN,
        .name = (char *)"db",
        .uri = (char *)"qemu:///system",
    };
    struct report report;
    char *text;

    begin(&report, &options);
    add_text(&report, domain, selection, "<domain/>");
    add_text(&report, file, selection, TEXT);
    text = end(&report);
    ck_assert(strstr(text, "\n --> qemu:///system/db (inactive XML):1:1\n") != NULL);
    ck_assert(strstr(text, "\nChecked 1 file, 1 domain: ") != NULL);
    free(text);
    lint_selection_free(selection);
}
END_TEST

/* One line for each cause, whatever the number of disks, rules and causes. */
START_TEST(causes_are_listed_once)
{
    static const struct lint_rule one = { .id = "one" }, two = { .id = "two" };
    struct lint_output_options options = { .min_severity = LINT_INFO };
    g_autoptr(GPtrArray) findings = g_ptr_array_new();
    struct report report;
    char *text;
    struct lint_finding finding = {
        .rule = &one,
        .result = LINT_RESULT_UNKNOWN,
        .reason = (char *)"permission denied",
        .subject = (char *)"vda",
        .message = (char *)"not known",
    };
    struct lint_finding other = finding, domain = finding;

    other.rule = &two;
    domain.disk = -1;
    g_ptr_array_add(findings, &finding);
    g_ptr_array_add(findings, &other);
    g_ptr_array_add(findings, &domain);
    begin(&report, &options);
    add(&report, &file, NULL, findings);
    add(&report, &file, NULL, findings);
    for (int i = 0; i < 1000; i++) {
        g_autofree char *reason = g_strdup_printf("cause %d", i);

        finding.reason = reason;
        g_ptr_array_set_size(findings, 1);
        add(&report, &file, NULL, findings);
    }
    text = end(&report);
    ck_assert(g_str_has_prefix(text, "not checked: 2 disks, 2 domains: permission denied (one, "
                                     "two; first: guests/web.xml, vda)\n"
                                     "not checked: 1 disk: cause 0 (one; guests/web.xml, vda)\n"));
    ck_assert(strstr(text, "\nnot checked: 981 more, of other causes (--format=json lists them)"
                           "\n\nChecked 1002 files: 0 errors, 0 warnings, 0 infos, 1006 not "
                           "checked.\n") != NULL);
    free(text);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("output-text");
    TCase *report = tcase_create("report"), *hostile = tcase_create("hostile");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(report, a_whole_report);
    tcase_add_test(report, nothing_wrong_is_one_line);
    tcase_add_test(report, quiet_has_findings_alone);
    tcase_add_test(report, min_severity_hides_but_counts);
    tcase_add_test(report, image_fixes_are_shown_only);
    tcase_add_test(report, lines_put_in_are_shown_alone);
    tcase_add_test(report, lines_taken_out_are_shown_alone);
    tcase_add_test(report, help_is_given_once);
    tcase_add_test(report, carets_stand_under_the_attribute);
    tcase_add_test(report, carets_end_with_the_line);
    tcase_add_test(report, fixes_applied_are_listed);
    tcase_add_test(report, colors_on_demand);
    tcase_add_test(report, domains_are_named_with_their_connection);
    tcase_add_test(report, causes_are_listed_once);
    suite_add_tcase(suite, report);
    tcase_set_timeout(hostile, 30);
    tcase_add_test(hostile, hostile_text_is_escaped);
    tcase_add_test(hostile, escaping);
    tcase_add_test(hostile, long_lines_are_shown_around_the_place);
    tcase_add_test(hostile, many_changed_lines_are_cut);
    suite_add_tcase(suite, hostile);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
