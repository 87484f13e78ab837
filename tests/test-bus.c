/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bus.c: moving a disk to another bus. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/domxml-check.h"

/* A domain of one machine, with what stands in <os> and in <devices>. */
#define DOMAIN_OF(domain_type, machine, os, devices)                                               \
    "<domain type='" domain_type "'>\n  <os>\n    <type arch='x86_64' machine='" machine           \
    "'>hvm</type>\n" os "  </os>\n  <devices>\n" devices "  </devices>\n</domain>\n"
#define PC(os, devices) DOMAIN_OF("kvm", "pc", os, devices)
#define BOOT(dev) "    <boot dev='" dev "'/>\n"
#define DISK(device, content) "    <disk type='file' device='" device "'>\n" content "    </disk>\n"
#define TARGET(dev, bus) "      <target dev='" dev "' bus='" bus "'/>\n"
#define PLAIN(dev, bus) DISK("disk", TARGET(dev, bus))
#define PINNED(dev, bus) DISK("disk", TARGET(dev, bus) "      <boot order='1'/>\n")
#define NO_BUS(dev) DISK("disk", "      <target dev='" dev "'/>\n")
#define CDROM(dev, bus) DISK("cdrom", TARGET(dev, bus) "      <readonly/>\n")
#define DRIVE "      <address type='drive' controller='0' bus='0' target='0' unit='0'/>\n"
#define SCSI(index, model)                                                                         \
    "    <controller type='scsi' index='" index "' model='" model "'/>\n"
#define PCI "      <address type='pci' domain='0x0000' bus='0x00' slot='0x05' function='0x0'/>\n"
#define KERNEL(cmdline)                                                                            \
    "    <kernel>/boot/vmlinuz</kernel>\n    <cmdline>" cmdline "</cmdline>\n"

static bool
set_bus(domxml_editor *editor, const domxml_elem *disk, const void *data,
        struct domxml_error *error)
{
    return domxml_disk_set_bus(editor, disk, data, error);
}

struct move {
    const char *bus;
    size_t index;
    const char *before, *after;
};

/* ---- What changes in the disk itself ---- */

