/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan-tag.c: the scanner's work on start tags: names, attributes, namespaces.
 */
#include "libdomxml/scan.h"

#include <string.h>

static bool
is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

void
dx_skip_space(struct scanner *scan)
{
    while (is_space(scan->text[scan->at]))
        scan->at++;
}

/* ---- Filling the table in ----------------------------------------------------------------- */

/* Gives an array of @count items room for one more: returns where it is now, or NULL (then the old
 * one stands). */
static void *
reserve(struct scanner *scan, void *array, uint32_t *size, uint32_t count, size_t item)
{
    uint32_t grown = *size + *size / 2 + 16;
    void *moved;

    if (count < *size)
        return array;
    moved = realloc(array, grown * item);
    if (moved)
        *size = grown;
    else
        dx_error_no_memory(scan->error);
    return moved;
}

/* The strings have room for all that a document can hold: a name's NUL has the place of the byte
 * behind it ('=', '>', ...), a value's that of a quote, a text's that of the tag's '>', and no
 * decoded value is longer than it was written. So room is never checked. */
static uint32_t
add_string(domxml_doc *doc, const char *text, size_t length)
{
    uint32_t string = doc->strings_length;

    memcpy(doc->strings + string, text, length);
    doc->strings[string + length] = '\0';
    doc->strings_length += (uint32_t)length + 1;
    return string;
}

static struct domxml_elem *
add_elem(struct scanner *scan)
{
    domxml_doc *doc = scan->doc;
    struct domxml_elem *elem =
        reserve(scan, doc->elems, &scan->elem_size, doc->elem_count, sizeof(*elem));

    if (!elem)
        return NULL;
    doc->elems = elem;
    elem = &doc->elems[doc->elem_count];
    memset(elem, 0, sizeof(*elem));
    elem->doc = doc;
    elem->index = doc->elem_count++;
    elem->parent = elem->first_child = elem->next = DX_NONE;
    elem->start = (uint32_t)scan->at;
    elem->first_attr = doc->attr_count;
    if (scan->depth > 0) {
        struct level *level = &scan->levels[scan->depth - 1];

        elem->parent = level->elem;
        if (level->last_child == DX_NONE)
            doc->elems[level->elem].first_child = elem->index;
        else
            doc->elems[level->last_child].next = elem->index;
        level->last_child = elem->index;
    }
    return elem;
}

/* ---- Namespaces --------------------------------------------------------------------------- */

bool
dx_name_is_xmlns(const char *name, size_t length)
{
    return length >= 5 && memcmp(name, "xmlns", 5) == 0 && (length == 5 || name[5] == ':');
}

static bool
declare(struct scanner *scan, const struct dx_attr *attr)
{
    const char *name = dx_string(scan->doc, attr->name);
    struct scope *scope =
        reserve(scan, scan->scopes, &scan->scope_size, scan->scope_count, sizeof(*scope));

    if (!scope)
        return false;
    scan->scopes = scope;
    scope = &scan->scopes[scan->scope_count++];
    scope->prefix = name[5] ? attr->name + 6 : 0;
    scope->uri = attr->value_length > 0 ? attr->value : 0;
    scope->depth = scan->depth;
    return true;
}

static uint32_t
resolve(struct scanner *scan, const struct domxml_elem *elem)
{
    const char *name = dx_string(scan->doc, elem->name);
    size_t length = elem->prefix_length;

    if (length == 3 && memcmp(name, "xml", 3) == 0) {
        if (scan->xml_uri == 0)
            scan->xml_uri = add_string(scan->doc, XML_URI, strlen(XML_URI));
        return scan->xml_uri;
    }
    for (uint32_t i = scan->scope_count; i-- > 0;) {
        const char *prefix = dx_string(scan->doc, scan->scopes[i].prefix);

        if (strncmp(prefix, name, length) == 0 && prefix[length] == '\0')
            return scan->scopes[i].uri;
    }
    return 0;
}

/* ---- Start tags --------------------------------------------------------------------------- */

static bool
ends_name(char byte)
{
    switch (byte) {
    case '\0':
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case '/':
    case '>':
    case '=':
    case '<':
    case '"':
    case '\'':
    case '&':
        return true;
    default:
        return false;
    }
}

/* The length of the name at @text; libxml2 judges whether it is one. */
static size_t
name_length(const char *text)
{
    size_t length = 0;

    while (!ends_name(text[length]))
        length++;
    return length;
}

static enum dx_scan
lt_in_value(struct scanner *scan, const struct dx_attr *attr)
{
    const char *name = dx_string(scan->doc, attr->name);

    dx_error(scan->error, DOMXML_ERR_NOT_WELL_FORMED, scan->text, scan->at,
             "unescaped '<' in the value of attribute '%.60s': write &lt;%s", name,
             scan->text[scan->at + 1] == '%' ? ", or render the template (<% ... %>) first"
                                             : " (or is the closing quote missing?)");
    return DX_SCAN_REFUSED;
}

