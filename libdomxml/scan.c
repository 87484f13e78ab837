/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.c: reads a document lexically, whole, and fills its table in: elements and attributes with
 * their places in the text and what they say.
 *
 * It is laxer than XML (it checks no names and no characters), since libxml2 reads each document
 * too and judges it; but what it takes for a start tag, an attribute or a text is what libxml2
 * takes for one, or the two disagree and the document is refused. It walks with a stack of its
 * own, never by recursion. The text ends in NUL and holds no other one (dx_check_encoding()), so
 * that a look at the next byte is always allowed.
 */
#include "libdomxml/scan.h"

#include <string.h>

/* ---- Text and end tags -------------------------------------------------------------------- */

/* The offset behind the next @mark, which ends in '>', or 0. */
static size_t
find_end(struct scanner *scan, size_t from, const char *mark)
{
    const char *start = scan->text + from, *end = scan->text + scan->doc->length;
    size_t length = strlen(mark);

    for (const char *at = start; (at = memchr(at, '>', (size_t)(end - at))); at++)
        if ((size_t)(at + 1 - start) >= length && memcmp(at + 1 - length, mark, length) == 0)
            return (size_t)(at + 1 - scan->text);
    return 0;
}

/* Appends to the strings what the range, which holds no tags, says: text and CDATA sections, not
 * comments and processing instructions. */
static void
collect_text(struct scanner *scan, size_t at, size_t end)
{
    domxml_doc *doc = scan->doc;
    const char *text = scan->text;

    while (at < end) {
        const char *found = memchr(text + at, '<', end - at);
        size_t stop = found ? (size_t)(found - text) : end;
        char *out = doc->strings + doc->strings_length;

        if (stop > at) {
            doc->strings_length += (uint32_t)dx_decode_text(out, text + at, stop - at);
            at = stop;
        } else if (text[at + 1] == '?') {
            at = find_end(scan, at + 2, "?>");
        } else if (text[at + 2] == '-') {
            at = find_end(scan, at + 4, "-->");
        } else {
            stop = find_end(scan, at + 9, "]]>");
            doc->strings_length +=
                (uint32_t)dx_decode_cdata(out, text + at + 9, stop - 3 - (at + 9));
            at = stop;
        }
    }
}

static enum dx_scan
scan_end_tag(struct scanner *scan)
{
    domxml_doc *doc = scan->doc;
    struct domxml_elem *elem;
    const char *name;
    size_t length, from;

    if (scan->depth == 0)
        return DX_SCAN_FAULT;
    elem = &doc->elems[scan->levels[scan->depth - 1].elem];
    name = dx_string(doc, elem->name);
    length = strlen(name);
    if (strncmp(scan->text + scan->at + 2, name, length) != 0)
        return DX_SCAN_FAULT;
    elem->content_end = (uint32_t)scan->at;
    scan->at += 2 + length;
    dx_skip_space(scan);
    if (scan->text[scan->at] != '>')
        return DX_SCAN_FAULT;
    elem->end = (uint32_t)++scan->at;

    elem->text = doc->strings_length;
    from = elem->content_start;
    for (uint32_t i = elem->first_child; i != DX_NONE; i = doc->elems[i].next) {
        collect_text(scan, from, doc->elems[i].start);
        from = doc->elems[i].end;
    }
    collect_text(scan, from, elem->content_end);
    elem->text_length = doc->strings_length - elem->text;
    doc->strings[doc->strings_length++] = '\0';

    dx_leave_scope(scan);
    scan->depth--;
    return DX_SCAN_OK;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* A comment, CDATA section or document type declaration. */
static enum dx_scan
scan_declaration(struct scanner *scan)
{
    const char *text = scan->text + scan->at;
    size_t end;

    if (strncmp(text, "<!DOCTYPE", 9) == 0) {
        dx_error(scan->error, DOMXML_ERR_DOCTYPE, scan->text, scan->at,
                 "a document type declaration, which domain XML does not have; remove it");
        return DX_SCAN_REFUSED;
    }
    if (strncmp(text, "<!--", 4) == 0)
        end = find_end(scan, scan->at + 4, "-->");
    else if (strncmp(text, "<![CDATA[", 9) == 0 && scan->depth > 0)
        end = find_end(scan, scan->at + 9, "]]>");
    else
        end = 0;
    if (end == 0)
        return DX_SCAN_FAULT;
    scan->at = end;
    return DX_SCAN_OK;
}

static enum dx_scan
scan_instruction(struct scanner *scan)
{
    size_t end = find_end(scan, scan->at + 2, "?>");

    if (end == 0)
        return DX_SCAN_FAULT;
    scan->at = end;
    return DX_SCAN_OK;
}

/* Moves to the next '<' or the end of the text; outside the root only white space may stand. */
static enum dx_scan
skip_text(struct scanner *scan)
{
    const char *found;

    if (scan->depth == 0) {
        dx_skip_space(scan);
        return scan->text[scan->at] == '<' || scan->at == scan->doc->length ? DX_SCAN_OK
                                                                             : DX_SCAN_FAULT;
    }
    found = memchr(scan->text + scan->at, '<', scan->doc->length - scan->at);
    scan->at = found ? (size_t)(found - scan->text) : scan->doc->length;
    return DX_SCAN_OK;
}

static enum dx_scan
scan_all(struct scanner *scan)
{
    enum dx_scan result = skip_text(scan);

    while (result == DX_SCAN_OK && scan->at < scan->doc->length) {
        switch (scan->text[scan->at + 1]) {
        case '/':
            result = scan_end_tag(scan);
            break;
        case '!':
            result = scan_declaration(scan);
            break;
        case '?':
            result = scan_instruction(scan);
            break;
        default:
            result = dx_scan_start_tag(scan);
            break;
        }
        if (result == DX_SCAN_OK)
            result = skip_text(scan);
    }
    if (result == DX_SCAN_OK && (scan->depth > 0 || scan->doc->elem_count == 0))
        return DX_SCAN_FAULT;
    return result;
}

enum dx_scan
dx_scan(domxml_doc *doc, size_t *fault_offset, struct domxml_error *error)
{
    struct scanner scan = {
        .doc = doc,
        .text = doc->text,
        .at = doc->length >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0,
        .elem_size = (uint32_t)(doc->length / 48 + 16),
        .attr_size = (uint32_t)(doc->length / 48 + 16),
        .error = error,
    };
    enum dx_scan result = DX_SCAN_REFUSED;

    doc->strings = malloc(doc->length + 2 + sizeof(XML_URI));
    doc->elems = malloc(scan.elem_size * sizeof(*doc->elems));
    doc->attrs = malloc(scan.attr_size * sizeof(*doc->attrs));
    if (doc->strings && doc->elems && doc->attrs) {
        doc->strings[0] = '\0';
        doc->strings_length = 1;
        result = scan_all(&scan);
    } else {
        dx_error_no_memory(error);
    }
    *fault_offset = scan.at;
    free(scan.levels);
    free(scan.scopes);
    return result;
}
