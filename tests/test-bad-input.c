/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bad-input.c: what is no document that libdomxml reads: an error that says where, no more. */
#include <check.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdomxml/domxml.h"

#define SAMPLE                                                                                     \
    "<?xml version='1.0' encoding='UTF-8'?>\n<!-- made up -->\n<domain type=\"kvm\">\n"            \
    "  <name>caf\xc3\xa9 &amp; <![CDATA[x]]></name>\n  <devices>\n"                                \
    "    <disk type='file' device='disk'>\n      <source file='/srv/a&#x20;b'/>\n"                 \
    "      <target dev='vda' bus='virtio'/>\n    </disk>\n  </devices>\n</domain>\n<!-- end -->\n"

/* Parses, and expects a refusal that is complete: code, place inside the text, one line. */
static void
expect_refused(const char *text, size_t length, enum domxml_code code, int line, int column)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, length, &error);

    ck_assert_msg(doc == NULL, "read: %.*s", (int)length, text);
    ck_assert_msg(error.code == code, "code %d, %s: %.*s", error.code, error.text, (int)length,
                  text);
    ck_assert_uint_le(error.offset, length);
    ck_assert_int_gt(error.line, 0);
    ck_assert_int_gt(error.column, 0);
    if (line)
        ck_assert_msg(error.line == line && error.column == column, "line %d, column %d, %s: %.*s",
                      error.line, error.column, error.text, (int)length, text);
    ck_assert_uint_gt(strlen(error.text), 0);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert_ptr_null(domxml_parse(text, length, NULL));
}

/* Not well-formed. The place where it is known to be plain. */
static const struct {
    const char *text;
    int line, column;
} not_well_formed[] = {
    { "<domain>", 0, 0 },
    { "<domain></domian>", 0, 0 },
    { "<domain>\n  <a>\n  </b>\n</domain>", 0, 0 },
    { "<domain><a></domain></a>", 0, 0 },
    { "</domain>", 1, 2 },
    { "<domain/></domain>", 0, 0 },
    { "<domain/><domain/>", 0, 0 },
    { "<domain/>text", 0, 0 },
    { "text<domain/>", 0, 0 },
    { "<domain a/>", 0, 0 },
    { "<domain a=/>", 0, 0 },
    { "<domain a=b/>", 0, 0 },
    { "<domain a='b/>", 0, 0 },
    { "<domain a='<'/>", 0, 0 },
    { "<domain a='1' a='2'/>", 0, 0 },
    { "<domain a='1'b='2'/>", 0, 0 },
    { "<domain xmlns:q='u' xmlns:r='u' q:a='1' r:a='2'/>", 0, 0 },
    { "<domain xmlns:q=''/>", 0, 0 },
    { "<domain>&</domain>", 0, 0 },
    { "<domain>&unknown;</domain>", 0, 0 },
    { "<domain a='&unknown;'/>", 0, 0 },
    { "<domain>&amp</domain>", 0, 0 },
    { "<domain>&#0;</domain>", 0, 0 },
    { "<domain>&#x1;</domain>", 0, 0 },
    { "<domain>&#xd800;</domain>", 0, 0 },
    { "<domain>&#x110000;</domain>", 0, 0 },
    { "<domain>&#99999999999999999999;</domain>", 0, 0 },
    { "<domain>&#;</domain>", 0, 0 },
    { "<domain>&#x;</domain>", 0, 0 },
    { "<domain>\x01</domain>", 0, 0 },
    { "<domain a='\x1f'/>", 0, 0 },
    { "<domain>\xef\xbf\xbf</domain>", 0, 0 },
    { "<domain>]]></domain>", 0, 0 },
    { "<domain><!-- a -- b --></domain>", 0, 0 },
    { "<domain><!-- a ---></domain>", 0, 0 },
    { "<domain><!-- a </domain>", 0, 0 },
    { "<domain><![CDATA[ a </domain>", 0, 0 },
    { "<![CDATA[a]]><domain/>", 0, 0 },
    { "<domain/><![CDATA[a]]>", 0, 0 },
    { "<domain><?a </domain>", 0, 0 },
    { "<domain><? a?></domain>", 0, 0 },
    { "<domain><?xml version='1.0'?></domain>", 0, 0 },
    { " <?xml version='1.0'?><domain/>", 0, 0 },
    { "<?xml version='1.0'><domain/>", 0, 0 },
    { "<?xml?><domain/>", 0, 0 },
    { "<1domain/>", 0, 0 },
    { "< domain/>", 0, 0 },
    { "<domain / >", 0, 0 },
    { "<domain><a b='1' /c></domain>", 0, 0 },
    { "<domain><a></a b='1'></domain>", 0, 0 },
    { "<domain><", 0, 0 },
    { "<", 0, 0 },
    { "&", 0, 0 },
    { "{% if x %}<domain/>{% endif %}", 0, 0 },
    { "{\"domain\": 1}", 0, 0 },
};

