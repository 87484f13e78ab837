/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-hostile.c: documents that are right, and yet not as a careless editor expects them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/domxml-check.h"

static bool
set_cache_none(domxml_editor *editor, const domxml_elem *disk, const void *data,
               struct domxml_error *error)
{
    (void)data;
    return domxml_disk_set_cache(editor, disk, "none", NULL, error);
}

static bool
move_to_virtio(domxml_editor *editor, const domxml_elem *disk, const void *data,
               struct domxml_error *error)
{
    (void)data;
    return domxml_disk_set_bus(editor, disk, "virtio", error);
}

/* A change to the first disk, and what it makes. */
static const struct {
    const char *name;
    check_change change;
    const char *before, *after;
} cases[] = {
    { "attributes over several lines", set_cache_none,
      "<domain><devices><disk\n\ttype='file'\n\tdevice='disk'\n>\n<driver\n   name='qemu'\n"
      "   cache\n   =\n   'writethrough'\n   type='raw'\n/>\n</disk></devices></domain>",
      "<domain><devices><disk\n\ttype='file'\n\tdevice='disk'\n>\n<driver\n   name='qemu'\n"
      "   cache\n   =\n   'none'\n   type='raw'\n/>\n</disk></devices></domain>" },
    { "> and / in values", set_cache_none,
      "<disk a='x > y/>' b=\"-->]]>?>\"><driver c='/>' cache='writeback'/></disk>",
      "<disk a='x > y/>' b=\"-->]]>?>\"><driver c='/>' cache='none'/></disk>" },
    { "one kind of quotes inside the other", set_cache_none,
      "<disk><driver a=\"cache='x'\" cache=\"writeback\" b='cache=\"y\"'/></disk>",
      "<disk><driver a=\"cache='x'\" cache=\"none\" b='cache=\"y\"'/></disk>" },
    { "entities and references", set_cache_none,
      "<disk><driver a='&lt;&amp;&#10;&#x41;' cache='write&#98;ack'/><x>&gt;&quot;</x></disk>",
      "<disk><driver a='&lt;&amp;&#10;&#x41;' cache='none'/><x>&gt;&quot;</x></disk>" },
    { "a value that is written by references", set_cache_none,
      "<disk><driver cache='&#110;one'/></disk>", "<disk><driver cache='&#110;one'/></disk>" },
    { "CDATA, comments and PIs in the disk", set_cache_none,
      "<disk><!-- <driver cache='a'/> --><?x <driver cache='b'/> ?>"
      "<![CDATA[<driver cache='c'/>]]><driver/><!----></disk>",
      "<disk><!-- <driver cache='a'/> --><?x <driver cache='b'/> ?>"
      "<![CDATA[<driver cache='c'/>]]><driver cache='none'/><!----></disk>" },
    { "comments and PIs around the root", set_cache_none,
      "<?xml version=\"1.0\"?>\n<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE.\n"
      "<domain><devices><disk/></devices></domain>\n-->\n<?pi?>\n"
      "<domain><devices><disk><driver/></disk></devices></domain>\n<!-- end --><?pi?>\n",
      "<?xml version=\"1.0\"?>\n<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE.\n"
      "<domain><devices><disk/></devices></domain>\n-->\n<?pi?>\n"
      "<domain><devices><disk><driver cache='none'/></disk></devices></domain>\n"
      "<!-- end --><?pi?>\n" },
    { "a disk in a comment", set_cache_none,
      "<domain><devices>\n<!-- <disk><driver cache='a'/></disk> -->\n"
      "<disk><driver cache='b'/></disk>\n</devices></domain>",
      "<domain><devices>\n<!-- <disk><driver cache='a'/></disk> -->\n"
      "<disk><driver cache='none'/></disk>\n</devices></domain>" },
    { "a disk in <metadata> and elsewhere", set_cache_none,
      "<domain><metadata><m:x xmlns:m='u'><disk><driver cache='a'/></disk></m:x></metadata>"
      "<disk><driver cache='b'/></disk><devices><x><disk/></x><disk><driver cache='c'/></disk>"
      "</devices></domain>",
      "<domain><metadata><m:x xmlns:m='u'><disk><driver cache='a'/></disk></m:x></metadata>"
      "<disk><driver cache='b'/></disk><devices><x><disk/></x><disk><driver cache='none'/></disk>"
      "</devices></domain>" },
    { "the disks of a snapshot", set_cache_none,
      "<domainsnapshot><disks><disk name='vda'><driver type='qcow2'/></disk></disks><domain>"
      "<devices><disk><driver/></disk></devices></domain></domainsnapshot>",
      "<domainsnapshot><disks><disk name='vda'><driver type='qcow2'/></disk></disks><domain>"
      "<devices><disk><driver cache='none'/></disk></devices></domain></domainsnapshot>" },
    { "the inactive domain of a snapshot", set_cache_none,
      "<domainsnapshot><domain><devices><disk/></devices></domain><inactiveDomain><devices>"
      "<disk><driver/></disk></devices></inactiveDomain></domainsnapshot>",
      "<domainsnapshot><domain><devices><disk/></devices></domain><inactiveDomain><devices>"
      "<disk><driver cache='none'/></disk></devices></inactiveDomain></domainsnapshot>" },
    { "an empty tag", set_cache_none, "<disk><driver/></disk>",
      "<disk><driver cache='none'/></disk>" },
    { "an empty tag with a blank", set_cache_none, "<disk><driver name='q' /></disk>",
      "<disk><driver name='q' cache='none' /></disk>" },
    { "an empty element of two tags", set_cache_none, "<disk><driver></driver></disk>",
      "<disk><driver cache='none'></driver></disk>" },
    { "a disk of two tags", set_cache_none, "<disk></disk>",
      "<disk><driver cache='none'/></disk>" },
    { "a disk of one tag", set_cache_none, "<disk type='file'/>",
      "<disk type='file'><driver cache='none'/></disk>" },
    { "blanks in end tags", set_cache_none, "<disk ><driver ></driver\n></disk\t>\n\n",
      "<disk ><driver cache='none' ></driver\n></disk\t>\n\n" },
    { "a namespace that is not ours", set_cache_none,
      "<domain xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'><devices>"
      "<qemu:disk><driver/></qemu:disk><disk><qemu:driver cache='a'/><driver qemu:cache='b'/>"
      "</disk></devices><qemu:commandline><qemu:arg value='-drive cache=none'/>"
      "</qemu:commandline></domain>",
      "<domain xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'><devices>"
      "<qemu:disk><driver/></qemu:disk><disk><qemu:driver cache='a'/>"
      "<driver qemu:cache='b' cache='none'/>"
      "</disk></devices><qemu:commandline><qemu:arg value='-drive cache=none'/>"
      "</qemu:commandline></domain>" },
    { "a prefix that nobody declared", set_cache_none,
      "<disk q:a='1'><q:driver cache='a'/><driver cache='b'/></disk>",
      "<disk q:a='1'><q:driver cache='a'/><driver cache='none'/></disk>" },
    { "other scripts", set_cache_none,
      "<disk \xc3\xa4='\xe2\x82\xac'><\xe7\xa3\x81\xe7\x9b\x98/><driver "
      "\xd0\xb8\xd0\xbc\xd1\x8f='\xf0\x9f\x92\xbe' cache='a'/></disk>",
      "<disk \xc3\xa4='\xe2\x82\xac'><\xe7\xa3\x81\xe7\x9b\x98/><driver "
      "\xd0\xb8\xd0\xbc\xd1\x8f='\xf0\x9f\x92\xbe' cache='none'/></disk>" },
    { "a BOM and CRLF", set_cache_none,
      "\xef\xbb\xbf<domain>\r\n\t<devices>\r\n\t\t<disk>\r\n\t\t\t<target dev='vda'/>\r\n"
      "\t\t</disk>\r\n\t</devices>\r\n</domain>",
      "\xef\xbb\xbf<domain>\r\n\t<devices>\r\n\t\t<disk>\r\n\t\t\t<driver cache='none'/>\r\n"
      "\t\t\t<target dev='vda'/>\r\n\t\t</disk>\r\n\t</devices>\r\n</domain>" },
    { "template values", set_cache_none,
      "<disk type='{{ type }}'><driver name='<%= n %>' cache='${cache}'/>"
      "<source file='%s/@IMAGE@'/>{# no comment #}</disk>",
      NULL },
    { "template values that XML can carry", set_cache_none,
      "<disk type='{{ type }}'><driver name='$name' cache='${cache}'/>"
      "<source file='%s/@IMAGE@'/>{# no comment #}</disk>",
      "<disk type='{{ type }}'><driver name='$name' cache='none'/>"
      "<source file='%s/@IMAGE@'/>{# no comment #}</disk>" },
    { "several <driver>: the first is meant", set_cache_none,
      "<disk><driver cache='a'/><driver cache='b'/></disk>",
      "<disk><driver cache='none'/><driver cache='b'/></disk>" },
    { "several <devices>", set_cache_none,
      "<domain><devices/><devices><disk><driver/></disk></devices></domain>",
      "<domain><devices/><devices><disk><driver cache='none'/></disk></devices></domain>" },
    { "an address beside comments", move_to_virtio,
      "<disk>\n  <target dev='hda' bus='ide'/> <!-- root -->\n  <!-- old -->\n"
      "  <address type='drive'/> <!-- unit 0 -->\n</disk>\n",
      "<disk>\n  <target dev='vda' bus='virtio'/> <!-- root -->\n  <!-- old -->\n"
      "  <!-- unit 0 -->\n</disk>\n" },
    { "an address over several lines", move_to_virtio,
      "<disk>\n  <target dev='hda' bus='ide'/>\n  <address\n    type='drive'\n    unit='0'>\n"
      "    <!-- gone too -->\n  </address>\n  <serial>1</serial>\n</disk>\n",
      "<disk>\n  <target dev='vda' bus='virtio'/>\n  <serial>1</serial>\n</disk>\n" },
    { "all on one line", move_to_virtio,
      "<disk><target dev='hda' bus='ide'/><address type='drive'/><serial>1</serial></disk>",
      "<disk><target dev='vda' bus='virtio'/><serial>1</serial></disk>" },
    { "a <address> of a child", move_to_virtio,
      "<disk><source type='pci'><address bus='1'/></source><target dev='hda' bus='ide'/></disk>",
      "<disk><source type='pci'><address bus='1'/></source>"
      "<target dev='vda' bus='virtio'/></disk>" },
};

