/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-threads.c: that threads may be the first in their process to parse, all at once.
 */
#include <check.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdomxml/domxml.h"

enum { THREADS = 4 };

static pthread_barrier_t barrier;
static atomic_long blocks;

/* Slow, so that threads which set something up without a lock meet there. */
static void *
slow_malloc(size_t size)
{
    usleep(50);
    blocks++;
    return malloc(size);
}

static void *
counted_realloc(void *block, size_t size)
{
    if (!block)
        blocks++;
    return realloc(block, size);
}

static void
counted_free(void *block)
{
    if (block)
        blocks--;
    free(block);
}

static char *
slow_strdup(const char *text)
{
    char *copy = slow_malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

static void *
parse(void *data)
{
    static const char text[] = "<?xml version='1.0' encoding='UTF-8'?><domain/>";
    domxml_doc *doc;

    pthread_barrier_wait(&barrier);
    doc = domxml_parse(text, strlen(text), NULL);
    *(bool *)data = doc != NULL;
    domxml_doc_free(doc);
    return NULL;
}

/* What libxml2 sets up for the process is set up once: all of it is freed in the end. */
START_TEST(test_first)
{
    pthread_t threads[THREADS];
    bool done[THREADS];

    ck_assert_int_eq(xmlMemSetup(counted_free, slow_malloc, counted_realloc, slow_strdup), 0);
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, parse, &done[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(done[i]);
    }
    pthread_barrier_destroy(&barrier);
    xmlCleanupParser();
    ck_assert_int_eq(blocks, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(tcase, test_first, 0, 5);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
