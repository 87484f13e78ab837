/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * agree.c: lets libxml2 judge a document, and compares what it reads with our own table.
 *
 * The comparison runs in release builds too: libxml2 may lose parts of a document without an error
 * when memory runs out, and a fault of our scanner must end in an error, never in a wrong edit.
 * libxml2 is asked by its SAX2 events, which are what its tree would be made of. Errors go to a
 * handler of our own, so that those of the process are not called.
 */
#include "libdomxml/internal.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

struct judge {
    const domxml_doc *doc;
    xmlParserCtxtPtr parser;
    uint32_t next;     /* the row that must start next */
    uint32_t current;  /* the row that is open, or DX_NONE */
    bool compare;
    bool disagree;
    bool no_memory;
    struct domxml_error verdict; /* why libxml2 finds the text not well-formed */
    uint32_t depth;
    uint32_t read[DOMXML_MAX_DEPTH + 1]; /* bytes of text seen so far of each open element */
};

/* ---- Errors ------------------------------------------------------------------------------- */

static size_t
input_offset(xmlParserCtxtPtr parser)
{
#if LIBXML_VERSION >= 21400
    unsigned long long offset = 0;

    xmlCtxtGetInputPosition(parser, NULL, NULL, NULL, &offset);
    return (size_t)offset;
#else
    long offset = xmlByteConsumed(parser);

    return offset > 0 ? (size_t)offset : 0;
#endif
}

/* The first fault is enough: libxml2 would tell of millions. Not by xmlStopParser() in older
 * versions, where that takes the input away from under the functions that are reading it. */
static void
stop(xmlParserCtxtPtr parser)
{
#if LIBXML_VERSION >= 21400
    xmlStopParser(parser);
#else
    parser->instate = XML_PARSER_EOF;
    parser->disableSAX = 1;
#endif
}

/* Errors of namespaces that libxml2, libvirt and we live with: a prefix that is not declared, an
 * odd URI. */
static bool
is_tolerated(error_pointer fault)
{
    if (fault->level == XML_ERR_WARNING)
        return true;
    if (fault->domain != XML_FROM_NAMESPACE)
        return false;
    return fault->code == XML_NS_ERR_UNDEFINED_NAMESPACE || fault->code == XML_NS_ERR_COLON ||
        fault->code == XML_WAR_NS_URI || fault->code == XML_WAR_NS_URI_RELATIVE;
}

static void
on_error(void *data, error_pointer fault)
{
    struct judge *judge = data;
    size_t offset;

    if (!judge || !fault)
        return;
    /* Without a message: there was no memory for one. */
    if (fault->code == XML_ERR_NO_MEMORY || !fault->message)
        judge->no_memory = true;
    if (judge->no_memory || !judge->parser || is_tolerated(fault))
        return;
    offset = input_offset(judge->parser);
    if (offset > judge->doc->length)
        offset = judge->doc->length;
    dx_error(&judge->verdict, DOMXML_ERR_NOT_WELL_FORMED, judge->doc->text, offset, "%s",
             fault->message);
    stop(judge->parser);
}

/* ---- Events ------------------------------------------------------------------------------- */

/* Whether @theirs is what libxml2 makes of the decoded value @ours: it leaves '&' as "&#38;", for
 * the tree to resolve. */
static bool
value_equals(const char *ours, size_t ours_length, const char *theirs, size_t theirs_length)
{
    if (!memchr(ours, '&', ours_length))
        return ours_length == theirs_length && memcmp(ours, theirs, ours_length) == 0;
    for (; ours_length > 0; ours++, ours_length--) {
        size_t step = *ours == '&' ? 5 : 1;

        if (theirs_length < step || memcmp(theirs, step == 5 ? "&#38;" : ours, step) != 0)
            return false;
        theirs += step;
        theirs_length -= step;
    }
    return theirs_length == 0;
}

