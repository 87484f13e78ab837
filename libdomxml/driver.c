/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.c: settings of a disk's <driver> that libvirt takes on some disks only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

bool
domxml_disk_set_discard(domxml_editor *editor, const domxml_elem *disk, const char *discard,
                        struct domxml_error *error)
{
    return (!discard || dx_disk_refuse_vhost(editor, disk, "discard", error)) &&
           domxml_disk_set_driver(editor, disk, "discard", discard, error);
}

static bool
set_detect_zeroes(domxml_editor *editor, const domxml_elem *disk, const char *mode,
                  struct domxml_error *error)
{
    const char *old = domxml_editor_get(editor, disk, "driver@detect_zeroes");

    if (old && mode && strcmp(old, mode) == 0)
        return true;
    if (!domxml_disk_set_driver(editor, disk, "detect_zeroes", mode, error))
        return false;
    return !mode || strcmp(mode, "unmap") != 0 ||
           strcmp(dx_disk_get(editor, disk, "driver@discard", ""), "unmap") == 0 ||
           dx_editor_note(editor, error,
                          "detect_zeroes='unmap' works as 'on' until discard is 'unmap'");
}

bool
domxml_disk_set_detect_zeroes(domxml_editor *editor, const domxml_elem *disk, const char *mode,
                              struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (mode && !dx_disk_refuse_vhost(editor, disk, "detect_zeroes", error))
        return false;
    if (set_detect_zeroes(editor, disk, mode, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}

/* ---- virtio alone ------------------------------------------------------------------------- */

static bool
check_virtio(const domxml_editor *editor, const domxml_elem *disk, const char *what,
             struct domxml_error *error)
{
    const char *bus = dx_bus_of(editor, disk);

    if (domxml_is_template(bus))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                             "whether bus '%.60s' has %s cannot be told: it is a template "
                             "placeholder", bus, what);
    return strcmp(bus, "virtio") == 0 ||
           dx_error_elem(error, DOMXML_ERR_REFUSED, disk, "only bus virtio has %s, not %.60s",
                         what, bus);
}

/* Sets a number, or removes the attribute where it is 0. */
static bool
set_number(domxml_editor *editor, const domxml_elem *disk, const char *name, unsigned value,
           struct domxml_error *error)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", value);
    return domxml_disk_set_driver(editor, disk, name, value ? text : NULL, error);
}

bool
domxml_disk_set_queues(domxml_editor *editor, const domxml_elem *disk, unsigned queues,
                       struct domxml_error *error)
{
    return (queues == 0 || check_virtio(editor, disk, "queues", error)) &&
           set_number(editor, disk, "queues", queues, error);
}

/* Reads a number of the domain's; false with @error set where it is none. */
static bool
read_number(const domxml_elem *elem, const char *text, unsigned long *number,
            struct domxml_error *error)
{
    char *end;

    if (domxml_is_template(text))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, elem,
                             "which I/O threads there are cannot be told: '%.60s' is a template "
                             "placeholder", text);
    errno = 0;
    *number = strtoul(text, &end, 10);
    if (errno || end == text)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, elem,
                             "which I/O threads there are cannot be told: '%.60s' is no number",
                             text);
    return true;
}

/* Fails where the domain has no such I/O thread. <iothreadids> names some; of <iothreads> those
 * that are missing there get the lowest free numbers. */
static bool
check_iothread(const domxml_editor *editor, const domxml_elem *disk, const domxml_elem *domain,
               unsigned id, struct domxml_error *error)
{
    const domxml_elem *list = domxml_editor_find(editor, domain, "iothreadids");
    const domxml_elem *holder = domxml_editor_find(editor, domain, "iothreads");
    unsigned long total = 0, named = 0, lower = 0;

    if (holder && !read_number(holder, domxml_editor_get(editor, holder, ""), &total, error))
        return false;
    for (const domxml_elem *thread = list ? dx_editor_child(editor, list, "iothread") : NULL;
         thread; thread = dx_editor_next(editor, thread, "iothread")) {
        unsigned long number;

        if (!read_number(thread, dx_disk_get(editor, thread, "@id", ""), &number, error))
            return false;
        if (number == id)
            return true;
        named++;
        lower += number < id;
    }
    return (total > named && id - lower <= total - named) ||
           dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                         "the domain has no I/O thread %u: <iothreads> and <iothreadids> give them",
                         id);
}

bool
domxml_disk_set_iothread(domxml_editor *editor, const domxml_elem *disk, unsigned id,
                         struct domxml_error *error)
{
    const domxml_elem *domain = domxml_doc_domain(dx_editor_doc(editor));
    size_t mark = dx_editor_mark(editor);

    if (id == 0)
        return set_number(editor, disk, "iothread", 0, error);
    if (!check_virtio(editor, disk, "I/O threads", error) ||
        !dx_disk_refuse_vhost(editor, disk, "an I/O thread", error) ||
        (domain && !check_iothread(editor, disk, domain, id, error)))
        return false;
    if (set_number(editor, disk, "iothread", id, error) &&
        (domain || dx_editor_mark(editor) == mark ||
         dx_editor_note(editor, error,
                        "the document is a disk alone: whether its domain has I/O thread %u could "
                        "not be checked", id)))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}

/* ---- qcow2 alone -------------------------------------------------------------------------- */

static bool
check_qcow2(const domxml_editor *editor, const domxml_elem *disk, struct domxml_error *error)
{
    const char *format = dx_disk_get(editor, disk, "driver@type", "raw");

    if (domxml_is_template(format))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                             "whether format '%.60s' has a metadata cache cannot be told: it is a "
                             "template placeholder", format);
    return strcmp(format, "qcow2") == 0 ||
           dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                         "only qcow2 images have a metadata cache, not %.60s ones", format);
}

static bool
set_metadata_cache(domxml_editor *editor, const domxml_elem *disk, unsigned long long bytes,
                   struct domxml_error *error)
{
    const domxml_elem *driver = domxml_editor_find(editor, disk, "driver");
    const domxml_elem *cache, *size;
    char text[24];

    if (bytes == 0) {
        cache = driver ? domxml_editor_find(editor, driver, "metadata_cache") : NULL;
        return !cache || domxml_editor_remove(editor, cache, error);
    }
    if (!check_qcow2(editor, disk, error))
        return false;
    snprintf(text, sizeof(text), "%llu", bytes);
    cache = domxml_editor_ensure_child(editor, driver, "metadata_cache", NULL, error);
    size = cache ? domxml_editor_ensure_child(editor, cache, "max_size", NULL, error) : NULL;
    if (!size)
        return false;
    if (strcmp(dx_disk_get(editor, size, "@unit", "bytes"), "bytes") == 0 &&
        strcmp(dx_disk_get(editor, size, "", ""), text) == 0)
        return true;
    return domxml_editor_set_attr(editor, size, "unit", "bytes", error) &&
           domxml_editor_set_text(editor, size, text, error);
}

bool
domxml_disk_set_metadata_cache(domxml_editor *editor, const domxml_elem *disk,
                               unsigned long long bytes, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (set_metadata_cache(editor, disk, bytes, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
