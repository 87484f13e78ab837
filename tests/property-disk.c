/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property-disk.c: random disk-level changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/property.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

enum operation {
    SET_DRIVER,
    SET_FORMAT,
    SET_CACHE,
    SET_SOURCE,
    SET_BUS,
    SET_DISCARD,
    SET_DETECT_ZEROES,
    SET_IOTHREAD,
    SET_QUEUES,
    SET_METADATA_CACHE,
    REMOVE_BACKING_STORE,
    OPERATION_COUNT,
};

/* A disk-level change with its arguments. */
struct wish {
    enum operation operation;
    size_t disk;
    const char *first, *second; /* as the operation takes them */
    size_t source;
    unsigned number;
};

static const struct {
    const char *type;
    struct domxml_attr attrs[3];
    size_t count;
} sources[] = {
    { "file", { { "file", "/srv/new image.raw" } }, 1 },
    { "block", { { "dev", "/dev/vg/new" } }, 1 },
    { "dir", { { "dir", "/srv" } }, 1 },
    { "volume", { { "pool", "p" }, { "volume", "v.raw" } }, 2 },
    { "network", { { "protocol", "nbd" }, { "name", "x<y" } }, 2 },
    { "nvme", { { "type", "pci" }, { "managed", "yes" }, { "namespace", "1" } }, 3 },
    { "vhostuser", { { "type", "unix" }, { "path", "/run/s" } }, 2 },
};

static struct wish
make_wish(struct subject *subject)
{
    static const char *const driver_names[] = { "discard", "detect_zeroes", "iothread", "x" };
    static const char *const formats[] = { "raw", "qcow2", "to-come" };
    static const char *const caches[] = { "none", "writeback", "directsync", "unsafe", NULL };
    static const char *const ios[] = { "native", "threads", "io_uring", NULL };
    static const char *const buses[] = { "virtio", "scsi", "sata", "usb", "ide" };
    static const char *const discards[] = { "unmap", "on", NULL };
    struct test_random *random = &subject->random;
    struct wish wish = {
        .operation = (enum operation)test_random_below(random, OPERATION_COUNT),
        .disk = test_random_below(random, domxml_disk_count(subject->doc)),
        .source = test_random_below(random, N_ELEMENTS(sources)),
        .number = (unsigned)test_random_below(random, 3),
    };

    switch (wish.operation) {
    case SET_DRIVER:
        wish.first = property_pick(random, driver_names, N_ELEMENTS(driver_names));
        wish.second = property_pick(random, caches, N_ELEMENTS(caches));
        break;
    case SET_FORMAT:
        wish.first = property_pick(random, formats, N_ELEMENTS(formats));
        break;
    case SET_CACHE:
        wish.first = property_pick(random, caches, N_ELEMENTS(caches));
        wish.second = property_pick(random, ios, N_ELEMENTS(ios));
        break;
    case SET_BUS:
        wish.first = property_pick(random, buses, N_ELEMENTS(buses));
        break;
    case SET_DISCARD:
    case SET_DETECT_ZEROES:
        wish.first = property_pick(random, discards, N_ELEMENTS(discards));
        break;
    default:
        break;
    }
    return wish;
}

static bool
fulfil(domxml_editor *editor, const domxml_elem *disk, const struct wish *wish,
       struct domxml_error *error)
{
    switch (wish->operation) {
    case SET_DRIVER:
        return domxml_disk_set_driver(editor, disk, wish->first, wish->second, error);
    case SET_FORMAT:
        return domxml_disk_set_format(editor, disk, wish->first, error);
    case SET_CACHE:
        return domxml_disk_set_cache(editor, disk, wish->first, wish->second, error);
    case SET_SOURCE:
        return domxml_disk_set_source(editor, disk, sources[wish->source].type,
                                      sources[wish->source].attrs, sources[wish->source].count,
                                      error);
    case SET_DISCARD:
        return domxml_disk_set_discard(editor, disk, wish->first, error);
    case SET_DETECT_ZEROES:
        return domxml_disk_set_detect_zeroes(editor, disk, wish->first, error);
    case SET_IOTHREAD:
        return domxml_disk_set_iothread(editor, disk, wish->number, error);
    case SET_QUEUES:
        return domxml_disk_set_queues(editor, disk, wish->number, error);
    case SET_METADATA_CACHE:
        return domxml_disk_set_metadata_cache(editor, disk, wish->number, error);
    case REMOVE_BACKING_STORE:
        return domxml_disk_remove_backing_store(editor, disk, error);
    default:
        return domxml_disk_set_bus(editor, disk, wish->first, error);
    }
}