/* Whether the name as written is this prefix (or NULL), a colon and this local name. */
static bool
name_equals(const char *name, const xmlChar *prefix, const xmlChar *local)
{
    if (!local)
        return false;
    if (prefix) {
        size_t length = strlen((const char *)prefix);

        if (strncmp(name, (const char *)prefix, length) != 0 || name[length] != ':')
            return false;
        name += length + 1;
    }
    return strcmp(name, (const char *)local) == 0;
}

static bool
declaration_equals(const domxml_doc *doc, const struct dx_attr *attr, const xmlChar **theirs)
{
    const char *uri = theirs[1] ? (const char *)theirs[1] : "";

    if (!theirs[0] ? strcmp(dx_string(doc, attr->name), "xmlns") != 0
                   : !name_equals(dx_string(doc, attr->name), BAD_CAST "xmlns", theirs[0]))
        return false;
    return value_equals(dx_string(doc, attr->value), attr->value_length, uri, strlen(uri));
}

static bool
attr_equals(const domxml_doc *doc, const struct dx_attr *attr, const xmlChar **theirs)
{
    if (!theirs[3] || !theirs[4] || !name_equals(dx_string(doc, attr->name), theirs[1], theirs[0]))
        return false;
    return value_equals(dx_string(doc, attr->value), attr->value_length, (const char *)theirs[3],
                        (size_t)(theirs[4] - theirs[3]));
}

/* libxml2 gives namespace declarations and attributes apart, each in document order. */
static bool
attrs_equal(const domxml_elem *elem, int declaration_count, const xmlChar **declarations,
            int attr_count, const xmlChar **attrs)
{
    const domxml_doc *doc = elem->doc;

    for (uint32_t i = 0; i < elem->attr_count; i++) {
        const struct dx_attr *attr = &doc->attrs[elem->first_attr + i];
        const char *name = dx_string(doc, attr->name);

        if (dx_name_is_xmlns(name, strlen(name))) {
            if (declaration_count-- == 0 || !declaration_equals(doc, attr, declarations))
                return false;
            declarations += 2;
        } else {
            if (attr_count-- == 0 || !attr_equals(doc, attr, attrs))
                return false;
            attrs += 5;
        }
    }
    return declaration_count == 0 && attr_count == 0;
}

static bool
uri_equals(const domxml_elem *elem, const xmlChar *theirs)
{
    const char *uri = dx_string(elem->doc, elem->uri);

    if (!theirs)
        return elem->uri == 0;
    return elem->uri != 0 &&
        value_equals(uri, strlen(uri), (const char *)theirs, strlen((const char *)theirs));
}

static void
on_start(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
         int declaration_count, const xmlChar **declarations, int attr_count, int defaulted,
         const xmlChar **attrs)
{
    struct judge *judge = data;
    const domxml_elem *elem;

    if (!judge->compare || judge->disagree)
        return;
    elem = dx_elem_at(judge->doc, judge->next < judge->doc->elem_count ? judge->next : DX_NONE);
    if (!elem || elem->parent != judge->current || judge->depth > DOMXML_MAX_DEPTH ||
        !name_equals(dx_string(judge->doc, elem->name), prefix, local) || !uri_equals(elem, uri) ||
        defaulted != 0 ||
        !attrs_equal(elem, declaration_count, declarations, attr_count, attrs)) {
        judge->disagree = true;
        return;
    }
    judge->current = judge->next++;
    judge->read[judge->depth++] = 0;
}

static void
on_end(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    struct judge *judge = data;
    const domxml_elem *elem;

    (void)uri;
    if (!judge->compare || judge->disagree)
        return;
    elem = dx_elem_at(judge->doc, judge->current);
    if (!elem || !name_equals(dx_string(judge->doc, elem->name), prefix, local) ||
        judge->read[judge->depth - 1] != elem->text_length) {
        judge->disagree = true;
        return;
    }
    judge->depth--;
    judge->current = elem->parent;
}

