/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cache.c: the cache mode and the asynchronous I/O mode of a disk, which are one pair. */
#include <string.h>

#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

static bool
bypasses_page_cache(const char *cache)
{
    return cache && (strcmp(cache, "none") == 0 || strcmp(cache, "directsync") == 0);
}

/* libvirt refuses native I/O through the host's page cache at define; which modes else there are
 * is for libvirt and QEMU to say. */
static bool
check_pair(const domxml_elem *disk, const char *cache, const char *io, struct domxml_error *error)
{
    if (bypasses_page_cache(cache))
        return true;
    if (domxml_is_template(io))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "whether io='%.60s' fits the cache mode cannot be told: "
                            "it is a template placeholder", io);
    if (!io || strcmp(io, "native") != 0)
        return true;
    if (domxml_is_template(cache))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "whether cache='%.60s' allows io='native' cannot be told: "
                            "it is a template placeholder", cache);
    return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                        "io='native' needs cache='none' or cache='directsync'");
}

bool
domxml_disk_set_cache(domxml_editor *editor, const domxml_elem *disk, const char *cache,
                      const char *io, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (!check_pair(disk, cache, io, error) ||
        (cache && !dx_disk_refuse_vhost(editor, disk, "a cache mode", error)) ||
        (io && !dx_disk_refuse_vhost(editor, disk, "an I/O mode", error)))
        return false;
    if (domxml_disk_set_driver(editor, disk, "cache", cache, error) &&
        domxml_disk_set_driver(editor, disk, "io", io, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
