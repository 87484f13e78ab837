/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-image.c: which path, if any, a <disk> names as its image.
 */
#include "probe/probe.h"

static char *
no_path(enum image_state *state, enum image_state value, char **reason, char *text)
{
    *state = value;
    if (reason)
        *reason = text;
    else
        g_free(text);
    return NULL;
}

static char *
volume(const domxml_elem *disk, enum image_state *state, char **reason)
{
    const char *pool = domxml_get(disk, "source@pool");
    const char *name = domxml_get(disk, "source@volume");

    if (!pool && !name)
        return no_path(state, IMAGE_NONE, reason, g_strdup("an empty drive"));
    if (domxml_is_template(pool) || domxml_is_template(name))
        return no_path(state, IMAGE_TEMPLATE, reason, g_strdup("a template placeholder"));
    return no_path(state, IMAGE_UNKNOWN, reason,
                   g_strdup_printf("volume %s of pool %s: known on a connection only",
                                   name ? name : "?", pool ? pool : "?"));
}

/* The path of a source of type file or block. */
static char *
local(const domxml_elem *disk, const char *path, enum image_state *state, char **reason)
{
    if (!path || !*path)
        return no_path(state, IMAGE_NONE, reason, g_strdup("an empty drive"));
    if (domxml_is_template(path))
        return no_path(state, IMAGE_TEMPLATE, reason, g_strdup("a template placeholder"));
    if (*path != '/')
        return no_path(state, IMAGE_UNKNOWN, reason,
                       g_strdup("a relative path: it depends on the folder that the daemon "
                                "was started in"));
    /* What the guest sees is then not what the path names: facts of the file would mislead. */
    if (domxml_get(disk, "source@fdgroup"))
        return no_path(state, IMAGE_UNKNOWN, reason,
                       g_strdup("a file descriptor is handed over instead of the path"));
    for (const domxml_elem *slice = domxml_find(disk, "source/slices/slice"); slice;
         slice = domxml_elem_next(slice, "slice")) {
        if (g_strcmp0(domxml_get(slice, "@type"), "storage") == 0)
            return no_path(state, IMAGE_UNKNOWN, reason,
                           g_strdup("the source is a slice of a file, not the whole"));
    }
    *state = IMAGE_FILE;
    if (reason)
        *reason = NULL;
    return g_strdup(path);
}

char *
disk_image_path(const domxml_elem *disk, enum image_state *state, char **reason)
{
    /* Types whose source is no image on this host. */
    static const struct {
        const char *type;
        const char *what;
    } imageless[] = {
        { "dir", "a directory shown as a disk" },
        { "network", "a network source" },
        { "nvme", "an NVMe device given to the guest" },
        { "vhostuser", "a vhost-user device" },
        { "vhostvdpa", "a vDPA device" },
    };
    const char *type = domxml_get(disk, "@type");

    if (!type || g_str_equal(type, "file"))
        return local(disk, domxml_get(disk, "source@file"), state, reason);
    if (g_str_equal(type, "block"))
        return local(disk, domxml_get(disk, "source@dev"), state, reason);
    if (g_str_equal(type, "volume"))
        return volume(disk, state, reason);
    if (domxml_is_template(type))
        return no_path(state, IMAGE_TEMPLATE, reason, g_strdup("a template placeholder"));
    for (gsize i = 0; i < G_N_ELEMENTS(imageless); i++) {
        if (g_str_equal(type, imageless[i].type))
            return no_path(state, IMAGE_NONE, reason, g_strdup(imageless[i].what));
    }
    return no_path(state, IMAGE_UNKNOWN, reason,
                   g_strdup_printf("disk type '%s' is not known here", type));
}
