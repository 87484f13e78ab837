/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-property.c: what libdomxml promises, tried with random edits on the documents of libvirt's
 * own tests, written as many ways as people write them.
 *
 * $DOMLINT_TEST_SEED sets the seed, $DOMLINT_CORPUS_STEP tries one file in so many.
 */
#include <check.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/corpus.h"
#include "tests/expect.h"
#include "tests/property.h"

/* How many files of the whole corpus are refused, and why: other roots (backups, node devices,
 * lone devices and the like), and snapshots and checkpoints that hold no domain. */
#define CORPUS_FILES 1979
static const struct {
    enum domxml_code code;
    size_t count;
} refusals[] = {
    { DOMXML_ERR_ROOT, 28 },
    { DOMXML_ERR_NO_DOMAIN, 20 },
};

static xmlNodePtr
child_named(xmlNodePtr parent, const char *name)
{
    xmlNodePtr node = parent->children;

    while (node && (node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, name) != 0))
        node = node->next;
    return node;
}

/* What is to become of a file, told from its root alone. */
static enum domxml_code
expected_code(const char *text, size_t length)
{
    static const char *const wrappers[] = { "domainsnapshot", "domaincheckpoint", "domstatus" };
    xmlDocPtr doc = xmlReadMemory(text, (int)length, NULL, NULL,
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    enum domxml_code code = DOMXML_ERR_ROOT;
    xmlNodePtr root;

    expect(doc != NULL, "not well-formed");
    root = xmlDocGetRootElement(doc);
    if (strcmp((const char *)root->name, "domain") == 0 ||
        strcmp((const char *)root->name, "disk") == 0)
        code = DOMXML_OK;
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (strcmp((const char *)root->name, wrappers[i]) == 0)
            code = child_named(root, "domain") || child_named(root, "inactiveDomain")
                       ? DOMXML_OK
                       : DOMXML_ERR_NO_DOMAIN;
    }
    xmlFreeDoc(doc);
    return code;
}

/* The properties of one document. */
static void
check_subject(struct subject *subject, enum variant variant)
{
    size_t length;
    const char *kept = domxml_doc_text(subject->doc, &length);
    int rounds = variant == VARIANT_AS_IS ? 10 : 2;

    expect(length == subject->length && memcmp(kept, subject->text, length) == 0,
           "the document's text is another");
    for (int i = 0; i < rounds; i++) {
        property_one(subject);
        property_value(subject);
        property_disk(subject);
    }
    property_disks(subject);
    property_composing(subject);
}

/* Tells what is being tried, for expect() to say when it fails. */
static void
announce(const char *path, enum variant variant)
{
    char subject[1024];

    snprintf(subject, sizeof(subject), "%s (%s)", path, variant_name(variant));
    setenv("DOMLINT_TEST_SUBJECT", subject, 1);
}

static void
check_file(const char *path, size_t number, uint64_t seed)
{
    size_t length;
    char *text = corpus_read(path, &length);
    enum domxml_code code = expected_code(text, length);

    for (int variant = 0; variant < VARIANT_COUNT; variant++) {
        struct domxml_error error = DOMXML_ERROR_INIT;
        struct subject subject = {
            .random = { seed ^ (number * VARIANT_COUNT + (size_t)variant) },
        };
        char *made = variant_make((enum variant)variant, text, length, &subject.random,
                                  &subject.length);

        announce(path, (enum variant)variant);
        if (variant == VARIANT_AS_IS)
            expect(subject.length == length && memcmp(made, text, length) == 0,
                   "the variants' own reader loses something");
        subject.text = made;
        subject.doc = domxml_parse(made, subject.length, &error);
        expect(error.code == code, "code %d instead of %d: line %d, column %d: %s", error.code,
               code, error.line, error.column, error.text);
        if (subject.doc) {
            check_subject(&subject, (enum variant)variant);
            domxml_doc_free(subject.doc);
        }
        free(made);
    }
    free(text);
}

/* The corpus in parts, so that one bad file does not hide all others. */
#define PARTS 16

START_TEST(documents_keep_the_promises)
{
    uint64_t seed = test_random_seed();
    struct corpus corpus;

    corpus_find(&corpus);
    for (size_t i = 0; i * corpus_step() < corpus.count; i++) {
        if (i % PARTS == (size_t)_i)
            check_file(corpus.paths[i * corpus_step()], i * corpus_step(), seed);
    }
    corpus_free(&corpus);
}
END_TEST

START_TEST(refusals_are_as_counted)
{
    size_t refused[sizeof(refusals) / sizeof(refusals[0])] = { 0 };
    size_t others = 0;
    struct corpus corpus;

    corpus_find(&corpus);
    for (size_t i = 0; corpus.count == CORPUS_FILES && i < corpus.count; i++) {
        struct domxml_error error = DOMXML_ERROR_INIT;
        size_t length;
        char *text = corpus_read(corpus.paths[i], &length);

        domxml_doc_free(domxml_parse(text, length, &error));
        others += error.code != DOMXML_OK;
        for (size_t j = 0; j < sizeof(refusals) / sizeof(refusals[0]); j++) {
            refused[j] += error.code == refusals[j].code;
            others -= error.code == refusals[j].code;
        }
        free(text);
    }
    for (size_t j = 0; corpus.count == CORPUS_FILES && j < sizeof(refusals) / sizeof(refusals[0]);
         j++)
        ck_assert_uint_eq(refused[j], refusals[j].count);
    ck_assert_uint_eq(others, 0);
    corpus_free(&corpus);
}
END_TEST

/* Starting programs takes long: few files, all variants. */
START_TEST(diffs_are_what_patch_and_git_take)
{
    struct test_random random = { test_random_seed() };
    struct corpus corpus;
    size_t length;

    corpus_find(&corpus);
    for (size_t i = 0; i < corpus.count; i += 97 * corpus_step()) {
        char *text = corpus_read(corpus.paths[i], &length);

        for (int variant = 0; variant < VARIANT_COUNT; variant++) {
            struct subject subject = { .random = random };
            char *made = variant_make((enum variant)variant, text, length, &subject.random,
                                      &subject.length);

            announce(corpus.paths[i], (enum variant)variant);
            subject.text = made;
            subject.doc = domxml_parse(made, subject.length, NULL);
            if (subject.doc)
                property_diff(&subject);
            random = subject.random;
            domxml_doc_free(subject.doc);
            free(made);
        }
        free(text);
    }
    corpus_free(&corpus);
}
END_TEST

static Suite *
property_suite(void)
{
    Suite *suite = suite_create("property");
    TCase *tcase = tcase_create("corpus");

    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, documents_keep_the_promises, 0, PARTS);
    tcase_add_test(tcase, refusals_are_as_counted);
    tcase_add_test(tcase, diffs_are_what_patch_and_git_take);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner;
    int failed;

    if (access(corpus_folder(), R_OK) < 0) {
        printf("SKIP: no corpus at %s (set DOMLINT_CORPUS)\n", corpus_folder());
        return 77;
    }
    printf("seed %llu, one file in %zu\n", (unsigned long long)test_random_seed(), corpus_step());
    runner = srunner_create(property_suite());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
