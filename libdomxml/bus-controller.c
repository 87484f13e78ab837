/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bus-controller.c: the controllers that disks hang on: USB must not be switched off, and SCSI
 * needs a virtio-scsi one.
 *
 * libvirt makes the address of a disk without one from its name; a SCSI controller that no element
 * describes it adds by itself, as an lsilogic on x86.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

static const domxml_elem *
next_of_type(const domxml_editor *editor, const domxml_elem *controller, const char *type)
{
    while (controller && strcmp(dx_disk_get(editor, controller, "@type", ""), type) != 0)
        controller = dx_devices_next(editor, controller, "controller");
    return controller;
}

static const domxml_elem *
first_controller(const domxml_editor *editor, const char *type)
{
    return next_of_type(editor, dx_devices_first(editor, "controller"), type);
}

static const domxml_elem *
next_controller(const domxml_editor *editor, const domxml_elem *controller, const char *type)
{
    return next_of_type(editor, dx_devices_next(editor, controller, "controller"), type);
}

bool
dx_bus_check_domain(const domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                    struct domxml_error *error)
{
    const domxml_elem *usb = bus->bit == ON_USB ? first_controller(editor, "usb") : NULL;

    for (; usb; usb = next_controller(editor, usb, "usb")) {
        if (strcmp(dx_disk_get(editor, usb, "@model", ""), "none") == 0)
            return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                                "USB is switched off: a USB controller has model='none'");
    }
    return true;
}

/* The index that is written, or -1 where none is. */
static long
written_index(const domxml_editor *editor, const domxml_elem *controller)
{
    const char *text = domxml_editor_get(editor, controller, "@index");
    char *end;
    long index;

    if (!text)
        return -1;
    errno = 0;
    index = strtol(text, &end, 10);
    return errno || end == text || *end || index < 0 ? -1 : index;
}

static const domxml_elem *
find_written(const domxml_editor *editor, long index)
{
    const domxml_elem *controller = first_controller(editor, "scsi");

    while (controller && written_index(editor, controller) != index)
        controller = next_controller(editor, controller, "scsi");
    return controller;
}

/* The SCSI controller number @index, or NULL. libvirt gives those without a number the lowest free
 * ones in order of the document. */
static const domxml_elem *
find_controller(const domxml_editor *editor, long index)
{
    const domxml_elem *controller = find_written(editor, index);
    long before = 0;

    if (controller)
        return controller;
    for (long i = 0; i < index; i++)
        before += find_written(editor, i) == NULL;
    for (controller = first_controller(editor, "scsi"); controller;
         controller = next_controller(editor, controller, "scsi")) {
        if (written_index(editor, controller) < 0 && before-- == 0)
            return controller;
    }
    return NULL;
}

/* What a new controller stands before: what follows the last one, or the last disk. */
static const domxml_elem *
place_for_controller(const domxml_editor *editor, const domxml_elem *disk)
{
    const domxml_elem *devices = domxml_elem_parent(disk);
    const domxml_elem *last = NULL, *child;

    for (child = dx_editor_child(editor, devices, "controller"); child;
         child = dx_editor_next(editor, child, "controller"))
        last = child;
    for (child = last ? NULL : dx_editor_child(editor, devices, "disk"); child;
         child = dx_editor_next(editor, child, "disk"))
        last = child;
    return last ? dx_editor_next(editor, last, NULL) : NULL;
}

static bool
add_controller(domxml_editor *editor, const domxml_elem *disk, long index,
               struct domxml_error *error)
{
    const domxml_elem *controller =
        domxml_editor_insert_child(editor, domxml_elem_parent(disk), "controller",
                                   place_for_controller(editor, disk), error);
    char number[24];

    snprintf(number, sizeof(number), "%ld", index);
    return controller && domxml_editor_set_attr(editor, controller, "type", "scsi", error) &&
           domxml_editor_set_attr(editor, controller, "index", number, error) &&
           domxml_editor_set_attr(editor, controller, "model", "virtio-scsi", error) &&
           dx_editor_note(editor, error, "added virtio-scsi controller %s", number);
}

/* Fails where a placeholder decides which controllers there are. */
static bool
check_templates(const domxml_editor *editor, struct domxml_error *error)
{
    static const char *const paths[] = { "@type", "@index", "@model" };

    for (const domxml_elem *controller = dx_devices_first(editor, "controller"); controller;
         controller = dx_devices_next(editor, controller, "controller")) {
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            const char *value = domxml_editor_get(editor, controller, paths[i]);

            if (domxml_is_template(value))
                return dx_error_elem(error, DOMXML_ERR_TEMPLATE, controller,
                                    "which controllers there are cannot be told: '%.60s' is a "
                                    "template placeholder", value);
        }
    }
    return true;
}

bool
dx_bus_ensure_controller(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                         const char *target, struct domxml_error *error)
{
    const domxml_elem *controller;
    const char *model;
    long index;

    if (bus->bit != ON_SCSI)
        return true;
    if (!domxml_doc_domain(dx_editor_doc(editor)))
        return dx_editor_note(editor, error,
                              "the document is a disk alone: whether its domain has a virtio-scsi "
                              "controller could not be checked");
    if (!check_templates(editor, error))
        return false;
    index = dx_target_index(target) / bus->per_controller;
    controller = find_controller(editor, index);
    if (!controller)
        return add_controller(editor, disk, index, error);
    model = domxml_editor_get(editor, controller, "@model");
    if (!model || strcmp(model, "auto") == 0)
        return dx_editor_note(editor, error,
                              "left SCSI controller %ld as it is: it has no model, so libvirt "
                              "chooses one (lsilogic on x86)", index);
    return strncmp(model, "virtio-", 7) == 0 ||
           dx_editor_note(editor, error,
                          "left SCSI controller %ld as it is: the guest needs a driver for its "
                          "model %.60s", index, model);
}
