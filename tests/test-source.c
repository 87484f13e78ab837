/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-source.c: giving a disk another image. */
#include <check.h>
#include <stdlib.h>

#include "tests/domxml-check.h"

/* The arguments of domxml_disk_set_source(). */
struct source {
    const char *type;
    size_t count;
    struct domxml_attr attrs[4];
};

static bool
set_source(domxml_editor *editor, const domxml_elem *disk, const void *data,
           struct domxml_error *error)
{
    const struct source *source = data;

    return domxml_disk_set_source(editor, disk, source->type, source->attrs, source->count, error);
}

static const struct source to_file = { "file", 1, { { "file", "/srv/new.raw" } } };
static const struct source to_block = { "block", 1, { { "dev", "/dev/vg/a" } } };
static const struct source to_dir = { "dir", 1, { { "dir", "/srv/fat" } } };
static const struct source to_volume = {
    "volume", 2, { { "pool", "default" }, { "volume", "a.raw" } },
};
static const struct source to_network = {
    "network", 2, { { "protocol", "nbd" }, { "name", "export" } },
};
static const struct source to_nvme = {
    "nvme", 3, { { "type", "pci" }, { "managed", "yes" }, { "namespace", "1" } },
};
static const struct source to_vhostuser = {
    "vhostuser", 2, { { "type", "unix" }, { "path", "/run/vhost.sock" } },
};

