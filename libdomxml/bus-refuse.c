/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bus-refuse.c: what each bus cannot have: machines, disks, attributes and children. */
#include <stdio.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* A machine type that begins with this has no such bus. vexpress has virtio by MMIO, s390 by
 * channel I/O; neither can have an AHCI controller. */
struct machine {
    const char *prefix;
    unsigned lacks;
};

static const struct machine machines[] = {
    { "isapc", ON_ALL & ~ON_FDC },
    { "microvm", ON_ALL },
    { "none", ON_ALL },
    { "SS-", ON_ALL & ~ON_FDC },
    { "s390", ON_ALL & ~(ON_VIRTIO | ON_SCSI) },
    { "vexpress-", ON_ALL & ~ON_VIRTIO },
};

/* The machine types that have IDE; libvirt adds an IDE controller to no other. */
static const char *const ide_machines[] = {
    "pc-i440fx-", "pc-0.", "pc-1.", "rhel6.", "xenfv", "malta", "sun4u", "g3beige",
};

/* A domain type whose hypervisor has no such disks (of SCSI: no virtio-scsi controller). */
static const struct machine domain_types[] = {
    { "xen", ON_ALL & ~(ON_IDE | ON_FDC) },
    { "lxc", ON_ALL },
    { "openvz", ON_ALL },
    { "hyperv", ON_ALL & ~(ON_IDE | ON_FDC) },
    { "vmware", ON_VIRTIO | ON_USB | ON_SCSI },
    { "vbox", ON_VIRTIO | ON_USB | ON_SCSI },
    { "bhyve", ON_ALL & ~(ON_VIRTIO | ON_SATA) },
};

/* What libvirt refuses on a bus. An attribute where @attribute is set, else every child named
 * @child. */
struct refused {
    const char *path; /* the element that holds it, below the disk */
    const char *attribute;
    const char *child;
    const char *value_prefix; /* only values that begin with this; NULL: any */
    unsigned buses;
};

static const struct refused refused[] = {
    { "", "model", NULL, "virtio", ON_ALL & ~ON_VIRTIO },
    { "", "model", NULL, "usb-", ON_ALL & ~ON_USB },
    { "driver", "iothread", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "queues", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "queue_size", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "event_idx", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "ioeventfd", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "iommu", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "ats", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "packed", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", "page_per_vq", NULL, NULL, ON_ALL & ~ON_VIRTIO },
    { "driver", NULL, "iothreads", NULL, ON_ALL & ~ON_VIRTIO },
    { "target", "rotation_rate", NULL, NULL, ON_VIRTIO | ON_USB },
    { "target", "removable", NULL, NULL, ON_ALL & ~ON_USB },
    { "geometry", "trans", NULL, NULL, ON_VIRTIO | ON_SCSI | ON_SATA },
    { "", NULL, "geometry", NULL, ON_USB },
    { "", NULL, "wwn", NULL, ON_VIRTIO | ON_SATA | ON_USB },
    { "", NULL, "vendor", NULL, ON_ALL & ~ON_SCSI },
    { "", NULL, "product", NULL, ON_ALL & ~ON_SCSI },
};

static bool
starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *
disks_of(const struct dx_bus *bus)
{
    return bus->bit == ON_SCSI ? "virtio-scsi" : bus->name;
}

/* Whether a QEMU machine has IDE. "pc" is a name for the newest pc-i440fx; without a machine
 * libvirt takes it on x86. */
static bool
has_ide(const char *machine)
{
    if (!*machine || strcmp(machine, "pc") == 0)
        return true;
    for (size_t i = 0; i < N_ELEMENTS(ide_machines); i++) {
        if (starts_with(machine, ide_machines[i]))
            return true;
    }
    return false;
}

static bool
check_machine(const char *machine, const domxml_elem *disk, const struct dx_bus *bus,
              struct domxml_error *error)
{
    if (domxml_is_template(machine))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "whether machine '%.60s' has %s disks cannot be told: it is a "
                            "template placeholder", machine, bus->name);
    for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
        if (starts_with(machine, machines[i].prefix) && (machines[i].lacks & bus->bit))
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "machine '%.60s' has no PCI bus for %s disks", machine,
                                bus->name);
    }
    if (bus->bit == ON_IDE && !has_ide(machine))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk, "machine '%.60s' has no IDE",
                            machine);
    return true;
}

