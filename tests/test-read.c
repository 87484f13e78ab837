/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-read.c: parsing, refusing, and reading a document: elements, attributes, paths, positions.
 */
#include "libdomxml/cleanup.h"
#include "libdomxml/domxml.h"

#include <check.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

static domxml_doc *
parse(const char *text)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "%d:%d: %s", error.line, error.column, error.text);
    return doc;
}

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Where libxml2 finds the fault, the column is its own affair. */
enum { ANY = -1 };

struct refusal {
    const char *text;
    size_t length; /* 0: as a string */
    enum domxml_code code;
    int line, column;
    const char *says;
};

static const struct refusal refusals[] = {
    {"", 0, DOMXML_ERR_EMPTY, 1, 1, "empty"},
    {" \n\t\r\n", 0, DOMXML_ERR_EMPTY, 1, 1, "empty"},
    {"\xEF\xBB\xBF", 0, DOMXML_ERR_EMPTY, 1, 1, "empty"},
    {"\xFF\xFE<\0d\0", 6, DOMXML_ERR_ENCODING, 1, 1, "iconv -f UTF-16 -t UTF-8"},
    {"\xFE\xFF\0<\0d", 6, DOMXML_ERR_ENCODING, 1, 1, "UTF-16BE"},
    {"<\0d\0", 4, DOMXML_ERR_ENCODING, 1, 1, "UTF-16LE"},
    {"\0<\0d", 4, DOMXML_ERR_ENCODING, 1, 1, "UTF-16BE"},
    {"\xFF\xFE\0\0<\0\0\0", 8, DOMXML_ERR_ENCODING, 1, 1, "UTF-32LE"},
    {"\0\0\0<", 4, DOMXML_ERR_ENCODING, 1, 1, "UTF-32BE"},
    {"<?xml version='1.0' encoding=\"ISO-8859-1\"?>\n<domain/>", 0, DOMXML_ERR_ENCODING, 1, 31,
     "'ISO-8859-1'"},
    {"<?xml version='1.0' encoding = 'UTF-16' ?><domain/>", 0, DOMXML_ERR_ENCODING, 1, 33,
     "UTF-16"},
    {"\xEF\xBB\xBF<?xml version='1.0' encoding='latin1'?><domain/>", 0, DOMXML_ERR_ENCODING, 1, 31,
     "latin1"},
    {"<?xml version='1.0' encoding='US-ASCII'?><domain>\xC3\xA4</domain>", 0, DOMXML_ERR_ENCODING,
     1, 50, "US-ASCII"},
    {"<domain>\n  <name>\xE4</name></domain>", 0, DOMXML_ERR_ENCODING, 2, 9, "0xE4"},
    {"<domain>\xC0\x80</domain>", 0, DOMXML_ERR_ENCODING, 1, 9, "0xC0"},
    {"<domain>\xED\xA0\x80</domain>", 0, DOMXML_ERR_ENCODING, 1, 9, "0xED"},
    {"<domain>\xF4\x90\x80\x80</domain>", 0, DOMXML_ERR_ENCODING, 1, 9, "0xF4"},
    {"<domain>\xE2\x82", 0, DOMXML_ERR_ENCODING, 1, 9, "0xE2"},
    {"<domain>a\0b</domain>", 20, DOMXML_ERR_NOT_WELL_FORMED, 1, 10, "NUL"},
    {"<?xml version='1.0'?>\n<!DOCTYPE domain>\n<domain/>", 0, DOMXML_ERR_DOCTYPE, 2, 1, "remove"},
    {"<!DOCTYPE d [<!ENTITY x 'y'>]><domain>&x;</domain>", 0, DOMXML_ERR_DOCTYPE, 1, 1, "type"},
    {"<!-- c --> <network/>", 0, DOMXML_ERR_ROOT, 1, 12, "<network>"},
    {"<html xmlns='u'><domain/></html>", 0, DOMXML_ERR_ROOT, 1, 1, "<html>"},
    {"<domainsnapshot><name>x</name></domainsnapshot>", 0, DOMXML_ERR_NO_DOMAIN, 1, 1, "snapshot"},
    {"<domaincheckpoint/>", 0, DOMXML_ERR_NO_DOMAIN, 1, 1, "checkpoint"},
    {"<domstatus><inactiveDomain/></domstatus>", 0, DOMXML_ERR_NO_DOMAIN, 1, 1, "domstatus"},
    {"no XML at all", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "Start tag expected"},
    {"<domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "Premature end"},
    {"<domain>\n<a></b>\n</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 2, ANY, "mismatch"},
    {"<domain a='1' a='2'/>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "a redefined"},
    {"<domain a=1/>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "AttValue"},
    {"<domain a='1'b='2'/>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "attributes construct error"},
    {"<domain>&nbsp;</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "'nbsp' not defined"},
    {"<domain>&#0;</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "xmlParseCharRef"},
    {"<domain>\x01</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, ""},
    {"<domain>\n  <a b='<%= x %>'/></domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 2, 9, "template"},
    {"<domain>\n  <a b='x/>\n  <c d='y'/></domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 3, 3,
     "attribute 'b'"},
    {"<domain/>\n<domain/>", 0, DOMXML_ERR_NOT_WELL_FORMED, 2, 1, "second document"},
    {"<domain/> text", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "Extra content"},
    {"text <domain/>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "Start tag expected"},
    {"<domain><!-- a -- b --></domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "hyphen"},
    {"<domain><![CDATA[ x</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "CData"},
    {"<domain>a]]>b</domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 1, ANY, "]]>"},
    {"<domain>\n<a:b:c/></domain>", 0, DOMXML_ERR_NOT_WELL_FORMED, 2, ANY, "QName"},
};

START_TEST(test_refusals)
{
    const struct refusal *c = &refusals[_i];
    size_t length = c->length ? c->length : strlen(c->text);
    struct domxml_error error = DOMXML_ERROR_INIT;

    ck_assert_ptr_null(domxml_parse(c->text, length, &error));
    ck_assert_msg(error.code == c->code, "code %d, not %d: %s", error.code, c->code, error.text);
    ck_assert_msg(strstr(error.text, c->says) != NULL, "\"%s\" lacks \"%s\"", error.text, c->says);
    ck_assert_msg(error.line == c->line &&
                      (c->column == ANY ? error.column > 0 : error.column == c->column),
                  "%d:%d, not %d:%d: %s", error.line, error.column,
                  c->line, c->column, error.text);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_ptr_null(domxml_parse(c->text, length, NULL));
}
END_TEST

START_TEST(test_first_error_wins)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    ck_assert_ptr_null(domxml_parse("", 0, &error));
    ck_assert_ptr_null(domxml_parse("<x/>", 4, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_EMPTY);
}
END_TEST

START_TEST(test_long_names_do_not_break_a_message)
{
    char text[2000] = "<", expected[] = "\xC3\xA4";
    struct domxml_error error = DOMXML_ERROR_INIT;
    size_t length;

    while (strlen(text) < 1800)
        strcat(text, expected);
    strcat(text, "/>");
    ck_assert_ptr_null(domxml_parse(text, strlen(text), &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_ROOT);
    /* What is left is UTF-8: a document may hold it. */
    length = (size_t)snprintf(text, sizeof(text), "<disk><![CDATA[%s]]></disk>", error.text);
    domxml_doc_free(parse(text));
    ck_assert_uint_gt(length, 100);
}
END_TEST

/* @count elements in each other, the innermost at the end. */
static char *
nest(int count)
{
    char *text = malloc((size_t)count * 7 + 100), *at = text;

    at += sprintf(at, "<domain>");
    for (int i = 1; i < count; i++)
        at += sprintf(at, "<a>");
    for (int i = 1; i < count; i++)
        at += sprintf(at, "</a>");
    sprintf(at, "</domain>");
    return text;
}

START_TEST(test_limits)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *text = nest(DOMXML_MAX_DEPTH), *big;

    domxml_doc_free(parse(text));
    free(text);
    text = nest(DOMXML_MAX_DEPTH + 1);
    ck_assert_ptr_null(domxml_parse(text, strlen(text), &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_TOO_DEEP);
    ck_assert_int_eq(error.column, 9 + (DOMXML_MAX_DEPTH - 1) * 3);
    free(text);

    error.code = DOMXML_OK;
    big = malloc(DOMXML_MAX_LENGTH + 1);
    memset(big, ' ', DOMXML_MAX_LENGTH + 1);
    ck_assert_ptr_null(domxml_parse(big, DOMXML_MAX_LENGTH + 1, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_TOO_LARGE);
    memcpy(big, "<domain>", 8);
    memcpy(big + DOMXML_MAX_LENGTH - 9, "</domain>", 9);
    error.code = DOMXML_OK;
    domxml_doc_free(domxml_parse(big, DOMXML_MAX_LENGTH, &error));
    ck_assert_msg(error.code == DOMXML_OK, "%s", error.text);
    free(big);
}
END_TEST

static void
on_error(void *data, const char *format, ...)
{
    (void)format;
    ++*(int *)data;
}

#if LIBXML_VERSION >= 21200
static void
on_structured_error(void *data, const xmlError *error)
#else
static void
on_structured_error(void *data, xmlErrorPtr error)
#endif
{
    (void)error;
    ++*(int *)data;
}

START_TEST(test_other_users_of_libxml2_are_left_alone)
{
    static const char *const texts[] = {
        "<domain><a></domain>", "<a:domain/>", "<domain xmlns:a='\x7F relative'/>", "<domain>&x;",
        "<?xml version='1.7'?><domain/>",
    };
    int calls = 0;

    xmlSetStructuredErrorFunc(&calls, on_structured_error);
    xmlSetGenericErrorFunc(&calls, on_error);
    for (size_t i = 0; i < SIZE(texts); i++)
        domxml_doc_free(domxml_parse(texts[i], strlen(texts[i]), NULL));
    ck_assert_int_eq(calls, 0);
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSetGenericErrorFunc(NULL, NULL);
}
END_TEST

/* ---- Kinds of documents ------------------------------------------------------------------- */

struct kind_case {
    const char *text;
    enum domxml_kind kind;
    const char *domain; /* the name of the domain element, NULL: none */
    size_t disks;
};

static const struct kind_case kinds[] = {
    {"<domain type='test'><devices><disk/><x/><disk/></devices></domain>", DOMXML_KIND_DOMAIN,
     "domain", 2},
    {"<!-- WARNING -->\n<?p?>\n<domain><devices><disk/></devices></domain>\n<!-- end -->\n<?p?>",
     DOMXML_KIND_DOMAIN, "domain", 1},
    {"<domain><devices><disk/></devices><x/><devices/><devices><disk/></devices></domain>",
     DOMXML_KIND_DOMAIN, "domain", 2},
    {"<domain><metadata><disk/><devices><disk/></devices></metadata><disk/></domain>",
     DOMXML_KIND_DOMAIN, "domain", 0},
    {"<domain><devices><!-- <disk/> --><![CDATA[<disk/>]]><x><disk/></x></devices></domain>",
     DOMXML_KIND_DOMAIN, "domain", 0},
    {"<domainsnapshot><disks><disk/></disks><domain><devices><disk/></devices></domain>"
     "</domainsnapshot>",
     DOMXML_KIND_SNAPSHOT, "domain", 1},
    {"<domainsnapshot><domain><devices><disk/></devices></domain><inactiveDomain><devices/>"
     "</inactiveDomain></domainsnapshot>",
     DOMXML_KIND_SNAPSHOT, "inactiveDomain", 0},
    {"<domaincheckpoint><domain/></domaincheckpoint>", DOMXML_KIND_CHECKPOINT, "domain", 0},
    {"<domstatus><x/><domain><devices><disk/></devices></domain></domstatus>", DOMXML_KIND_STATUS,
     "domain", 1},
    {"<disk><disk/></disk>", DOMXML_KIND_DISK, NULL, 1},
    {"<x:domain xmlns:x='u'><devices><disk/></devices></x:domain>", DOMXML_KIND_DOMAIN, "x:domain",
     1},
};

START_TEST(test_kinds)
{
    const struct kind_case *c = &kinds[_i];
    domxml_doc *doc = parse(c->text);
    const domxml_elem *domain = domxml_doc_domain(doc);

    ck_assert_int_eq(domxml_doc_kind(doc), c->kind);
    ck_assert_pstr_eq(domain ? domxml_elem_name(domain) : NULL, c->domain);
    ck_assert_uint_eq(domxml_disk_count(doc), c->disks);
    for (size_t i = 0; i < c->disks; i++)
        ck_assert_str_eq(domxml_elem_name(domxml_disk(doc, i)), "disk");
    ck_assert_ptr_null(domxml_disk(doc, c->disks));
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_text_is_kept_as_it_is)
{
    const char text[] =
        "\xEF\xBB\xBF<?xml version=\"1.0\" encoding='utf-8'?>\r\n<disk a = \"1\"\t/>\r\r\n";
    size_t length;
    domxml_doc *doc = parse(text);

    ck_assert_str_eq(domxml_doc_text(doc, &length), text);
    ck_assert_uint_eq(length, strlen(text));
    domxml_doc_free(doc);
}
END_TEST

/* ---- Values ------------------------------------------------------------------------------- */

struct value_case {
    const char *text;
    const char *path;
    const char *value;
};

static const struct value_case values[] = {
    {"<disk a='1'/>", "@a", "1"},
    {"<disk a=''/>", "@a", ""},
    {"<disk a='1'/>", "@b", NULL},
    {"<disk a='&lt;&gt;&amp;&apos;&quot;'/>", "@a", "<>&'\""},
    {"<disk a='&#65;&#x42;&#x20AC;&#x1F4be;&#00065;'/>", "@a",
     "AB\xE2\x82\xAC\xF0\x9F\x92\xBE"
     "A"},
    {"<disk a='a\tb\nc\r\nd\re'/>", "@a", "a b c d e"},
    {"<disk a='&#9;&#10;&#13;&#32;'/>", "@a", "\t\n\r "},
    {"<disk a='  x  '/>", "@a", "  x  "},
    {"<disk a='&amp;#38;&#38;amp;'/>", "@a", "&#38;&amp;"},
    {"<disk a='x>y\"z'/>", "@a", "x>y\"z"},
    {"<disk\n a\n=\n'1'\n/>", "@a", "1"},
    {"<disk x:a='1' a='2' xmlns:x='u'/>", "@a", "2"},
    {"<disk x:a='1' a='2' xmlns:x='u'/>", "@x:a", "1"},
    {"<disk x:a='1' a='2' xmlns:x='u&amp;v'/>", "@xmlns:x", "u&v"},
    {"<disk>a&lt;b<![CDATA[<&amp;>]]><!-- no --><?no?>c<x>no</x>\r\nd\re</disk>", "",
     "a<b<&amp;>c\nd\ne"},
    {"<disk><![CDATA[a\r\nb\rc]]></disk>", "", "a\nb\nc"},
    {"<disk><![CDATA[]]>]]<![CDATA[>]]></disk>", "", "]]>"},
    {"<disk/>", "", ""},
    {"<disk><a><b>1</b></a><a><b c='2'>2</b></a></disk>", "a/b", "1"},
    {"<disk><a/><a><b c='2'>2</b></a></disk>", "a/b", "2"},
    {"<disk><a><b/></a><a><b/><b><c>3</c></b></a><a/></disk>", "a/b/c", "3"},
    {"<disk><a><b/></a><a><b/><b><c>3</c></b></a><a/></disk>", "a/b/d", NULL},
    {"<disk><a c='1'/><a d='2'/></disk>", "a@d", NULL},
    {"<disk><q:a xmlns:q='u'>1</q:a></disk>", "q:a", "1"},
    {"<disk><a/></disk>", "a/", NULL},
    {"<disk><a/></disk>", "/a", NULL},
    {"<disk><a/></disk>", "a@", NULL},
    {"<disk><ab/></disk>", "a", NULL},
    {"<disk><a/></disk>", "ab", NULL},
    {"<disk \xC3\xA4='\xC3\xB6'/>", "@\xC3\xA4", "\xC3\xB6"},
};

START_TEST(test_values)
{
    const struct value_case *c = &values[_i];
    domxml_doc *doc = parse(c->text);

    ck_assert_pstr_eq(domxml_get(domxml_doc_root(doc), c->path), c->value);
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_walking)
{
    domxml_doc *doc = parse("<domain xmlns='d'><a x='1' xmlns:p='u' y='2'><p:b/><b xmlns=''/></a>"
                            "<a/><c/><q:z/></domain>");
    const domxml_elem *root = domxml_doc_root(doc), *a = domxml_elem_child(root, NULL), *b;

    ck_assert_ptr_null(domxml_elem_parent(root));
    ck_assert_ptr_null(domxml_elem_next(root, NULL));
    ck_assert_str_eq(domxml_elem_namespace(root), "d");
    ck_assert_str_eq(domxml_elem_namespace(a), "d");
    ck_assert_ptr_eq(domxml_elem_parent(a), root);
    ck_assert_uint_eq(domxml_elem_attr_count(a), 3);
    ck_assert_str_eq(domxml_elem_attr_name(a, 1), "xmlns:p");
    ck_assert_str_eq(domxml_elem_attr_value(a, 2), "2");
    ck_assert_ptr_null(domxml_elem_attr_name(a, 3));
    ck_assert_ptr_null(domxml_elem_attr_value(a, 3));
    b = domxml_elem_child(a, NULL);
    ck_assert_str_eq(domxml_elem_name(b), "p:b");
    ck_assert_str_eq(domxml_elem_local_name(b), "b");
    ck_assert_str_eq(domxml_elem_namespace(b), "u");
    ck_assert_ptr_eq(domxml_elem_child_ns(a, "u", "b"), b);
    ck_assert_ptr_null(domxml_elem_child_ns(a, "v", "b"));
    b = domxml_elem_next(b, "b");
    ck_assert_ptr_null(domxml_elem_namespace(b));
    ck_assert_ptr_null(domxml_elem_next(b, NULL));
    ck_assert_str_eq(domxml_elem_name(domxml_elem_next(a, "c")), "c");
    ck_assert_ptr_null(domxml_elem_next(domxml_elem_next(a, "c"), "a"));
    ck_assert_ptr_null(domxml_elem_namespace(domxml_elem_child(root, "q:z")));
    domxml_doc_free(doc);
}
END_TEST

/* ---- Spans and positions ------------------------------------------------------------------ */

struct span_case {
    const char *path;
    const char *covers;
    bool there;
};

static const struct span_case spans[] = {
    { "driver@cache", "cache = 'none'", true },
    { "driver@io", "<driver name=\"qemu\"\n   cache = 'none' >", false },
    { "driver", "<driver name=\"qemu\"\n   cache = 'none' >", true },
    { "driver/x/y@z", "<x/>", false },
    { "nothing/at/all", "<disk type='file'>", false },
    { "@type", "type='file'", true },
    { "", "<disk type='file'>", true },
};

START_TEST(test_spans)
{
    const struct span_case *c = &spans[_i];
    domxml_doc *doc =
        parse("<disk type='file'><driver name=\"qemu\"\n   cache = 'none' ><x/></driver></disk>");
    struct domxml_span span;

    ck_assert(domxml_get_span(domxml_doc_root(doc), c->path, &span) == c->there);
    ck_assert_uint_eq(span.length, strlen(c->covers));
    ck_assert_mem_eq(domxml_doc_text(doc, NULL) + span.offset, c->covers, span.length);
    span = domxml_elem_span(domxml_find(domxml_doc_root(doc), "driver"));
    ck_assert_uint_eq(span.offset, 18);
    ck_assert_uint_eq(span.length, 52);
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_positions)
{
    static const char text[] = "\xEF\xBB\xBF<disk>\r\n\xC3\xA4\xF0\x9F\x92\xBE<a/>\rx\n</disk>";
    domxml_doc *doc = parse(text);
    int line, column;

    domxml_doc_position(doc, 0, &line, &column);
    ck_assert_int_eq(line * 100 + column, 101);
    domxml_doc_position(doc, 3, &line, &column);
    ck_assert_int_eq(line * 100 + column, 101);
    domxml_doc_position(doc, 4, &line, &column);
    ck_assert_int_eq(line * 100 + column, 102);
    domxml_doc_position(doc, domxml_elem_span(domxml_find(domxml_doc_root(doc), "a")).offset, &line,
                        &column);
    ck_assert_int_eq(line * 100 + column, 203);
    domxml_doc_position(doc, strlen(text) - 7, &line, NULL);
    domxml_doc_position(doc, strlen(text) - 7, NULL, &column);
    ck_assert_int_eq(line * 100 + column, 301);
    domxml_doc_position(doc, strlen(text) + 100, &line, &column);
    ck_assert_int_eq(line * 100 + column, 308);
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_positions_by_counting)
{
    enum { LENGTH = 20000 };
    char *text = malloc(LENGTH + 20);
    unsigned int random = 1;
    int line = 1, column = 1;
    domxml_doc *doc;

    strcpy(text, "<disk>");
    for (size_t i = 6; i < LENGTH; i++) {
        random = random * 1103515245 + 12345;
        text[i] = "ab \n\r"[(random >> 16) % 5];
        if ((random >> 16) % 11 == 0 && i + 2 < LENGTH) {
            text[i] = '\xC3';
            text[++i] = '\xA4';
        }
        if (i > 7000 && i < 16000 && text[i] == '\n')
            text[i] = 'n'; /* one long line */
    }
    strcpy(text + LENGTH, "</disk>");
    doc = parse(text);
    for (size_t i = 0; i <= LENGTH; i++) {
        int found_line, found_column;

        domxml_doc_position(doc, i, &found_line, &found_column);
        ck_assert_int_eq(found_line, line);
        ck_assert_int_eq(found_column, column);
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    domxml_doc_free(doc);
    free(text);
}
END_TEST

/* Processor time: however busy the machine is. */
static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

START_TEST(test_positions_in_one_long_line)
{
    enum { COUNT = 60 * 1000 * 1000 };
    char *text = malloc(COUNT + 20);
    double start;
    domxml_doc *doc;
    int line, column = 0;

    memset(text, 'x', COUNT);
    memcpy(text, "<disk>", 6);
    strcpy(text + COUNT, "</disk>");
    doc = parse(text);
    free(text);
    start = now();
    for (size_t i = 0; i < 1000; i++)
        domxml_doc_position(doc, COUNT - i, &line, &column);
    ck_assert_int_eq(line, 1);
    ck_assert_int_eq(column, COUNT - 999 + 1);
    /* Counting from the start of the line would take a minute. */
    ck_assert_msg(now() - start < 5, "%f s", now() - start);
    domxml_doc_free(doc);
}
END_TEST

/* ---- Templates ---------------------------------------------------------------------------- */

START_TEST(test_templates)
{
    static const char *const yes[] = {
        "{{ x }}", "a{{x}}b", "{% if x %}", "${x}", "$x", "/a/$VM.img", "$(x)", "<%= x %>", "%s",
        "/a/%s.img", "%(x)s", "@X@", "a@x_1@b", "{ {{ }}",
    };
    static const char *const no[] = {
        "", "none", "{x}", "}} {{", "$", "a$", "$1", "100%", "%20", "%d0%b0", "%(x)", "%()s", "a@b",
        "@", "@@", "@1@", "user@host", "{{ x", "${x", "<% x", "{ }",
    };

    for (size_t i = 0; i < SIZE(yes); i++)
        ck_assert_msg(domxml_is_template(yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < SIZE(no); i++)
        ck_assert_msg(!domxml_is_template(no[i]), "%s", no[i]);
    ck_assert(!domxml_is_template(NULL));
}
END_TEST

/* ---- Hostile sizes: linear time ------------------------------------------------------------- */

START_TEST(test_many_bytes_of_one_kind)
{
    static const char *const pieces[] = {"<a/>",      "&",  "<!---->", "=",
                                         "<a b='c'>", "&#", "&a",      "<![CDATA[]]>"};
    enum { LENGTH = 4 * 1000 * 1000 };
    size_t piece = strlen(pieces[_i]), length = 6;
    char *text = malloc(LENGTH + 100);
    double start = now();

    strcpy(text, "<disk>");
    for (; length + piece < LENGTH; length += piece)
        memcpy(text + length, pieces[_i], piece + 1);
    strcpy(text + length, "</disk>");
    domxml_doc_free(domxml_parse(text, length + 7, NULL));
    ck_assert_msg(now() - start < 30, "%f s", now() - start);
    free(text);
}
END_TEST

/* ---- Threads ------------------------------------------------------------------------------ */

static void *
read_often(void *data)
{
    const domxml_doc *doc = data;

    for (int i = 0; i < 2000; i++) {
        domxml_doc *own = parse("<disk><driver cache='none'/></disk>");

        if (strcmp(domxml_get(domxml_disk(doc, 0), "driver@cache"), "writethrough") != 0 ||
            strcmp(domxml_get(domxml_disk(own, 0), "driver@cache"), "none") != 0) {
            domxml_doc_free(own);
            return NULL;
        }
        domxml_doc_free(own);
    }
    return data;
}

START_TEST(test_threads_read_one_document)
{
    domxml_doc *doc =
        parse("<domain><devices><disk><driver cache='writethrough'/></disk></devices></domain>");
    pthread_t threads[4];
    void *result;

    for (size_t i = 0; i < SIZE(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_often, doc), 0);
    for (size_t i = 0; i < SIZE(threads); i++) {
        pthread_join(threads[i], &result);
        ck_assert_ptr_eq(result, doc);
    }
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_version)
{
    int major, minor, micro;

    ck_assert_int_eq(sscanf(domxml_version(), "%d.%d.%d", &major, &minor, &micro), 3);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("read");
    TCase *tcase = tcase_create("read");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_refusals, 0, SIZE(refusals));
    tcase_add_test(tcase, test_first_error_wins);
    tcase_add_test(tcase, test_long_names_do_not_break_a_message);
    tcase_add_test(tcase, test_limits);
    tcase_add_test(tcase, test_other_users_of_libxml2_are_left_alone);
    tcase_add_loop_test(tcase, test_kinds, 0, SIZE(kinds));
    tcase_add_test(tcase, test_text_is_kept_as_it_is);
    tcase_add_loop_test(tcase, test_values, 0, SIZE(values));
    tcase_add_test(tcase, test_walking);
    tcase_add_loop_test(tcase, test_spans, 0, SIZE(spans));
    tcase_add_test(tcase, test_positions);
    tcase_add_test(tcase, test_positions_by_counting);
    tcase_add_test(tcase, test_positions_in_one_long_line);
    tcase_add_test(tcase, test_templates);
    tcase_add_loop_test(tcase, test_many_bytes_of_one_kind, 0, 8);
    tcase_add_test(tcase, test_threads_read_one_document);
    tcase_add_test(tcase, test_version);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
