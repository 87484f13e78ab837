/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-direct-io.c: storage that refuses O_DIRECT, fails, or hangs. Needs to mount FUSE; skips
 * where that cannot be.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/image.h"
#include "probe/probe.h"
#include "tests/disk-doc.h"
#include "tests/fuse-mount.h"
#include "tests/scratch.h"

#define QCOW2 "qemu-img create -q -f qcow2 "

static struct image_facts *
probe_name(const scratch *s, const char *name)
{
    g_autofree char *path = scratch_path(s, name);

    return image_probe(path, NULL, G_MAXINT64);
}

/* Images are made in the folder "under", which is shown as "m"; i is the one that is looked at. */
static const struct {
    const char *script;
    const char *rule;
    const char *image;        /* NULL: m/i */
    enum fact_answer answer;
    const char *reason;       /* two parts of it, or NULL */
    const char *file;
} direct_cases[] = {
    { "truncate -s 1M under/i", "direct:other:EINVAL", NULL, FACT_YES, NULL, NULL },
    { "truncate -s 1M under/i", "direct:*:EINVAL", NULL, FACT_NO, "refuses O_DIRECT", "m/i" },
    { "truncate -s 1M under/i", "direct:*:EOPNOTSUPP", NULL, FACT_NO, "refuses O_DIRECT", "m/i" },
    { QCOW2 "under/i 1M", "direct:i:EINVAL", NULL, FACT_NO, "refuses O_DIRECT", "m/i" },
    { QCOW2 "under/i 1M", "direct:i:EIO", NULL, FACT_UNKNOWN, "input/output error", "m/i" },
    /* The base alone, on the same file system, on another. */
    { QCOW2 "under/a 1M; cd under; " QCOW2 "-b a -F qcow2 i", "direct:a:EINVAL", NULL, FACT_NO,
      "refuses O_DIRECT", "m/a" },
    { QCOW2 "under/a 1M; " QCOW2 "-b under/a -F qcow2 b; " QCOW2 "-b b -F qcow2 o; "
      "qemu-img rebase -u -F qcow2 -b m/a b", "direct:a:EINVAL", "o", FACT_NO,
      "refuses O_DIRECT", "m/a" },
    { "cd under; " QCOW2 "-o data_file=d i 1M", "direct:d:EINVAL", NULL, FACT_NO,
      "refuses O_DIRECT", "m/d" },
    /* A no is a no, whatever else is not known. */
    { QCOW2 "under/a 1M; cd under; " QCOW2 "-b a -F qcow2 b; " QCOW2 "-b b -F qcow2 i; rm a",
      "direct:b:EINVAL", NULL, FACT_NO, "refuses O_DIRECT", "m/b" },
    { QCOW2 "under/a 1M; cd under; " QCOW2 "-b a -F qcow2 i", "read:a:EIO", NULL, FACT_UNKNOWN,
      "cannot be read", "m/a" },
};

START_TEST(direct_io)
{
    const char *rules[] = { direct_cases[_i].rule, NULL };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    struct image_facts *facts;

    scratch_run(&s, "mkdir under; %s", direct_cases[_i].script);
    mount = fuse_mount_start(&s, "under", "m", rules);
    facts = probe_name(&s, direct_cases[_i].image ? direct_cases[_i].image : "m/i");
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_msg(facts->direct_io == direct_cases[_i].answer, "%s: %s", direct_cases[_i].rule,
                  facts->direct_io_reason);
    if (direct_cases[_i].reason) {
        ck_assert_ptr_nonnull(strstr(facts->direct_io_reason, direct_cases[_i].reason));
        ck_assert_ptr_nonnull(strstr(facts->direct_io_reason, direct_cases[_i].file));
    } else {
        ck_assert_ptr_null(facts->direct_io_reason);
    }
    image_facts_free(facts);
}
END_TEST

/* Storage that fails gives unknown, with what it said. */
static const struct {
    const char *rule, *reason;
} failures[] = {
    { "open:i:EIO", "input/output error" },
    { "read:i:EIO", "it cannot be read: input/output error" },
    { "getattr:i:EIO", "input/output error" },
    { "open:i:ESTALE", "stale file handle" },
    { "open:i:EACCES", "permission denied, even as root" },
};

START_TEST(failing)
{
    const char *rules[] = { failures[_i].rule, NULL };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    struct image_facts *facts;

    scratch_run(&s, "mkdir under; truncate -s 1M under/i");
    mount = fuse_mount_start(&s, "under", "m", rules);
    facts = probe_name(&s, "m/i");
    ck_assert_int_eq(facts->state, IMAGE_UNKNOWN);
    ck_assert_msg(strstr(facts->unknown, failures[_i].reason) != NULL, "%s", facts->unknown);
    image_facts_free(facts);
}
END_TEST

