/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bus.h: the parts of which moving a disk to another bus is made. */
#ifndef DX_BUS_H
#define DX_BUS_H

#include "libdomxml/domxml.h"

/* For tables of what holds on which buses. */
enum {
    ON_VIRTIO = 1 << 0,
    ON_SCSI = 1 << 1,
    ON_SATA = 1 << 2,
    ON_USB = 1 << 3,
    ON_IDE = 1 << 4,
    ON_FDC = 1 << 5,
    ON_ALL = ON_VIRTIO | ON_SCSI | ON_SATA | ON_USB | ON_IDE | ON_FDC,
};

/* A bus that disks can be on. */
struct dx_bus {
    const char *name;   /* "virtio" */
    const char *prefix; /* of its target names: "vd" */
    unsigned bit;
    long per_controller; /* libvirt makes the address from the name: so many disks have one
                          * controller; 0 where it does not */
    long limit;          /* so many names there are; 0: any number */
};

/* The bus of that name (may be NULL), or NULL. */
const struct dx_bus *dx_bus_find(const char *name);

/* ---- bus-refuse.c: what a bus cannot have ---- */

/* Fails where the domain's machine has no such bus. */
bool dx_bus_check_machine(const domxml_editor *editor, const domxml_elem *disk,
                          const struct dx_bus *bus, struct domxml_error *error);

/* Fails where the bus cannot have such a disk at all. */
bool dx_bus_check_disk(const domxml_editor *editor, const domxml_elem *disk,
                       const struct dx_bus *bus, struct domxml_error *error);

/* Fails where the domain says that it has no such bus. */
bool dx_bus_check_domain(const domxml_editor *editor, const domxml_elem *disk,
                         const struct dx_bus *bus, struct domxml_error *error);

/* Removes the attributes and children that libvirt would refuse on the bus. */
bool dx_bus_drop_refused(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                         struct domxml_error *error);

/* ---- bus-target.c: target names ---- */

/* The bus that libvirt takes a disk to be on: what is written, else by its device and target
 * name. Valid until the editor's next operation. */
const char *dx_bus_of(const domxml_editor *editor, const domxml_elem *disk);

/* The place of a target name on its bus, as libvirt sorts it: 0 for hda, vda; 26 for sdaa; -1 for
 * none. */
long dx_target_index(const char *target);

/* Whether some disk of the domain besides @disk (may be NULL) has this target name. */
bool dx_target_in_use(const domxml_editor *editor, const domxml_elem *disk, const char *target);

/* The name that @disk is to have on @bus: its own where that fits, else the first free one. To be
 * freed with free(); NULL on failure. */
char *dx_target_choose(domxml_editor *editor, const domxml_elem *disk, const struct dx_bus *bus,
                       struct domxml_error *error);

/* ---- bus-controller.c: the controller ---- */

/* Sees to the controller that a disk named @target has on @bus: adds a virtio-scsi one where none
 * is there (libvirt would add an lsilogic, which few guests have a driver for). */
bool dx_bus_ensure_controller(domxml_editor *editor, const domxml_elem *disk,
                              const struct dx_bus *bus, const char *target,
                              struct domxml_error *error);

/* ---- bus-boot.c: the disks that the firmware boots ---- */

/* A disk that the firmware boots because of the order of the disks, or NULL where none is. */
struct dx_booted {
    const domxml_elem *defined; /* once this document is defined */
    const domxml_elem *reread;  /* once libvirt reads what it made of it, when it is restarted */
};

/* None where the order does not decide (per-device boot orders, direct kernel boot, no domain). */
struct dx_boot {
    struct dx_booted disk, cdrom;
};

bool dx_boot_find(const domxml_editor *editor, struct dx_boot *boot, struct domxml_error *error);

/* Has the firmware boot @disk whatever the order of the disks is. */
bool dx_boot_pin(domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error);

/* Keeps the disk that was booted @before by pinning it where another one is now; @disk is what was
 * changed. */
bool dx_boot_keep(domxml_editor *editor, const domxml_elem *disk, const struct dx_boot *before,
                  struct domxml_error *error);

/* ---- bus-cmdline.c: the kernel's command line ---- */

/* Renames root=/dev/... in <os><cmdline> where it means @disk, whose bus and target name were
 * @old_bus (may be NULL) and @old_target and are @bus and @target now. */
bool dx_cmdline_rename(domxml_editor *editor, const domxml_elem *disk, const char *old_bus,
                       const char *old_target, const struct dx_bus *bus, const char *target,
                       struct domxml_error *error);

/* Whether root= in <os><cmdline> means @disk, which is on @bus and named @target. */
bool dx_cmdline_names(const domxml_editor *editor, const domxml_elem *disk, const char *bus,
                      const char *target);

#endif
