/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-qcow2.c: any bytes as an image, looked at by the real probe.
 *
 * `make fuzz-qcow2` builds it with libFuzzer as fuzz/qcow2-fuzzer; `make fuzz/fuzz-qcow2` builds a program
 * that plays the files named on its command line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds whatever the bytes are. */
static void
check(const struct image_facts *facts)
{
    if (facts->state != IMAGE_FILE || !facts->format || facts->mapped < 0 || facts->mapped > 1 ||
        facts->host_allocated < 0 || facts->host_allocated > 1)
        abort();
    if ((facts->preallocation == PREALLOCATION_UNKNOWN) != (facts->preallocation_unknown != NULL))
        abort();
    if (facts->direct_io != FACT_YES && !facts->direct_io_reason)
        abort();
    if ((facts->backing_file && !g_utf8_validate(facts->backing_file, -1, NULL)) ||
        (facts->direct_io_reason && !g_utf8_validate(facts->direct_io_reason, -1, NULL)))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    struct image_facts *facts;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    facts = image_probe(path, NULL, G_MAXINT64);
    check(facts);
    image_facts_free(facts);
    close(fd);
    return 0;
}

#ifndef FUZZER
int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = NULL;
        gsize length;

        if (!g_file_get_contents(argv[i], &text, &length, &error)) {
            fprintf(stderr, "%s\n", error->message);
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
    }
    printf("%d inputs played\n", argc - 1);
    return EXIT_SUCCESS;
}
#endif
