/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-space.c: whether a plan fits, on real file systems. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "apply/space.h"
#include "tests/private-mounts.h"
#include "tests/scratch.h"

enum { MIB = 1024 * 1024 };

static void
add(struct space *space, const char *folder, const char *name, guint64 bytes, guint64 least)
{
    const struct space_need need = {
        .folder = folder,
        .name = name,
        .bytes = bytes,
        .bytes_least = least,
        .least = least ? "--preallocation=metadata" : NULL,
    };
    g_autoptr(GError) error = NULL;

    ck_assert_msg(space_add(space, &need, &error), "%s", error ? error->message : "?");
}

static GPtrArray *
measure(const struct space *space)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *left = space_measure(space, &error);

    ck_assert_msg(left != NULL, "%s", error ? error->message : "?");
    return left;
}

/* What is free beyond the reserve, as statvfs says. */
static guint64
room(const char *folder)
{
    struct statvfs fs;

    ck_assert_int_eq(statvfs(folder, &fs), 0);
    return (guint64)fs.f_bavail * fs.f_frsize - (guint64)fs.f_blocks / 100 * 5 * fs.f_frsize;
}

START_TEST(the_whole_plan_counts)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *a = scratch_path(&s, "a"), *b = scratch_path(&s, "b");
    g_autoptr(GPtrArray) left = NULL, sentences = NULL;
    struct space *space;
    guint64 free_bytes;

    if (!private_mounts())
        return;
    space = space_new();
    scratch_run(&s, "mkdir a b; for x in a b; do truncate -s 100M $x.fs; mkfs.ext4 -q $x.fs; "
                    "mount -o loop $x.fs $x; done; mkdir a/one a/two");
    free_bytes = room(a);
    {
        g_autofree char *one = g_build_filename(a, "one", NULL);
        g_autofree char *two = g_build_filename(a, "two", NULL);

        add(space, one, "web, vda", free_bytes / 2, MIB);
        left = measure(space);
        ck_assert_uint_eq(left->len, 1);
        ck_assert(((struct space_left *)left->pdata[0])->fits);
        g_clear_pointer(&left, g_ptr_array_unref);
        /* Each fits, both do not; the other file system has its own room. */
        add(space, two, "db, vda", free_bytes / 2 + MIB, MIB);
        add(space, b, "other, vda", free_bytes / 2, 0);
    }
    left = measure(space);
    ck_assert_uint_eq(left->len, 2);
    ck_assert(!((struct space_left *)left->pdata[0])->fits);
    ck_assert(((struct space_left *)left->pdata[1])->fits);
    sentences = space_shortage(space, left);
    ck_assert_uint_eq(sentences->len, 1);
    ck_assert_msg(strstr(sentences->pdata[0], "web, vda and db, vda") != NULL, "%s",
                  (char *)sentences->pdata[0]);
    ck_assert_msg(strstr(sentences->pdata[0], "1.0\302\240MiB short") != NULL, "%s",
                  (char *)sentences->pdata[0]);
    ck_assert_msg(strstr(sentences->pdata[0], "with --preallocation=metadata it would") != NULL,
                  "%s", (char *)sentences->pdata[0]);
    ck_assert_msg(strstr(sentences->pdata[0], a) == sentences->pdata[0], "%s",
                  (char *)sentences->pdata[0]);
    space_free(space);
    scratch_run(&s, "umount a b");
}
END_TEST

START_TEST(the_reserve_stays_free)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *m = scratch_path(&s, "m");
    g_autoptr(GPtrArray) left = NULL, sentences = NULL;
    struct space *space, *more;
    guint64 free_bytes;

    if (!private_mounts())
        return;
    space = space_new();
    more = space_new();
    scratch_run(&s, "mkdir m; truncate -s 100M fs; mkfs.ext4 -q fs; mount -o loop fs m");
    free_bytes = room(m);
    add(space, m, "web, vda", free_bytes, 0);
    left = measure(space);
    ck_assert(((struct space_left *)left->pdata[0])->fits);
    sentences = space_shortage(space, left);
    ck_assert_uint_eq(sentences->len, 0);
    g_ptr_array_unref(left);
    g_ptr_array_unref(sentences);
    add(more, m, "web, vda", free_bytes + 1, 0);
    left = measure(more);
    ck_assert(!((struct space_left *)left->pdata[0])->fits);
    sentences = space_shortage(more, left);
    ck_assert_uint_eq(sentences->len, 1);
    /* It is asked anew each time. */
    g_ptr_array_unref(left);
    scratch_run(&s, "fallocate -l 20M m/file");
    left = measure(space);
    ck_assert(!((struct space_left *)left->pdata[0])->fits);
    space_free(space);
    space_free(more);
    scratch_run(&s, "umount m");
}
END_TEST

/* Subvolumes of btrfs have device numbers of their own and share the space. */
START_TEST(subvolumes_share)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *a = scratch_path(&s, "m/a"), *b = scratch_path(&s, "m/b");
    g_autoptr(GPtrArray) left = NULL;
    struct space *space;

    if (!private_mounts())
        return;
    space = space_new();
    scratch_run(&s, "mkdir m; truncate -s 200M fs; mkfs.btrfs -q fs; mount -o loop fs m; "
                    "btrfs -q subvolume create m/a >/dev/null; "
                    "btrfs -q subvolume create m/b >/dev/null; "
                    "test $(stat -c %%d m/a) != $(stat -c %%d m/b)");
    add(space, a, "web, vda", MIB, 0);
    add(space, b, "db, vda", MIB, 0);
    left = measure(space);
    ck_assert_uint_eq(left->len, 1);
    ck_assert_uint_eq(((struct space_left *)left->pdata[0])->needed, 2 * MIB);
    space_free(space);
    scratch_run(&s, "umount m");
}
END_TEST

START_TEST(huge_needs_do_not_wrap)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GPtrArray) left = NULL, sentences = NULL;
    g_autofree char *absent = scratch_path(&s, "absent");
    const struct space_need nowhere = { .folder = absent, .name = "x", .bytes = 1 };
    struct space *space = space_new();
    g_autoptr(GError) error = NULL;

    add(space, s.folder, "web, vda", G_MAXUINT64 - 5, 0);
    add(space, s.folder, "db, vda", G_MAXUINT64 - 5, 0);
    left = measure(space);
    ck_assert(!((struct space_left *)left->pdata[0])->fits);
    sentences = space_shortage(space, left);
    ck_assert_uint_eq(sentences->len, 1);
    ck_assert(!space_add(space, &nowhere, &error));
    ck_assert_msg(strstr(error->message, absent) != NULL, "%s", error->message);
    space_free(space);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("space");
    TCase *tcase = tcase_create("space");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, the_whole_plan_counts);
    tcase_add_test(tcase, the_reserve_stays_free);
    tcase_add_test(tcase, subvolumes_share);
    tcase_add_test(tcase, huge_needs_do_not_wrap);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