/* Expects that the number at @path is @number, or that there is none where that is 0. */
static void
expect_number(const domxml_elem *disk, const char *path, unsigned number)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    expect(same_string(domxml_get(disk, path), number ? text : NULL), "no %s", path);
}

static bool
is_refusal(enum domxml_code code)
{
    return code == DOMXML_ERR_REFUSED || code == DOMXML_ERR_TEMPLATE;
}

/* Expects that the disk now is what was wished for. */
static void
check_fulfilled(const domxml_doc *doc, const struct wish *wish)
{
    const domxml_elem *disk = domxml_disk(doc, wish->disk);
    const char *type = domxml_get(disk, "@type");
    char path[64];

    switch (wish->operation) {
    case SET_DRIVER:
        snprintf(path, sizeof(path), "driver@%s", wish->first);
        expect(same_string(domxml_get(disk, path), wish->second), "no %s", path);
        break;
    case SET_FORMAT:
        expect(same_string(domxml_get(disk, "driver@type"), wish->first), "no format");
        break;
    case SET_CACHE:
        expect(same_string(domxml_get(disk, "driver@cache"), wish->first), "no cache");
        expect(same_string(domxml_get(disk, "driver@io"), wish->second), "no io");
        break;
    case SET_SOURCE:
        expect(same_string(type ? type : "file", sources[wish->source].type), "no type");
        for (size_t i = 0; i < sources[wish->source].count; i++) {
            snprintf(path, sizeof(path), "source@%s", sources[wish->source].attrs[i].name);
            expect(same_string(domxml_get(disk, path), sources[wish->source].attrs[i].value),
                   "no %s", path);
        }
        break;
    case SET_DISCARD:
        expect(same_string(domxml_get(disk, "driver@discard"), wish->first), "no discard");
        break;
    case SET_DETECT_ZEROES:
        expect(same_string(domxml_get(disk, "driver@detect_zeroes"), wish->first),
               "no detect_zeroes");
        break;
    case SET_IOTHREAD:
        expect_number(disk, "driver@iothread", wish->number);
        break;
    case SET_QUEUES:
        expect_number(disk, "driver@queues", wish->number);
        break;
    case SET_METADATA_CACHE:
        expect_number(disk, "driver/metadata_cache/max_size", wish->number);
        break;
    case REMOVE_BACKING_STORE:
        expect(!domxml_find(disk, "backingStore"), "a backing store");
        break;
    default:
        break;
    }
}

/* Expects that a disk that was moved has a name of its own, and nothing of the old bus. */
static void
check_moved(const domxml_doc *doc, const struct wish *wish)
{
    const domxml_elem *disk = domxml_disk(doc, wish->disk);
    const char *prefix = strcmp(wish->first, "virtio") == 0 ? "vd"
                         : strcmp(wish->first, "ide") == 0  ? "hd"
                                                            : "sd";
    const char *name = domxml_get(disk, "target@dev");

    expect(same_string(domxml_get(disk, "target@bus"), wish->first), "no bus");
    expect(strncmp(name, prefix, 2) == 0, "%s on bus %s", name, wish->first);
    expect(!domxml_find(disk, "address"), "an address of the old bus");
    expect(strcmp(wish->first, "ide") == 0 || !domxml_get(disk, "geometry@trans"),
           "refused on bus %s", wish->first);
    expect(strcmp(wish->first, "virtio") == 0 || !domxml_get(disk, "driver@queues"),
           "refused on bus %s", wish->first);
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        expect(i == wish->disk ||
                   !same_string(domxml_get(domxml_disk(doc, i), "target@dev"), name),
               "%s is there twice", name);
}