static const struct move disk_moves[] = {
    /* The plain case: bus, name and address; the controller and other addresses stay. */
    { "virtio", 0,
      PC("", DISK("disk",
                  "      <driver name='qemu' type='qcow2' cache='writethrough'/>\n"
                  "      <source file='/srv/a.qcow2'/>\n"
                  "      <target dev='hda' bus='ide'/>\n"
                  "      <serial>S123</serial>\n"
                  "      <alias name='ua-root'/>\n" DRIVE)
             "    <controller type='ide' index='0'>\n" PCI "    </controller>\n"
             "    <interface type='user'>\n" PCI "    </interface>\n"),
      PC("", DISK("disk",
                  "      <driver name='qemu' type='qcow2' cache='writethrough'/>\n"
                  "      <source file='/srv/a.qcow2'/>\n"
                  "      <target dev='vda' bus='virtio'/>\n"
                  "      <serial>S123</serial>\n"
                  "      <alias name='ua-root'/>\n")
             "    <controller type='ide' index='0'>\n" PCI "    </controller>\n"
             "    <interface type='user'>\n" PCI "    </interface>\n") },
    /* No bus written: inferred from the name, then written. */
    { "virtio", 0, PC("", DISK("disk", "      <target dev='hda'/>\n")),
      PC("", DISK("disk", "      <target dev='vda' bus='virtio'/>\n")) },
    /* A name that fits already is kept. */
    { "virtio", 0, PC("", DISK("disk", TARGET("vdc", "ide") DRIVE)),
      PC("", PLAIN("vdc", "virtio")) },
    { "sata", 0, PC("", PLAIN("sdb", "scsi")), PC("", PLAIN("sdb", "sata")) },
    /* Unless another disk has it, or it is no name on that bus. */
    { "virtio", 0, PC("", PLAIN("vda", "ide") CDROM("vda", "ide")),
      PC("", PLAIN("vdb", "virtio") CDROM("vda", "ide")) },
    { "sata", 0, PC("", PLAIN("sda1", "scsi")), PC("", PLAIN("sda", "sata")) },
    /* An empty CD-ROM and a floppy hold their names too. */
    { "sata", 0, PC("", PLAIN("hda", "ide") CDROM("sda", "sata") CDROM("sdc", "scsi")),
      PC("", PLAIN("sdb", "sata") CDROM("sda", "sata") CDROM("sdc", "scsi")) },
    /* The boot order of the disk and the order of elements are kept. */
    { "virtio", 0,
      PC("", DISK("disk", "      <boot order='2'/>\n" TARGET("hda", "ide") DRIVE
                          "      <source file='/a'/>\n")),
      PC("", DISK("disk", "      <boot order='2'/>\n" TARGET("vda", "virtio")
                          "      <source file='/a'/>\n")) },
    /* What virtio refuses. */
    { "virtio", 0,
      PC("", DISK("disk", "      <target dev='sda' bus='scsi' removable='on' rotation_rate='1'/>\n"
                          "      <geometry cyls='16383' heads='16' secs='63' trans='lba'/>\n"
                          "      <wwn>5000c50015ea71ad</wwn>\n"
                          "      <vendor>V</vendor>\n"
                          "      <product>P</product>\n"
                          "      <blockio logical_block_size='4096'/>\n"
                          "      <readonly/>\n")),
      PC("", DISK("disk", "      <target dev='vda' bus='virtio'/>\n"
                          "      <geometry cyls='16383' heads='16' secs='63'/>\n"
                          "      <blockio logical_block_size='4096'/>\n"
                          "      <readonly/>\n")) },
    { "virtio", 0,
      PC("", "    <disk type='file' device='disk' model='usb-storage'>\n" TARGET("sda", "usb")
             "    </disk>\n"),
      PC("", PLAIN("vda", "virtio")) },
    /* What sata refuses. */
    { "sata", 0,
      PC("", "    <disk type='file' device='disk' model='virtio-transitional'>\n"
             "      <driver name='qemu' type='raw' cache='none' iothread='1' queues='4'\n"
             "              queue_size='256' event_idx='on' ioeventfd='on' packed='on' ats='on'\n"
             "              iommu='on' page_per_vq='on' discard='unmap'>\n"
             "        <iothreads><iothread id='1'/></iothreads>\n"
             "        <metadata_cache><max_size>1</max_size></metadata_cache>\n"
             "      </driver>\n" TARGET("vda", "virtio")
             "      <wwn>5000c50015ea71ad</wwn>\n" PCI "    </disk>\n"),
      PC("", "    <disk type='file' device='disk'>\n"
             "      <driver name='qemu' type='raw' cache='none' discard='unmap'>\n"
             "        <metadata_cache><max_size>1</max_size></metadata_cache>\n"
             "      </driver>\n" TARGET("sda", "sata") "    </disk>\n") },
    /* A CD-ROM, on the machine that has no IDE. */
    { "sata", 0,
      DOMAIN_OF("kvm", "pc-q35-7.2", "", DISK("cdrom", TARGET("hdc", "ide") "      <readonly/>\n"
                                              DRIVE)),
      DOMAIN_OF("kvm", "pc-q35-7.2", "", CDROM("sda", "sata")) },
    /* The address in <source> is the image's, not the disk's. */
    { "virtio", 0,
      PC("", "    <disk type='nvme' device='disk'>\n"
             "      <source type='pci' managed='yes' namespace='1'>\n  " PCI "      </source>\n"
             TARGET("sda", "scsi") DRIVE "    </disk>\n"),
      PC("", "    <disk type='nvme' device='disk'>\n"
             "      <source type='pci' managed='yes' namespace='1'>\n  " PCI "      </source>\n"
             TARGET("vda", "virtio") "    </disk>\n") },
    /* The bus that it has: no change, not even of a name that does not fit. */
    { "virtio", 0, PC("", PLAIN("hda", "virtio")), PC("", PLAIN("hda", "virtio")) },
    { "virtio", 0, PC("", DISK("disk", "      <target dev='vda'/>\n")),
      PC("", DISK("disk", "      <target dev='vda'/>\n")) },
    { "virtio", 0, PC("", PLAIN("{{ dev }}", "virtio")), PC("", PLAIN("{{ dev }}", "virtio")) },
    /* SCSI: with a controller where none is there, behind the others or else behind the disks. */
    { "scsi", 0, PC("", PLAIN("hda", "ide") "    <interface type='user'/>\n"),
      PC("", PLAIN("sda", "scsi") SCSI("0", "virtio-scsi") "    <interface type='user'/>\n") },
    { "scsi", 0, PC("", PLAIN("hda", "ide") "    <controller type='usb'/>\n" "    <tpm/>\n"),
      PC("", PLAIN("sda", "scsi") "    <controller type='usb'/>\n" SCSI("0", "virtio-scsi")
             "    <tpm/>\n") },
    { "scsi", 0, PC("", PLAIN("vda", "virtio") SCSI("0", "virtio-scsi")),
      PC("", PLAIN("sda", "scsi") SCSI("0", "virtio-scsi")) },
    { "scsi", 0, PC("", PLAIN("vda", "virtio") SCSI("0", "virtio-transitional")),
      PC("", PLAIN("sda", "scsi") SCSI("0", "virtio-transitional")) },
    { "scsi", 0, PC("", PLAIN("vda", "virtio") SCSI("0", "lsilogic")),
      PC("", PLAIN("sda", "scsi") SCSI("0", "lsilogic")) },
    /* libvirt numbers the controllers that have no number from the lowest. */
    { "scsi", 0,
      PC("", PLAIN("vda", "virtio") "    <controller type='scsi' model='virtio-scsi'/>\n"),
      PC("", PLAIN("sda", "scsi") "    <controller type='scsi' model='virtio-scsi'/>\n") },
    { "scsi", 0, PC("", PLAIN("vda", "virtio") SCSI("1", "virtio-scsi")),
      PC("", PLAIN("sda", "scsi") SCSI("1", "virtio-scsi") SCSI("0", "virtio-scsi")) },
    /* The eighth name is on the second controller. */
    { "scsi", 0, PC("", PLAIN("sdh", "usb") SCSI("0", "virtio-scsi")),
      PC("", PLAIN("sdh", "scsi") SCSI("0", "virtio-scsi") SCSI("1", "virtio-scsi")) },
    /* A place on the bus that another disk or a host device has, by its address or by its name. */
    { "scsi", 0, PC("", PLAIN("vda", "virtio") DISK("disk", TARGET("sdb", "scsi") DRIVE)
                        SCSI("0", "virtio-scsi")),
      PC("", PINNED("sdc", "scsi") DISK("disk", TARGET("sdb", "scsi") DRIVE)
             SCSI("0", "virtio-scsi")) },
    { "scsi", 0, PC("", PLAIN("vda", "virtio") SCSI("0", "virtio-scsi")
                        "    <hostdev type='scsi'>\n" DRIVE "    </hostdev>\n"),
      PC("", PLAIN("sdb", "scsi") SCSI("0", "virtio-scsi")
             "    <hostdev type='scsi'>\n" DRIVE "    </hostdev>\n") },
    { "sata", 0, PC("", PLAIN("sda", "scsi") CDROM("hda", "sata")),
      PC("", PLAIN("sdb", "sata") CDROM("hda", "sata")) },
    { "sata", 0, PC("", PLAIN("vda", "virtio") DISK("disk", TARGET("sdf", "sata") DRIVE)),
      PC("", PLAIN("sdb", "sata") DISK("disk", TARGET("sdf", "sata") DRIVE)) },
    { "ide", 0,
      PC("", PLAIN("vda", "virtio")
         DISK("cdrom", TARGET("hdd", "ide")
                       "      <address type='drive' controller='0' bus='0' unit='0'/>\n")),
      PC("", PLAIN("hdb", "ide")
         DISK("cdrom", TARGET("hdd", "ide")
                       "      <address type='drive' controller='0' bus='0' unit='0'/>\n")) },
    /* What each bus keeps. */
    { "scsi", 0,
      PC("", DISK("disk", "      <driver name='qemu' queues='2' iothread='1' discard='unmap'/>\n"
                          TARGET("vda", "virtio") "      <readonly/>\n"
                          "      <transient shareBacking='yes'/>\n") SCSI("0", "virtio-scsi")),
      PC("", DISK("disk", "      <driver name='qemu' discard='unmap'/>\n"
                          TARGET("sda", "scsi") "      <readonly/>\n"
                          "      <transient shareBacking='yes'/>\n") SCSI("0", "virtio-scsi")) },
    { "ide", 0,
      PC("", DISK("disk", "      <target dev='sda' bus='scsi' rotation_rate='1'/>\n"
                          "      <wwn>5</wwn>\n      <vendor>V</vendor>\n")),
      PC("", DISK("disk", "      <target dev='hda' bus='ide' rotation_rate='1'/>\n"
                          "      <wwn>5</wwn>\n")) },
    { "usb", 0,
      PC("", DISK("disk", "      <target dev='hda' bus='ide' rotation_rate='1'/>\n"
                          "      <geometry cyls='1' heads='1' secs='1' trans='lba'/>\n"
                          "      <wwn>5</wwn>\n      <serial>s</serial>\n" DRIVE)),
      PC("", DISK("disk", "      <target dev='sda' bus='usb'/>\n"
                          "      <serial>s</serial>\n")) },
    { "sata", 0,
      PC("", "    <disk type='file' device='disk' model='usb-storage'>\n"
             "      <target dev='sda' bus='usb' removable='on'/>\n    </disk>\n"),
      PC("", DISK("disk", TARGET("sda", "sata"))) },
    { "usb", 0, PC("", CDROM("hdc", "ide")), PC("", CDROM("sda", "usb")) },
    /* A disk alone. */
    { "scsi", 0, "<disk><target dev='hda' bus='ide'/></disk>",
      "<disk><target dev='sda' bus='scsi'/></disk>" },
    { "virtio", 0, "<disk><target dev='hdb' bus='ide'/></disk>",
      "<disk><target dev='vda' bus='virtio'/></disk>" },
    { "sata", 0, "<disk><target bus=\"virtio\" dev=\"vdq\"/></disk>",
      "<disk><target bus=\"sata\" dev=\"sda\"/></disk>" },
    /* Other machines. */
    { "virtio", 0, DOMAIN_OF("qemu", "s390-ccw-virtio", "", PLAIN("sda", "scsi")),
      DOMAIN_OF("qemu", "s390-ccw-virtio", "", PLAIN("vda", "virtio")) },
    { "virtio", 0, DOMAIN_OF("qemu", "vexpress-a15", "", PLAIN("sda", "sd")),
      DOMAIN_OF("qemu", "vexpress-a15", "", PLAIN("vda", "virtio")) },
};

