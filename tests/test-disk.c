/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-disk.c: the driver, the format and the cache mode of a disk. */
#include <check.h>
#include <stdlib.h>

#include "tests/domxml-check.h"

/* A lone disk around what is given. */
#define DISK(content) "<disk type='file' device='disk'>\n" content "</disk>\n"
#define TARGET "  <target dev='vda' bus='virtio'/>\n"
#define SOURCE "  <source file='/srv/a.img'/>\n"

static bool
set_driver(domxml_editor *editor, const domxml_elem *disk, const void *data,
           struct domxml_error *error)
{
    const char *const *pair = data;

    return domxml_disk_set_driver(editor, disk, pair[0], pair[1], error);
}

static bool
set_format(domxml_editor *editor, const domxml_elem *disk, const void *data,
           struct domxml_error *error)
{
    return domxml_disk_set_format(editor, disk, data, error);
}

static bool
set_cache(domxml_editor *editor, const domxml_elem *disk, const void *data,
          struct domxml_error *error)
{
    const char *const *pair = data;

    return domxml_disk_set_cache(editor, disk, pair[0], pair[1], error);
}

START_TEST(driver_attribute_is_replaced)
{
    const char *const pair[] = { "discard", "unmap" };

    check_changes(DISK("  <driver name=\"qemu\"   discard = \"ignore\" type='raw'/>\n" TARGET), 0,
                  set_driver, pair,
                  DISK("  <driver name=\"qemu\"   discard = \"unmap\" type='raw'/>\n" TARGET));
}
END_TEST

START_TEST(driver_attribute_is_added)
{
    const char *const pair[] = { "detect_zeroes", "on" };

    check_changes(DISK("  <driver name='qemu' type='raw'/>\n" TARGET), 0, set_driver, pair,
                  DISK("  <driver name='qemu' type='raw' detect_zeroes='on'/>\n" TARGET));
}
END_TEST

START_TEST(driver_attribute_is_removed)
{
    const char *const pair[] = { "discard", NULL };

    check_changes(DISK("  <driver name='qemu' discard='unmap' type='raw'/>\n" TARGET), 0,
                  set_driver, pair, DISK("  <driver name='qemu' type='raw'/>\n" TARGET));
}
END_TEST

START_TEST(driver_is_created_as_the_first_child)
{
    const char *const pair[] = { "cache", "none" };

    check_changes(DISK(SOURCE TARGET), 0, set_driver, pair,
                  DISK("  <driver cache='none'/>\n" SOURCE TARGET));
}
END_TEST

START_TEST(driver_is_not_created_for_a_removal)
{
    const char *const pair[] = { "cache", NULL };

    check_changes(DISK(SOURCE TARGET), 0, set_driver, pair, DISK(SOURCE TARGET));
}
END_TEST

START_TEST(driver_in_tabs_and_crlf)
{
    const char *const pair[] = { "cache", "none" };

    check_changes("<disk>\r\n\t<target dev=\"vda\"/>\r\n</disk>", 0, set_driver, pair,
                  "<disk>\r\n\t<driver cache=\"none\"/>\r\n\t<target dev=\"vda\"/>\r\n</disk>");
}
END_TEST

START_TEST(driver_value_that_xml_cannot_carry)
{
    const char *const pair[] = { "cache", "a\001b" };
    const char *const bad_utf8[] = { "cache", "a\xff" };
    const char *const bad_name[] = { "ca che", "none" };

    check_refuses(DISK(SOURCE TARGET), 0, set_driver, pair, DOMXML_ERR_VALUE);
    check_refuses(DISK(SOURCE TARGET), 0, set_driver, bad_utf8, DOMXML_ERR_VALUE);
    check_refuses(DISK(SOURCE TARGET), 0, set_driver, bad_name, DOMXML_ERR_ARGUMENT);
}
END_TEST

START_TEST(format_replaces_the_type_and_the_stale_chain)
{
    const char *text = DISK("  <driver name='qemu' type='qcow2' cache='none'/>\n" SOURCE
                            "  <backingStore type='file'>\n"
                            "    <format type='qcow2'/>\n"
                            "    <source file='/srv/base.qcow2'/>\n"
                            "    <backingStore/>\n"
                            "  </backingStore>\n" TARGET);

    check_changes(text, 0, set_format, "raw",
                  DISK("  <driver name='qemu' type='raw' cache='none'/>\n" SOURCE TARGET));
    check_notes(text, 0, set_format, "raw", "removed <backingStore>");
}
END_TEST

START_TEST(format_that_stands_is_no_change)
{
    const char *text = DISK("  <driver name='qemu' type='qcow2'/>\n" SOURCE
                            "  <backingStore type='file'><source file='/b'/></backingStore>\n"
                            TARGET);

    check_changes(text, 0, set_format, "qcow2", text);
}
END_TEST

START_TEST(format_raw_drops_what_is_for_qcow2_only)
{
    const char *text = DISK("  <driver type='qcow2' discard='unmap' discard_no_unref='on'>\n"
                            "    <metadata_cache><max_size>1</max_size></metadata_cache>\n"
                            "  </driver>\n" TARGET);

    check_changes(text, 0, set_format, "raw",
                  DISK("  <driver type='raw' discard='unmap'>\n  </driver>\n" TARGET));
    check_notes(text, 0, set_format, "raw", "removed attribute discard_no_unref of <driver>");
    check_notes(text, 0, set_format, "raw", "removed <metadata_cache>");
}
END_TEST

