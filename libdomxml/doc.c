/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * doc.c: from text to a document, or to the reason why not.
 */
#include "libdomxml/internal.h"

#include <string.h>

const char *
domxml_version(void)
{
    return PACKAGE_VERSION;
}

/* Whether there is nothing but white space, behind a BOM. */
static bool
is_blank(const char *text, size_t length)
{
    size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    for (; at < length; at++)
        if (text[at] != ' ' && text[at] != '\t' && text[at] != '\n' && text[at] != '\r')
            return false;
    return true;
}

static bool
check_text(const char *text, size_t length, struct domxml_error *error)
{
    if (length > DOMXML_MAX_LENGTH)
        return dx_error(error, DOMXML_ERR_TOO_LARGE, NULL, 0,
                        "the text is longer than %zu MiB", DOMXML_MAX_LENGTH / 1024 / 1024);
    if (length == 0 || is_blank(text, length))
        return dx_error(error, DOMXML_ERR_EMPTY, length > 0 ? text : "", 0,
                        "the text is empty");
    return dx_check_encoding(text, length, error);
}

struct root {
    const char *name;
    enum domxml_kind kind;
};

static const struct root roots[] = {
    { "domain", DOMXML_KIND_DOMAIN },
    { "domainsnapshot", DOMXML_KIND_SNAPSHOT },
    { "domaincheckpoint", DOMXML_KIND_CHECKPOINT },
    { "domstatus", DOMXML_KIND_STATUS },
    { "disk", DOMXML_KIND_DISK },
};

/* Finds the domain that is meant. libvirt too goes by the root's local name. */
static bool
find_domain(domxml_doc *doc, struct domxml_error *error)
{
    const domxml_elem *root = domxml_doc_root(doc);
    const char *name = domxml_elem_local_name(root);
    size_t i;

    for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        if (strcmp(name, roots[i].name) == 0)
            break;
    if (i == sizeof(roots) / sizeof(roots[0]))
        return dx_error_elem(error, DOMXML_ERR_ROOT, root,
                             "the root element is <%.100s>; expected is <domain>, "
                             "<domainsnapshot>, <domaincheckpoint>, <domstatus> or <disk>",
                             domxml_elem_name(root));
    doc->kind = roots[i].kind;
    if (doc->kind == DOMXML_KIND_DISK)
        return true;
    doc->domain = root;
    if (doc->kind == DOMXML_KIND_DOMAIN)
        return true;
    doc->domain = NULL;
    if (doc->kind != DOMXML_KIND_STATUS)
        doc->domain = domxml_elem_child(root, "inactiveDomain");
    if (!doc->domain)
        doc->domain = domxml_elem_child(root, "domain");
    if (!doc->domain)
        return dx_error_elem(error, DOMXML_ERR_NO_DOMAIN, root, "this <%s> holds no <domain>",
                             domxml_elem_name(root));
    return true;
}

/* The next disk behind @disk (NULL: the first), over all <devices> of the domain. */
static const domxml_elem *
next_disk(const domxml_doc *doc, const domxml_elem *disk)
{
    const domxml_elem *devices;

    if (!doc->domain)
        return disk ? NULL : domxml_doc_root(doc);
    devices = disk ? domxml_elem_parent(disk) : domxml_elem_child(doc->domain, "devices");
    disk = disk ? domxml_elem_next(disk, "disk")
                : (devices ? domxml_elem_child(devices, "disk") : NULL);
    while (devices && !disk) {
        devices = domxml_elem_next(devices, "devices");
        disk = devices ? domxml_elem_child(devices, "disk") : NULL;
    }
    return disk;
}

static bool
find_disks(domxml_doc *doc, struct domxml_error *error)
{
    size_t count = 0;

    for (const domxml_elem *disk = next_disk(doc, NULL); disk; disk = next_disk(doc, disk))
        count++;
    doc->disks = malloc((count + 1) * sizeof(*doc->disks));
    if (!doc->disks)
        return dx_error_no_memory(error);
    for (const domxml_elem *disk = next_disk(doc, NULL); disk; disk = next_disk(doc, disk))
        doc->disks[doc->disk_count++] = disk;
    return true;
}

/* Reads doc->text. */
static bool
read_text(domxml_doc *doc, struct domxml_error *error)
{
    size_t fault_offset;

    switch (dx_scan(doc, &fault_offset, error)) {
    case DX_SCAN_REFUSED:
        return false;
    case DX_SCAN_FAULT:
        if (dx_agree(doc, false, error))
            dx_error(error, DOMXML_ERR_DISAGREE, doc->text, fault_offset,
                     "libxml2 takes the document for well-formed from here on; please report this");
        return false;
    case DX_SCAN_OK:
        break;
    }
    if (!dx_agree(doc, true, error))
        return false;
    doc->checkpoints = dx_checkpoints(doc->text, doc->length);
    if (!doc->checkpoints)
        return dx_error_no_memory(error);
    return find_domain(doc, error) && find_disks(doc, error);
}

domxml_doc *
domxml_parse(const char *text, size_t length, struct domxml_error *error)
{
    domxml_doc *doc;

    if (!check_text(text, length, error))
        return NULL;
    doc = calloc(1, sizeof(*doc));
    if (doc)
        doc->text = malloc(length + 1);
    if (!doc || !doc->text) {
        free(doc);
        dx_error_no_memory(error);
        return NULL;
    }
    memcpy(doc->text, text, length);
    doc->text[length] = '\0';
    doc->length = length;
    if (!read_text(doc, error)) {
        domxml_doc_free(doc);
        return NULL;
    }
    return doc;
}

void
domxml_doc_free(domxml_doc *doc)
{
    if (!doc)
        return;
    free(doc->text);
    free(doc->elems);
    free(doc->attrs);
    free(doc->strings);
    free(doc->checkpoints);
    free(doc->disks);
    free(doc);
}

const char *
domxml_doc_text(const domxml_doc *doc, size_t *length)
{
    if (length)
        *length = doc->length;
    return doc->text;
}

enum domxml_kind
domxml_doc_kind(const domxml_doc *doc)
{
    return doc->kind;
}

const domxml_elem *
domxml_doc_root(const domxml_doc *doc)
{
    return &doc->elems[0];
}

const domxml_elem *
domxml_doc_domain(const domxml_doc *doc)
{
    return doc->domain;
}

size_t
domxml_disk_count(const domxml_doc *doc)
{
    return doc->disk_count;
}

const domxml_elem *
domxml_disk(const domxml_doc *doc, size_t index)
{
    return index < doc->disk_count ? doc->disks[index] : NULL;
}