/* The process that serves the mount is gone. */
START_TEST(dead_mount)
{
    const char *rules[] = { NULL };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    struct image_facts *facts;

    scratch_run(&s, "mkdir under; truncate -s 1M under/i");
    mount = fuse_mount_start(&s, "under", "m", rules);
    scratch_run(&s, "stat m/i; kill -9 %d", (int)mount.pid);
    facts = probe_name(&s, "m/i");
    /* Gone for good, or unmounted by now. */
    ck_assert(facts->state == IMAGE_UNKNOWN || facts->state == IMAGE_ELSEWHERE);
    ck_assert_ptr_nonnull(facts->unknown);
    image_facts_free(facts);
}
END_TEST

static const struct image_facts *
ask(struct facts_source *probe, const scratch *s, const char *name)
{
    g_autofree char *path = scratch_path(s, name);
    g_autoptr(domxml_doc) doc = disk_doc_for_path(path);

    return probe->image(probe, domxml_disk(doc, 0));
}

static int
count_threads(void)
{
    g_autoptr(GDir) tasks = g_dir_open("/proc/self/task", 0, NULL);
    int n = 0;

    while (g_dir_read_name(tasks))
        n++;
    return n;
}

/* Until those that hung have ended: all but this one. */
static void
wait_for_threads(void)
{
    for (int i = 0; i < 10000; i++) {
        if (count_threads() == 1)
            return;
        g_usleep(10000);
    }
    ck_abort_msg("threads that hung do not end");
}

/* A path that hangs is given up after the limit; those after it are looked at; and when the
 * hanging thread comes back, after the probe is gone, it does no harm. */
START_TEST(hanging)
{
    static const char *const hangs[][2] = {
        { "open:h*:hang", NULL }, { "read:h*:hang", NULL }, { "getattr:h*:hang", NULL },
    };
    const struct probe_options options = { .timeout_ms = 2000 };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    struct facts_source *probe = probe_new(&options);
    gint64 start;
    const struct image_facts *facts;

    scratch_run(&s, "mkdir under; for i in 1 2 3 4 5 6 7 8 9; do truncate -s 1M under/h$i "
                "under/g$i; done");
    mount = fuse_mount_start(&s, "under", "m", hangs[_i]);
    start = g_get_monotonic_time();
    facts = ask(probe, &s, "m/h1");
    ck_assert_int_eq(facts->state, IMAGE_UNKNOWN);
    ck_assert_str_eq(facts->unknown, "its file system did not answer within 2 s");
    ck_assert_int_ge(g_get_monotonic_time() - start, 2 * G_USEC_PER_SEC);
    /* The good ones of that folder, and others. */
    ck_assert_ptr_eq(ask(probe, &s, "m/h1"), facts);
    facts = ask(probe, &s, "under/h1");
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    if (g_str_has_prefix(hangs[_i][0], "open") || g_str_has_prefix(hangs[_i][0], "read")) {
        facts = ask(probe, &s, "m/g1");
        ck_assert_msg(facts->state == IMAGE_FILE, "%s", facts->unknown);
    }
    /* Many on one dead server do not add up to 2 s each: after a few that hang, no more are asked
     * for. (Not by the clock, which says nothing on a busy machine.) */
    for (int i = 2; i <= 9; i++) {
        g_autofree char *name = g_strdup_printf("m/h%d", i);

        ck_assert_int_eq(ask(probe, &s, name)->state, IMAGE_UNKNOWN);
    }
    ck_assert_int_le(count_threads(), 1 + 4 + 1); /* this, those that hang, an idle one */
    facts_source_free(probe);
    fuse_mount_stop(&mount);
    wait_for_threads();
}
END_TEST

int
main(void)
{
    const char *missing = fuse_mount_missing();
    Suite *suite;
    TCase *tcase;
    SRunner *runner;
    int failed;

    if (missing) {
        printf("SKIP: test-direct-io: %s\n", missing);
        return 77;
    }
    suite = suite_create("direct-io");
    tcase = tcase_create("faulty storage");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, direct_io, 0, G_N_ELEMENTS(direct_cases));
    tcase_add_loop_test(tcase, failing, 0, G_N_ELEMENTS(failures));
    tcase_add_test(tcase, dead_mount);
    tcase_add_loop_test(tcase, hanging, 0, 3);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