START_TEST(hostile_is_edited_exactly)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    if (cases[_i].after) {
        check_changes(cases[_i].before, 0, cases[_i].change, NULL, cases[_i].after);
        return;
    }
    ck_assert_ptr_null(domxml_parse(cases[_i].before, strlen(cases[_i].before), &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_NOT_WELL_FORMED);
}
END_TEST

START_TEST(disks_are_counted_right)
{
    static const struct {
        const char *text;
        size_t count;
    } documents[] = {
        { "<disk/>", 1 },
        { "<domain/>", 0 },
        { "<domain><devices/></domain>", 0 },
        { "<domain><devices><!-- <disk/> --><disk/><disk/></devices></domain>", 2 },
        { "<domain><metadata><disk/></metadata><disk/><devices><a><disk/></a></devices></domain>",
          0 },
        { "<domain><devices><disk/></devices><devices><disk/></devices></domain>", 2 },
        { "<domainsnapshot><disks><disk/></disks><domain/></domainsnapshot>", 0 },
        { "<domainsnapshot><inactiveDomain><devices><disk/></devices></inactiveDomain><domain>"
          "<devices><disk/><disk/></devices></domain></domainsnapshot>", 1 },
        { "<domain xmlns:a='u'><devices><a:disk/></devices></domain>", 0 },
    };

    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        domxml_doc *doc = check_parse(documents[i].text);

        ck_assert_msg(domxml_disk_count(doc) == documents[i].count, "%s", documents[i].text);
        ck_assert_ptr_null(domxml_disk(doc, documents[i].count));
        domxml_doc_free(doc);
    }
}
END_TEST

