/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-lint.c: the engine: traversal, positions, order, what rules see, managed domains, counts. */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "lint/managed.h"
#include "tests/fake.h"

#define TWO_DISKS                                                                                  \
    "<domain>\n"                                                                                   \
    "  <name>web</name>\n"                                                                         \
    "  <devices>\n"                                                                                \
    "    <disk><driver cache='writethrough'/><target dev='vdb'/></disk>\n"                         \
    "    <disk device='cdrom'><driver name='qemu' cache='writethrough' io='x'/>"                   \
    "<target dev='vda'/></disk>\n"                                                                 \
    "  </devices>\n"                                                                               \
    "</domain>\n"

static GPtrArray *
lint(const struct lint_selection *selection, const char *text, domxml_doc **doc)
{
    struct facts_source *facts = fake_facts();
    GPtrArray *findings;

    *doc = fake_parse(text);
    findings = lint_run(selection, *doc, facts);
    facts_source_free(facts);
    return findings;
}

START_TEST(findings_are_in_order_of_position_and_rule)
{
    struct lint_selection *selection =
        fake_selection(&fake_title, &fake_io, &fake_empty, &fake_cache, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);
    g_autofree char *list = fake_list(findings);

    ck_assert_str_eq(list, "1:1 fake-title - fail\n"
                           "4:11 fake-io vdb fail\n"
                           "4:19 fake-cache vdb fail\n"
                           "4:19 fake-empty vdb fail\n"
                           "5:46 fake-cache vda fail\n"
                           "5:46 fake-empty vda fail\n");
    lint_selection_free(selection);
}
END_TEST

/* The place covers the attribute; where it is absent, the start tag of the nearest element. */
START_TEST(a_place_is_the_attribute_or_what_is_nearest)
{
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_io, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);
    const struct lint_finding *io = findings->pdata[0], *cache = findings->pdata[1];
    const char *text = domxml_doc_text(doc, NULL);

    ck_assert_uint_eq(io->span.length, strlen("<driver cache='writethrough'/>"));
    ck_assert(g_str_has_prefix(text + io->span.offset, "<driver cache='writethrough'/>"));
    ck_assert_uint_eq(cache->span.length, strlen("cache='writethrough'"));
    ck_assert(g_str_has_prefix(text + cache->span.offset, "cache='writethrough'"));
    ck_assert_int_eq(cache->end_line, 4);
    ck_assert_int_eq(cache->end_column, 39);
    ck_assert_int_eq(cache->disk, 0);
    lint_selection_free(selection);
}
END_TEST

START_TEST(severity_is_the_rules_unless_set)
{
    struct lint_selection *selection = fake_selection(&fake_image, &fake_cache, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);

    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        ck_assert_int_eq(finding->severity,
                         finding->rule == &fake_image ? LINT_ERROR : LINT_WARNING);
    }
    ck_assert_uint_eq(findings->len, 4);
    lint_selection_free(selection);
}
END_TEST

