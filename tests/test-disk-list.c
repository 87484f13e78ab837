/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-disk-list.c: disks that are added and removed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/domxml-check.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define DOMAIN(os, devices)                                                                        \
    "<domain type='kvm'>\n  <os>\n    <type arch='x86_64' machine='pc'>hvm</type>\n" os            \
    "  </os>\n  <devices>\n" devices "  </devices>\n</domain>\n"
#define BOOT "    <boot dev='hd'/>\n"
#define DISK(dev, bus, more)                                                                       \
    "    <disk type='file' device='disk'>\n      <target dev='" dev "' bus='" bus "'/>\n" more     \
    "    </disk>\n"
#define ADDED(dev, bus, more)                                                                      \
    "    <disk type='file' device='disk'>\n      <driver name='qemu' type='qcow2'/>\n"             \
    "      <source file='/srv/a &amp; b'/>\n      <target dev='" dev "' bus='" bus "'/>\n" more    \
    "    </disk>\n"
#define ORDER "      <boot order='1'/>\n"

struct wish {
    const char *device, *bus, *type, *format;
    size_t count;
    struct domxml_attr attrs[2];
};

#define FILE_WISH(device, bus) { device, bus, "file", "qcow2", 1, { { "file", "/srv/a & b" } } }
static const struct wish on_virtio = FILE_WISH(NULL, "virtio");
static const struct wish on_scsi = FILE_WISH("disk", "scsi");
static const struct wish on_ide = FILE_WISH("disk", "ide");
static const struct wish empty_cdrom = { "cdrom", "sata", "file", NULL, 0, { { NULL, NULL } } };
static const struct wish floppy = { "floppy", "fdc", "file", NULL, 0, { { NULL, NULL } } };
static const struct wish lun = { "lun", "scsi", "block", "raw", 1, { { "dev", "/dev/sdx" } } };

static const domxml_elem *
add(domxml_editor *editor, const struct wish *wish, struct domxml_error *error)
{
    return domxml_disk_add(editor, wish->device, wish->bus, wish->type, wish->format, wish->attrs,
                           wish->count, error);
}

static void
check_added(const char *text, const struct wish *wish, const char *expected)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits, *inverse;
    char *changed, *restored;
    size_t length;

    ck_assert_msg(add(editor, wish, &error) != NULL, "%s", error.text);
    edits = domxml_editor_finish(editor, &error);
    changed = domxml_edits_apply(edits, text, strlen(text), &length, &inverse, &error);
    ck_assert_str_eq(changed, expected);
    restored = domxml_edits_apply(inverse, changed, length, NULL, NULL, &error);
    ck_assert_str_eq(restored, text);
    free(restored);
    free(changed);
    domxml_edits_free(inverse);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}

static const struct {
    const char *before;
    const struct wish *wish;
    const char *after;
} additions[] = {
    /* Behind the last disk, with the first free name. */
    { DOMAIN(BOOT, DISK("vda", "virtio", "") DISK("vdc", "virtio", "") "    <tpm/>\n"), &on_virtio,
      DOMAIN(BOOT, DISK("vda", "virtio", "") DISK("vdc", "virtio", "") ADDED("vdb", "virtio", "")
                   "    <tpm/>\n") },
    /* Without a disk at the head of the devices. */
    { DOMAIN(BOOT, "    <emulator>/q</emulator>\n    <tpm/>\n"), &on_virtio,
      DOMAIN(BOOT, "    <emulator>/q</emulator>\n" ADDED("vda", "virtio", "") "    <tpm/>\n") },
    { DOMAIN(BOOT, "    <tpm/>\n"), &on_virtio,
      DOMAIN(BOOT, ADDED("vda", "virtio", "") "    <tpm/>\n") },
    { "<domain type='kvm'>\n  <name>a</name>\n</domain>\n", &on_virtio,
      "<domain type='kvm'>\n  <name>a</name>\n  <devices>\n" ADDED("vda", "virtio", "")
      "  </devices>\n</domain>\n" },
    /* With the controller that it needs. */
    { DOMAIN(BOOT, DISK("sda", "scsi", "")), &on_scsi,
      DOMAIN(BOOT, DISK("sda", "scsi", "") ADDED("sdb", "scsi", "")
                   "    <controller type='scsi' index='0' model='virtio-scsi'/>\n") },
    /* The boot disk stays: hda would be sorted before hdb, and becomes no matter. */
    { DOMAIN(BOOT, DISK("hdb", "ide", "")), &on_ide,
      DOMAIN("", DISK("hdb", "ide", ORDER) ADDED("hda", "ide", "")) },
    /* Empty drives. */
    { DOMAIN(BOOT, DISK("vda", "virtio", "")), &empty_cdrom,
      DOMAIN(BOOT, DISK("vda", "virtio", "")
                   "    <disk type='file' device='cdrom'>\n      <target dev='sda' bus='sata'/>\n"
                   "      <readonly/>\n    </disk>\n") },
    { DOMAIN(BOOT, DISK("vda", "virtio", "")), &floppy,
      DOMAIN(BOOT, DISK("vda", "virtio", "")
                   "    <disk type='file' device='floppy'>\n      <target dev='fda' bus='fdc'/>\n"
                   "    </disk>\n") },
    { DOMAIN(BOOT, DISK("vda", "virtio", "") "    <controller type='scsi' model='virtio-scsi'/>\n"),
      &lun,
      DOMAIN(BOOT, DISK("vda", "virtio", "")
                   "    <disk type='block' device='lun'>\n      <driver name='qemu' type='raw'/>\n"
                   "      <source dev='/dev/sdx'/>\n      <target dev='sda' bus='scsi'/>\n"
                   "    </disk>\n    <controller type='scsi' model='virtio-scsi'/>\n") },
};

