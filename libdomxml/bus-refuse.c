/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bus-refuse.c: what each bus cannot have: machines, disks, attributes and children. */
#include <stdio.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

enum {
    ON_VIRTIO = 1 << 0,
    ON_SATA = 1 << 1,
    ON_BOTH = ON_VIRTIO | ON_SATA,
};

/* A machine type that begins with this has no such bus. vexpress has virtio by MMIO, s390 by
 * channel I/O; neither can have an AHCI controller. */
struct machine {
    const char *prefix;
    unsigned lacks;
};

static const struct machine machines[] = {
    { "isapc", ON_BOTH },    { "microvm", ON_BOTH },    { "none", ON_BOTH },
    { "SS-", ON_BOTH },      { "s390-", ON_SATA },      { "s390", ON_SATA },
    { "vexpress-", ON_SATA },
};

/* A domain type whose hypervisor has no such disks. */
static const struct machine domain_types[] = {
    { "xen", ON_BOTH },       { "lxc", ON_BOTH },     { "openvz", ON_BOTH },
    { "hyperv", ON_BOTH },    { "vmware", ON_VIRTIO }, { "vbox", ON_VIRTIO },
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
    { "", "model", NULL, "virtio", ON_SATA },
    { "", "model", NULL, "usb-", ON_BOTH },
    { "driver", "iothread", NULL, NULL, ON_SATA },
    { "driver", "queues", NULL, NULL, ON_SATA },
    { "driver", "queue_size", NULL, NULL, ON_SATA },
    { "driver", "event_idx", NULL, NULL, ON_SATA },
    { "driver", "ioeventfd", NULL, NULL, ON_SATA },
    { "driver", "iommu", NULL, NULL, ON_SATA },
    { "driver", "ats", NULL, NULL, ON_SATA },
    { "driver", "packed", NULL, NULL, ON_SATA },
    { "driver", "page_per_vq", NULL, NULL, ON_SATA },
    { "driver", NULL, "iothreads", NULL, ON_SATA },
    { "target", "rotation_rate", NULL, NULL, ON_VIRTIO },
    { "target", "removable", NULL, NULL, ON_BOTH },
    { "geometry", "trans", NULL, NULL, ON_BOTH },
    { "", NULL, "wwn", NULL, ON_BOTH },
    { "", NULL, "vendor", NULL, ON_BOTH },
    { "", NULL, "product", NULL, ON_BOTH },
};

static unsigned
bus_bit(const struct dx_bus *bus)
{
    return strcmp(bus->name, "virtio") == 0 ? ON_VIRTIO : ON_SATA;
}

static bool
starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool
dx_bus_check_machine(const domxml_editor *editor, const domxml_elem *disk,
                     const struct dx_bus *bus, struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    const char *type, *machine;

    if (!domain)
        return true;
    type = dx_disk_get(editor, domain, "@type", "");
    for (size_t i = 0; i < N_ELEMENTS(domain_types); i++) {
        if (strcmp(type, domain_types[i].prefix) == 0 && (domain_types[i].lacks & bus_bit(bus)))
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "a domain of type '%s' has no %s disks", type, bus->name);
    }
    machine = dx_disk_get(editor, domain, "os/type@machine", "");
    if (domxml_is_template(machine))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "whether machine '%.60s' has %s disks cannot be told: it is a "
                            "template placeholder", machine, bus->name);
    for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
        if (starts_with(machine, machines[i].prefix) && (machines[i].lacks & bus_bit(bus)))
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "machine '%.60s' has no PCI bus for %s disks", machine,
                                bus->name);
    }
    return true;
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
    if (strcmp(device, "floppy") == 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "a floppy disk can be on bus fdc only");
    if (strcmp(device, "lun") == 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "device='lun' passes SCSI commands and stays on its bus");
    if (strcmp(device, "cdrom") == 0 && bus_bit(bus) == ON_VIRTIO)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus virtio has no ejectable media: a CD-ROM cannot be on it");
    return true;
}

/* What only a virtio disk can have, and could not be dropped without making it another disk. */
static bool
check_sata(const domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    const char *device = dx_disk_get(editor, disk, "@device", "disk");

    if (strcmp(device, "disk") == 0 && domxml_editor_find(editor, disk, "readonly"))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "libvirt refuses a read-only disk on bus sata");
    if (starts_with(dx_disk_get(editor, disk, "@type", "file"), "vhost"))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "a %s disk can be on bus virtio only",
                            domxml_editor_get(editor, disk, "@type"));
    if (strcmp(dx_disk_get(editor, disk, "transient@shareBacking", "no"), "yes") == 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus sata cannot have <transient shareBacking='yes'/>");
    if (strcmp(dx_disk_get(editor, disk, "blockio@logical_block_size", "512"), "512") != 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                            "bus sata has logical blocks of 512 bytes only");
    return true;
}

bool
dx_bus_check_disk(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                  struct domxml_error *error)
{
    return check_device(editor, disk, bus, error) &&
           (bus_bit(bus) != ON_SATA || check_sata(editor, disk, error));
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

        if (!(entry->buses & bus_bit(bus)))
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