/* Reads name="value"; what is in between may be spread over lines. */
static enum dx_scan
scan_attr(struct scanner *scan)
{
    domxml_doc *doc = scan->doc;
    const char *text = scan->text;
    size_t length = name_length(text + scan->at);
    struct dx_attr *attr;
    bool plain = true;
    char quote;

    if (length == 0)
        return DX_SCAN_FAULT;
    attr = reserve(scan, doc->attrs, &scan->attr_size, doc->attr_count, sizeof(*attr));
    if (!attr)
        return DX_SCAN_REFUSED;
    doc->attrs = attr;
    attr = &doc->attrs[doc->attr_count];
    attr->start = (uint32_t)scan->at;
    attr->name = add_string(doc, text + scan->at, length);
    scan->at += length;
    dx_skip_space(scan);
    if (text[scan->at] != '=')
        return DX_SCAN_FAULT;
    scan->at++;
    dx_skip_space(scan);
    quote = text[scan->at];
    if (quote != '"' && quote != '\'')
        return DX_SCAN_FAULT;
    attr->value_start = (uint32_t)++scan->at;
    for (; text[scan->at] != quote; scan->at++) {
        unsigned char byte = (unsigned char)text[scan->at];

        if (byte == '\0')
            return DX_SCAN_FAULT;
        if (byte == '<')
            return lt_in_value(scan, attr);
        if (byte < ' ' || byte == '&')
            plain = false;
    }
    attr->value_end = (uint32_t)scan->at++;
    length = attr->value_end - attr->value_start;
    attr->value = doc->strings_length;
    if (plain)
        memcpy(doc->strings + attr->value, text + attr->value_start, length);
    else
        length = dx_decode_attr(doc->strings + attr->value, text + attr->value_start, length);
    doc->strings[attr->value + length] = '\0';
    doc->strings_length += (uint32_t)length + 1;
    attr->value_length = (uint32_t)length;
    doc->attr_count++;
    if (dx_name_is_xmlns(dx_string(doc, attr->name), strlen(dx_string(doc, attr->name))) &&
        !declare(scan, attr))
        return DX_SCAN_REFUSED;
    return DX_SCAN_OK;
}

/* Reads what follows the element's name, up to the '>'; *@open: whether it has an end tag. */
static enum dx_scan
scan_attrs(struct scanner *scan, bool *open)
{
    for (;;) {
        size_t before = scan->at;
        enum dx_scan result;

        dx_skip_space(scan);
        *open = scan->text[scan->at] == '>';
        if (*open || (scan->text[scan->at] == '/' && scan->text[scan->at + 1] == '>')) {
            scan->at += *open ? 1 : 2;
            return DX_SCAN_OK;
        }
        if (scan->at == before)
            return DX_SCAN_FAULT;
        result = scan_attr(scan);
        if (result != DX_SCAN_OK)
            return result;
    }
}

void
dx_leave_scope(struct scanner *scan)
{
    while (scan->scope_count > 0 && scan->scopes[scan->scope_count - 1].depth == scan->depth)
        scan->scope_count--;
}

enum dx_scan
dx_scan_start_tag(struct scanner *scan)
{
    domxml_doc *doc = scan->doc;
    size_t length = name_length(scan->text + scan->at + 1);
    struct domxml_elem *elem;
    struct level *levels;
    const char *colon;
    enum dx_scan result;
    uint32_t index;
    bool open;

    if (length == 0)
        return DX_SCAN_FAULT;
    if (scan->depth == 0 && doc->elem_count > 0) {
        dx_error(scan->error, DOMXML_ERR_NOT_WELL_FORMED, scan->text, scan->at,
                 "a second document begins here; there can be one in each file");
        return DX_SCAN_REFUSED;
    }
    if (scan->depth == DOMXML_MAX_DEPTH) {
        dx_error(scan->error, DOMXML_ERR_TOO_DEEP, scan->text, scan->at,
                 "elements are nested more than %d deep", DOMXML_MAX_DEPTH);
        return DX_SCAN_REFUSED;
    }
    levels = reserve(scan, scan->levels, &scan->level_size, scan->depth, sizeof(*levels));
    if (!levels)
        return DX_SCAN_REFUSED;
    scan->levels = levels;
    elem = add_elem(scan);
    if (!elem)
        return DX_SCAN_REFUSED;
    index = elem->index;
    elem->name = add_string(doc, scan->text + scan->at + 1, length);
    colon = memchr(scan->text + scan->at + 1, ':', length);
    elem->prefix_length = colon ? (uint32_t)(colon - (scan->text + scan->at + 1)) : 0;
    scan->at += 1 + length;
    scan->depth++;
    result = scan_attrs(scan, &open);
    if (result != DX_SCAN_OK)
        return result;
    elem->attr_count = doc->attr_count - elem->first_attr;
    elem->uri = resolve(scan, elem);
    elem->content_start = elem->content_end = elem->end = (uint32_t)scan->at;
    if (open) {
        scan->levels[scan->depth - 1] = (struct level){ index, DX_NONE };
    } else {
        dx_leave_scope(scan);
        scan->depth--;
    }
    return DX_SCAN_OK;
}
