/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bus-target.c: target names: which are taken, and which fits a bus. */
#include <stdlib.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

/* The prefixes of target names, and the bus that libvirt infers from each. */
static const struct {
    const char *prefix;
    const char *bus;
} prefixes[] = {
    { "hd", "ide" },  { "sd", "scsi" }, { "vd", "virtio" },
    { "xvd", "xen" }, { "fd", "fdc" },  { "ubd", "uml" },
};

static const char *
skip_prefix(const char *target, const char **bus)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t length = strlen(prefixes[i].prefix);

        if (strncmp(target, prefixes[i].prefix, length) == 0) {
            *bus = prefixes[i].bus;
            return target + length;
        }
    }
    return NULL;
}

const char *
dx_bus_of(const domxml_editor *editor, const domxml_elem *disk)
{
    const char *bus = domxml_editor_get(editor, disk, "target@bus");
    const char *target;

    if (bus)
        return bus;
    if (strcmp(dx_disk_get(editor, disk, "@device", "disk"), "floppy") == 0)
        return "fdc";
    target = domxml_editor_get(editor, disk, "target@dev");
    return target && skip_prefix(target, &bus) ? bus : "ide";
}

/* The number that letters stand for, a being 0 and aa 26; -1 where there are none. Stops at what
 * is no letter and leaves @rest there. */
static long
letters_to_index(const char *letters, const char **rest)
{
    long index = -1;

    /* Far more than any domain has disks, and far from overflow. */
    while (*letters >= 'a' && *letters <= 'z' && index < 100000000) {
        index = (index + 1) * 26 + (*letters - 'a');
        letters++;
    }
    *rest = letters;
    return index;
}

long
dx_target_index(const char *target)
{
    const char *bus;
    const char *letters = skip_prefix(target, &bus);
    const char *rest;
    long index;

    if (!letters)
        return -1;
    index = letters_to_index(letters, &rest);
    /* A partition number may follow; it sorts with its disk. */
    return strspn(rest, "0123456789") == strlen(rest) ? index : -1;
}

/* The index of a name that is @prefix and letters, or -1 for any other. */
static long
index_on_bus(const char *target, const struct dx_bus *bus)
{
    size_t length = strlen(bus->prefix);
    const char *rest;
    long index;

    if (strncmp(target, bus->prefix, length) != 0)
        return -1;
    index = letters_to_index(target + length, &rest);
    return *rest ? -1 : index;
}

bool
dx_target_in_use(const domxml_editor *editor, const domxml_elem *disk, const char *target)
{
    for (const domxml_elem *other = dx_disk_first(editor); other;
         other = dx_disk_next(editor, other)) {
        if (other != disk && strcmp(dx_disk_get(editor, other, "target@dev", ""), target) == 0)
            return true;
    }
    return false;
}

static char *
make_name(const struct dx_bus *bus, long index, struct domxml_error *error)
{
    char letters[16];
    size_t at = sizeof(letters) - 1;
    char *name;

    letters[at] = '\0';
    for (long left = index; left >= 0; left = left / 26 - 1)
        letters[--at] = (char)('a' + left % 26);
    name = dx_format("%s%s", bus->prefix, letters + at);
    if (!name)
        dx_error_no_memory(error);
    return name;
}

/* A number of an address, 0 where none is written. */
static long
address_part(const domxml_editor *editor, const domxml_elem *device, const char *path)
{
    return strtol(dx_disk_get(editor, device, path, "0"), NULL, 10);
}

/* The index that stands for a drive address on a bus; -1 where no name leads there. */
static long
address_to_index(const domxml_editor *editor, const domxml_elem *device, const struct dx_bus *bus)
{
    long controller = address_part(editor, device, "address@controller");
    long number = address_part(editor, device, "address@bus");
    long unit = address_part(editor, device, "address@unit");

    if (bus->bit == ON_IDE)
        return controller == 0 && number * 2 + unit < bus->limit ? number * 2 + unit : -1;
    if (number != 0 || address_part(editor, device, "address@target") != 0 || controller < 0 ||
        controller > 100000 || unit < 0 || unit >= bus->per_controller)
        return -1;
    return controller * bus->per_controller + unit;
}

