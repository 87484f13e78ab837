/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight-disk.c: what a <disk> element says that forbids converting its image. */
#include "apply/preflight-checks.h"
#include "probe/probe.h"

/* A source of a type that is no image, or no path that can be followed. */
static void
check_no_path(struct preflight_state *state, enum image_state image, const char *reason)
{
    const domxml_elem *disk = state->ask->disk;
    const char *type = domxml_get(disk, "@type");
    const char *path = domxml_get(disk, "source@file");

    if (g_strcmp0(type, "volume") == 0)
        preflight_refuse(state, PREFLIGHT_VOLUME,
                         "its source is volume %s of pool %s, not a path, and volumes are not "
                         "converted yet: name the volume's path (virsh vol-path) instead",
                         domxml_get(disk, "source@volume"), domxml_get(disk, "source@pool"));
    else if (!type || g_str_equal(type, "file")) {
        if (path && *path && *path != '/' && !domxml_is_template(path))
            preflight_refuse(state, PREFLIGHT_RELATIVE,
                             "its source '%s' is a relative path, and so another file for each "
                             "program: make it absolute first",
                             path);
        else if (image == IMAGE_NONE)
            preflight_refuse(state, PREFLIGHT_NOT_DISK, "it is %s: there is nothing to convert",
                             reason);
        else
            preflight_refuse(state, PREFLIGHT_SOURCE, "its source cannot be converted: %s", reason);
    } else if (image == IMAGE_NONE && !g_str_equal(type, "block")) {
        preflight_refuse(state, PREFLIGHT_NOT_LOCAL,
                         "its source is %s: only files of this host are converted", reason);
    } else {
        preflight_refuse(state, PREFLIGHT_SOURCE, "its source cannot be converted: %s", reason);
    }
}

/* Elements that say that the image's content alone is not what the guest sees, or not only for
 * this guest. */
static void
check_children(struct preflight_state *state)
{
    const domxml_elem *disk = state->ask->disk;
    const domxml_elem *store = domxml_find(disk, "backingStore");

    if (domxml_find(disk, "shareable"))
        preflight_refuse(state, PREFLIGHT_SHAREABLE,
                         "it is shared (<shareable/>) with guests that domlint may not know of: "
                         "convert it by hand, or remove <shareable/> if it is not shared");
    if (domxml_find(disk, "transient"))
        preflight_refuse(state, PREFLIGHT_TRANSIENT_DISK,
                         "it is transient (<transient/>): what its guest writes goes to an overlay "
                         "that libvirt makes and drops; convert the image by hand, as the template "
                         "that it is");
    if (domxml_find(disk, "mirror"))
        preflight_refuse(state, PREFLIGHT_JOB,
                         "a block job copies it (<mirror>): wait for its end, or abort it");
    if (domxml_find(disk, "encryption") || domxml_find(disk, "source/encryption"))
        preflight_refuse(state, PREFLIGHT_ENCRYPTED,
                         "it is encrypted (<encryption>), and a copy would be in the clear: "
                         "convert it by hand, with the key");
    if (domxml_find(disk, "source/dataStore"))
        preflight_refuse(state, PREFLIGHT_DATA_FILE,
                         "its data are in an external file (<dataStore>): convert it by hand");
    /* Written where a chain was; libvirt believes it, whatever the image's header says. */
    if (store && (domxml_get(store, "@type") || domxml_find(store, "source")))
        preflight_refuse(state, PREFLIGHT_BACKING,
                         "it stands on another image (<backingStore>), which would be flattened "
                         "into it: commit or rebase the chain first, and remove a <backingStore> "
                         "that is none any more");
}

void
preflight_check_disk(struct preflight_state *state)
{
    const domxml_elem *disk = state->ask->disk;
    const char *device = domxml_get(disk, "@device");
    const char *type = domxml_get(disk, "@type");
    g_autofree char *reason = NULL;
    enum image_state image;

    if (device && !g_str_equal(device, "disk"))
        preflight_refuse(state, PREFLIGHT_NOT_DISK,
                         "it is a %s: only disks are converted", device);
    check_children(state);
    state->path = disk_image_path(disk, &image, &reason);
    if (!state->path)
        check_no_path(state, image, reason ? reason : "not known");
    else if (type && g_str_equal(type, "block"))
        preflight_refuse(state, PREFLIGHT_BLOCK,
                         "it is a block device, which no lock guards: convert it by hand");
}