/* ---- Size and depth ---- */

static char *
many_disks(size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(file);
    fputs("<domain type='kvm'>\n  <devices>\n", file);
    for (size_t i = 0; i < count; i++)
        fprintf(file,
                "    <disk type='file' device='disk'>\n"
                "      <driver name='qemu' type='raw' cache='writethrough'/>\n"
                "      <source file='/srv/%zu.raw'/>\n"
                "      <target dev='sd%c%c%c' bus='scsi'/>\n"
                "      <address type='drive' unit='%zu'/>\n"
                "    </disk>\n",
                i, (int)('a' + i / 676), (int)('a' + i / 26 % 26), (int)('a' + i % 26), i);
    fputs("  </devices>\n</domain>\n", file);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

/* Every disk changed in one editor, applied and taken back. Returns the seconds of CPU time. */
static double
change_all(size_t count)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *text = many_disks(count), *changed, *restored;
    clock_t start = clock();
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits, *inverse = NULL;
    size_t length;

    ck_assert_uint_eq(domxml_disk_count(doc), count);
    for (size_t i = 0; i < count; i++) {
        if (!domxml_disk_set_cache(editor, domxml_disk(doc, i), "none", "native", &error))
            ck_abort_msg("%s", error.text);
    }
    ck_assert_msg(domxml_disk_set_bus(editor, domxml_disk(doc, 0), "virtio", &error), "%s",
                  error.text);
    edits = domxml_editor_finish(editor, &error);
    ck_assert_ptr_nonnull(edits);
    ck_assert_uint_ge(domxml_edits_count(edits), count);
    changed = domxml_edits_apply(edits, text, strlen(text), &length, &inverse, &error);
    ck_assert_ptr_nonnull(changed);
    restored = domxml_edits_apply(inverse, changed, length, NULL, NULL, &error);
    ck_assert_ptr_nonnull(restored);
    ck_assert(strcmp(restored, text) == 0);
    free(restored);
    free(changed);
    domxml_edits_free(inverse);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    free(text);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The least of some runs: the one that others on the machine disturbed least. */
static double
least_time(size_t count, int runs)
{
    double least = change_all(count);

    while (--runs > 0) {
        double time = change_all(count);

        least = time < least ? time : least;
    }
    return least;
}

START_TEST(time_is_linear)
{
    double few = least_time(1000, 5), many = least_time(10000, 2);

    ck_assert_msg(many < 40 * few + 0.05, "1,000 disks: %g s, 10,000 disks: %g s", few, many);
}
END_TEST

/* <domain> around so many <a> that the depth is @depth. */
static char *
nested(size_t depth)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(file);
    fputs("<domain><devices><disk><driver/></disk></devices>", file);
    for (size_t i = 1; i < depth; i++)
        fputs("<a>", file);
    for (size_t i = 1; i < depth; i++)
        fputs("</a>", file);
    fputs("</domain>", file);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

START_TEST(depth_is_bounded)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *fine = nested(4000), *deepest = nested(DOMXML_MAX_DEPTH);
    char *too_deep = nested(DOMXML_MAX_DEPTH + 1), *far_too_deep = nested(1000000);
    char *expected = check_join("<domain><devices><disk><driver cache='none'/></disk></devices>",
                                strstr(fine, "<a>"), "");

    check_changes(fine, 0, set_cache_none, NULL, expected);
    domxml_doc_free(check_parse(deepest));
    ck_assert_ptr_null(domxml_parse(too_deep, strlen(too_deep), &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_TOO_DEEP);
    ck_assert_int_eq(error.line, 1);
    error = (struct domxml_error)DOMXML_ERROR_INIT;
    ck_assert_ptr_null(domxml_parse(far_too_deep, strlen(far_too_deep), &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_TOO_DEEP);
    free(fine);
    free(deepest);
    free(too_deep);
    free(far_too_deep);
    free(expected);
}
END_TEST

/* One element with very many attributes, one value that is very long, one line of a megabyte. */
START_TEST(wide_is_read)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    domxml_doc *doc;
    int line, column;

    ck_assert_ptr_nonnull(file);
    fputs("<disk", file);
    for (int i = 0; i < 20000; i++)
        fprintf(file, " a%d='%d'", i, i);
    fputs("><driver cache='", file);
    for (int i = 0; i < 12 * 1000 * 1000; i++)
        fputc('x', file);
    fputs("'/></disk>", file);
    ck_assert_int_eq(fclose(file), 0);
    doc = domxml_parse(text, length, &error);
    ck_assert_msg(doc != NULL, "%s", error.text);
    ck_assert_str_eq(domxml_get(domxml_disk(doc, 0), "@a19999"), "19999");
    ck_assert_uint_eq(strlen(domxml_get(domxml_disk(doc, 0), "driver@cache")), 12 * 1000 * 1000);
    domxml_doc_position(doc, length, &line, &column);
    ck_assert_int_eq(line, 1);
    ck_assert_uint_eq((size_t)column, length + 1);
    domxml_doc_free(doc);
    free(text);
}
END_TEST

START_TEST(templates_are_known)
{
    static const char *const templates[] = {
        "{{ x }}", "{{x}}", "a{{ x }}b", "{% if x %}", "${x}", "$x", "$(x)", "<%= x %>", "%s",
        "%(x)s", "@X@", "/srv/@IMAGE@", "/srv/${name}.img",
    };
    static const char *const no_templates[] = {
        "", "none", "a@b", "user@example.com", "100%", "{}", "$", "50 % so", "a@b.c@d",
        "/srv/a.img", "{ x }", "rbd/pool@snap",
    };

    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
        ck_assert_msg(domxml_is_template(templates[i]), "%s", templates[i]);
    for (size_t i = 0; i < sizeof(no_templates) / sizeof(no_templates[0]); i++)
        ck_assert_msg(!domxml_is_template(no_templates[i]), "%s", no_templates[i]);
    ck_assert(!domxml_is_template(NULL));
}
END_TEST

static Suite *
hostile_suite(void)
{
    Suite *suite = suite_create("hostile");
    TCase *tcase = tcase_create("documents");

    tcase_add_loop_test(tcase, hostile_is_edited_exactly, 0,
                        (int)(sizeof(cases) / sizeof(cases[0])));
    tcase_add_test(tcase, disks_are_counted_right);
    tcase_add_test(tcase, templates_are_known);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("size");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, time_is_linear);
    tcase_add_test(tcase, depth_is_bounded);
    tcase_add_test(tcase, wide_is_read);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(hostile_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
