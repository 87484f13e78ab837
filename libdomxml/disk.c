/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* disk.c: changes to a disk's <driver>, and what the disk-level operations share. */
#include <stdio.h>
#include <string.h>

#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

const char *
dx_disk_get(const domxml_editor *editor, const domxml_elem *disk, const char *path,
            const char *fallback)
{
    const char *value = domxml_editor_get(editor, disk, path);

    return value ? value : fallback;
}

bool
dx_disk_drop_attr(domxml_editor *editor, const domxml_elem *elem, const char *path,
                  const char *name, const char *reason, struct domxml_error *error)
{
    const domxml_elem *holder = domxml_editor_find(editor, elem, path);
    char own[64];

    if (!holder)
        return true;
    snprintf(own, sizeof(own), "@%s", name);
    if (!domxml_editor_get(editor, holder, own))
        return true;
    return domxml_editor_set_attr(editor, holder, name, NULL, error) &&
           dx_editor_note(editor, error, "removed attribute %s of <%s>: %s", name,
                          domxml_elem_name(holder), reason);
}

bool
dx_disk_drop_children(domxml_editor *editor, const domxml_elem *elem, const char *path,
                      const char *name, const char *reason, struct domxml_error *error)
{
    const domxml_elem *parent = domxml_editor_find(editor, elem, path);
    const domxml_elem *child;
    size_t count = 0;

    if (!parent)
        return true;
    while ((child = domxml_editor_find(editor, parent, name))) {
        if (!domxml_editor_remove(editor, child, error))
            return false;
        count++;
    }
    return count == 0 || dx_editor_note(editor, error, "removed <%s>: %s", name, reason);
}

bool
dx_disk_refuse_mirror(const domxml_editor *editor, const domxml_elem *disk,
                      struct domxml_error *error)
{
    if (!domxml_editor_find(editor, disk, "mirror"))
        return true;
    return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                        "a block job of this disk is under way (<mirror>)");
}

/* The first device of @devices or of a <devices> after it. */
static const domxml_elem *
first_device_from(const domxml_editor *editor, const domxml_elem *devices, const char *name)
{
    const domxml_elem *device = NULL;

    while (devices && !(device = dx_editor_child(editor, devices, name)))
        devices = dx_editor_next(editor, devices, "devices");
    return device;
}

const domxml_elem *
dx_devices_first(const domxml_editor *editor, const char *name)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));

    return domain ? first_device_from(editor, dx_editor_child(editor, domain, "devices"), name)
                  : NULL;
}

const domxml_elem *
dx_devices_next(const domxml_editor *editor, const domxml_elem *device, const char *name)
{
    const domxml_elem *devices = domxml_elem_parent(device);
    const domxml_elem *next = dx_editor_next(editor, device, name);

    return next ? next
                : first_device_from(editor, dx_editor_next(editor, devices, "devices"), name);
}

const domxml_elem *
dx_disk_first(const domxml_editor *editor)
{
    const domxml_doc *doc = dx_editor_doc(editor);

    return domxml_doc_domain(doc) ? dx_devices_first(editor, "disk") : domxml_disk(doc, 0);
}

const domxml_elem *
dx_disk_next(const domxml_editor *editor, const domxml_elem *disk)
{
    return domxml_doc_domain(dx_editor_doc(editor)) ? dx_devices_next(editor, disk, "disk") : NULL;
}

static bool
set_driver(domxml_editor *editor, const domxml_elem *disk, const char *name, const char *value,
           struct domxml_error *error)
{
    const domxml_elem *driver = domxml_editor_find(editor, disk, "driver");

    if (!driver && !value)
        return true;
    if (!driver)
        driver = domxml_editor_ensure_child(editor, disk, "driver",
                                            dx_editor_child(editor, disk, NULL), error);
    return driver && domxml_editor_set_attr(editor, driver, name, value, error);
}

bool
domxml_disk_set_driver(domxml_editor *editor, const domxml_elem *disk, const char *name,
                       const char *value, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (set_driver(editor, disk, name, value, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}

bool
dx_disk_refuse_vhost(const domxml_editor *editor, const domxml_elem *disk, const char *name,
                     struct domxml_error *error)
{
    const char *type = dx_disk_get(editor, disk, "@type", "file");

    if (strncmp(type, "vhost", 5) != 0)
        return true;
    return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                         "a disk of type %.60s cannot have %s: another process serves its image",
                         type, name);
}

bool
dx_disk_check_format(const domxml_editor *editor, const domxml_elem *disk, const char *format,
                     struct domxml_error *error)
{
    if (strcmp(dx_disk_get(editor, disk, "@device", "disk"), "lun") != 0 ||
        strcmp(format, "raw") == 0 || domxml_is_template(format))
        return true;
    return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                         "device='lun' passes SCSI commands to its source: only format raw does");
}

/* libvirt refuses these with any image but a qcow2 one. */
static bool
drop_qcow2_settings(domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    static const char reason[] = "it is for qcow2 images only";

    return dx_disk_drop_attr(editor, disk, "driver", "discard_no_unref", reason, error) &&
           dx_disk_drop_children(editor, disk, "driver", "metadata_cache", reason, error);
}

static bool
set_format(domxml_editor *editor, const domxml_elem *disk, const char *format,
           struct domxml_error *error)
{
    if (strcmp(dx_disk_get(editor, disk, "driver@type", ""), format) == 0)
        return true;
    if (!dx_disk_check_format(editor, disk, format, error) ||
        !dx_disk_refuse_mirror(editor, disk, error) ||
        !set_driver(editor, disk, "type", format, error) ||
        !dx_disk_drop_children(editor, disk, "", "backingStore",
                               "it described the image before the change", error))
        return false;
    return strcmp(format, "qcow2") == 0 || domxml_is_template(format) ||
           drop_qcow2_settings(editor, disk, error);
}

bool
domxml_disk_set_format(domxml_editor *editor, const domxml_elem *disk, const char *format,
                       struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (!format || !*format)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk, "no image format is given");
    if (set_format(editor, disk, format, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}

bool
domxml_disk_remove_backing_store(domxml_editor *editor, const domxml_elem *disk,
                                 struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (!domxml_editor_find(editor, disk, "backingStore"))
        return true;
    if (dx_disk_refuse_mirror(editor, disk, error) &&
        dx_disk_drop_children(editor, disk, "", "backingStore",
                              "libvirt reads the chain from the images then", error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