/* Expects that the edits touch the disk, and for a move <os> and the disk that is booted, alone. */
static void
check_places(const struct subject *subject, const domxml_edits *edits, const struct wish *wish)
{
    const domxml_elem *domain = domxml_doc_domain(subject->doc);
    const domxml_elem *os = domain ? domxml_find(domain, "os") : NULL;
    struct domxml_span disk = domxml_elem_span(domxml_disk(subject->doc, wish->disk));
    size_t elsewhere = 0;

    for (size_t i = 0; i < domxml_edits_count(edits); i++) {
        const struct domxml_edit *edit = domxml_edits_get(edits, i);
        struct domxml_span span = disk;

        if (edit->offset > span.offset && edit->offset < span.offset + span.length)
            continue;
        expect(wish->operation == SET_BUS, "an edit outside of the disk");
        if (os) {
            span = domxml_elem_span(os);
            if (edit->offset > span.offset && edit->offset < span.offset + span.length)
                continue;
        }
        if (strcmp(wish->first, "scsi") == 0 && strstr(edit->text, "<controller type=") &&
            strstr(edit->text, "virtio-scsi"))
            continue;
        elsewhere++;
        expect(elsewhere == 1 && strstr(edit->text, "<boot order=") != NULL,
               "an edit outside of the disk: '%s'", edit->text);
    }
}

void
property_disk(struct subject *subject)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_editor *editor;
    domxml_edits *edits;
    struct wish wish;
    bool has_bus, done;

    if (domxml_disk_count(subject->doc) == 0)
        return;
    wish = make_wish(subject);
    has_bus = wish.operation == SET_BUS;
    editor = property_editor(subject->doc);
    done = fulfil(editor, domxml_disk(subject->doc, wish.disk), &wish, &error);
    edits = property_finish(editor);
    if (done) {
        size_t length;
        char *changed = property_apply(edits, subject->text, subject->length, &length);
        domxml_doc *doc = property_parse(changed, length);
        domxml_editor *again = property_editor(doc);
        domxml_edits *none;

        check_fulfilled(doc, &wish);
        if (has_bus && domxml_edits_count(edits) > 0)
            check_moved(doc, &wish);
        check_places(subject, edits, &wish);
        error = (struct domxml_error)DOMXML_ERROR_INIT;
        expect(fulfil(again, domxml_disk(doc, wish.disk), &wish, &error),
               "refused the second time: %s", error.text);
        none = property_finish(again);
        expect(domxml_edits_count(none) == 0, "a second time changes something");
        domxml_edits_free(none);
        domxml_editor_free(again);
        domxml_doc_free(doc);
        free(changed);
    } else {
        expect(is_refusal(error.code), "refused with code %d: %s", error.code, error.text);
        expect(error.line > 0 && error.column > 0, "refused without a place");
        expect(domxml_edits_count(edits) == 0 && domxml_editor_note_count(editor) == 0,
               "what was refused left its traces");
    }
    domxml_edits_free(edits);
    domxml_editor_free(editor);
}

/* Expects that a text says of a disk what the editor says. */
static void
compare_view(const domxml_editor *editor, const domxml_elem *shown_disk, const domxml_elem *disk)
{
    static const char *const paths[] = {
        "@type", "@model", "driver@type", "driver@cache", "driver@io", "driver@discard", "driver@x",
        "driver@iothread", "driver@queues", "driver@detect_zeroes",
        "driver/metadata_cache/max_size", "source@file", "source@dev", "source@dir",
        "source@pool", "source@volume", "source@mode", "source@protocol", "source@name",
        "source@type", "source@path", "source@startupPolicy", "source@index", "source/host@name",
        "target@dev", "target@bus", "boot@order", "address@type", "backingStore@type", "wwn",
    };

    for (size_t i = 0; i < N_ELEMENTS(paths); i++) {
        const char *shown = domxml_editor_get(editor, shown_disk, paths[i]);
        const char *said = domxml_get(disk, paths[i]);

        expect(same_string(shown, said), "%s is '%s', shown as '%s'", paths[i], said, shown);
    }
}