START_TEST(disk_is_moved)
{
    const struct move *move = &disk_moves[_i];

    check_changes(move->before, move->index, set_bus, move->bus, move->after);
}
END_TEST

/* vda to vdz are taken, so that the next is vdaa. */
START_TEST(names_go_on_after_z)
{
    char devices[8192] = "", taken[128];
    char *before, *after;

    for (char letter = 'a'; letter <= 'z'; letter++) {
        strcpy(taken, PLAIN("vd?", "virtio"));
        *strchr(taken, '?') = letter;
        strcat(devices, taken);
    }
    before = check_join("<domain>\n  <devices>\n", devices,
                        PLAIN("hda", "ide") "  </devices>\n</domain>");
    after = check_join("<domain>\n  <devices>\n", devices,
                       PLAIN("vdaa", "virtio") "  </devices>\n</domain>");
    check_changes(before, 26, set_bus, "virtio", after);
    free(before);
    free(after);
}
END_TEST

/* ---- The boot disk ---- */

static const struct move boot_moves[] = {
    /* The only disk. */
    { "virtio", 0, PC(BOOT("hd"), PLAIN("hda", "ide")), PC(BOOT("hd"), PLAIN("vda", "virtio")) },
    /* Two that are sorted as before. */
    { "virtio", 0, PC(BOOT("hd"), PLAIN("hda", "ide") PLAIN("hdb", "ide")),
      PC(BOOT("hd"), PLAIN("vda", "virtio") PLAIN("hdb", "ide")) },
    /* The tried case: hda becomes vdb, behind the data disk vda. */
    { "virtio", 0, PC(BOOT("hd"), PLAIN("hda", "ide") PLAIN("vda", "virtio")),
      PC("", PINNED("vdb", "virtio") PLAIN("vda", "virtio")) },
    /* So it is where nothing is said: libvirt then boots the hard disk. */
    { "virtio", 0, PC("", PLAIN("hda", "ide") PLAIN("vda", "virtio")),
      PC("", PINNED("vdb", "virtio") PLAIN("vda", "virtio")) },
    /* A data disk is moved; the disk that is booted gets the boot order. */
    { "virtio", 0, PC(BOOT("hd"), PLAIN("hdb", "ide") DISK("disk", TARGET("hda", "ide") DRIVE)),
      PC("", PLAIN("vda", "virtio") DISK("disk", TARGET("hda", "ide") "      <boot order='1'/>\n"
                                         DRIVE)) },
    /* Before an alias too. */
    { "sata", 0,
      PC(BOOT("hd"), DISK("disk", TARGET("hda", "ide") "      <alias name='ua-x'/>\n" DRIVE)
         CDROM("sda", "sata") PLAIN("sdb", "sata")),
      PC("", DISK("disk", TARGET("sdc", "sata") "      <boot order='1'/>\n"
                          "      <alias name='ua-x'/>\n")
         CDROM("sda", "sata") PLAIN("sdb", "sata")) },
    /* A CD-ROM may be the first of its bus: the bus counts from there. */
    { "virtio", 2, PC(BOOT("hd"), CDROM("hdc", "ide") PLAIN("vdz", "virtio") PLAIN("hda", "ide")),
      PC(BOOT("hd"), CDROM("hdc", "ide") PLAIN("vdz", "virtio") PLAIN("vda", "virtio")) },
    { "virtio", 2, PC(BOOT("hd"), CDROM("hdc", "ide") PLAIN("vda", "virtio") PLAIN("hda", "ide")),
      PC("", CDROM("hdc", "ide") PLAIN("vda", "virtio") PINNED("vdb", "virtio")) },
    /* A CD-ROM that changes its place among CD-ROMs changes no boot disk. */
    { "sata", 0, PC(BOOT("hd"), CDROM("hdc", "ide") PLAIN("vda", "virtio")),
      PC(BOOT("hd"), CDROM("sda", "sata") PLAIN("vda", "virtio")) },
    /* The first CD-ROM stays the first. */
    { "virtio", 1, PC(BOOT("cdrom"), CDROM("sda", "sata") PLAIN("hda", "ide") CDROM("hdc", "ide")),
      PC(BOOT("cdrom"), CDROM("sda", "sata") PLAIN("vda", "virtio") CDROM("hdc", "ide")) },
    /* Names of one letter sort before those of two. */
    { "virtio", 1, PC(BOOT("hd"), PLAIN("vdaa", "virtio") PLAIN("hda", "ide")),
      PC("", PINNED("vdaa", "virtio") PLAIN("vda", "virtio")) },
    /* No bus written: the order is the same at define and when libvirt reads its own file. */
    { "virtio", 0, PC(BOOT("hd"), NO_BUS("hda") NO_BUS("vda")),
      PC("", PINNED("vdb", "virtio") NO_BUS("vda")) },
    { "virtio", 1, PC(BOOT("hd"), NO_BUS("vda") NO_BUS("hda")),
      PC(BOOT("hd"), NO_BUS("vda") PLAIN("vdb", "virtio")) },
    /* Per-device boot orders decide alone, and stay. */
    { "virtio", 0,
      PC("", PLAIN("hda", "ide") DISK("disk", TARGET("vda", "virtio") "      <boot order='1'/>\n")),
      PC("", PLAIN("vdb", "virtio")
             DISK("disk", TARGET("vda", "virtio") "      <boot order='1'/>\n")) },
    { "virtio", 0,
      PC("", PLAIN("hda", "ide") PLAIN("vda", "virtio")
             "    <interface type='user'>\n      <boot order='1'/>\n    </interface>\n"),
      PC("", PLAIN("vdb", "virtio") PLAIN("vda", "virtio")
             "    <interface type='user'>\n      <boot order='1'/>\n    </interface>\n") },
    /* The firmware looks for no hard disk. */
    { "virtio", 0, PC(BOOT("network"), PLAIN("hda", "ide") PLAIN("vda", "virtio")),
      PC(BOOT("network"), PLAIN("vdb", "virtio") PLAIN("vda", "virtio")) },
    /* The firmware boots nothing: the kernel is given. */
    { "virtio", 0, PC(BOOT("hd") KERNEL("quiet"), PLAIN("hda", "ide") PLAIN("vda", "virtio")),
      PC(BOOT("hd") KERNEL("quiet"), PLAIN("vdb", "virtio") PLAIN("vda", "virtio")) },
    /* Others are named, but the boot disk stays first. */
    { "virtio", 0, PC(BOOT("cdrom") BOOT("hd"), PLAIN("hda", "ide") CDROM("hdc", "ide")),
      PC(BOOT("cdrom") BOOT("hd"), PLAIN("vda", "virtio") CDROM("hdc", "ide")) },
};