static void
on_text(void *data, const xmlChar *text, int length)
{
    struct judge *judge = data;
    const domxml_elem *elem;
    uint32_t *read;

    if (!judge->compare || judge->disagree)
        return;
    elem = dx_elem_at(judge->doc, judge->current);
    read = elem ? &judge->read[judge->depth - 1] : NULL;
    if (!elem || length < 0 || elem->text_length - *read < (uint32_t)length ||
        memcmp(dx_string(judge->doc, elem->text) + *read, text, (size_t)length) != 0) {
        judge->disagree = true;
        return;
    }
    *read += (uint32_t)length;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* No DTD, no network; HUGE for nesting and lengths, whose limits are ours; the declared encoding
 * was looked at already. */
enum {
    OPTIONS = XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
        XML_PARSE_IGNORE_ENC,
};

/* Lets libxml2 parse. False where it could not say what it thinks. */
static bool
parse(struct judge *judge)
{
    const domxml_doc *doc = judge->doc;
    xmlParserCtxtPtr parser;
    bool well_formed;

    /* Takes libxml2's lock. What it sets up by itself, when first needed, threads that meet there
     * set up twice (2.9), and the process may crash as it exits. */
    xmlInitParser();
    parser = xmlCreateMemoryParserCtxt(doc->text, (int)doc->length);
    if (!parser)
        return false;
    memset(parser->sax, 0, sizeof(*parser->sax));
    parser->sax->initialized = XML_SAX2_MAGIC;
    parser->sax->startElementNs = on_start;
    parser->sax->endElementNs = on_end;
    parser->sax->characters = on_text;
    parser->sax->ignorableWhitespace = on_text;
    parser->sax->cdataBlock = on_text;
    parser->sax->serror = on_error;
    parser->userData = judge;
    judge->parser = parser;
    (void)xmlCtxtUseOptions(parser, OPTIONS);
    (void)xmlParseDocument(parser);
    well_formed = parser->wellFormed;
    if (parser->errNo == XML_ERR_NO_MEMORY)
        judge->no_memory = true;
    judge->parser = NULL;
    if (parser->myDoc)
        xmlFreeDoc(parser->myDoc);
    xmlFreeParserCtxt(parser);
    return !judge->no_memory && (well_formed || judge->verdict.code != DOMXML_OK);
}

/*
 * What libxml2 tells before its parser is set up, and of memory at other times too, goes to the
 * thread's own handler or to standard error: so the handler is ours meanwhile.
 */
static bool
run(struct judge *judge, const domxml_doc *doc, bool compare)
{
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_data = xmlStructuredErrorContext;
    bool done;

    /* Not by an initialiser, which would clear the 16 KiB of @read too. */
    judge->doc = doc;
    judge->parser = NULL;
    judge->next = 0;
    judge->current = DX_NONE;
    judge->compare = compare;
    judge->disagree = judge->no_memory = false;
    judge->verdict.code = DOMXML_OK;
    judge->depth = 0;
    xmlSetStructuredErrorFunc(judge, on_error);
    done = parse(judge);
    xmlSetStructuredErrorFunc(handler_data, handler);
    return done;
}

bool
dx_agree(const domxml_doc *doc, bool compare, struct domxml_error *error)
{
    struct judge judge;

    if (!run(&judge, doc, compare))
        return dx_error_no_memory(error);
    if (judge.verdict.code != DOMXML_OK) {
        struct domxml_error verdict = judge.verdict;

        /* libxml2 2.9 sees faults where it lost something for want of memory and does not say so.
         * Where our own scanner found none, they must be there a second time. */
        if (compare && (!run(&judge, doc, compare) || judge.verdict.code == DOMXML_OK))
            return dx_error_no_memory(error);
        if (error && error->code == DOMXML_OK)
            *error = verdict;
        return false;
    }
    if (compare && (judge.disagree || judge.next != doc->elem_count || judge.depth != 0)) {
        size_t offset = doc->length;

        if (judge.current != DX_NONE)
            offset = doc->elems[judge.current].start;
        return dx_error(error, DOMXML_ERR_DISAGREE, doc->text, offset,
                        "libxml2 reads the document differently from here on; please report this");
    }
    return true;
}
