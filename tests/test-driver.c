/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-driver.c: settings that libvirt takes on some disks only. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/domxml-check.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define DISK(driver, bus)                                                                          \
    "<disk type='file' device='disk'>\n" driver "  <target dev='vda' bus='" bus "'/>\n</disk>\n"
#define DRIVER(attrs) "  <driver name='qemu' type='raw'" attrs "/>\n"
#define DOMAIN(threads, disk) "<domain>\n" threads "<devices>\n" disk "</devices>\n</domain>\n"
#define VIRTIO(attrs) DISK(DRIVER(attrs), "virtio")
#define VHOST(driver) "<disk type='vhostuser'>" driver "<target dev='vda' bus='virtio'/></disk>"
#define IDS(ids) "<iothreads>2</iothreads>\n<iothreadids>" ids "</iothreadids>\n"

static bool
set_discard(domxml_editor *editor, const domxml_elem *disk, const void *data,
            struct domxml_error *error)
{
    return domxml_disk_set_discard(editor, disk, data, error);
}

static bool
set_zeroes(domxml_editor *editor, const domxml_elem *disk, const void *data,
           struct domxml_error *error)
{
    return domxml_disk_set_detect_zeroes(editor, disk, data, error);
}

/* Numbers come as pointers to them. */
static bool
set_queues(domxml_editor *editor, const domxml_elem *disk, const void *data,
           struct domxml_error *error)
{
    return domxml_disk_set_queues(editor, disk, *(const unsigned *)data, error);
}

static bool
set_iothread(domxml_editor *editor, const domxml_elem *disk, const void *data,
             struct domxml_error *error)
{
    return domxml_disk_set_iothread(editor, disk, *(const unsigned *)data, error);
}

static bool
set_metadata_cache(domxml_editor *editor, const domxml_elem *disk, const void *data,
                   struct domxml_error *error)
{
    return domxml_disk_set_metadata_cache(editor, disk, *(const unsigned *)data, error);
}

static bool
drop_backing(domxml_editor *editor, const domxml_elem *disk, const void *data,
             struct domxml_error *error)
{
    (void)data;
    return domxml_disk_remove_backing_store(editor, disk, error);
}

static const unsigned none = 0, one = 1, two = 2, four = 4, seven = 7, mega = 1048576;

START_TEST(discard_and_zeroes)
{
    check_changes(VIRTIO(""), 0, set_discard, "unmap", VIRTIO(" discard='unmap'"));
    check_changes(VIRTIO(" discard='unmap'"), 0, set_discard, NULL, VIRTIO(""));
    check_changes(VIRTIO(" discard='unmap'"), 0, set_zeroes, "unmap",
                  VIRTIO(" discard='unmap' detect_zeroes='unmap'"));
    check_no_note(VIRTIO(" discard='unmap'"), 0, set_zeroes, "unmap", "works");
    check_notes(VIRTIO(""), 0, set_zeroes, "unmap", "works as 'on'");
    check_refuses(VHOST(""), 0, set_discard, "unmap", DOMXML_ERR_REFUSED);
    check_refuses(VHOST(""), 0, set_zeroes, "on", DOMXML_ERR_REFUSED);
    check_changes(VHOST("<driver discard='unmap'/>"), 0, set_discard, NULL, VHOST("<driver/>"));
}
END_TEST

START_TEST(queues)
{
    check_changes(VIRTIO(""), 0, set_queues, &four, VIRTIO(" queues='4'"));
    check_changes(VIRTIO(" queues='4'"), 0, set_queues, &none, VIRTIO(""));
    check_changes(DISK(DRIVER(" queues='4'"), "sata"), 0, set_queues, &none,
                  DISK(DRIVER(""), "sata"));
    check_refuses(DISK(DRIVER(""), "scsi"), 0, set_queues, &four, DOMXML_ERR_REFUSED);
    check_refuses(DISK(DRIVER(""), "{{ bus }}"), 0, set_queues, &four, DOMXML_ERR_TEMPLATE);
}
END_TEST

/* Which numbers the threads have that have none written: tried with libvirt 9.0. */
static const struct {
    const char *threads;
    const unsigned *id;
    enum domxml_code code;
} threads[] = {
    { "<iothreads>2</iothreads>\n", &two, DOMXML_OK },
    { "<iothreads>2</iothreads>\n", &four, DOMXML_ERR_REFUSED },
    { "", &one, DOMXML_ERR_REFUSED },
    { IDS("<iothread id='7'/>"), &seven, DOMXML_OK },
    { IDS("<iothread id='7'/>"), &one, DOMXML_OK },
    { IDS("<iothread id='7'/>"), &two, DOMXML_ERR_REFUSED },
    { "<iothreadids><iothread id='7'/></iothreadids>\n", &seven, DOMXML_OK },
    { "<iothreadids><iothread id='7'/></iothreadids>\n", &one, DOMXML_ERR_REFUSED },
    { IDS("<iothread id='1'/>"), &two, DOMXML_OK },
    { "<iothreads>{{ n }}</iothreads>\n", &one, DOMXML_ERR_TEMPLATE },
    { "<iothreads>many</iothreads>\n", &one, DOMXML_ERR_REFUSED },
};