START_TEST(boot_disk_is_kept)
{
    const struct move *move = &boot_moves[_i];

    check_changes(move->before, move->index, set_bus, move->bus, move->after);
}
END_TEST

/* ---- The kernel's command line ---- */

static const struct {
    const char *bus, *devices, *before, *after;
} cmdlines[] = {
    { "virtio", PLAIN("hda", "ide"), "root=/dev/hda1 ro", "root=/dev/vda1 ro" },
    { "virtio", PLAIN("hda", "ide"), "ro root=/dev/sda1", "ro root=/dev/vda1" },
    { "virtio", PLAIN("hda", "ide"), "root=/dev/hda", "root=/dev/vda" },
    { "virtio", PLAIN("hda", "ide"), "quiet \"root=/dev/hda12\" ro",
      "quiet \"root=/dev/vda12\" ro" },
    { "virtio", PLAIN("sda", "sata"), "root=/dev/sda2", "root=/dev/vda2" },
    { "sata", PLAIN("vda", "virtio"), "a=b\n root=/dev/vda1\n", "a=b\n root=/dev/sda1\n" },
    /* The last one is the kernel's. */
    { "virtio", PLAIN("hda", "ide"), "root=/dev/hdb1 root=/dev/hda1",
      "root=/dev/hdb1 root=/dev/vda1" },
    /* A guest calls its IDE disks sda and on. */
    { "ide", PLAIN("vda", "virtio"), "root=/dev/vda1", "root=/dev/sda1" },
    { "ide", PLAIN("vda", "virtio") PLAIN("sda", "sata"), "root=/dev/vda1", NULL },
    { "scsi", PLAIN("vda", "virtio"), "root=/dev/vda1", "root=/dev/sda1" },
    /* Names that hang on the content, other disks, other parameters. */
    { "virtio", PLAIN("hda", "ide"), "root=UUID=1-2", NULL },
    { "virtio", PLAIN("hda", "ide"), "root=/dev/disk/by-id/ata-QEMU_hda1", NULL },
    { "virtio", PLAIN("hda", "ide"), "root=/dev/mapper/vg-root", NULL },
    { "virtio", PLAIN("hda", "ide"), "nroot=/dev/hda1", NULL },
    { "virtio", PLAIN("hda", "ide"), "root=/dev/hda1x", NULL },
    { "virtio", PLAIN("hda", "ide"), "root=/dev/hdb1", NULL },
    { "virtio", PLAIN("hda", "ide") PLAIN("sda", "scsi"), "root=/dev/sda1", NULL },
    { "virtio", PLAIN("hda", "ide") PLAIN("vda", "virtio"), "root=/dev/vda1", NULL },
    { "virtio", PLAIN("hda", "ide"), "root={{ root }}", NULL },
    { "virtio", PLAIN("hda", "ide"), "", NULL },
};

