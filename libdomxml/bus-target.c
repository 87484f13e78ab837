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

/* The first index that no disk has; -1 on failure. Of n disks each takes one index at most, so one
 * of the first n + 1 is free. */
static long
first_free(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
           struct domxml_error *error)
{
    size_t count = 1;
    dx_autofree bool *taken = NULL;
    long index = 0;

    for (const domxml_elem *other = dx_disk_first(editor); other;
         other = dx_disk_next(editor, other))
        count++;
    taken = calloc(count, sizeof(*taken));
    if (!taken) {
        dx_error_no_memory(error);
        return -1;
    }
    for (const domxml_elem *other = dx_disk_first(editor); other;
         other = dx_disk_next(editor, other)) {
        const char *target = dx_disk_get(editor, other, "target@dev", "");
        long at;

        if (other == disk)
            continue;
        if (domxml_is_template(target)) {
            dx_error_elem(error, DOMXML_ERR_TEMPLATE, other,
                         "which target names are free cannot be told: '%.60s' is a template "
                         "placeholder", target);
            return -1;
        }
        at = index_on_bus(target, bus);
        if (at >= 0 && (size_t)at < count)
            taken[at] = true;
    }
    while (taken[index])
        index++;
    return index;
}

char *
dx_target_choose(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                 struct domxml_error *error)
{
    const char *target = dx_disk_get(editor, disk, "target@dev", "");
    long index = index_on_bus(target, bus);

    if (index >= 0 && dx_target_in_use(editor, disk, target))
        index = -1;
    if (index < 0)
        index = first_free(editor, disk, bus, error);
    return index < 0 ? NULL : make_name(bus, index, error);
}