START_TEST(not_well_formed_is_refused)
{
    const char *text = not_well_formed[_i].text;

    expect_refused(text, strlen(text), DOMXML_ERR_NOT_WELL_FORMED, not_well_formed[_i].line,
                   not_well_formed[_i].column);
}
END_TEST

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct {
    const char *text;
    size_t length;
    enum domxml_code code;
    int line, column;
} bad[] = {
    { BYTES(""), DOMXML_ERR_EMPTY, 1, 1 },
    { BYTES(" \t\r\n  \n"), DOMXML_ERR_EMPTY, 0, 0 },
    { BYTES("\xef\xbb\xbf"), DOMXML_ERR_EMPTY, 0, 0 },
    { BYTES("\xef\xbb\xbf\n"), DOMXML_ERR_EMPTY, 0, 0 },
    /* Other encodings, declared and found. */
    { BYTES("<?xml version='1.0' encoding='ISO-8859-1'?>\n<domain/>"), DOMXML_ERR_ENCODING, 0, 0 },
    { BYTES("<?xml version=\"1.0\" encoding=\"UTF-16\"?><domain/>"), DOMXML_ERR_ENCODING, 0, 0 },
    { BYTES("<?xml version='1.0' encoding='windows-1252' standalone='yes'?><domain/>"),
      DOMXML_ERR_ENCODING, 0, 0 },
    { BYTES("<domain>\n  <name>caf\xe9</name></domain>"), DOMXML_ERR_ENCODING, 2, 12 },
    { BYTES("<domain a='\xff'/>"), DOMXML_ERR_ENCODING, 1, 12 },
    { BYTES("<domain>\xc0\x80</domain>"), DOMXML_ERR_ENCODING, 1, 9 },
    { BYTES("<domain>\xed\xa0\x80</domain>"), DOMXML_ERR_ENCODING, 1, 9 },
    { BYTES("<domain>\xf4\x90\x80\x80</domain>"), DOMXML_ERR_ENCODING, 1, 9 },
    { BYTES("<domain>\xc3"), DOMXML_ERR_ENCODING, 1, 9 },
    { BYTES("\xff\xfe<\0d\0o\0m\0a\0i\0n\0/\0>\0"), DOMXML_ERR_ENCODING, 1, 1 },
    { BYTES("\xfe\xff\0<\0d\0o\0m\0a\0i\0n\0/\0>"), DOMXML_ERR_ENCODING, 1, 1 },
    { BYTES("<\0d\0o\0m\0a\0i\0n\0/\0>\0"), DOMXML_ERR_ENCODING, 0, 0 },
    { BYTES("\0<\0d\0o\0m\0a\0i\0n\0/\0>"), DOMXML_ERR_ENCODING, 0, 0 },
    { BYTES("<\0\0\0d\0\0\0/\0\0\0>\0\0\0"), DOMXML_ERR_ENCODING, 0, 0 },
    /* A DOCTYPE, whatever it says. */
    { BYTES("<!DOCTYPE domain><domain/>"), DOMXML_ERR_DOCTYPE, 1, 1 },
    { BYTES("<?xml version='1.0'?>\n<!DOCTYPE domain [<!ENTITY a 'b'>]>\n<domain>&a;</domain>"),
      DOMXML_ERR_DOCTYPE, 2, 1 },
    { BYTES("<!DOCTYPE domain SYSTEM \"file:///etc/passwd\"><domain/>"), DOMXML_ERR_DOCTYPE, 1, 1 },
    { BYTES("<!-- c -->\n <!DOCTYPE a [<!ENTITY b \"<!ENTITY c 'd'>\">]><domain/>"),
      DOMXML_ERR_DOCTYPE, 2, 2 },
    /* Roots. */
    { BYTES("<network/>"), DOMXML_ERR_ROOT, 1, 1 },
    { BYTES("<!-- c -->\n<disks><disk/></disks>"), DOMXML_ERR_ROOT, 2, 1 },
    { BYTES("<domains><domain/></domains>"), DOMXML_ERR_ROOT, 1, 1 },
    { BYTES("<Domain/>"), DOMXML_ERR_ROOT, 1, 1 },
    { BYTES("<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>"), DOMXML_ERR_ROOT, 1, 1 },
    { BYTES("<domainsnapshot/>"), DOMXML_ERR_NO_DOMAIN, 1, 1 },
    { BYTES("<domainsnapshot><disks><disk name='vda'/></disks></domainsnapshot>"),
      DOMXML_ERR_NO_DOMAIN, 1, 1 },
    { BYTES("<domaincheckpoint><x><domain/></x></domaincheckpoint>"), DOMXML_ERR_NO_DOMAIN, 1, 1 },
    { BYTES("<domstatus/>"), DOMXML_ERR_NO_DOMAIN, 1, 1 },
    /* Several documents. */
    { BYTES("<?xml version='1.0'?><domain/>\n<?xml version='1.0'?><domain/>"),
      DOMXML_ERR_NOT_WELL_FORMED, 0, 0 },
    { BYTES("<domain/>\n---\n<domain/>"), DOMXML_ERR_NOT_WELL_FORMED, 0, 0 },
    /* NUL bytes. */
    { BYTES("<domain/>\0"), DOMXML_ERR_NOT_WELL_FORMED, 1, 10 },
    { BYTES("<domain>\0</domain>"), DOMXML_ERR_NOT_WELL_FORMED, 1, 9 },
    { BYTES("<domain a='\0'/>"), DOMXML_ERR_NOT_WELL_FORMED, 1, 12 },
    { BYTES("<domain><!-- \0 --></domain>"), DOMXML_ERR_NOT_WELL_FORMED, 1, 14 },
    /* Columns count code points, lines LF. */
    { BYTES("<domain>\r\n\xc3\xa4\xe2\x82\xac&nope;</domain>"), DOMXML_ERR_NOT_WELL_FORMED, 0, 0 },
};