START_TEST(root_is_renamed)
{
    const char *after = cmdlines[_i].after ? cmdlines[_i].after : cmdlines[_i].before;
    char *head = check_join("<domain><os><type>hvm</type><kernel>/k</kernel><cmdline>",
                            cmdlines[_i].before, "</cmdline></os><devices>\n");
    char *expected = check_join("<cmdline>", after, "</cmdline>");
    char *text = check_join(head, cmdlines[_i].devices, "</devices></domain>");
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;
    char *changed;

    ck_assert_msg(domxml_disk_set_bus(editor, domxml_disk(doc, 0), cmdlines[_i].bus, &error), "%s",
                  error.text);
    edits = domxml_editor_finish(editor, &error);
    changed = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, &error);
    ck_assert_ptr_nonnull(changed);
    ck_assert_msg(strstr(changed, expected) != NULL, "%s", changed);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    free(text);
    free(expected);
    free(head);
}
END_TEST

START_TEST(root_in_the_whole_document)
{
    check_changes(PC(KERNEL("a=&amp;1 root=/dev/hda1"), PLAIN("hda", "ide")), 0, set_bus, "virtio",
                  PC(KERNEL("a=&amp;1 root=/dev/vda1"), PLAIN("vda", "virtio")));
}
END_TEST

/* ---- Remarks ---- */