/* A disk of one type with everything that can stand in its <source>, and what remains of it. */
static const struct {
    const char *before;
    const struct source *source;
    const char *after;
} changes[] = {
    /* The same type: only the path. */
    { "<disk type='file' device='disk'>\n"
      "  <source file='/srv/old.qcow2' startupPolicy='optional' index='3'>\n"
      "    <seclabel model='dac' relabel='no'/>\n"
      "    <slices><slice type='storage' offset='0' size='1'/></slices>\n"
      "    <encryption format='luks'/>\n"
      "    <reservations managed='yes'/>\n"
      "    <!-- kept -->\n"
      "    <unknown/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n",
      &to_file,
      "<disk type='file' device='disk'>\n"
      "  <source file='/srv/new.raw' startupPolicy='optional' index='3'>\n"
      "    <seclabel model='dac' relabel='no'/>\n"
      "    <slices><slice type='storage' offset='0' size='1'/></slices>\n"
      "    <encryption format='luks'/>\n"
      "    <reservations managed='yes'/>\n"
      "    <!-- kept -->\n"
      "    <unknown/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n" },
    /* Across types: what belongs to the old one goes, all else stays. */
    { "<disk type='file' device='disk'>\n"
      "  <source file='/srv/old.qcow2' startupPolicy='optional'>\n"
      "    <seclabel model='dac' relabel='no'/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n",
      &to_block,
      "<disk type='block' device='disk'>\n"
      "  <source startupPolicy='optional' dev='/dev/vg/a'>\n"
      "    <seclabel model='dac' relabel='no'/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n" },
    { "<disk type='file'>\n  <source fdgroup='g' file='/a'/>\n  <target dev='vda'/>\n</disk>",
      &to_volume,
      "<disk type='volume'>\n  <source pool='default' volume='a.raw'/>\n"
      "  <target dev='vda'/>\n</disk>" },
    { "<disk type='volume'>\n  <source pool='p' volume='v' mode='host' index='1'/>\n"
      "  <target dev='vda'/>\n</disk>",
      &to_file,
      "<disk type='file'>\n  <source index='1' file='/srv/new.raw'/>\n"
      "  <target dev='vda'/>\n</disk>" },
    { "<disk type='block'>\n  <source dev='/dev/sdb'/>\n  <target dev='vda'/>\n</disk>", &to_dir,
      "<disk type='dir'>\n  <source dir='/srv/fat'/>\n  <target dev='vda'/>\n</disk>" },
    { "<disk type='dir'>\n  <source dir='/x'/>\n  <target dev='vda'/>\n</disk>", &to_network,
      "<disk type='network'>\n  <source protocol='nbd' name='export'/>\n"
      "  <target dev='vda'/>\n</disk>" },
    { "<disk type='network'>\n"
      "  <auth username='u'><secret type='ceph' usage='s'/></auth>\n"
      "  <source protocol='rbd' name='pool/image' tls='yes' tlsHostname='h' query='q' index='2'>\n"
      "    <host name='a' port='1'/>\n"
      "    <host name='b'/>\n"
      "    <snapshot name='s'/>\n"
      "    <config file='/c'/>\n"
      "    <auth username='u'/>\n"
      "    <cookies><cookie name='c'>v</cookie></cookies>\n"
      "    <ssl verify='no'/>\n"
      "    <readahead size='1'/>\n"
      "    <timeout seconds='1'/>\n"
      "    <reconnect delay='1'/>\n"
      "    <identity user='u'/>\n"
      "    <initiator><iqn name='i'/></initiator>\n"
      "    <slices><slice type='storage' offset='0' size='1'/></slices>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n",
      &to_file,
      "<disk type='file'>\n"
      "  <source index='2' file='/srv/new.raw'>\n"
      "    <slices><slice type='storage' offset='0' size='1'/></slices>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "</disk>\n" },
    { "<disk type='nvme'>\n"
      "  <source type='pci' managed='yes' namespace='1'>\n"
      "    <address domain='0x0000' bus='0x01' slot='0x00' function='0x0'/>\n"
      "    <encryption format='luks'/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "  <address type='pci' slot='0x04'/>\n"
      "</disk>",
      &to_block,
      "<disk type='block'>\n"
      "  <source dev='/dev/vg/a'>\n"
      "    <encryption format='luks'/>\n"
      "  </source>\n"
      "  <target dev='vda'/>\n"
      "  <address type='pci' slot='0x04'/>\n"
      "</disk>" },
    { "<disk type='nvme'>\n"
      "  <source type='pci' managed='yes' namespace='1'>\n"
      "    <address bus='0x01'/>\n"
      "  </source>\n"
      "</disk>",
      &to_vhostuser,
      "<disk type='vhostuser'>\n"
      "  <source type='unix' path='/run/vhost.sock'>\n"
      "  </source>\n"
      "</disk>" },
    { "<disk type='vhostuser'>\n"
      "  <source type='unix' path='/s'>\n"
      "    <reconnect enabled='yes' timeout='10'/>\n"
      "  </source>\n"
      "</disk>",
      &to_nvme,
      "<disk type='nvme'>\n"
      "  <source type='pci' managed='yes' namespace='1'>\n"
      "  </source>\n"
      "</disk>" },
    /* No type written is file. */
    { "<disk>\n  <source file='/a'/>\n  <target dev='vda'/>\n</disk>", &to_file,
      "<disk>\n  <source file='/srv/new.raw'/>\n  <target dev='vda'/>\n</disk>" },
    { "<disk device='disk'>\n  <source file='/a'/>\n  <target dev='vda'/>\n</disk>", &to_block,
      "<disk device='disk' type='block'>\n  <source dev='/dev/vg/a'/>\n"
      "  <target dev='vda'/>\n</disk>" },
    /* A type that is not known: nothing is known to belong to it. */
    { "<disk type='moon'>\n  <source file='/a' crater='7'/>\n</disk>", &to_block,
      "<disk type='block'>\n  <source file='/a' crater='7' dev='/dev/vg/a'/>\n</disk>" },
    /* An empty CD-ROM has no <source>. */
    { "<disk type='file' device='cdrom'>\n  <driver name='qemu'/>\n  <target dev='sda'/>\n"
      "  <readonly/>\n</disk>",
      &to_file,
      "<disk type='file' device='cdrom'>\n  <driver name='qemu'/>\n"
      "  <source file='/srv/new.raw'/>\n  <target dev='sda'/>\n  <readonly/>\n</disk>" },
    { "<disk type='file' device='cdrom'/>", &to_file,
      "<disk type='file' device='cdrom'><source file='/srv/new.raw'/></disk>" },
    /* The stale chain goes with the source. */
    { "<disk type='file'>\n  <source file='/a'/>\n"
      "  <backingStore type='file'>\n    <source file='/b'/>\n    <backingStore/>\n"
      "  </backingStore>\n  <target dev='vda'/>\n</disk>",
      &to_file,
      "<disk type='file'>\n  <source file='/srv/new.raw'/>\n  <target dev='vda'/>\n</disk>" },
};

START_TEST(source_is_changed)
{
    check_changes(changes[_i].before, 0, set_source, changes[_i].source, changes[_i].after);
}
END_TEST

/* The same source again changes nothing, whatever stands beside it. */
static const struct {
    const char *text;
    const struct source *source;
} same[] = {
    { "<disk><source file='/srv/new.raw'/><backingStore type='file'/></disk>", &to_file },
    { "<disk type='file'><source file='/srv/n&#101;w.raw'/><mirror/></disk>", &to_file },
    { "<disk type='volume'><source volume='a.raw' mode='host' pool='default'/></disk>",
      &to_volume },
};

START_TEST(source_that_stands_is_no_change)
{
    check_changes(same[_i].text, 0, set_source, same[_i].source, same[_i].text);
}
END_TEST

START_TEST(source_value_is_escaped)
{
    const struct source source = { "file", 1, { { "file", "/srv/a'b&<\"\xc3\xa4.raw" } } };

    check_changes("<disk><source file='/a'/></disk>", 0, set_source, &source,
                  "<disk><source file='/srv/a&apos;b&amp;&lt;\"\xc3\xa4.raw'/></disk>");
}
END_TEST

START_TEST(source_leaves_remarks)
{
    const char *text = "<disk type='network'><auth/><source protocol='rbd' name='n'><host/><host/>"
                       "</source><backingStore/></disk>";

    check_notes(text, 0, set_source, &to_file, "removed attribute protocol of <source>");
    check_notes(text, 0, set_source, &to_file, "removed attribute name of <source>");
    check_notes(text, 0, set_source, &to_file, "removed <host>");
    check_notes(text, 0, set_source, &to_file, "removed <auth>");
    check_notes(text, 0, set_source, &to_file, "removed <backingStore>");
}
END_TEST

static const struct {
    const char *text;
    struct source source;
    enum domxml_code code;
} refused[] = {
    { "<disk/>", { NULL, 0, { { NULL, NULL } } }, DOMXML_ERR_ARGUMENT },
    { "<disk/>", { "moon", 0, { { NULL, NULL } } }, DOMXML_ERR_ARGUMENT },
    { "<disk/>", { "file", 1, { { "dev", "/dev/sda" } } }, DOMXML_ERR_ARGUMENT },
    { "<disk/>", { "file", 1, { { NULL, "/a" } } }, DOMXML_ERR_ARGUMENT },
    { "<disk/>", { "file", 1, { { "file", NULL } } }, DOMXML_ERR_ARGUMENT },
    { "<disk/>", { "file", 1, { { "file", "\x1f" } } }, DOMXML_ERR_VALUE },
    { "<disk type='block'><source dev='/a'/></disk>",
      { "file", 2, { { "file", "/a" }, { "a b", "c" } } },
      DOMXML_ERR_ARGUMENT },
    { "<disk type='{{ t }}'><source file='/a'/></disk>",
      { "block", 1, { { "dev", "/a" } } },
      DOMXML_ERR_TEMPLATE },
    { "<disk type='file'><source file='/a'/><mirror type='file' file='/b' job='copy'/></disk>",
      { "file", 1, { { "file", "/b" } } },
      DOMXML_ERR_REFUSED },
};

START_TEST(source_is_refused)
{
    check_refuses(refused[_i].text, 0, set_source, &refused[_i].source, refused[_i].code);
}
END_TEST

static Suite *
source_suite(void)
{
    Suite *suite = suite_create("source");
    TCase *tcase = tcase_create("source");

    tcase_add_loop_test(tcase, source_is_changed, 0, (int)(sizeof(changes) / sizeof(changes[0])));
    tcase_add_loop_test(tcase, source_that_stands_is_no_change, 0,
                        (int)(sizeof(same) / sizeof(same[0])));
    tcase_add_test(tcase, source_value_is_escaped);
    tcase_add_test(tcase, source_leaves_remarks);
    tcase_add_loop_test(tcase, source_is_refused, 0, (int)(sizeof(refused) / sizeof(refused[0])));
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(source_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
