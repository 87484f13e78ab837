/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bus-boot.c: keeps the disk, and the CD-ROM, that the firmware boots.
 *
 * Under <os><boot dev='hd'/>, which is also what libvirt takes where nothing is said, the firmware
 * boots the first disk as libvirt orders them: disks of one bus stand together, sorted by target,
 * and the buses in the order in which they first appear in the document. It boots that one alone
 * (libvirt asks QEMU to be strict). A disk that changes its bus changes its place in that order.
 *
 * libvirt 9.0 sorts before it infers a bus that is not written: at define such disks stand together
 * as if on a bus of their own. It writes the buses out then, and when it is restarted and reads its
 * own file it sorts by those: another disk may be booted from then on.
 *
 * So it is with CD-ROMs under <os><boot dev='cdrom'/>: their order changes too where a disk that
 * was the first of its bus leaves it.
 */
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

/* Whether some device has a boot order of its own, which then decides alone. */
static bool
has_device_orders(const domxml_editor *editor, const domxml_elem *domain)
{
    for (const domxml_elem *devices = dx_editor_child(editor, domain, "devices"); devices;
         devices = dx_editor_next(editor, devices, "devices")) {
        for (const domxml_elem *device = dx_editor_child(editor, devices, NULL); device;
             device = dx_editor_next(editor, device, NULL)) {
            if (domxml_editor_get(editor, device, "boot@order"))
                return true;
        }
    }
    return false;
}

/* What the firmware looks for. */
struct wanted {
    bool disk, cdrom;
};

static bool
find_wanted(const domxml_editor *editor, const domxml_elem *domain, struct wanted *wanted,
            struct domxml_error *error)
{
    const domxml_elem *os = domxml_editor_find(editor, domain, "os");
    const domxml_elem *boot = os ? dx_editor_child(editor, os, "boot") : NULL;

    *wanted = (struct wanted){ .disk = boot == NULL };
    for (; boot; boot = dx_editor_next(editor, boot, "boot")) {
        const char *dev = dx_disk_get(editor, boot, "@dev", "");

        if (domxml_is_template(dev))
            return dx_error_elem(error, DOMXML_ERR_TEMPLATE, boot,
                                "whether the boot disk is kept cannot be told: '%.60s' is a "
                                "template placeholder", dev);
        wanted->disk = wanted->disk || strcmp(dev, "hd") == 0;
        wanted->cdrom = wanted->cdrom || strcmp(dev, "cdrom") == 0;
    }
    return true;
}

/* Whether the firmware takes @disk for what it looks for: a CD-ROM, or else a hard disk. */
static bool
is_kind(const domxml_editor *editor, const domxml_elem *disk, bool cdrom)
{
    const char *device = dx_disk_get(editor, disk, "@device", "disk");

    if (strcmp(device, "cdrom") == 0)
        return cdrom;
    return !cdrom && strcmp(device, "floppy") != 0;
}

/* Fails where the order of the disks hangs on a placeholder. */
static bool
check_templates(const domxml_editor *editor, struct domxml_error *error)
{
    static const char *const paths[] = { "@device", "target@bus", "target@dev" };

    for (const domxml_elem *disk = dx_disk_first(editor); disk; disk = dx_disk_next(editor, disk)) {
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            const char *value = domxml_editor_get(editor, disk, paths[i]);

            if (domxml_is_template(value))
                return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                                    "which disk is booted cannot be told: '%.60s' is a template "
                                    "placeholder", value);
        }
    }
    return true;
}

/* The bus that a disk is sorted by. */
static const char *
sort_bus(const domxml_editor *editor, const domxml_elem *disk, bool inferred)
{
    return inferred ? dx_bus_of(editor, disk) : dx_disk_get(editor, disk, "target@bus", "");
}

/* The disk of the kind on one bus that libvirt sorts first, or NULL. */
static const domxml_elem *
first_on_bus(const domxml_editor *editor, const char *bus, bool cdrom, bool inferred)
{
    const domxml_elem *first = NULL;
    long first_index = 0;

    for (const domxml_elem *disk = dx_disk_first(editor); disk; disk = dx_disk_next(editor, disk)) {
        long index = dx_target_index(dx_disk_get(editor, disk, "target@dev", ""));

        if (!is_kind(editor, disk, cdrom) || strcmp(sort_bus(editor, disk, inferred), bus) != 0)
            continue;
        if (!first || index < first_index) {
            first = disk;
            first_index = index;
        }
    }
    return first;
}

/* The first disk of the kind, on the first bus that has one. A bus may first appear with a disk of
 * another kind. */
