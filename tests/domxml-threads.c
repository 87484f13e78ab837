/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domxml-threads.c: sixteen threads at once that read one document and edit others, for
 * ThreadSanitizer (tests/check-threads builds it with that).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdomxml/domxml.h"

enum { THREADS = 16, ROUNDS = 20 };

static const char text[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n<domain type='kvm'>\n  <name>a &amp; b</name>\n"
    "  <os><type machine='pc'>hvm</type><cmdline>root=/dev/hda1</cmdline></os>\n  <devices>\n"
    "    <disk type='file' device='disk'>\n      <driver name='qemu' type='qcow2'/>\n"
    "      <source file='/a'/>\n      <target dev='hda' bus='ide'/>\n    </disk>\n"
    "  </devices>\n</domain>\n";

/* The changed text of a document of its own, to be freed; NULL where something failed. */
static char *
edit(void)
{
    struct domxml_attr source = { "file", "/b" };
    domxml_doc *doc = domxml_parse(text, strlen(text), NULL);
    domxml_editor *editor = doc ? domxml_editor_new(doc, NULL) : NULL;
    domxml_edits *edits = NULL;
    char *changed = NULL;

    if (editor && domxml_disk_set_cache(editor, domxml_disk(doc, 0), "none", "native", NULL) &&
        domxml_disk_set_bus(editor, domxml_disk(doc, 0), "scsi", NULL) &&
        domxml_disk_add(editor, NULL, "virtio", "file", "raw", &source, 1, NULL) &&
        domxml_metadata_set(editor, "urn:a", "a:b", "c", NULL))
        edits = domxml_editor_finish(editor, NULL);
    if (edits)
        changed = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, NULL);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    return changed;
}

/* Reads the shared document, and parses what is refused too: errors must not meet either. */
static bool
read_all(const domxml_doc *doc)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const char *name = domxml_get(domxml_doc_domain(doc), "name");
    const char *target = domxml_get(domxml_disk(doc, 0), "target@dev");
    int line = 0;

    domxml_doc_position(doc, domxml_elem_span(domxml_disk(doc, 0)).offset, &line, NULL);
    return name && strcmp(name, "a & b") == 0 && target && strcmp(target, "hda") == 0 &&
           line == 6 && !domxml_parse("<domain>\n</a>", 13, &error) &&
           error.code == DOMXML_ERR_NOT_WELL_FORMED && error.line == 2;
}

static void *
work(void *shared)
{
    char *first = edit();
    bool good = first != NULL;

    for (int i = 0; i < ROUNDS && good; i++) {
        char *again = edit();

        good = again && strcmp(first, again) == 0 && read_all(shared);
        free(again);
    }
    free(first);
    return good ? shared : NULL;
}

int
main(void)
{
    domxml_doc *doc = domxml_parse(text, strlen(text), NULL);
    pthread_t threads[THREADS];
    int good = 0;

    if (!doc)
        return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, doc) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;

        good += pthread_join(threads[i], &result) == 0 && result == doc;
    }
    domxml_doc_free(doc);
    printf("%d of %d threads\n", good, THREADS);
    return good == THREADS ? EXIT_SUCCESS : EXIT_FAILURE;
}
