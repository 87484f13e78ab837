/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-domxml.c: libFuzzer's door to libdomxml: any bytes are read or refused; where they are read, changes
 * drawn from the first bytes are applied, and what the library promises must hold.
 *
 * The input is eight bytes that choose the changes, then the document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libdomxml/domxml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHOICES 8

/* One change, as four bytes choose it. Whether it is refused is the library's business. */
static void
change(domxml_editor *editor, const domxml_doc *doc, const uint8_t *choice)
{
    static const char *const values[] = {
        "none", "writethrough", "native", "a'b\"c&d<e>", "", "\xc3\xa4", "{{ x }}", NULL,
    };
    const domxml_elem *disk = domxml_disk(doc, choice[0] % (domxml_disk_count(doc) + 1));
    const char *value = values[choice[2] % (sizeof(values) / sizeof(values[0]))];
    const char *io = values[choice[3] % (sizeof(values) / sizeof(values[0]))];
    static const char *const buses[] = { "virtio", "scsi", "sata", "usb", "ide" };
    const char *bus = buses[choice[2] % (sizeof(buses) / sizeof(buses[0]))];
    const struct domxml_attr source = {"file", value ? value : "/a"};

    if (choice[1] % 16 >= 14) {
        if (choice[3] % 2)
            (void)domxml_disk_add(editor, NULL, bus, "file", "raw", &source, 1, NULL);
        else if (choice[3] % 4)
            (void)domxml_metadata_set(editor, "urn:a", "a:b", value ? value : "", NULL);
        else
            (void)domxml_metadata_remove(editor, "urn:a", NULL);
        return;
    }
    if (!disk)
        return;
    switch (choice[1] % 16) {
    case 0:
        (void)domxml_disk_set_cache(editor, disk, value, io, NULL);
        break;
    case 1:
        (void)domxml_disk_set_bus(editor, disk, bus, NULL);
        break;
    case 2:
        (void)domxml_disk_set_format(editor, disk, value ? value : "raw", NULL);
        break;
    case 3:
        (void)domxml_disk_set_source(editor, disk, "file", &source, 1, NULL);
        break;
    case 4:
        (void)domxml_disk_set_driver(editor, disk, "discard", value, NULL);
        break;
    case 5:
        (void)domxml_editor_ensure_child(editor, disk, "readonly", domxml_elem_child(disk, NULL), NULL);
        break;
    case 6:
        (void)domxml_editor_remove(editor, domxml_find(disk, "source"), NULL);
        break;
    case 7:
        (void)domxml_disk_remove(editor, disk, NULL);
        break;
    case 8:
        (void)domxml_disk_set_iothread(editor, disk, choice[2] % 4, NULL);
        break;
    case 9:
        (void)domxml_disk_set_metadata_cache(editor, disk, choice[2], NULL);
        break;
    case 10:
        (void)domxml_disk_remove_backing_store(editor, disk, NULL);
        break;
    case 11:
        (void)domxml_disk_set_queues(editor, disk, choice[2] % 4, NULL);
        break;
    default:
        (void)domxml_editor_set_attr(editor, disk, "snapshot", value, NULL);
        break;
    }
}

/* Ends the process, as libFuzzer wants it, where a promise is broken. */
static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* The changed text must be read again, and the inverse edits must give the first text back. */
static void
check_edits(const domxml_edits *edits, const char *text, size_t length)
{
    domxml_edits *inverse = NULL;
    size_t new_length, old_length;
    char *changed = domxml_edits_apply(edits, text, length, &new_length, &inverse, NULL);
    char *restored, *diff;
    domxml_doc *again;

    must(changed != NULL);
    again = domxml_parse(changed, new_length, NULL);
    must(again != NULL);
    domxml_doc_free(again);
    restored = domxml_edits_apply(inverse, changed, new_length, &old_length, NULL, NULL);
    must(restored && old_length == length && memcmp(restored, text, length) == 0);
    diff = domxml_edits_diff(edits, text, length, "a/x", "b/x", NULL, NULL);
    must(diff != NULL && (*diff == '\0') == (domxml_edits_count(edits) == 0));
    free(diff);
    free(restored);
    free(changed);
    domxml_edits_free(inverse);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + CHOICES;
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_editor *editor;
    domxml_edits *edits;
    domxml_doc *doc;
    size_t length;

    if (size < CHOICES)
        return 0;
    doc = domxml_parse(text, size - CHOICES, &error);
    must((doc != NULL) == (error.code == DOMXML_OK));
    /* Our scanner and libxml2 must read every text alike. */
    must(error.code != DOMXML_ERR_DISAGREE);
    if (!doc)
        return 0;
    must(memcmp(domxml_doc_text(doc, &length), text, size - CHOICES) == 0 && length == size - CHOICES);

    editor = domxml_editor_new(doc, NULL);
    must(editor != NULL);
    change(editor, doc, data);
    change(editor, doc, data + 4);
    edits = domxml_editor_finish(editor, &error);
    must(edits != NULL);
    check_edits(edits, text, length);

    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    return 0;
}