START_TEST(remarks_say_what_changed)
{
    const char *text =
        PC(BOOT("hd"), DISK("disk", TARGET("hda", "ide") "      <wwn>5</wwn>\n" DRIVE)
                       PLAIN("vda", "virtio"));
    const char *direct = PC(KERNEL("root=/dev/hda1"), PLAIN("hda", "ide"));
    const char *other = PC(KERNEL("root=/dev/sdb1"), PLAIN("sda", "sata") PLAIN("sdb", "sata"));

    check_notes(text, 0, set_bus, "virtio", "renamed target hda to vdb");
    check_notes(text, 0, set_bus, "virtio", "removed <address>");
    check_notes(text, 0, set_bus, "virtio", "removed <wwn>: bus virtio refuses it");
    check_notes(text, 0, set_bus, "virtio", "added <boot order='1'/> to disk vdb");
    check_notes(text, 0, set_bus, "virtio", "removed <boot dev='hd'/> from <os>");
    check_notes(direct, 0, set_bus, "virtio",
                "changed root=/dev/hda1 in <cmdline> to root=/dev/vda1");
    check_notes(other, 0, set_bus, "virtio", "left root=/dev/sdb1 in <cmdline>");
    check_notes("<disk><target dev='hda' bus='ide'/></disk>", 0, set_bus, "virtio",
                "could not be checked");
    check_notes("<disk><target dev='sda' bus='sata'/></disk>", 0, set_bus, "scsi",
                "virtio-scsi controller could not be checked");
    check_notes(other, 0, set_bus, "scsi", "added virtio-scsi controller 0");
    check_notes(PC("", PLAIN("sda", "sata") SCSI("0", "lsilogic")), 0, set_bus, "scsi",
                "left SCSI controller 0 as it is: the guest needs a driver for its model lsilogic");
    check_notes(PC("", PLAIN("sda", "sata") "    <controller type='scsi'/>\n"), 0, set_bus, "scsi",
                "left SCSI controller 0 as it is: it has no model");
    check_no_note(PC("", PLAIN("sda", "sata") SCSI("0", "virtio-scsi")), 0, set_bus, "scsi",
                  "controller");
    check_notes(PC(KERNEL("root=/dev/vda1"), PLAIN("vda", "virtio") PLAIN("sda", "sata")), 0,
                set_bus, "ide", "left root=/dev/vda1 in <cmdline>");
    check_no_note(PC("", PLAIN("hda", "ide")), 0, set_bus, "virtio", "boot");
    check_no_note(PC("", PLAIN("hda", "ide")), 0, set_bus, "virtio", "checked");
}
END_TEST

/* ---- Refusals ---- */