START_TEST(iothread_must_be_there)
{
    char *before = check_join("<domain>\n", threads[_i].threads,
                              "<devices>\n" VIRTIO("") "</devices>\n</domain>\n");
    char *after = check_join("<domain>\n", threads[_i].threads, "<devices>\n");
    char expected[1024];

    if (threads[_i].code == DOMXML_OK) {
        snprintf(expected, sizeof(expected),
                 "%s<disk type='file' device='disk'>\n"
                 "  <driver name='qemu' type='raw' iothread='%u'/>\n"
                 "  <target dev='vda' bus='virtio'/>\n</disk>\n</devices>\n</domain>\n",
                 after, *threads[_i].id);
        check_changes(before, 0, set_iothread, threads[_i].id, expected);
    } else {
        check_refuses(before, 0, set_iothread, threads[_i].id, threads[_i].code);
    }
    free(after);
    free(before);
}
END_TEST

START_TEST(iothread_of_some_disks)
{
    check_changes(VIRTIO(" iothread='1'"), 0, set_iothread, &none, VIRTIO(""));
    check_changes(VIRTIO(" iothread='2'"), 0, set_iothread, &two, VIRTIO(" iothread='2'"));
    check_notes(VIRTIO(""), 0, set_iothread, &two, "could not be checked");
    check_refuses(DISK(DRIVER(""), "scsi"), 0, set_iothread, &one, DOMXML_ERR_REFUSED);
    check_refuses(VHOST(""), 0, set_iothread, &one, DOMXML_ERR_REFUSED);
}
END_TEST

START_TEST(metadata_cache)
{
    check_changes(DISK("  <driver type='qcow2'/>\n", "sata"), 0, set_metadata_cache, &mega,
                  DISK("  <driver type='qcow2'>\n    <metadata_cache>\n"
                       "      <max_size unit='bytes'>1048576</max_size>\n"
                       "    </metadata_cache>\n  </driver>\n", "sata"));
    check_changes(DISK("  <driver type='qcow2'><metadata_cache><max_size unit='KiB'>1</max_size>"
                       "</metadata_cache></driver>\n", "sata"), 0, set_metadata_cache, &mega,
                  DISK("  <driver type='qcow2'><metadata_cache><max_size unit='bytes'>1048576"
                       "</max_size></metadata_cache></driver>\n", "sata"));
    check_changes(DISK("  <driver type='qcow2'><metadata_cache><max_size>1048576</max_size>"
                       "</metadata_cache></driver>\n", "sata"), 0, set_metadata_cache, &mega,
                  DISK("  <driver type='qcow2'><metadata_cache><max_size>1048576</max_size>"
                       "</metadata_cache></driver>\n", "sata"));
    check_changes(DISK("  <driver type='qcow2'><metadata_cache/></driver>\n", "sata"), 0,
                  set_metadata_cache, &none, DISK("  <driver type='qcow2'></driver>\n", "sata"));
    check_changes(VIRTIO(""), 0, set_metadata_cache, &none, VIRTIO(""));
    check_refuses(VIRTIO(""), 0, set_metadata_cache, &mega, DOMXML_ERR_REFUSED);
    check_refuses(DISK("", "virtio"), 0, set_metadata_cache, &mega, DOMXML_ERR_REFUSED);
    check_refuses(DISK("  <driver type='{{ f }}'/>\n", "virtio"), 0, set_metadata_cache, &mega,
                  DOMXML_ERR_TEMPLATE);
}
END_TEST

START_TEST(backing_store)
{
    const char *mirrored = "<disk><backingStore/><mirror/><target dev='vda'/></disk>";

    check_changes(DISK("  <backingStore type='file'>\n    <backingStore/>\n  </backingStore>\n",
                       "virtio"), 0, drop_backing, NULL, DISK("", "virtio"));
    check_changes(VIRTIO(""), 0, drop_backing, NULL, VIRTIO(""));
    check_refuses(mirrored, 0, drop_backing, NULL, DOMXML_ERR_REFUSED);
}
END_TEST

static Suite *
driver_suite(void)
{
    Suite *suite = suite_create("driver");
    TCase *tcase = tcase_create("settings");

    tcase_add_test(tcase, discard_and_zeroes);
    tcase_add_test(tcase, queues);
    tcase_add_loop_test(tcase, iothread_must_be_there, 0, N_ELEMENTS(threads));
    tcase_add_test(tcase, iothread_of_some_disks);
    tcase_add_test(tcase, metadata_cache);
    tcase_add_test(tcase, backing_store);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(driver_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