START_TEST(disk_is_added)
{
    check_added(additions[_i].before, additions[_i].wish, additions[_i].after);
}
END_TEST

static const struct {
    const char *text;
    struct wish wish;
    enum domxml_code code;
} refusals[] = {
    { "<disk/>", FILE_WISH("disk", "virtio"), DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), FILE_WISH("disk", "pci"), DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), FILE_WISH("disk", NULL), DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), { "disk", "virtio", "file", "raw", 0, { { NULL, NULL } } },
      DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), { "disk", "virtio", NULL, "raw", 1, { { "file", "/a" } } },
      DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), { "disk", "virtio", "file", "raw", 1, { { "dev", "/a" } } },
      DOMXML_ERR_ARGUMENT },
    { DOMAIN("", ""), { "disk", "virtio", "file", "raw", 1, { { "file", "\001" } } },
      DOMXML_ERR_VALUE },
    { DOMAIN("", ""), FILE_WISH("cdrom", "virtio"), DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), FILE_WISH("floppy", "virtio"), DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), FILE_WISH("disk", "fdc"), DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), FILE_WISH("lun", "scsi"), DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), { "lun", "sata", "block", "raw", 1, { { "dev", "/dev/x" } } },
      DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), { "lun", "scsi", "block", "qcow2", 1, { { "dev", "/dev/x" } } },
      DOMXML_ERR_REFUSED },
    { DOMAIN("", ""), { "disk", "sata", "vhostuser", NULL, 1, { { "path", "/s" } } },
      DOMXML_ERR_REFUSED },
    { DOMAIN("", DISK("fda", "fdc", "") DISK("fdb", "fdc", "")), FILE_WISH("floppy", "fdc"),
      DOMXML_ERR_REFUSED },
    { DOMAIN("", DISK("{{ dev }}", "virtio", "")), FILE_WISH("disk", "virtio"),
      DOMXML_ERR_TEMPLATE },
};