START_TEST(a_lone_disk_has_no_domain)
{
    struct lint_selection *selection = fake_selection(&fake_title, &fake_cache, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings =
        lint(selection, "<disk><driver cache='writethrough'/></disk>", &doc);
    g_autofree char *list = fake_list(findings);

    ck_assert_str_eq(list, "1:15 fake-cache ? fail\n");
    lint_selection_free(selection);
}
END_TEST

START_TEST(unknown_is_a_result_with_a_reason)
{
    struct lint_selection *selection = fake_selection(&fake_source, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);
    const struct lint_finding *finding = findings->pdata[0];

    ck_assert_uint_eq(findings->len, 2);
    ck_assert_int_eq(finding->result, LINT_RESULT_UNKNOWN);
    ck_assert_str_eq(finding->reason, "the image is not on this host");
    lint_selection_free(selection);
}
END_TEST

/* All edits are there, also where a fix has none, and the editor's refusal makes a fix manual. */
START_TEST(a_refused_fix_is_described)
{
    struct lint_selection *selection = fake_selection(&fake_refused, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);
    const struct lint_finding *finding = findings->pdata[0];
    const struct lint_fix *fix = finding->fixes->pdata[0];

    ck_assert_int_eq(fix->safety, LINT_MANUAL);
    ck_assert_uint_eq(domxml_edits_count(fix->edits), 0);
    ck_assert_uint_eq(fix->notes->len, 1);
    ck_assert(g_str_has_prefix(fix->notes->pdata[0], "cannot be done automatically: "));
    ck_assert(strlen(fix->notes->pdata[0]) > strlen("cannot be done automatically: "));
    lint_selection_free(selection);
}
END_TEST

START_TEST(fixes_become_edits_of_the_text)
{
    struct lint_selection *selection = fake_selection(&fake_cache, &fake_image, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(
        selection,
        "<disk><driver cache='writethrough'/><source file='/a'/><target dev='vda'/></disk>", &doc);
    const struct lint_finding *cache = findings->pdata[0], *image = findings->pdata[1];
    const struct lint_fix *fix = cache->fixes->pdata[0];
    const struct domxml_edit *edit = domxml_edits_get(fix->edits, 0);
    g_autofree char *step = NULL;

    ck_assert_uint_eq(domxml_edits_count(fix->edits), 1);
    ck_assert_str_eq(edit->text, "none");
    ck_assert_uint_eq(edit->length, strlen("writethrough"));
    ck_assert(!fix->wide);
    ck_assert_uint_eq(cache->fixes->len, 2);

    fix = image->fixes->pdata[0];
    step = lint_step_text(fix->steps->pdata[0]);
    ck_assert_str_eq(
        step, "convert /srv/a.qcow2 (qcow2) to /srv/a.raw (raw, preallocation=falloc)");
    ck_assert_uint_eq(domxml_edits_count(fix->edits), 0);
    lint_selection_free(selection);
}
END_TEST

START_TEST(placeholders_are_no_values)
{
    g_autoptr(domxml_doc) doc =
        fake_parse("<disk device='{{ d }}'><driver cache='${cache}' io='native'/></disk>");
    const domxml_elem *disk = domxml_disk(doc, 0);

    ck_assert(lint_value(disk, "driver@cache") == NULL);
    ck_assert(lint_value(disk, "driver@type") == NULL);
    ck_assert_str_eq(lint_value(disk, "driver@io"), "native");
    ck_assert(!lint_disk_is_disk(disk));
}
END_TEST

START_TEST(kinds_of_disks)
{
    g_autoptr(domxml_doc) doc = fake_parse(
        "<domain><devices><disk/><disk device='disk'><readonly/></disk><disk device='cdrom'/>"
        "<disk device='lun'><transient/><target dev=''/></disk></devices></domain>");

    ck_assert(lint_disk_is_disk(domxml_disk(doc, 0)));
    ck_assert(lint_disk_is_disk(domxml_disk(doc, 1)));
    ck_assert(!lint_disk_is_disk(domxml_disk(doc, 2)));
    ck_assert(!lint_disk_is_disk(domxml_disk(doc, 3)));
    ck_assert(!lint_disk_is_read_only(domxml_disk(doc, 0)));
    ck_assert(lint_disk_is_read_only(domxml_disk(doc, 1)));
    ck_assert(!lint_disk_is_transient(domxml_disk(doc, 1)));
    ck_assert(lint_disk_is_transient(domxml_disk(doc, 3)));
    ck_assert_str_eq(lint_disk_name(domxml_disk(doc, 0)), "?");
    ck_assert_str_eq(lint_disk_name(domxml_disk(doc, 3)), "?");
}
END_TEST

/* What a rule would see; the findings carry the answers. */
static void
check_machine(struct lint_ctx *ctx, const domxml_elem *domain)
{
    (void)domain;
    lint_fail(ctx, NULL, "", "%s %s", lint_is_q35(ctx) ? "q35" : "-",
              lint_guest_is_windows(ctx) ? "windows" : "-");
}

static const struct lint_rule machine = {
    .id = "machine",
    .check_domain = check_machine,
};

#define OSINFO(id)                                                                                 \
    "<metadata><o:libosinfo xmlns:o='http://libosinfo.org/xmlns/libvirt/domain/1.0'>"              \
    "<o:os id='" id "'/></o:libosinfo></metadata>"
#define MACHINE(name) "<os><type machine='" name "'>hvm</type></os>"

static const struct {
    const char *text, *answer;
} machines[] = {
    { "<domain/>", "- -" },
    { "<disk/>", "- -" },
    { "<domain>" MACHINE("pc-q35-7.2") "</domain>", "q35 -" },
    { "<domain>" MACHINE("q35") "</domain>", "q35 -" },
    { "<domain>" MACHINE("pc-i440fx-7.2") "</domain>", "- -" },
    { "<domain>" MACHINE("{{ q35 }}") "</domain>", "- -" },
    { "<domain>" OSINFO("http://microsoft.com/win/10") "</domain>", "- windows" },
    { "<domain>" OSINFO("http://debian.org/debian/11") "</domain>", "- -" },
    { "<domain><metadata><libosinfo><os id='http://microsoft.com/win/10'/></libosinfo></metadata>"
      "</domain>",
      "- -" },
};

START_TEST(machine_and_guest)
{
    struct lint_selection *selection = fake_selection(&machine, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, machines[_i].text, &doc);
    const struct lint_finding *finding = findings->pdata[0];

    ck_assert_str_eq(finding->message, machines[_i].answer);
    ck_assert(finding->subject == NULL);
    lint_selection_free(selection);
}
END_TEST

static const struct {
    const char *path, *format, *name;
} names[] = {
    { "/srv/a.qcow2", "raw", "/srv/a.raw" },
    { "/srv/a.img", "raw", "/srv/a.raw" },
    { "/srv/a.raw", "qcow2", "/srv/a.qcow2" },
    { "/srv/web.example.com", "raw", "/srv/web.example.com.raw" },
    { "/srv/pool.img/disk", "raw", "/srv/pool.img/disk.raw" },
    { "/srv/.qcow2", "raw", "/srv/.qcow2.raw" },
    { "/srv/a.raw", "raw", "/srv/a.raw.raw" },
    { "a.qcow2.qed", "raw", "a.qcow2.raw" },
};

START_TEST(converted_names)
{
    g_autofree char *name = lint_converted_name(names[_i].path, names[_i].format);

    ck_assert_str_eq(name, names[_i].name);
}
END_TEST

#define MANAGED(metadata)                                                                          \
    "<domain><name>a</name>" metadata                                                              \
    "<devices><disk><driver cache='writethrough'/></disk></devices></domain>"

static const struct {
    const char *text, *manager;
} managed[] = {
    { MANAGED("<metadata><nova:instance xmlns:nova='http://openstack.org/xmlns/libvirt/nova/1.1'/>"
              "</metadata>"),
      "OpenStack Nova" },
    { MANAGED("<metadata xmlns:t='http://ovirt.org/vm/tune/1.0'><t:qos/></metadata>"), "oVirt" },
    { MANAGED("<metadata><kubevirt xmlns='http://kubevirt.io'/></metadata>"), "KubeVirt" },
    { MANAGED("<metadata><a xmlns='urn:a'/><one:vm "
              "xmlns:one='http://opennebula.org/xmlns/libvirt/1.0'/></metadata>"),
      "OpenNebula" },
    { MANAGED("<description>Source: /home/me/box/Vagrantfile</description>"), "Vagrant" },
    { MANAGED("<metadata>"
              "<t xmlns='http://github.com/dmacvicar/terraform-provider-libvirt/'/></metadata>"),
      "Terraform" },
    { MANAGED("<metadata><l:libosinfo "
              "xmlns:l='http://libosinfo.org/xmlns/libvirt/domain/1.0'/></metadata>"),
      NULL },
    { MANAGED("<metadata><instance xmlns='http://openstack.org/'/></metadata>"), NULL },
    { MANAGED("<description>Source: see the Vagrantfile</description>"), NULL },
    { MANAGED("<x><kubevirt xmlns='http://kubevirt.io'/></x>"), NULL },
    { MANAGED(""), NULL },
    { "<disk><driver cache='writethrough'/></disk>", NULL },
};

START_TEST(managers_keep_their_domains)
{
    struct lint_selection *selection = fake_selection(&fake_cache, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, managed[_i].text, &doc);
    const struct lint_finding *finding = findings->pdata[0];
    const struct lint_fix *fix = finding->fixes->pdata[0];

    ck_assert_pstr_eq(lint_managed_by(doc), managed[_i].manager);
    if (managed[_i].manager) {
        g_autofree char *note =
            g_strdup_printf("managed by %s: change it there", managed[_i].manager);

        ck_assert_uint_eq(finding->notes->len, 2);
        ck_assert_str_eq(finding->notes->pdata[1], note);
        ck_assert_int_eq(fix->safety, LINT_MANUAL);
        ck_assert_uint_eq(domxml_edits_count(fix->edits), 0);
    } else {
        ck_assert_uint_eq(finding->notes->len, 1);
        ck_assert_int_eq(fix->safety, LINT_SAFE);
        ck_assert_uint_eq(domxml_edits_count(fix->edits), 1);
    }
    lint_selection_free(selection);
}
END_TEST

START_TEST(each_finding_counts_once_by_its_first_fix)
{
    struct lint_selection *selection =
        fake_selection(&fake_cache, &fake_image, &fake_refused, &fake_source, &fake_title, NULL);
    g_autoptr(domxml_doc) doc = NULL;
    g_autoptr(GPtrArray) findings = lint(selection, TWO_DISKS, &doc);
    struct lint_target target = { .kind = LINT_TARGET_FILE };
    struct lint_target broken = { .kind = LINT_TARGET_FILE, .failure = (char *)"no such file" };
    struct lint_summary summary = { 0 };

    lint_summary_add(&summary, &target, findings, findings);
    lint_summary_add(&summary, &broken, NULL, NULL);
    ck_assert_uint_eq(summary.targets, 2);
    ck_assert_uint_eq(summary.failed, 1);
    ck_assert_uint_eq(summary.severity[LINT_ERROR], 2);
    ck_assert_uint_eq(summary.severity[LINT_WARNING], 5);
    ck_assert_uint_eq(summary.severity[LINT_INFO], 0);
    ck_assert_uint_eq(summary.unknown, 2);
    ck_assert_uint_eq(summary.fixable_safe, 3);
    ck_assert_uint_eq(summary.fixable_unsafe, 0);
    ck_assert_uint_eq(summary.fixable_image, 2);
    ck_assert_uint_eq(summary.fixable_manual, 2);
    ck_assert_uint_eq(summary.applied, findings->len);
    lint_selection_free(selection);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("lint");
    TCase *engine = tcase_create("engine"), *view = tcase_create("view");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(engine, findings_are_in_order_of_position_and_rule);
    tcase_add_test(engine, a_place_is_the_attribute_or_what_is_nearest);
    tcase_add_test(engine, severity_is_the_rules_unless_set);
    tcase_add_test(engine, a_lone_disk_has_no_domain);
    tcase_add_test(engine, unknown_is_a_result_with_a_reason);
    tcase_add_test(engine, a_refused_fix_is_described);
    tcase_add_test(engine, fixes_become_edits_of_the_text);
    tcase_add_loop_test(engine, managers_keep_their_domains, 0, G_N_ELEMENTS(managed));
    tcase_add_test(engine, each_finding_counts_once_by_its_first_fix);
    suite_add_tcase(suite, engine);
    tcase_add_test(view, placeholders_are_no_values);
    tcase_add_test(view, kinds_of_disks);
    tcase_add_loop_test(view, machine_and_guest, 0, G_N_ELEMENTS(machines));
    tcase_add_loop_test(view, converted_names, 0, G_N_ELEMENTS(names));
    suite_add_tcase(suite, view);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