static const struct {
    const char *bus, *text;
    size_t index;
    enum domxml_code code;
} refused[] = {
    { NULL, PC("", PLAIN("hda", "ide")), 0, DOMXML_ERR_ARGUMENT },
    { "sd", PC("", PLAIN("hda", "ide")), 0, DOMXML_ERR_ARGUMENT },
    { "fdc", PC("", PLAIN("hda", "ide")), 0, DOMXML_ERR_REFUSED },
    { "ide", PC("", PLAIN("vda", "virtio") PLAIN("hda", "ide") PLAIN("hdb", "ide")
                    CDROM("hdc", "ide") PLAIN("hdd", "ide")), 0, DOMXML_ERR_REFUSED },
    { "ide", PC("", DISK("disk", TARGET("vda", "virtio") "      <readonly/>\n")), 0,
      DOMXML_ERR_REFUSED },
    { "ide", DOMAIN_OF("kvm", "pc-q35-7.2", "", PLAIN("vda", "virtio")), 0, DOMXML_ERR_REFUSED },
    { "ide", DOMAIN_OF("kvm", "virt", "", PLAIN("vda", "virtio")), 0, DOMXML_ERR_REFUSED },
    { "usb", PC("", PLAIN("vda", "virtio") "    <controller type='usb' model='none'/>\n"), 0,
      DOMXML_ERR_REFUSED },
    { "usb", "<disk type='vhostuser'><target dev='vda' bus='virtio'/></disk>", 0,
      DOMXML_ERR_REFUSED },
    { "scsi", DOMAIN_OF("vmware", "pc", "", PLAIN("hda", "ide")), 0, DOMXML_ERR_REFUSED },
    { "scsi", PC("", DISK("lun", TARGET("vda", "virtio"))), 0, DOMXML_ERR_REFUSED },
    { "scsi", PC("", PLAIN("hda", "ide") SCSI("0", "{{ model }}")), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC("", CDROM("hdc", "ide")), 0, DOMXML_ERR_REFUSED },
    { "virtio", PC("", DISK("floppy", TARGET("fda", "fdc"))), 0, DOMXML_ERR_REFUSED },
    { "sata", PC("", DISK("floppy", TARGET("fda", "fdc"))), 0, DOMXML_ERR_REFUSED },
    { "virtio", PC("", DISK("lun", TARGET("sda", "scsi"))), 0, DOMXML_ERR_REFUSED },
    { "sata", PC("", DISK("lun", TARGET("sda", "scsi"))), 0, DOMXML_ERR_REFUSED },
    { "sata", PC("", DISK("disk", TARGET("vda", "virtio") "      <readonly/>\n")), 0,
      DOMXML_ERR_REFUSED },
    { "sata", PC("", DISK("disk", TARGET("vda", "virtio")
                                  "      <transient shareBacking='yes'/>\n")), 0,
      DOMXML_ERR_REFUSED },
    { "sata", PC("", DISK("disk", TARGET("vda", "virtio")
                                  "      <blockio logical_block_size='4096'/>\n")), 0,
      DOMXML_ERR_REFUSED },
    { "sata", "<disk type='vhostuser'><target dev='vda' bus='virtio'/></disk>", 0,
      DOMXML_ERR_REFUSED },
    { "virtio", PC("", DISK("disk", "      <target bus='ide'/>\n")), 0, DOMXML_ERR_REFUSED },
    { "virtio", PC("", DISK("disk", "")), 0, DOMXML_ERR_REFUSED },
    /* Machines and hypervisors without such a bus. */
    { "virtio", DOMAIN_OF("qemu", "isapc", "", PLAIN("hda", "ide")), 0, DOMXML_ERR_REFUSED },
    { "sata", DOMAIN_OF("qemu", "isapc", "", PLAIN("hda", "ide")), 0, DOMXML_ERR_REFUSED },
    { "virtio", DOMAIN_OF("kvm", "microvm", "", PLAIN("sda", "scsi")), 0, DOMXML_ERR_REFUSED },
    { "sata", DOMAIN_OF("kvm", "s390-ccw-virtio-7.2", "", PLAIN("vda", "virtio")), 0,
      DOMXML_ERR_REFUSED },
    { "virtio", DOMAIN_OF("xen", "xenfv", "", PLAIN("hda", "ide")), 0, DOMXML_ERR_REFUSED },
    /* The boot disk would change, and cannot be kept by a boot order. */
    { "virtio", PC(BOOT("hd") BOOT("cdrom"), PLAIN("hda", "ide") PLAIN("vda", "virtio")), 0,
      DOMXML_ERR_REFUSED },
    { "virtio", PC(BOOT("network") BOOT("hd"), PLAIN("hda", "ide") PLAIN("vda", "virtio")), 0,
      DOMXML_ERR_REFUSED },
    { "virtio",
      PC(BOOT("hd"), PLAIN("hda", "ide") PLAIN("vda", "virtio")
         "    <interface type='user'>\n      <boot order='1'/>\n    </interface>\n"), 0,
      DOMXML_ERR_REFUSED },
    /* hdc is booted now: ide comes first. Then it would be sda. */
    { "virtio", PC(BOOT("cdrom") BOOT("hd"),
                   PLAIN("hda", "ide") CDROM("sda", "sata") CDROM("hdc", "ide")), 0,
      DOMXML_ERR_REFUSED },
    /* Defined so, sdb is booted; once libvirt is restarted, sda (tried). */
    { "virtio", PC(BOOT("hd"), PLAIN("sdb", "scsi") NO_BUS("hda") NO_BUS("sda")), 0,
      DOMXML_ERR_REFUSED },
    /* What it depends on is a placeholder. */
    { "virtio", PC("", PLAIN("{{ dev }}", "ide")), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC("", PLAIN("hda", "${bus}")), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC("", DISK("{{ device }}", TARGET("hda", "ide"))), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC("", PLAIN("hda", "ide") PLAIN("@DEV@", "ide")), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC("", PLAIN("vdb", "ide") PLAIN("@DEV@", "ide")), 0, DOMXML_ERR_TEMPLATE },
    { "virtio", PC(BOOT("$boot"), PLAIN("hda", "ide") PLAIN("hdb", "ide")), 0,
      DOMXML_ERR_TEMPLATE },
    { "virtio", DOMAIN_OF("kvm", "{{ machine }}", "", PLAIN("hda", "ide")), 0,
      DOMXML_ERR_TEMPLATE },
};