START_TEST(bad_documents_are_refused)
{
    expect_refused(bad[_i].text, bad[_i].length, bad[_i].code, bad[_i].line, bad[_i].column);
}
END_TEST

START_TEST(binary_is_refused)
{
    char bytes[4096];
    unsigned state = 1;

    for (int round = 0; round < 200; round++) {
        struct domxml_error error = DOMXML_ERROR_INIT;

        for (size_t i = 0; i < sizeof(bytes); i++) {
            state = state * 1103515245 + 12345;
            bytes[i] = (char)(state >> 16);
        }
        if (round % 2)
            memcpy(bytes, "<domain>", 8);
        ck_assert_ptr_null(domxml_parse(bytes, sizeof(bytes), &error));
        ck_assert_int_ne(error.code, DOMXML_OK);
        ck_assert_int_ne(error.code, DOMXML_ERR_DISAGREE);
        ck_assert_int_gt(error.line, 0);
    }
}
END_TEST

/* Every beginning of a document is refused until it is complete. */
START_TEST(truncated_is_refused)
{
    const char *text = SAMPLE;
    size_t complete = (size_t)(strstr(text, "</domain>") - text) + strlen("</domain>");
    size_t comment = (size_t)(strstr(text, "<!-- end") - text);

    for (size_t length = 0; length <= strlen(text); length++) {
        struct domxml_error error = DOMXML_ERROR_INIT;
        /* Of exactly that size, so that reading on is seen by valgrind and sanitizers. */
        char *cut = malloc(length ? length : 1);
        domxml_doc *doc;

        ck_assert_ptr_nonnull(cut);
        memcpy(cut, text, length);
        doc = domxml_parse(cut, length, &error);
        free(cut);
        if ((length >= complete && length <= comment) || length >= strlen(text) - 1) {
            ck_assert_ptr_nonnull(doc);
        } else {
            ck_assert_ptr_null(doc);
            ck_assert_msg(error.code == DOMXML_ERR_NOT_WELL_FORMED ||
                              (error.code == DOMXML_ERR_EMPTY && length == 0) ||
                              (error.code == DOMXML_ERR_ENCODING && (text[length] & 0xc0) == 0x80),
                          "%zu bytes: code %d, %s", length, error.code, error.text);
            ck_assert_int_gt(error.line, 0);
            ck_assert_int_gt(error.column, 0);
        }
        domxml_doc_free(doc);
    }
}
END_TEST

