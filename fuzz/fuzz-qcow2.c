/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-qcow2.c: libFuzzer's door to the reader of qcow2 metadata: any bytes as an image.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/qcow2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    struct qcow2_header header = {0};
    struct qcow2_clusters clusters = {0};
    g_autofree char *reason = NULL;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    qcow2_is(data, size);
    if (qcow2_header_read(fd, size, &header, &reason)) {
        g_auto(GStrv) names = qcow2_snapshot_names(fd, &header, 32);

        if (qcow2_count(fd, size, &header, g_get_monotonic_time() + G_USEC_PER_SEC, &clusters,
                        &reason)) {
            if (clusters.examined > clusters.total ||
                clusters.mapped + clusters.shared + clusters.compressed + clusters.zero +
                    clusters.unallocated != clusters.examined)
                abort();
            qcow2_judge(&header, size, &clusters, &reason);
        }
    }
    qcow2_header_clear(&header);
    close(fd);
    return 0;
}
