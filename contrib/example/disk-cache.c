/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * disk-cache.c: an example of libdomxml: sets the cache mode of one disk of a domain, and prints
 * the change as a unified diff. Without a disk's name it lists the disks.
 *
 *     cc -o disk-cache disk-cache.c $(pkg-config --cflags --libs domxml)
 *     ./disk-cache web.xml
 *     ./disk-cache web.xml hda none | patch -p1
 *
 * It is C11 and C++17 alike.
 */
#include <domxml.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole of a file, to be freed; NULL where it cannot be read. */
static char *
read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        *length = (size_t)size;
        text = (char *)malloc(*length + 1);
        if (text && fread(text, 1, *length, file) != *length) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

static const char *
or_none(const char *value)
{
    return value ? value : "-";
}

static void
list_disks(const domxml_doc *doc)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        const domxml_elem *disk = domxml_disk(doc, i);

        printf("%s bus=%s format=%s cache=%s\n",
               or_none(domxml_get(disk, "target@dev")), or_none(domxml_get(disk, "target@bus")),
               or_none(domxml_get(disk, "driver@type")),
               or_none(domxml_get(disk, "driver@cache")));
    }
}

static const domxml_elem *
find_disk(const domxml_doc *doc, const char *name)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        const domxml_elem *disk = domxml_disk(doc, i);
        const char *dev = domxml_get(disk, "target@dev");

        if (dev && strcmp(dev, name) == 0)
            return disk;
    }
    return NULL;
}

/* Prints the diff that sets the cache mode; io='native' stays only where it goes with it. */
static bool
print_change(const domxml_doc *doc, const char *path, const domxml_elem *disk, const char *cache,
             struct domxml_error *error)
{
    const char *io = domxml_get(disk, "driver@io");
    size_t length;
    const char *text = domxml_doc_text(doc, &length);
    domxml_editor *editor = domxml_editor_new(doc, error);
    domxml_edits *edits = NULL;
    char *diff = NULL;

    if (io && strcmp(io, "native") == 0 && strcmp(cache, "none") != 0 &&
        strcmp(cache, "directsync") != 0)
        io = NULL;
    if (editor && domxml_disk_set_cache(editor, disk, cache, io, error))
        edits = domxml_editor_finish(editor, error);
    if (edits) {
        size_t size = 2 + strlen(path) + 1;
        char *old_label = (char *)malloc(size), *new_label = (char *)malloc(size);

        if (old_label && new_label) {
            snprintf(old_label, size, "a/%s", path);
            snprintf(new_label, size, "b/%s", path);
            diff = domxml_edits_diff(edits, text, length, old_label, new_label, NULL, error);
        }
        free(old_label);
        free(new_label);
    }
    if (diff)
        fputs(diff, stdout);
    free(diff);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    return diff != NULL;
}

int
main(int argc, char **argv)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = NULL;
    char *text;
    size_t length = 0;
    int status = EXIT_FAILURE;

    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: %s FILE [DISK CACHE]\n", argv[0]);
        return 2;
    }
    text = read_file(argv[1], &length);
    if (!text) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    doc = domxml_parse(text, length, &error);
    free(text);
    if (doc && argc == 2) {
        list_disks(doc);
        status = EXIT_SUCCESS;
    } else if (doc) {
        const domxml_elem *disk = find_disk(doc, argv[2]);

        if (!disk)
            fprintf(stderr, "%s: no disk %s\n", argv[1], argv[2]);
        else if (print_change(doc, argv[1], disk, argv[3], &error))
            status = EXIT_SUCCESS;
    }
    if (error.code != DOMXML_OK)
        fprintf(stderr, "%s:%d:%d: %s\n", argv[1], error.line, error.column, error.text);
    domxml_doc_free(doc);
    return status;
}
