/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same-image.c: whether the daemon sees the image that we see.
 */
#include "probe/same-image.h"

#include <errno.h>
#include <sys/stat.h>

/* What the daemon and we say of one image, at nearly the same time. */
struct comparison {
    virDomainPtr domain;
    char *target;
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

/* In the call's thread, so that stat() has its time limit too. */
static gboolean
compare(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct comparison *comparison = data;

    if (stat(comparison->path, &comparison->before) < 0)
        comparison->status = errno;
    if (virDomainGetBlockInfo(comparison->domain, comparison->target, &comparison->info, 0) < 0)
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
    /* The daemon goes by the declared format, we by the content: as raw, the capacity is the size. */
    return facts->virtual_size == 0 || comparison->info.capacity == facts->virtual_size
        || between(comparison->info.capacity, before, after);
}

gboolean
same_image(struct connection *connection, const struct source_domain *domain, const char *target,
           const struct image_facts *facts, gboolean *same, GError **error)
{
    struct comparison *comparison = g_new0(struct comparison, 1);
    gboolean known;

    comparison->domain = domain->handle;
    virDomainRef(comparison->domain);
    comparison->target = g_strdup(target);
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
