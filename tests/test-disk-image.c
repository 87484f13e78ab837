/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-disk-image.c: which image a <disk> names.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "tests/disk-doc.h"

static const struct {
    const char *type, *source;
    const char *path;   /* NULL: none */
    enum image_state state;
    const char *reason; /* part of it; NULL: none */
} disks[] = {
    { "type='file'", "<source file='/vm/a.qcow2'/>", "/vm/a.qcow2", IMAGE_FILE, NULL },
    { "type='file'", "<source file='/vm/a &amp; b.img' index='1'/>", "/vm/a & b.img", IMAGE_FILE,
      NULL },
    { "", "<source file='/vm/a'/>", "/vm/a", IMAGE_FILE, NULL },
    { "type='block'", "<source dev='/dev/vg/a'/>", "/dev/vg/a", IMAGE_FILE, NULL },
    { "type='file'", "", NULL, IMAGE_NONE, "empty" },
    { "type='file'", "<source file=''/>", NULL, IMAGE_NONE, "empty" },
    { "type='file'", "<source startupPolicy='optional'/>", NULL, IMAGE_NONE, "empty" },
    { "type='block'", "<source/>", NULL, IMAGE_NONE, "empty" },
    /* Each type has an attribute of its own. */
    { "type='file'", "<source dev='/dev/sda'/>", NULL, IMAGE_NONE, "empty" },
    { "type='block'", "<source file='/vm/a'/>", NULL, IMAGE_NONE, "empty" },
    { "type='file'", "<source file='a.img'/>", NULL, IMAGE_UNKNOWN, "relative" },
    { "type='file'", "<source file='{{ image }}'/>", NULL, IMAGE_TEMPLATE, "template" },
    { "type='file'", "<source file='/vm/${name}.img'/>", NULL, IMAGE_TEMPLATE, "template" },
    { "type='{{ type }}'", "<source file='/vm/a'/>", NULL, IMAGE_TEMPLATE, "template" },
    { "type='volume'", "<source pool='default' volume='a'/>", NULL, IMAGE_UNKNOWN,
      "volume a of pool default: known on a connection only" },
    { "type='volume'", "<source pool='{{ p }}' volume='a'/>", NULL, IMAGE_TEMPLATE, "template" },
    { "type='volume'", "", NULL, IMAGE_NONE, "empty" },
    { "type='network'", "<source protocol='rbd' name='a/b'/>", NULL, IMAGE_NONE, "network" },
    { "type='dir'", "<source dir='/a'/>", NULL, IMAGE_NONE, "directory" },
    { "type='nvme'", "<source type='pci' namespace='1'/>", NULL, IMAGE_NONE, "NVMe" },
    { "type='vhostuser'", "<source type='unix' path='/s'/>", NULL, IMAGE_NONE, "vhost-user" },
    { "type='vhostvdpa'", "<source dev='/dev/vhost-vdpa-0'/>", NULL, IMAGE_NONE, "vDPA" },
    { "type='hologram'", "<source file='/vm/a'/>", NULL, IMAGE_UNKNOWN, "hologram" },
    { "type='file'",
      "<source file='/vm/a'><slices><slice type='storage' offset='1' size='2'/></slices></source>",
      NULL, IMAGE_UNKNOWN, "slice" },
    { "type='file'", "<source file='/vm/a' fdgroup='g'/>", NULL, IMAGE_UNKNOWN, "descriptor" },
    /* A path in the backing store is no path of the disk. */
    { "type='file'",
      "<backingStore type='file'><source file='/vm/b'/></backingStore><source file='/vm/a'/>",
      "/vm/a", IMAGE_FILE, NULL },
};

START_TEST(disk)
{
    g_autoptr(domxml_doc) doc = disk_doc(disks[_i].type, disks[_i].source);
    enum image_state state;
    g_autofree char *reason = NULL;
    g_autofree char *path = disk_image_path(domxml_disk(doc, 0), &state, &reason);
    g_autofree char *again = disk_image_path(domxml_disk(doc, 0), &state, NULL);

    ck_assert_pstr_eq(path, disks[_i].path);
    ck_assert_pstr_eq(again, disks[_i].path);
    ck_assert_int_eq(state, disks[_i].state);
    if (disks[_i].reason)
        ck_assert_msg(reason && strstr(reason, disks[_i].reason), "%s", reason);
    else
        ck_assert_ptr_null(reason);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("disk-image");
    TCase *tcase = tcase_create("disk-image");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tcase, disk, 0, G_N_ELEMENTS(disks));
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
