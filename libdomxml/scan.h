/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.h: what the two files of the scanner share: scan.c (the whole, text, end tags) and
 * scan-tag.c (start tags).
 */
#ifndef DX_SCAN_H
#define DX_SCAN_H

#include "libdomxml/internal.h"

/* An element that is open. */
struct level {
    uint32_t elem;
    uint32_t last_child;
};

/* A namespace declaration in scope. */
struct scope {
    uint32_t prefix; /* strings; 0 for the default one */
    uint32_t uri;    /* strings; 0 where none is in force */
    uint32_t depth;
};

struct scanner {
    domxml_doc *doc;
    const char *text;
    size_t at;
    struct level *levels;
    uint32_t depth, level_size;
    struct scope *scopes;
    uint32_t scope_count, scope_size;
    uint32_t elem_size, attr_size;
    uint32_t xml_uri;
    struct domxml_error *error;
};

#define XML_URI "http://www.w3.org/XML/1998/namespace"

/* Reads a start tag or an empty-element tag into the table. */
enum dx_scan dx_scan_start_tag(struct scanner *scan);

/* Forgets the namespace declarations of the innermost element, which ends. */
void dx_leave_scope(struct scanner *scan);

void dx_skip_space(struct scanner *scan);

#endif
