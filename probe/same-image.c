/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same-image.c: whether the daemon sees the image that we see.
 */
#include "probe/same-image.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* What the daemon and we say of one image, at nearly the same time. */
struct comparison {
    virDomainPtr domain;
    char *target;    /* the disk's target name; NULL: it is a volume */
    char *path;
    struct stat before;
    struct stat after;
    int status; /* errno of stat(); 0: it worked */
    virDomainBlockInfo info;
};

static void
comparison_free(void *data)
{
    struct comparison *comparison = data;

    virDomainFree(comparison->domain);
    g_free(comparison->target);
    g_free(comparison->path);
    g_free(comparison);
}

/* Of a domain that is shut off libvirt cannot say what its volumes are; their pools can. */
static gboolean
ask_volume(virConnectPtr handle, const char *path, virDomainBlockInfo *answer)
{
    virStorageVolPtr volume = virStorageVolLookupByPath(handle, path);
    virStorageVolInfo info;
    gboolean good;

    if (!volume)
        return FALSE;
    good = virStorageVolGetInfoFlags(volume, &info, VIR_STORAGE_VOL_GET_PHYSICAL) == 0;
    virStorageVolFree(volume);
    if (good) {
        answer->capacity = info.capacity;
        answer->physical = info.allocation; /* so says the flag */
    }
    return good;
}

static gboolean
ask_domain(virDomainPtr domain, const char *target, virDomainBlockInfo *answer)
{
    return virDomainGetBlockInfo(domain, target, answer, 0) == 0;
}

/* In the call's thread, so that stat() has its time limit too. */
static gboolean
compare(virConnectPtr handle, void *data)
{
    struct comparison *comparison = data;

    if (stat(comparison->path, &comparison->before) < 0)
        comparison->status = errno;
    if (comparison->target
            ? !ask_domain(comparison->domain, comparison->target, &comparison->info)
            : !ask_volume(handle, comparison->path, &comparison->info))
        return FALSE;
    if (stat(comparison->path, &comparison->after) < 0)
        comparison->status = errno;
    return TRUE;
}

/* A running guest's image may grow meanwhile. */
static gboolean
between(guint64 value, guint64 before, guint64 after)
{
    return value >= MIN(before, after) && value <= MAX(before, after);
}

static gboolean
is_same(const struct comparison *comparison, const struct image_facts *facts)
{
    guint64 before = (guint64)comparison->before.st_size;
    guint64 after = (guint64)comparison->after.st_size;

    /* Device numbers are said by nobody; the size has to do. */
    if (facts->state == IMAGE_BLOCK)
        before = after = facts->file_size;
    if (!between(comparison->info.physical, before, after))
        return FALSE;
    /* The daemon goes by the declared format, we by the content: as raw, the capacity is the
     * size. */
    return facts->virtual_size == 0 || comparison->info.capacity == facts->virtual_size
        || between(comparison->info.capacity, before, after);
}

gboolean
same_image(struct connection *connection, const struct source_domain *domain,
           const domxml_elem *disk, const struct image_facts *facts, gboolean *same,
           GError **error)
{
    const char *target = domxml_get(disk, "target@dev");
    struct comparison *comparison = g_new0(struct comparison, 1);
    gboolean known;

    comparison->domain = domain->handle;
    virDomainRef(comparison->domain);
    if (g_strcmp0(domxml_get(disk, "@type"), "volume") != 0)
        comparison->target = g_strdup(target ? target : "");
    comparison->path = g_strdup(facts->path);
    if (!connection_call(connection, compare, comparison, comparison_free, error))
        return FALSE;
    known = comparison->status == 0;
    if (known)
        *same = is_same(comparison, facts);
    else
        g_set_error(error, G_IO_ERROR, (int)g_io_error_from_errno(comparison->status), "%s",
                    g_strerror(comparison->status));
    comparison_free(comparison);
    return known;
}