static const domxml_elem *
first_disk(const domxml_editor *editor, bool cdrom, bool inferred)
{
    const domxml_elem *first = NULL;
    const char *done = NULL;

    for (const domxml_elem *disk = dx_disk_first(editor); disk && !first;
         disk = dx_disk_next(editor, disk)) {
        const char *bus = sort_bus(editor, disk, inferred);

        if (!done || strcmp(bus, done) != 0)
            first = first_on_bus(editor, bus, cdrom, inferred);
        done = bus;
    }
    return first;
}

static bool
has_several(const domxml_editor *editor)
{
    const domxml_elem *disk = dx_disk_first(editor);

    return disk && dx_disk_next(editor, disk);
}

static struct dx_booted
find_first(const domxml_editor *editor, bool cdrom)
{
    return (struct dx_booted){
        .defined = first_disk(editor, cdrom, false),
        .reread = first_disk(editor, cdrom, true),
    };
}

bool
dx_boot_find(const domxml_editor *editor, struct dx_boot *boot, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    struct wanted wanted;

    *boot = (struct dx_boot){ .disk = { NULL, NULL } };
    if (!domain || domxml_editor_find(editor, domain, "os/kernel"))
        return true;
    if (!find_wanted(editor, domain, &wanted, error))
        return false;
    if (!wanted.disk && !wanted.cdrom)
        return true;
    if (!domxml_editor_find(editor, domain, "os/boot") && has_device_orders(editor, domain))
        return true;
    /* Of one disk the order is plain whatever it is. */
    if (has_several(editor) && !check_templates(editor, error))
        return false;
    if (wanted.disk)
        boot->disk = find_first(editor, false);
    if (wanted.cdrom)
        boot->cdrom = find_first(editor, true);
    return true;
}

/* Fails where a boot order for one disk would change what else is booted. */
static bool
check_alone(const domxml_editor *editor, const domxml_elem *domain, const domxml_elem *disk,
            struct domxml_error *error)
{
    const domxml_elem *os = domxml_editor_find(editor, domain, "os");

    for (const domxml_elem *boot = os ? dx_editor_child(editor, os, "boot") : NULL; boot;
         boot = dx_editor_next(editor, boot, "boot")) {
        const char *dev = dx_disk_get(editor, boot, "@dev", "");

        if (strcmp(dev, "hd") != 0)
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "the firmware would boot another disk, and <os><boot dev='%.60s'/> "
                                "stands against a boot order that names one", dev);
    }
    if (has_device_orders(editor, domain))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "the firmware would boot another disk, and a device has a boot order "
                            "already");
    return true;
}

/* Where libvirt itself puts <boot>: before what it ends a device with. */
static const domxml_elem *
place_for_boot(const domxml_editor *editor, const domxml_elem *disk)
{
    const domxml_elem *child = dx_editor_child(editor, disk, NULL);

    while (child && strcmp(domxml_elem_name(child), "alias") != 0 &&
           strcmp(domxml_elem_name(child), "address") != 0)
        child = dx_editor_next(editor, child, NULL);
    return child;
}

bool
dx_boot_pin(domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const domxml_elem *boot;

    if (!check_alone(editor, domain, disk, error))
        return false;
    boot = domxml_editor_insert_child(editor, disk, "boot", place_for_boot(editor, disk), error);
    if (!boot || !domxml_editor_set_attr(editor, boot, "order", "1", error) ||
        !dx_editor_note(editor, error,
                        "added <boot order='1'/> to disk %s, which the firmware boots",
                        dx_disk_get(editor, disk, "target@dev", "")))
        return false;
    if (!domxml_editor_find(editor, domain, "os/boot"))
        return true;
    while ((boot = domxml_editor_find(editor, domain, "os/boot"))) {
        if (!domxml_editor_remove(editor, boot, error))
            return false;
    }
    return dx_editor_note(editor, error,
                          "removed <boot dev='hd'/> from <os>: libvirt refuses it beside a boot "
                          "order");
}

/* Whether what was booted is so no more, though it is still there. */
static bool
is_lost(const domxml_editor *editor, const struct dx_booted *before, const struct dx_booted *after)
{
    if (!before->defined || dx_editor_is_removed(editor, before->defined))
        return false;
    return before->defined != after->defined || before->reread != after->reread;
}

bool
dx_boot_keep(domxml_editor *editor, const domxml_elem *disk, const struct dx_boot *before,
             struct domxml_error *error)
{
    struct dx_boot after;

    if (!dx_boot_find(editor, &after, error))
        return false;
    if (is_lost(editor, &before->cdrom, &after.cdrom))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                             "the firmware would boot another CD-ROM");
    if (!is_lost(editor, &before->disk, &after.disk))
        return true;
    if (before->disk.defined != before->disk.reread)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                             "which disk the firmware boots hangs on buses that are not written: "
                             "write bus= on all disks first");
    return dx_boot_pin(editor, before->disk.defined, error);
}