START_TEST(addition_is_refused_without_a_trace)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(refusals[_i].text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;

    ck_assert_ptr_null(add(editor, &refusals[_i].wish, &error));
    ck_assert_msg(error.code == refusals[_i].code, "code %d: %s", error.code, error.text);
    error = (struct domxml_error)DOMXML_ERROR_INIT;
    edits = domxml_editor_finish(editor, &error);
    ck_assert_uint_eq(domxml_edits_count(edits), 0);
    ck_assert_uint_eq(domxml_editor_note_count(editor), 0);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

/* A disk that was added can be changed as any other, before there is a text of it. */
START_TEST(added_disk_can_be_changed)
{
    const char *text = DOMAIN(BOOT, DISK("vda", "virtio", ""));
    const char *expected =
        DOMAIN(BOOT, DISK("vda", "virtio", "")
                     "    <disk type='file' device='disk'>\n"
                     "      <driver name='qemu' type='qcow2' cache='none' io='native'/>\n"
                     "      <source file='/srv/a &amp; b'/>\n"
                     "      <target dev='sda' bus='scsi'/>\n    </disk>\n"
                     "    <controller type='scsi' index='0' model='virtio-scsi'/>\n");
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    const domxml_elem *disk = add(editor, &on_virtio, &error);
    domxml_edits *edits;
    char *changed;

    ck_assert(domxml_disk_set_cache(editor, disk, "none", "native", &error));
    ck_assert(domxml_disk_set_queues(editor, disk, 4, &error));
    ck_assert(domxml_disk_set_bus(editor, disk, "scsi", &error));
    edits = domxml_editor_finish(editor, &error);
    changed = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, &error);
    ck_assert_str_eq(changed, expected);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

/* ---- Removing ---- */

static void
check_removed(const char *text, size_t index, const char *note, const char *expected)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;
    bool noted = note == NULL;
    char *changed;

    ck_assert_msg(domxml_disk_remove(editor, domxml_disk(doc, index), &error), "%s", error.text);
    ck_assert(domxml_disk_remove(editor, domxml_disk(doc, index), &error));
    for (size_t i = 0; note && i < domxml_editor_note_count(editor); i++)
        noted = noted || strstr(domxml_editor_note(editor, i), note);
    ck_assert_msg(noted, "no note '%s'", note);
    ck_assert(note || domxml_editor_note_count(editor) == 0);
    edits = domxml_editor_finish(editor, &error);
    changed = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, &error);
    ck_assert_str_eq(changed, expected);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}

START_TEST(disk_is_removed)
{
    check_removed(DOMAIN(BOOT, DISK("vda", "virtio", "") DISK("vdb", "virtio", "")), 1, NULL,
                  DOMAIN(BOOT, DISK("vda", "virtio", "")));
    check_removed(DOMAIN(BOOT, DISK("vda", "virtio", "") DISK("vdb", "virtio", "")), 0,
                  "disk vda was the one that the firmware boots",
                  DOMAIN(BOOT, DISK("vdb", "virtio", "")));
    check_removed(DOMAIN("", DISK("vda", "virtio", ORDER) "    <tpm/>\n"), 0,
                  "disk vda had boot order 1", DOMAIN("", "    <tpm/>\n"));
    check_removed(DOMAIN("    <kernel>/k</kernel>\n    <cmdline>root=/dev/vda1</cmdline>\n",
                         DISK("vda", "virtio", "") "    <tpm/>\n"), 0,
                  "root= in <cmdline> means disk vda",
                  DOMAIN("    <kernel>/k</kernel>\n    <cmdline>root=/dev/vda1</cmdline>\n",
                         "    <tpm/>\n"));
}
END_TEST

/* The CD-ROM on ide keeps that bus first; without it virtio is. */
START_TEST(removal_keeps_the_boot_disk)
{
    const char *cdrom = "    <disk type='file' device='cdrom'>\n"
                        "      <target dev='hdc' bus='ide'/>\n    </disk>\n";
    char *rest = check_join(DISK("vda", "virtio", ""), DISK("hda", "ide", ""), "");
    char *before = check_join("<domain>\n  <devices>\n", cdrom, rest);
    char *text = check_join(before, "  </devices>\n", "</domain>\n");

    check_removed(text, 0, "added <boot order='1'/> to disk hda",
                  "<domain>\n  <devices>\n" DISK("vda", "virtio", "") DISK("hda", "ide", ORDER)
                  "  </devices>\n</domain>\n");
    free(text);
    free(before);
    free(rest);
}
END_TEST

static bool
remove_it(domxml_editor *editor, const domxml_elem *disk, const void *data,
          struct domxml_error *error)
{
    (void)data;
    return domxml_disk_remove(editor, disk, error);
}

START_TEST(removal_is_refused)
{
    check_refuses("<disk/>", 0, remove_it, NULL, DOMXML_ERR_ARGUMENT);
    check_refuses(DOMAIN("", DISK("vda", "virtio", "      <mirror/>\n")), 0, remove_it, NULL,
                  DOMXML_ERR_REFUSED);
}
END_TEST

static Suite *
list_suite(void)
{
    Suite *suite = suite_create("disk-list");
    TCase *tcase = tcase_create("add");

    tcase_add_loop_test(tcase, disk_is_added, 0, N_ELEMENTS(additions));
    tcase_add_loop_test(tcase, addition_is_refused_without_a_trace, 0, N_ELEMENTS(refusals));
    tcase_add_test(tcase, added_disk_can_be_changed);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("remove");
    tcase_add_test(tcase, disk_is_removed);
    tcase_add_test(tcase, removal_keeps_the_boot_disk);
    tcase_add_test(tcase, removal_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(list_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
