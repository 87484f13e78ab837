/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show-facts.c: prints the facts of images as a facts file, for tests that are scripts.
 *
 *     show-facts [-r ROOT] PATH...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/image.h"
#include "probe/probe.h"

int
main(int argc, char **argv)
{
    g_autoptr(GPtrArray) images =
        g_ptr_array_new_with_free_func((GDestroyNotify)image_facts_free);
    g_autofree char *text = NULL;
    const char *root = NULL;
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "-r") == 0) {
        root = argv[2];
        first = 3;
    }
    for (int i = first; i < argc; i++)
        g_ptr_array_add(images, image_probe(argv[i], root, G_MAXINT64));
    text = facts_file_to_data(images, NULL);
    fputs(text, stdout);
    return EXIT_SUCCESS;
}
