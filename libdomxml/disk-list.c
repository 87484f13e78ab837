/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* disk-list.c: adds disks to a domain and removes them. */
#include <stdlib.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

/* ---- Adding ------------------------------------------------------------------------------- */

/* Where a new disk goes: behind the last one; without one at the head of the devices, where only
 * <emulator> stands before it. */
static const domxml_elem *
insert_disk(domxml_editor *editor, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const domxml_elem *last = NULL, *devices, *emulator, *before;

    for (const domxml_elem *disk = dx_disk_first(editor); disk; disk = dx_disk_next(editor, disk))
        last = disk;
    if (last)
        return domxml_editor_insert_child(editor, domxml_elem_parent(last), "disk",
                                          dx_editor_next(editor, last, NULL), error);
    devices = domxml_editor_ensure_child(editor, domain, "devices", NULL, error);
    if (!devices)
        return NULL;
    emulator = dx_editor_child(editor, devices, "emulator");
    before = emulator ? dx_editor_next(editor, emulator, NULL)
                      : dx_editor_child(editor, devices, NULL);
    return domxml_editor_insert_child(editor, devices, "disk", before, error);
}

static bool
add_driver(domxml_editor *editor, const domxml_elem *disk, const char *format,
           struct domxml_error *error)
{
    static const char *const qemu_types[] = { "qemu", "kvm", "hvf" };
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const char *type = dx_disk_get(editor, domain, "@type", "");
    const domxml_elem *driver =
        domxml_editor_insert_child(editor, disk, "driver", NULL, error);

    if (!driver)
        return false;
    for (size_t i = 0; i < sizeof(qemu_types) / sizeof(qemu_types[0]); i++) {
        if (strcmp(type, qemu_types[i]) == 0 &&
            !domxml_editor_set_attr(editor, driver, "name", "qemu", error))
            return false;
    }
    return domxml_editor_set_attr(editor, driver, "type", format, error);
}

static bool
add_target(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
           struct domxml_error *error)
{
    const domxml_elem *target = domxml_editor_insert_child(editor, disk, "target", NULL, error);
    dx_autofree char *name = NULL;

    if (!target || !dx_bus_check_disk(editor, disk, bus, error) ||
        !dx_bus_check_machine(editor, disk, bus, error))
        return false;
    name = dx_target_choose(editor, disk, bus, error);
    return name && domxml_editor_set_attr(editor, target, "dev", name, error) &&
           domxml_editor_set_attr(editor, target, "bus", bus->name, error) &&
           dx_bus_ensure_controller(editor, disk, bus, name, error);
}

static const domxml_elem *
add_disk(domxml_editor *editor, const char *device, const struct dx_bus *bus, const char *type,
         const char *format, const struct domxml_attr *attrs, size_t count,
         struct domxml_error *error)
{
    bool is_cdrom = strcmp(device, "cdrom") == 0;
    const domxml_elem *disk;
    struct dx_boot before;

    if (!dx_boot_find(editor, &before, error))
        return NULL;
    disk = insert_disk(editor, error);
    if (!disk || !domxml_editor_set_attr(editor, disk, "type", type, error) ||
        !domxml_editor_set_attr(editor, disk, "device", device, error) ||
        (format && (!dx_disk_check_format(editor, disk, format, error) ||
                    !add_driver(editor, disk, format, error))) ||
        (count > 0 && !domxml_disk_set_source(editor, disk, type, attrs, count, error)) ||
        !add_target(editor, disk, bus, error) ||
        (is_cdrom && !domxml_editor_insert_child(editor, disk, "readonly", NULL, error)) ||
        !dx_boot_keep(editor, disk, &before, error))
        return NULL;
    return disk;
}

static bool
check_arguments(const domxml_editor *editor, const char *device, const struct dx_bus *bus,
                const char *bus_name, const char *type, size_t count, struct domxml_error *error)
{
    bool can_be_empty = strcmp(device, "cdrom") == 0 || strcmp(device, "floppy") == 0;

    if (!domxml_doc_domain(dx_editor_doc(editor)))
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0,
                        "the document is a disk alone: no other can be added");
    if (!bus)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "no bus '%.60s' for a disk",
                        bus_name ? bus_name : "");
    if (!type)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0, "a disk needs a type");
    if (count == 0 && !can_be_empty)
        return dx_error(error, DOMXML_ERR_ARGUMENT, NULL, 0,
                        "a disk needs a source: only a drive can be empty");
    return true;
}

const domxml_elem *
domxml_disk_add(domxml_editor *editor, const char *device, const char *bus, const char *type,
                const char *format, const struct domxml_attr *attrs, size_t count,
                struct domxml_error *error)
{
    const struct dx_bus *new_bus = dx_bus_find(bus);
    size_t mark = dx_editor_mark(editor);
    const domxml_elem *disk;

    if (!device)
        device = "disk";
    if (!check_arguments(editor, device, new_bus, bus, type, count, error))
        return NULL;
    disk = add_disk(editor, device, new_bus, type, format, attrs, count, error);
    if (!disk)
        dx_editor_rollback(editor, mark);
    return disk;
}

/* ---- Removing ----------------------------------------------------------------------------- */

/* What the disk was to the guest, told before it goes. */
static bool
note_loss(domxml_editor *editor, const domxml_elem *disk, const struct dx_boot *boot,
          struct domxml_error *error)
{
    const char *name = dx_disk_get(editor, disk, "target@dev", "");

    if (boot->disk.defined == disk &&
        !dx_editor_note(editor, error, "disk %s was the one that the firmware boots", name))
        return false;
    if (domxml_editor_get(editor, disk, "boot@order") &&
        !dx_editor_note(editor, error, "disk %s had boot order %s", name,
                        domxml_editor_get(editor, disk, "boot@order")))
        return false;
    return !*name || !dx_cmdline_names(editor, disk, dx_bus_of(editor, disk), name) ||
           dx_editor_note(editor, error, "root= in <cmdline> means disk %s, which is removed",
                          name);
}

static bool
remove_disk(domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    struct dx_boot before;

    if (!dx_disk_refuse_mirror(editor, disk, error) || !dx_boot_find(editor, &before, error) ||
        !note_loss(editor, disk, &before, error) || !domxml_editor_remove(editor, disk, error))
        return false;
    return dx_boot_keep(editor, disk, &before, error);
}

bool
domxml_disk_remove(domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (dx_editor_is_removed(editor, disk))
        return true;
    if (!domxml_doc_domain(dx_editor_doc(editor)))
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk,
                             "the document is this disk alone: it cannot be removed");
    if (remove_disk(editor, disk, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
