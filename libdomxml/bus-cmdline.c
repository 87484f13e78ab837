/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bus-cmdline.c: root= on the kernel's command line, for a guest that boots a kernel directly.
 *
 * The guest names its disks by the bus, so /dev/hda1 or /dev/sda1 becomes /dev/vda1 with the move.
 * Names that hang on the content (UUID=, /dev/disk/by-...) stay right by themselves.
 */
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

/* A device name in the command line: from "/dev/" to the partition number. */
struct device {
    const char *name; /* after "/dev/": "hda1" */
    size_t letters;   /* length without the number: 3 */
    size_t length;    /* length with it: 4 */
};

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Finds the next parameter root=/dev/NAMEn at or after @at. */
static bool
next_root(const char *text, const char *at, struct device *device)
{
    static const char root[] = "root=/dev/";

    while ((at = strstr(at, root))) {
        bool begins = at == text || is_space(at[-1]) || at[-1] == '"';

        device->name = at + strlen(root);
        device->letters = strspn(device->name, "abcdefghijklmnopqrstuvwxyz");
        device->length = device->letters + strspn(device->name + device->letters, "0123456789");
        at = device->name + device->length;
        if (begins && device->letters > 2 && (*at == '\0' || is_space(*at) || *at == '"'))
            return true;
    }
    return false;
}

/* What a guest calls the disks of a bus: IDE ones hd in old kernels and sd in newer ones. */
static bool
is_name_on_bus(const char *name, const char *bus)
{
    if (strcmp(bus, "virtio") == 0)
        return strncmp(name, "vd", 2) == 0;
    if (strcmp(bus, "ide") == 0)
        return strncmp(name, "hd", 2) == 0 || strncmp(name, "sd", 2) == 0;
    if (strcmp(bus, "scsi") == 0 || strcmp(bus, "sata") == 0 || strcmp(bus, "usb") == 0)
        return strncmp(name, "sd", 2) == 0;
    return false;
}

/* Whether the device is the disk that was called @old_target on @old_bus. */
static bool
means_disk(const domxml_editor *editor, const domxml_elem *disk, const struct device *device,
           const char *old_bus, const char *old_target)
{
    char name[32];

    if (device->letters >= sizeof(name))
        return false;
    memcpy(name, device->name, device->letters);
    name[device->letters] = '\0';
    if (strcmp(name, old_target) == 0)
        return true;
    return is_name_on_bus(name, old_bus) &&
           dx_target_index(name) == dx_target_index(old_target) &&
           !dx_target_in_use(editor, disk, name);
}

static bool
rename_root(domxml_editor *editor, const domxml_elem *cmdline, const struct device *device,
            const char *text, const char *name, struct domxml_error *error)
{
    const char *rest = device->name + device->letters;
    int before_length = (int)(device->name - text);
    int number_length = (int)(device->length - device->letters);
    dx_autofree char *changed = dx_format("%.*s%s%s", before_length, text, name, rest);

    if (!changed)
        return dx_error_no_memory(error);
    return dx_editor_note(editor, error, "changed root=/dev/%.*s in <cmdline> to root=/dev/%s%.*s",
                          (int)device->length, device->name, name, number_length, rest) &&
           domxml_editor_set_text(editor, cmdline, changed, error);
}

/* Finds <cmdline>, its text and the root= that counts: the kernel takes the last of several. */
static bool
find_root(const domxml_editor *editor, const domxml_elem **cmdline, const char **text,
          struct device *device)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));

    *cmdline = domain ? domxml_editor_find(editor, domain, "os/cmdline") : NULL;
    *text = *cmdline ? domxml_editor_get(editor, *cmdline, "") : NULL;
    if (!*text || !next_root(*text, *text, device))
        return false;
    for (struct device later = *device; next_root(*text, later.name + later.length, &later);)
        *device = later;
    return true;
}

bool
dx_cmdline_names(const domxml_editor *editor, const domxml_elem *disk, const char *bus,
                 const char *target)
{
    const domxml_elem *cmdline;
    struct device device;
    const char *text;

    return find_root(editor, &cmdline, &text, &device) &&
           means_disk(editor, disk, &device, bus, target);
}

static bool
note_other(domxml_editor *editor, const struct device *device, struct domxml_error *error)
{
    if (strncmp(device->name, "sd", 2) != 0 && strncmp(device->name, "hd", 2) != 0)
        return true;
    return dx_editor_note(editor, error,
                          "left root=/dev/%.*s in <cmdline>: it names another disk, whose name in "
                          "the guest may change with this move",
                          (int)device->length, device->name);
}

bool
dx_cmdline_rename(domxml_editor *editor, const domxml_elem *disk, const char *old_bus,
                  const char *old_target, const struct dx_bus *bus, const char *target,
                  struct domxml_error *error)
{
    const domxml_elem *cmdline;
    struct device device;
    const char *text;
    dx_autofree char *name = NULL;

    if (!find_root(editor, &cmdline, &text, &device))
        return true;
    if (!means_disk(editor, disk, &device, old_bus, old_target))
        return note_other(editor, &device, error);
    /* Kernels of this century (2.6.19) call the first IDE disk sda. */
    name = dx_format("%s%s", bus->bit == ON_IDE ? "sd" : bus->prefix,
                     target + strlen(bus->prefix));
    if (!name)
        return dx_error_no_memory(error);
    if (strlen(name) == device.letters && memcmp(device.name, name, device.letters) == 0)
        return true;
    if (dx_target_in_use(editor, disk, name))
        return dx_editor_note(editor, error,
                              "left root=/dev/%.*s in <cmdline>: what the guest calls the disk "
                              "beside the one named %s cannot be told",
                              (int)device.length, device.name, name);
    return rename_root(editor, cmdline, &device, text, name, error);
}
