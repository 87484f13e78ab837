/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bus.c: moves a disk to another bus, with all that hangs on it. */
#include <stdlib.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

/* As libvirt 9.0 makes addresses from names: four disks of an IDE controller, of which there is
 * one, seven of a SCSI controller, six of an AHCI one. */
static const struct dx_bus buses[] = {
    { "virtio", "vd", ON_VIRTIO, 0, 0 }, { "scsi", "sd", ON_SCSI, 7, 0 },
    { "sata", "sd", ON_SATA, 6, 0 },     { "usb", "sd", ON_USB, 0, 0 },
    { "ide", "hd", ON_IDE, 4, 4 },       { "fdc", "fd", ON_FDC, 2, 2 },
};

const struct dx_bus *
dx_bus_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof(buses) / sizeof(buses[0]); i++) {
        if (strcmp(name, buses[i].name) == 0)
            return &buses[i];
    }
    return NULL;
}

/* Where the disk is now, copied: what the editor returns lives until its next operation. */
struct place {
    char *bus;
    char *target;
};

static void
free_place(struct place *place)
{
    free(place->bus);
    free(place->target);
}

/* Fails where what the move starts from is not known. */
static bool
read_place(const domxml_editor *editor, const domxml_elem *disk, struct place *place,
           struct domxml_error *error)
{
    const char *bus = dx_bus_of(editor, disk);
    const char *target = domxml_editor_get(editor, disk, "target@dev");

    if (!target || !*target)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk, "the disk has no target name");
    if (domxml_is_template(bus) || domxml_is_template(target))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "the disk's bus and target name cannot be told: '%.60s' is a template "
                            "placeholder", domxml_is_template(bus) ? bus : target);
    place->bus = strdup(bus);
    place->target = strdup(target);
    if (!place->bus || !place->target)
        return dx_error_no_memory(error);
    return true;
}

static bool
rename_target(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
              const struct place *old, const char *name, struct domxml_error *error)
{
    if (strcmp(name, old->target) != 0) {
        if (!domxml_editor_set_attr(editor, domxml_editor_find(editor, disk, "target"), "dev", name,
                                    error) ||
            !dx_editor_note(editor, error, "renamed target %s to %s", old->target, name))
            return false;
        if (!domxml_doc_domain(dx_editor_doc(editor)) &&
            !dx_editor_note(editor, error,
                            "the document is a disk alone: whether %s is free in its domain could "
                            "not be checked", name))
            return false;
    }
    return dx_cmdline_rename(editor, disk, old->bus, old->target, bus, name, error);
}

/* The move itself; all that is refused has been. */
static bool
move(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
     const struct place *old, struct domxml_error *error)
{
    dx_autofree char *name = dx_target_choose(editor, disk, bus, error);

    if (!name)
        return false;
    return domxml_editor_set_attr(editor, domxml_editor_find(editor, disk, "target"), "bus",
                                  bus->name, error) &&
           rename_target(editor, disk, bus, old, name, error) &&
           dx_disk_drop_children(editor, disk, "", "address", "it is an address on the old bus",
                                 error) &&
           dx_bus_drop_refused(editor, disk, bus, error) &&
           dx_bus_ensure_controller(editor, disk, bus, name, error);
}

static bool
set_bus(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
        const struct place *old, struct domxml_error *error)
{
    struct dx_boot before;

    if (strcmp(dx_disk_get(editor, disk, "@device", "disk"), "lun") == 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "device='lun' passes SCSI commands and stays on its bus");
    return dx_bus_check_disk(editor, disk, bus, error) &&
           dx_bus_check_machine(editor, disk, bus, error) &&
           dx_boot_find(editor, &before, error) && move(editor, disk, bus, old, error) &&
           dx_boot_keep(editor, disk, &before, error);
}

bool
domxml_disk_set_bus(domxml_editor *editor, const domxml_elem *disk, const char *bus,
                    struct domxml_error *error)
{
    const struct dx_bus *new_bus = dx_bus_find(bus);
    size_t mark = dx_editor_mark(editor);
    struct place old = { NULL, NULL };
    bool done;

    if (!new_bus)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk,
                            "no bus '%.60s' that disks are moved to", bus ? bus : "");
    if (strcmp(dx_bus_of(editor, disk), new_bus->name) == 0)
        return true;
    done = read_place(editor, disk, &old, error) && set_bus(editor, disk, new_bus, &old, error);
    free_place(&old);
    if (!done)
        dx_editor_rollback(editor, mark);
    return done;
}
