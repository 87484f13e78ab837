/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* disk.h: what the disk-level operations share among themselves. */
#ifndef DX_DISK_H
#define DX_DISK_H

#include "libdomxml/domxml.h"

/* Removes the attribute @name of the first element at @path below @elem where it is there. Leaves
 * a note that gives @reason, such as "bus sata refuses it". */
bool dx_disk_drop_attr(domxml_editor *editor, const domxml_elem *elem, const char *path,
                       const char *name, const char *reason, struct domxml_error *error);

/* Removes every child @name of the first element at @path below @elem, likewise. */
bool dx_disk_drop_children(domxml_editor *editor, const domxml_elem *elem, const char *path,
                           const char *name, const char *reason, struct domxml_error *error);

/* The attribute of a disk, or @fallback where it is absent; never NULL if @fallback is not.
 * Valid until the editor's next operation. */
const char *dx_disk_get(const domxml_editor *editor, const domxml_elem *disk, const char *path,
                        const char *fallback);

/* The domain's devices named @name with the editor's changes in force, in document order. NULL
 * after the last, and where there is no domain. */
const domxml_elem *dx_devices_first(const domxml_editor *editor, const char *name);
const domxml_elem *dx_devices_next(const domxml_editor *editor, const domxml_elem *device,
                                   const char *name);

/* The domain's disks with the editor's changes in force, in document order; the lone disk alone
 * where there is no domain. NULL after the last. */
const domxml_elem *dx_disk_first(const domxml_editor *editor);
const domxml_elem *dx_disk_next(const domxml_editor *editor, const domxml_elem *disk);

/* Refuses a format that the kind of disk cannot have. */
bool dx_disk_check_format(const domxml_editor *editor, const domxml_elem *disk, const char *format,
                          struct domxml_error *error);

/* Refuses <driver> setting @name of a disk whose image a process of its own serves (vhostuser,
 * vhostvdpa). */
bool dx_disk_refuse_vhost(const domxml_editor *editor, const domxml_elem *disk, const char *name,
                          struct domxml_error *error);

/* Refuses a disk whose <mirror> says that a block job is under way. */
bool dx_disk_refuse_mirror(const domxml_editor *editor, const domxml_elem *disk,
                           struct domxml_error *error);

#endif