START_TEST(move_is_refused)
{
    check_refuses(refused[_i].text, refused[_i].index, set_bus, refused[_i].bus, refused[_i].code);
}
END_TEST

/* ---- Several moves in one editor ---- */

START_TEST(moves_see_each_other)
{
    const char *text =
        PC(BOOT("hd"), PLAIN("hda", "ide") PLAIN("hdb", "ide") PLAIN("vda", "virtio"));
    const char *expected =
        PC("", PINNED("vdb", "virtio") PLAIN("vdc", "virtio") PLAIN("vda", "virtio"));
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    domxml_edits *edits;
    char *changed;

    ck_assert(domxml_disk_set_bus(editor, domxml_disk(doc, 0), "virtio", &error));
    ck_assert(domxml_disk_set_bus(editor, domxml_disk(doc, 1), "virtio", &error));
    edits = domxml_editor_finish(editor, &error);
    changed = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, &error);
    ck_assert_str_eq(changed, expected);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

/* A name of a disk that the same editor removed is free again, one that it inserted is taken. */
START_TEST(moves_see_other_changes)
{
    const char *text = PC("", PLAIN("hda", "ide") PLAIN("vda", "virtio"));
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = check_parse(text);
    domxml_editor *editor = domxml_editor_new(doc, &error);
    const domxml_elem *devices = domxml_find(domxml_doc_root(doc), "devices");
    const domxml_elem *disk, *target;

    ck_assert(domxml_editor_remove(editor, domxml_disk(doc, 1), &error));
    disk = domxml_editor_insert_child(editor, devices, "disk", NULL, &error);
    target = domxml_editor_insert_child(editor, disk, "target", NULL, &error);
    ck_assert(domxml_editor_set_attr(editor, target, "dev", "vdb", &error));
    ck_assert(domxml_disk_set_bus(editor, domxml_disk(doc, 0), "virtio", &error));
    ck_assert_str_eq(domxml_editor_get(editor, domxml_disk(doc, 0), "target@dev"), "vda");
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

static Suite *
bus_suite(void)
{
    Suite *suite = suite_create("bus");
    TCase *tcase = tcase_create("moves");

    tcase_add_loop_test(tcase, disk_is_moved, 0, (int)(sizeof(disk_moves) / sizeof(disk_moves[0])));
    tcase_add_test(tcase, names_go_on_after_z);
    tcase_add_loop_test(tcase, boot_disk_is_kept, 0,
                        (int)(sizeof(boot_moves) / sizeof(boot_moves[0])));
    tcase_add_loop_test(tcase, root_is_renamed, 0, (int)(sizeof(cmdlines) / sizeof(cmdlines[0])));
    tcase_add_test(tcase, root_in_the_whole_document);
    tcase_add_test(tcase, remarks_say_what_changed);
    tcase_add_test(tcase, moves_see_each_other);
    tcase_add_test(tcase, moves_see_other_changes);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("refusals");
    tcase_add_loop_test(tcase, move_is_refused, 0, (int)(sizeof(refused) / sizeof(refused[0])));
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(bus_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