/* The disks that there are with the editor's changes in force, in order. */
struct disks {
    const domxml_elem *at[4096];
    size_t count;
};

static void
find_disks(const domxml_doc *doc, struct disks *disks)
{
    disks->count = 0;
    while (disks->count < domxml_disk_count(doc) && disks->count < N_ELEMENTS(disks->at) - 100) {
        disks->at[disks->count] = domxml_disk(doc, disks->count);
        disks->count++;
    }
}

/* Adds a disk of random bus and source, which comes behind all others. */
static void
add_disk(domxml_editor *editor, struct subject *subject, struct disks *disks)
{
    static const char *const buses[] = { "virtio", "scsi", "sata", "usb", "ide" };
    const char *bus = property_pick(&subject->random, buses, N_ELEMENTS(buses));
    size_t source = test_random_below(&subject->random, N_ELEMENTS(sources));
    struct domxml_error error = DOMXML_ERROR_INIT;
    const domxml_elem *disk =
        domxml_disk_add(editor, NULL, bus, sources[source].type, "raw", sources[source].attrs,
                        sources[source].count, &error);

    if (!disk) {
        expect(is_refusal(error.code), "not added with code %d: %s", error.code, error.text);
        return;
    }
    disks->at[disks->count++] = disk;
    expect(same_string(domxml_editor_get(editor, disk, "target@bus"), bus), "another bus");
    for (size_t i = 0; i + 1 < disks->count; i++)
        expect(!same_string(domxml_editor_get(editor, disks->at[i], "target@dev"),
                            domxml_editor_get(editor, disk, "target@dev")),
               "the new name is there already");
}

static void
remove_disk(domxml_editor *editor, struct disks *disks, size_t number)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    if (!domxml_disk_remove(editor, disks->at[number], &error)) {
        expect(is_refusal(error.code), "not removed with code %d: %s", error.code, error.text);
        return;
    }
    expect(!domxml_editor_find(editor, disks->at[number], ""), "still there");
    disks->count--;
    memmove(disks->at + number, disks->at + number + 1,
            (disks->count - number) * sizeof(*disks->at));
}

/* One change of any kind. */
static void
change_disks(domxml_editor *editor, struct subject *subject, struct disks *disks)
{
    size_t choice = domxml_doc_domain(subject->doc) ? test_random_below(&subject->random, 8) : 8;
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct wish wish;

    if (choice == 0) {
        add_disk(editor, subject, disks);
    } else if (disks->count > 0) {
        wish = make_wish(subject);
        wish.disk %= disks->count;
        if (choice == 1)
            remove_disk(editor, disks, wish.disk);
        else if (!fulfil(editor, disks->at[wish.disk], &wish, &error))
            expect(is_refusal(error.code), "refused with code %d: %s", error.code, error.text);
    }
}

void
property_disks(struct subject *subject)
{
    struct disks disks;
    domxml_editor *editor;
    domxml_edits *edits;
    domxml_doc *doc;
    size_t length;
    char *changed;

    if (domxml_disk_count(subject->doc) == 0)
        return;
    find_disks(subject->doc, &disks);
    editor = property_editor(subject->doc);
    for (int i = 0; i < 10; i++)
        change_disks(editor, subject, &disks);
    edits = property_finish(editor);
    changed = property_apply(edits, subject->text, subject->length, &length);
    doc = property_parse(changed, length);
    expect(domxml_disk_count(doc) == disks.count, "other disks");
    for (size_t i = 0; i < disks.count; i++)
        compare_view(editor, disks.at[i], domxml_disk(doc, i));
    if (domxml_doc_domain(doc))
        expect(same_string(domxml_editor_get(editor, domxml_doc_domain(subject->doc), "os/cmdline"),
                           domxml_get(domxml_doc_domain(doc), "os/cmdline")),
               "another command line");
    domxml_doc_free(doc);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
}