/* Every byte of a document replaced by one that may break it: read or refused, never worse. */
START_TEST(damaged_is_read_or_refused)
{
    static const char wrong[] = { '<', '>', '&', '\'', '"', '/', '!', '\0', '\xff', ' ', '-' };
    char text[] = SAMPLE;

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        for (size_t j = 0; j < sizeof(wrong); j++) {
            struct domxml_error error = DOMXML_ERROR_INIT;
            char right = text[i];
            domxml_doc *doc;

            text[i] = wrong[j];
            doc = domxml_parse(text, sizeof(text) - 1, &error);
            ck_assert_int_ne(error.code, DOMXML_ERR_DISAGREE);
            ck_assert_int_eq(doc == NULL, error.code != DOMXML_OK);
            domxml_doc_free(doc);
            text[i] = right;
        }
    }
}
END_TEST

START_TEST(too_large_is_refused)
{
    size_t length = DOMXML_MAX_LENGTH + 1;
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *text = malloc(length);
    domxml_doc *doc;

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', length);
    memcpy(text, "<domain>", 8);
    memcpy(text + length - 9, "</domain>", 9);
    ck_assert_ptr_null(domxml_parse(text, length, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_TOO_LARGE);
    memcpy(text + length - 10, "</domain>", 9);
    error = (struct domxml_error)DOMXML_ERROR_INIT;
    doc = domxml_parse(text, length - 1, &error);
    ck_assert_msg(doc != NULL, "%s", error.text);
    domxml_doc_free(doc);
    free(text);
}
END_TEST

START_TEST(first_error_wins)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    ck_assert_ptr_null(domxml_parse("", 0, &error));
    ck_assert_ptr_null(domxml_parse("<network/>", 10, &error));
    ck_assert_int_eq(error.code, DOMXML_ERR_EMPTY);
}
END_TEST

static void
count_error(void *data, const char *format, ...)
{
    (void)format;
    ++*(int *)data;
}

/* The type of the second argument has changed between versions of libxml2. */
static void
count_structured(void *data, xmlErrorPtr error)
{
    (void)error;
    ++*(int *)data;
}

/* Nothing is printed, and the handlers of others in the process hear nothing. */
START_TEST(nothing_is_said)
{
    FILE *said = tmpfile();
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    int handled = 0;

    ck_assert_ptr_nonnull(said);
    fflush(NULL);
    dup2(fileno(said), STDOUT_FILENO);
    dup2(fileno(said), STDERR_FILENO);
    for (int handlers = 0; handlers < 2; handlers++) {
        if (handlers) {
            xmlSetGenericErrorFunc(&handled, count_error);
            xmlSetStructuredErrorFunc(&handled, (xmlStructuredErrorFunc)count_structured);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
            domxml_doc_free(domxml_parse(bad[i].text, bad[i].length, NULL));
        for (size_t i = 0; i < sizeof(not_well_formed) / sizeof(not_well_formed[0]); i++)
            domxml_doc_free(domxml_parse(not_well_formed[i].text, strlen(not_well_formed[i].text),
                                         NULL));
        domxml_doc_free(domxml_parse(SAMPLE, strlen(SAMPLE), NULL));
    }
    /* They are still those that were set. */
    ck_assert_ptr_eq(xmlStructuredErrorContext, &handled);
    ck_assert_ptr_eq(xmlGenericErrorContext, &handled);
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSetGenericErrorFunc(NULL, NULL);
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    ck_assert_int_eq(fseek(said, 0, SEEK_END), 0);
    ck_assert_int_eq((int)ftell(said), 0);
    fclose(said);
    ck_assert_int_eq(handled, 0);
}
END_TEST

static Suite *
bad_input_suite(void)
{
    Suite *suite = suite_create("bad-input");
    TCase *tcase = tcase_create("refusals");

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, not_well_formed_is_refused, 0,
                        (int)(sizeof(not_well_formed) / sizeof(not_well_formed[0])));
    tcase_add_loop_test(tcase, bad_documents_are_refused, 0, (int)(sizeof(bad) / sizeof(bad[0])));
    tcase_add_test(tcase, binary_is_refused);
    tcase_add_test(tcase, truncated_is_refused);
    tcase_add_test(tcase, damaged_is_read_or_refused);
    tcase_add_test(tcase, too_large_is_refused);
    tcase_add_test(tcase, first_error_wins);
    tcase_add_test(tcase, nothing_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(bad_input_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