bool
dx_bus_check_machine(const domxml_editor *editor, const domxml_elem *disk,
                     const struct dx_bus *bus, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const char *type;

    if (!domain)
        return true;
    type = dx_disk_get(editor, domain, "@type", "");
    for (size_t i = 0; i < N_ELEMENTS(domain_types); i++) {
        if (strcmp(type, domain_types[i].prefix) == 0 && (domain_types[i].lacks & bus->bit))
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "a domain of type '%s' has no %s disks", type, disks_of(bus));
    }
    return check_machine(dx_disk_get(editor, domain, "os/type@machine", ""), disk, bus, error) &&
           dx_bus_check_domain(editor, disk, bus, error);
}

static bool
check_device(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
             struct domxml_error *error)
{
    const char *device = dx_disk_get(editor, disk, "@device", "disk");

    if (domxml_is_template(device))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "whether device='%.60s' can be on bus %s cannot be told: it is a "
                            "template placeholder", device, bus->name);
    if ((strcmp(device, "floppy") == 0) != (bus->bit == ON_FDC))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "a floppy disk can be on bus fdc only, and no other disk can");
    if (strcmp(device, "cdrom") == 0 && bus->bit == ON_VIRTIO)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus virtio has no ejectable media: a CD-ROM cannot be on it");
    if (strcmp(device, "lun") == 0 && !(bus->bit & (ON_VIRTIO | ON_SCSI)))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "device='lun' passes SCSI commands: it cannot be on bus %s",
                            bus->name);
    return true;
}

/* What only some buses can have, and could not be dropped without making it another disk. */
bool
dx_bus_check_disk(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                  struct domxml_error *error)
{
    bool is_ata = bus->bit & (ON_SATA | ON_IDE);

    if (!check_device(editor, disk, bus, error))
        return false;
    if (is_ata && strcmp(dx_disk_get(editor, disk, "@device", "disk"), "disk") == 0 &&
        domxml_editor_find(editor, disk, "readonly"))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "libvirt refuses a read-only disk on bus %s", bus->name);
    if (bus->bit != ON_VIRTIO && starts_with(dx_disk_get(editor, disk, "@type", "file"), "vhost"))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "a %s disk can be on bus virtio only",
                            domxml_editor_get(editor, disk, "@type"));
    if (is_ata && strcmp(dx_disk_get(editor, disk, "transient@shareBacking", "no"), "yes") == 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus %s cannot have <transient shareBacking='yes'/>", bus->name);
    if (is_ata &&
        strcmp(dx_disk_get(editor, disk, "blockio@logical_block_size", "512"), "512") != 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus %s has logical blocks of 512 bytes only", bus->name);
    return true;
}

/* Whether the attribute is there with a value that the bus refuses. */
static bool
has_refused_value(const domxml_editor *editor, const domxml_elem *disk, const struct refused *entry)
{
    char path[64];
    const char *value;

    if (!entry->value_prefix)
        return true;
    snprintf(path, sizeof(path), "%s@%s", entry->path, entry->attribute);
    value = domxml_editor_get(editor, disk, path);
    return value && starts_with(value, entry->value_prefix);
}

bool
dx_bus_drop_refused(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                    struct domxml_error *error)
{
    char reason[64];

    snprintf(reason, sizeof(reason), "bus %s refuses it", bus->name);
    for (size_t i = 0; i < N_ELEMENTS(refused); i++) {
        const struct refused *entry = &refused[i];

        if (!(entry->buses & bus->bit))
            continue;
        if (!entry->attribute) {
            if (!dx_disk_drop_children(editor, disk, entry->path, entry->child, reason, error))
                return false;
        } else if (has_refused_value(editor, disk, entry)) {
            if (!dx_disk_drop_attr(editor, disk, entry->path, entry->attribute, reason, error))
                return false;
        }
    }
    return true;
}
