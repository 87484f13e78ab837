/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-probe.c: the facts source that looks at this host, asked by many.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "probe/probe.h"
#include "tests/disk-doc.h"
#include "tests/scratch.h"

START_TEST(host)
{
    struct facts_source *probe = probe_new(NULL);
    struct utsname name;

    ck_assert_int_eq(uname(&name), 0);
    ck_assert_str_eq(probe->host(probe)->kernel, name.release);
    facts_source_free(probe);
}
END_TEST

START_TEST(looked_at_once)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i");
    struct facts_source *probe = probe_new(NULL);
    g_autoptr(domxml_doc) doc = disk_doc_for_path(path), other = disk_doc_for_path(path);
    const struct image_facts *facts;

    scratch_run(&s, "truncate -s 1M i");
    facts = probe->image(probe, domxml_disk(doc, 0));
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_str_eq(facts->path, path);
    ck_assert_uint_eq(facts->virtual_size, 1 << 20);
    scratch_run(&s, "rm i");
    ck_assert_ptr_eq(probe->image(probe, domxml_disk(other, 0)), facts);
    facts_source_free(probe);
}
END_TEST

START_TEST(without_image)
{
    g_autoptr(domxml_doc) empty = disk_doc("type='file'", "");
    g_autoptr(domxml_doc) relative = disk_doc("type='file'", "<source file='a'/>");
    g_autoptr(domxml_doc) missing = disk_doc_for_path("/nowhere/at/all");
    struct facts_source *probe = probe_new(NULL);
    const struct image_facts *facts = probe->image(probe, domxml_disk(empty, 0));

    ck_assert_int_eq(facts->state, IMAGE_NONE);
    facts = probe->image(probe, domxml_disk(relative, 0));
    ck_assert_int_eq(facts->state, IMAGE_UNKNOWN);
    ck_assert_ptr_nonnull(facts->unknown);
    facts = probe->image(probe, domxml_disk(missing, 0));
    ck_assert_int_eq(facts->state, IMAGE_ELSEWHERE);
    ck_assert_str_eq(facts->unknown, "no such file on this host");
    facts_source_free(probe);
}
END_TEST

enum { IMAGES = 40, THREADS = 8 };

struct asker {
    struct facts_source *probe;
    domxml_doc *docs[IMAGES];
    const struct image_facts *facts[IMAGES];
    guint first;
};

static void *
ask(void *data)
{
    struct asker *asker = data;

    for (guint i = 0; i < IMAGES; i++) {
        guint n = (asker->first + i) % IMAGES;

        asker->facts[n] = asker->probe->image(asker->probe, domxml_disk(asker->docs[n], 0));
    }
    return NULL;
}

/* All threads get the same facts, whoever came first. */
START_TEST(many_threads)
{
    g_auto(scratch) s = scratch_new();
    struct facts_source *probe = probe_new(NULL);
    domxml_doc *docs[IMAGES];
    struct asker askers[THREADS];
    GThread *threads[THREADS];

    scratch_run(&s, "for i in $(seq 0 39); do truncate -s $((i + 1))M i$i; done");
    for (guint i = 0; i < IMAGES; i++) {
        g_autofree char *name = g_strdup_printf("i%u", i), *path = scratch_path(&s, name);

        docs[i] = disk_doc_for_path(path);
    }
    for (guint i = 0; i < THREADS; i++) {
        askers[i] = (struct asker){ .probe = probe, .first = i % 2 ? 0 : i };
        memcpy(askers[i].docs, docs, sizeof docs);
        threads[i] = g_thread_new("asker", ask, &askers[i]);
    }
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    for (guint n = 0; n < IMAGES; n++) {
        ck_assert_int_eq(askers[0].facts[n]->state, IMAGE_FILE);
        ck_assert_uint_eq(askers[0].facts[n]->virtual_size, (guint64)(n + 1) << 20);
        for (guint i = 1; i < THREADS; i++)
            ck_assert_ptr_eq(askers[i].facts[n], askers[0].facts[n]);
        domxml_doc_free(docs[n]);
    }
    facts_source_free(probe);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("probe");
    TCase *tcase = tcase_create("probe");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, host);
    tcase_add_test(tcase, looked_at_once);
    tcase_add_test(tcase, without_image);
    tcase_add_test(tcase, many_threads);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