START_TEST(format_without_a_driver)
{
    check_changes(DISK(SOURCE TARGET), 0, set_format, "qcow2",
                  DISK("  <driver type='qcow2'/>\n" SOURCE TARGET));
}
END_TEST

START_TEST(format_refused)
{
    check_refuses(DISK(SOURCE TARGET), 0, set_format, NULL, DOMXML_ERR_ARGUMENT);
    check_refuses(DISK(SOURCE TARGET), 0, set_format, "", DOMXML_ERR_ARGUMENT);
    check_refuses(DISK(SOURCE "  <mirror type='file' file='/m' job='copy'/>\n" TARGET), 0,
                  set_format, "raw", DOMXML_ERR_REFUSED);
}
END_TEST

/* cache, io and what is expected of <driver cache='writethrough' io='threads'/>. */
static const struct {
    const char *cache, *io, *expected;
} pairs[] = {
    { "none", "native", DISK("  <driver cache='none' io='native'/>\n" TARGET) },
    { "directsync", "native", DISK("  <driver cache='directsync' io='native'/>\n" TARGET) },
    { "none", NULL, DISK("  <driver cache='none'/>\n" TARGET) },
    { NULL, "io_uring", DISK("  <driver io='io_uring'/>\n" TARGET) },
    { "writeback", "threads", DISK("  <driver cache='writeback' io='threads'/>\n" TARGET) },
    { "to-come", "to-come", DISK("  <driver cache='to-come' io='to-come'/>\n" TARGET) },
    { "writethrough", "threads", DISK("  <driver cache='writethrough' io='threads'/>\n" TARGET) },
};

START_TEST(cache_and_io_are_set_as_a_pair)
{
    const char *const pair[] = { pairs[_i].cache, pairs[_i].io };

    check_changes(DISK("  <driver cache='writethrough' io='threads'/>\n" TARGET), 0, set_cache,
                  pair, pairs[_i].expected);
}
END_TEST

START_TEST(cache_away_from_none_takes_native_with_it)
{
    const char *const pair[] = { "writeback", NULL };

    check_changes(DISK("  <driver name='qemu' cache='none' io='native' discard='unmap'/>\n" TARGET),
                  0, set_cache, pair,
                  DISK("  <driver name='qemu' cache='writeback' discard='unmap'/>\n" TARGET));
}
END_TEST

START_TEST(cache_none_at_all_creates_nothing)
{
    const char *const pair[] = { NULL, NULL };

    check_changes(DISK(SOURCE TARGET), 0, set_cache, pair, DISK(SOURCE TARGET));
}
END_TEST

static const struct {
    const char *cache, *io;
    enum domxml_code code;
} bad_pairs[] = {
    { NULL, "native", DOMXML_ERR_REFUSED },
    { "default", "native", DOMXML_ERR_REFUSED },
    { "writeback", "native", DOMXML_ERR_REFUSED },
    { "writethrough", "native", DOMXML_ERR_REFUSED },
    { "unsafe", "native", DOMXML_ERR_REFUSED },
    { "{{ cache }}", "native", DOMXML_ERR_TEMPLATE },
    { "writeback", "${io}", DOMXML_ERR_TEMPLATE },
    { "none", "a\001", DOMXML_ERR_VALUE },
};

START_TEST(cache_pair_is_refused)
{
    const char *const pair[] = { bad_pairs[_i].cache, bad_pairs[_i].io };

    check_refuses(DISK("  <driver cache='writethrough'/>\n" TARGET), 0, set_cache, pair,
                  bad_pairs[_i].code);
}
END_TEST

static Suite *
disk_suite(void)
{
    Suite *suite = suite_create("disk");
    TCase *tcase = tcase_create("driver");

    tcase_add_test(tcase, driver_attribute_is_replaced);
    tcase_add_test(tcase, driver_attribute_is_added);
    tcase_add_test(tcase, driver_attribute_is_removed);
    tcase_add_test(tcase, driver_is_created_as_the_first_child);
    tcase_add_test(tcase, driver_is_not_created_for_a_removal);
    tcase_add_test(tcase, driver_in_tabs_and_crlf);
    tcase_add_test(tcase, driver_value_that_xml_cannot_carry);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("format");
    tcase_add_test(tcase, format_replaces_the_type_and_the_stale_chain);
    tcase_add_test(tcase, format_that_stands_is_no_change);
    tcase_add_test(tcase, format_raw_drops_what_is_for_qcow2_only);
    tcase_add_test(tcase, format_without_a_driver);
    tcase_add_test(tcase, format_refused);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("cache");
    tcase_add_loop_test(tcase, cache_and_io_are_set_as_a_pair, 0,
                        (int)(sizeof(pairs) / sizeof(pairs[0])));
    tcase_add_test(tcase, cache_away_from_none_takes_native_with_it);
    tcase_add_test(tcase, cache_none_at_all_creates_nothing);
    tcase_add_loop_test(tcase, cache_pair_is_refused, 0,
                        (int)(sizeof(bad_pairs) / sizeof(bad_pairs[0])));
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(disk_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
