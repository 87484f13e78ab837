/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-qcow2.c: libFuzzer's door to the probe: any bytes as an image, looked at as a real one is,
 * and as qcow2 in particular. tests/test-damage.c calls it too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/image.h"
#include "probe/qcow2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static gboolean
valid(const char *text)
{
    return !text || g_utf8_validate(text, -1, NULL);
}

/* What holds of the facts whatever the bytes are. */
static void
check_facts(const struct image_facts *facts)
{
    gboolean unknown = facts->preallocation == PREALLOCATION_UNKNOWN;

    if (facts->state != IMAGE_FILE || !facts->format)
        abort();
    if (!(facts->mapped >= 0 && facts->mapped <= 1) ||
        !(facts->host_allocated >= 0 && facts->host_allocated <= 1))
        abort();
    if (unknown != (facts->preallocation_unknown != NULL) ||
        (facts->direct_io == FACT_YES) != (facts->direct_io_reason == NULL))
        abort();
    if (!valid(facts->backing_file) || !valid(facts->backing_format) ||
        !valid(facts->data_file) || !valid(facts->direct_io_reason) ||
        !valid(facts->chain_missing))
        abort();
    for (guint i = 0; facts->snapshot_names && facts->snapshot_names[i]; i++) {
        if (i >= 32 || !valid(facts->snapshot_names[i]))
            abort();
    }
}

/* Every cluster is counted once. */
static void
check_clusters(int fd, guint64 size)
{
    struct qcow2_header header;
    struct qcow2_clusters clusters;
    g_autofree char *reason = NULL;

    if (qcow2_header_read(fd, size, &header, &reason) &&
        qcow2_count(fd, size, &header, g_get_monotonic_time() + G_USEC_PER_SEC, &clusters,
                    &reason)) {
        if (clusters.examined > clusters.total ||
            clusters.mapped + clusters.shared + clusters.compressed + clusters.zero +
                clusters.unallocated != clusters.examined)
            abort();
    } else if (!reason) {
        abort();
    }
    qcow2_header_clear(&header);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    struct image_facts *facts;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    facts = image_probe(path, NULL, g_get_monotonic_time() + G_USEC_PER_SEC);
    check_facts(facts);
    image_facts_free(facts);
    check_clusters(fd, size);
    close(fd);
    return 0;
}