/* The index whose place on @bus the device holds, by its address or else by its name; -1 for none.
 * libvirt refuses two disks at one address. */
static long
place_on_bus(const domxml_editor *editor, const domxml_elem *device, const struct dx_bus *bus,
             const char *target)
{
    if (!bus->per_controller)
        return -1;
    if (strcmp(dx_disk_get(editor, device, "address@type", ""), "drive") == 0)
        return address_to_index(editor, device, bus);
    return target ? dx_target_index(target) : -1;
}

/* Called with each index that is taken. */
typedef void (*visit_index)(long index, void *data);

/* Visits what the disks besides @disk, and the SCSI devices of the host, take on @bus. */
static bool
visit_taken(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
            visit_index visit, void *data, struct domxml_error *error)
{
    for (const domxml_elem *other = dx_disk_first(editor); other;
         other = dx_disk_next(editor, other)) {
        const char *target = dx_disk_get(editor, other, "target@dev", "");

        if (other == disk)
            continue;
        if (domxml_is_template(target))
            return dx_error_elem(error, DOMXML_ERR_TEMPLATE, other,
                                "which target names are free cannot be told: '%.60s' is a template "
                                "placeholder", target);
        visit(index_on_bus(target, bus), data);
        if (strcmp(dx_bus_of(editor, other), bus->name) == 0)
            visit(place_on_bus(editor, other, bus, target), data);
    }
    for (const domxml_elem *other = dx_devices_first(editor, "hostdev"); other;
         other = dx_devices_next(editor, other, "hostdev")) {
        if (bus->bit == ON_SCSI && strcmp(dx_disk_get(editor, other, "@type", ""), "scsi") == 0)
            visit(place_on_bus(editor, other, bus, NULL), data);
    }
    return true;
}

struct taken {
    bool *at; /* the first @count indices */
    size_t count;
    long wanted; /* an index asked for, and whether it is taken */
    bool is_wanted;
};

static void
count_index(long index, void *data)
{
    struct taken *taken = data;

    if (index >= 0)
        taken->count++;
    taken->is_wanted = taken->is_wanted || index == taken->wanted;
}

static void
mark_index(long index, void *data)
{
    struct taken *taken = data;

    if (index >= 0 && (size_t)index < taken->count)
        taken->at[index] = true;
}

/* The index that the disk is to have: @wanted where it is free (-1: none), else the first that is:
 * of n that are taken one of the first n + 1. -1 on failure. */
static long
choose_index(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
             long wanted, struct domxml_error *error)
{
    struct taken taken = { NULL, 1, wanted, false };
    dx_autofree bool *at = NULL;
    long index = 0;

    if (!visit_taken(editor, disk, bus, count_index, &taken, error))
        return -1;
    if (wanted >= 0 && !taken.is_wanted)
        return wanted;
    at = calloc(taken.count, sizeof(*at));
    if (!at) {
        dx_error_no_memory(error);
        return -1;
    }
    taken.at = at;
    if (!visit_taken(editor, disk, bus, mark_index, &taken, error))
        return -1;
    while (at[index])
        index++;
    return index;
}

char *
dx_target_choose(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                 struct domxml_error *error)
{
    long wanted = index_on_bus(dx_disk_get(editor, disk, "target@dev", ""), bus);
    long index;

    if (bus->limit && wanted >= bus->limit)
        wanted = -1;
    index = choose_index(editor, disk, bus, wanted, error);
    if (index < 0)
        return NULL;
    if (bus->limit && index >= bus->limit) {
        dx_error_elem(error, DOMXML_ERR_REFUSED, disk, "bus %s is full: it has %ld disks",
                      bus->name, bus->limit);
        return NULL;
    }
    return make_name(bus, index, error);
}
