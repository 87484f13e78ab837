/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ide-bus.c: disks on the emulated IDE bus. */
#include <string.h>

#include "lint/lint.h"

/* Each move looks at all disks of the domain: of very many, whoever wrote the document could keep
 * domlint busy for hours. libvirt has at most four disks on ide. */
#define MOST_DISKS 128

/* Other hypervisors have IDE disks too, and no virtio. */
static gboolean
is_qemu(struct lint_ctx *ctx)
{
    static const char *const types[] = { "kvm", "qemu", "hvf", "test", NULL };
    const domxml_elem *domain = domxml_doc_domain(lint_doc(ctx));
    const char *type = domain ? lint_value(domain, "@type") : NULL;

    return !type || g_strv_contains(types, type);
}

/* Where no bus is named, libvirt infers it from the target's name. */
static gboolean
is_on_ide(const domxml_elem *disk)
{
    const char *bus = domxml_get(disk, "target@bus"), *target = lint_value(disk, "target@dev");

    return bus ? g_str_equal(bus, "ide") : target && g_str_has_prefix(target, "hd");
}

/* libvirt sorts the disks of one bus by target and keeps the buses in the order they come in. */
static gboolean
boots_before(const domxml_elem *a, const domxml_elem *b)
{
    const char *order_a = lint_value(a, "boot@order"), *order_b = lint_value(b, "boot@order");
    const char *target_a = lint_disk_name(a), *target_b = lint_disk_name(b);

    if (order_a && order_b)
        return g_ascii_strtoull(order_a, NULL, 10) < g_ascii_strtoull(order_b, NULL, 10);
    if (order_a || order_b)
        return order_a != NULL;
    if (!is_on_ide(a) || !is_on_ide(b))
        return FALSE;
    return strlen(target_a) == strlen(target_b) ? strcmp(target_a, target_b) < 0
                                                : strlen(target_a) < strlen(target_b);
}

static gboolean
is_boot_disk(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const domxml_elem *boot = NULL, *other;

    for (size_t i = 0; (other = domxml_disk(lint_doc(ctx), i)); i++) {
        gboolean bootable = lint_disk_is_disk(other)
                            || g_strcmp0(lint_value(other, "@device"), "lun") == 0;

        if (bootable && (!boot || boots_before(other, boot)))
            boot = other;
    }
    return boot == disk;
}

/* Why the move is only described; NULL where it is offered. */
static const char *
why_manual(struct lint_ctx *ctx, const domxml_elem *disk, const char *bus)
{
    enum domxml_kind kind = domxml_doc_kind(lint_doc(ctx));

    if (kind == DOMXML_KIND_SNAPSHOT || kind == DOMXML_KIND_CHECKPOINT)
        return "the document records a guest that has the disk on ide";
    if (domxml_disk_count(lint_doc(ctx)) > MOST_DISKS)
        return "names and boot order are not worked out among more than 128 disks";
    if (g_str_equal(bus, "virtio") && lint_guest_is_windows(ctx) && is_boot_disk(ctx, disk))
        return "Windows stops (INACCESSIBLE_BOOT_DEVICE) without viostor at boot: attach a small "
               "disk on virtio, install the driver, shut down, then move this one";
    return NULL;
}

static void
offer(struct lint_ctx *ctx, struct lint_finding *finding, const domxml_elem *disk, const char *bus)
{
    const char *manual = why_manual(ctx, disk, bus);
    gboolean virtio = g_str_equal(bus, "virtio");
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct lint_fix *fix = lint_fix(finding, manual ? LINT_MANUAL : LINT_UNSAFE, LINT_EFFECT_XML,
                                    "move the disk to the %s bus", bus);

    if (manual) {
        lint_fix_note(fix, "%s", manual);
        return;
    }
    lint_fix_done(fix, domxml_disk_set_bus(lint_fix_editor(fix), disk, bus, &error), &error);
    if (lint_guest_is_windows(ctx))
        lint_fix_note(fix, "first install the guest's %s driver", virtio ? "viostor" : "AHCI");
    else if (lint_disk_is_disk(disk))
        lint_fix_note(fix, "first see that the guest has %s in its initramfs, and its root, fstab, "
                      "crypttab and swap by UUID or label (Windows: that it has the %s driver)",
                      virtio ? "virtio_blk" : "ahci", virtio ? "viostor" : "AHCI");
    if (lint_image(ctx, disk)->snapshots > 0)
        lint_fix_note(fix, "the image has snapshots: reverting to one brings the old bus back");
}

static void
check_disk(struct lint_ctx *ctx, const domxml_elem *disk)
{
    gboolean is_disk = lint_disk_is_disk(disk), is_q35 = lint_is_q35(ctx);
    gboolean is_cdrom = g_strcmp0(lint_value(disk, "@device"), "cdrom") == 0;
    struct lint_finding *finding;

    if (!(is_disk || (is_cdrom && is_q35)) || !is_on_ide(disk) || !is_qemu(ctx))
        return;
    if (is_q35) {
        finding = lint_fail(ctx, disk, "target@bus",
                            "a q35 machine has no IDE bus: libvirt refuses the disk");
        lint_set_severity(finding, LINT_ERROR);
    } else {
        finding = lint_fail(ctx, disk, "target@bus", "the disk is on the emulated IDE bus; for "
                            "virtio the guest first needs %s",
                            lint_guest_is_windows(ctx) ? "viostor"
                                                       : "virtio_blk (Windows: viostor)");
    }
    if (is_q35 && !(is_disk && lint_disk_is_read_only(disk))) /* libvirt has no such sata disks */
        offer(ctx, finding, disk, "sata");
    if (is_disk)
        offer(ctx, finding, disk, "virtio");
}

static const char *const references[] = {
    "https://libvirt.org/formatdomain.html#hard-drives-floppy-disks-cdroms",
    "https://www.qemu.org/docs/master/system/devices/virtio/index.html",
    NULL,
};

const struct lint_rule rule_ide_bus = {
    .id = "ide-bus",
    .severity = LINT_WARNING,
    .summary = "the disk is on the emulated IDE bus",
    .why = "QEMU emulates an IDE controller register by register: one request at a time, several "
           "exits to the host for each, four disks at most. virtio was made for guests: requests "
           "queue up, and few exits are needed. A q35 machine has no IDE at all, and libvirt "
           "refuses the domain.",
    .fix = "Moves the disk to virtio, with a target name that is free; its own <address> and all "
           "that virtio disks cannot have go, root= in <cmdline> follows, and the boot disk stays "
           "the same. On q35 it moves to sata first, as CD-ROMs must. Controllers are left alone.",
    .fix_safety = "Unsafe: the guest must have the driver at boot and must not know its disks by "
                  "device name. Only described for the boot disk of a Windows guest, in "
                  "snapshots, and in domains of more than 128 disks.",
    .guest = "The disk becomes /dev/vda, or the like, from the next full power cycle on; its "
             "names under /dev/disk/by-id and by-path change too.",
    .references = references,
    .check_disk = check_disk,
};
