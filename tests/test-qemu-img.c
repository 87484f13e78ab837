/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-qemu-img.c: what is asked of the real qemu-img, on real images.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/guard.h"
#include "apply/qemu-img.h"
#include "tests/fuse-mount.h"
#include "tests/private-mounts.h"
#include "tests/scratch.h"

static const struct qemu_img_run plain = { 0 };

/* An image with 3 MiB of data in it. */
#define MAKE(format, options, name) \
    "head -c 1048576 /dev/urandom >part; " \
    "qemu-img create -q -f " format " " options " " name " 32M; " \
    "qemu-io -f " format " -c 'write -q -s part 0 1M' -c 'write -q -s part 9M 1M' " \
    "-c 'write -q -s part 31M 1M' " name "; "

static int
open_name(const scratch *s, const char *name, int flags)
{
    g_autofree char *path = scratch_path(s, name);
    int fd = open(path, flags | O_CLOEXEC, 0600);

    ck_assert_msg(fd >= 0, "%s: %s", path, g_strerror(errno));
    return fd;
}

static void
assert_ok(gboolean good, const GError *error)
{
    ck_assert_msg(good, "%s", error ? error->message : "failed without an error");
}

struct ticks {
    guint count;
    double last;
};

static void
tick(double percent, void *data)
{
    struct ticks *ticks = data;

    ck_assert(percent > ticks->last || ticks->count == 0);
    ticks->last = percent;
    ticks->count++;
}

static const struct {
    const char *make, *from, *to, *preallocation;
    const char *expect; /* a shell command that is true of "new" */
} convert_cases[] = {
    { MAKE("qcow2", "", "old"), "qcow2", "raw", "falloc",
      "test $(($(stat -c %b new) * 512)) -ge 33554432" },
    { MAKE("qcow2", "", "old"), "qcow2", "raw", "off",
      "test $(($(stat -c %b new) * 512)) -lt 8000000" },
    { MAKE("qcow2", "", "old"), "qcow2", "qcow2", "falloc",
      "test $(($(stat -c %b new) * 512)) -ge 33554432 -a "
      "$(qemu-img check --output=json -f qcow2 new | grep -c '\"allocated-clusters\": 512') = 1" },
    { MAKE("qcow2", "", "old"), "qcow2", "qcow2", "metadata",
      "test $(($(stat -c %b new) * 512)) -lt 8000000 -a "
      "$(qemu-img check --output=json -f qcow2 new | grep -c '\"allocated-clusters\": 512') = 1" },
    { MAKE("raw", "", "old"), "raw", "qcow2", "full",
      "test $(($(stat -c %b new) * 512)) -ge 33554432" },
    /* What a guest wrote into its raw disk is data. */
    { "qemu-img create -q -f qcow2 old 1M; truncate -s 1M old; ", "raw", "raw", "falloc",
      "cmp old new" },
};

START_TEST(converts_as_asked)
{
    g_auto(scratch) s = scratch_new();
    struct ticks ticks = { 0, -1 };
    const struct qemu_img_run run = { .progress = tick, .data = &ticks, .idle = TRUE };
    struct qemu_img_image from = { 0, convert_cases[_i].from }, to = { 0, convert_cases[_i].to };
    g_autoptr(GError) error = NULL;
    struct stat st;

    scratch_run(&s, "%s", convert_cases[_i].make);
    from.fd = open_name(&s, "old", O_RDONLY);
    to.fd = open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_convert(&run, &from, &to, convert_cases[_i].preallocation, NULL, &error),
              error);
    ck_assert(ticks.last >= 99 && ticks.last <= 100);
    scratch_run(&s, "%s", convert_cases[_i].expect);
    scratch_run(&s, "qemu-img compare -q -f %s -F %s old new", from.format, to.format);
    /* The very inode, and still nobody else's to read. */
    ck_assert_int_eq(fstat(to.fd, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_gt(st.st_size, 0);
    ticks = (struct ticks){ 0, -1 };
    ck_assert_int_eq(qemu_img_compare(&run, &from, &to, &error), QEMU_IMG_SAME);
    ck_assert(ticks.last >= 99 && ticks.last <= 100);
    close(from.fd);
    close(to.fd);
}
END_TEST

/* Names that QEMU would take for protocols, options or patterns, and a file without a name. */
static const char *const odd_names[] = {
    "-o", "nbd:localhost:1", "a,b,,c", "100%d", "two\nlines", "json:{}", "with space", "file:x",
};

START_TEST(any_name_will_do)
{
    g_auto(scratch) s = scratch_new();
    const char *name = odd_names[_i];
    struct qemu_img_image from = { 0, "qcow2" }, to = { 0, "raw" };
    g_autofree char *old = g_strconcat(name, ".qcow2", NULL);
    g_autofree char *from_path = scratch_path(&s, "plain"), *to_path = scratch_path(&s, old);
    g_autoptr(GError) error = NULL;
    struct qemu_img_size size;

    scratch_run(&s, MAKE("qcow2", "", "plain"));
    ck_assert_int_eq(rename(from_path, to_path), 0);
    from.fd = open_name(&s, old, O_RDONLY);
    to.fd = open(s.folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (to.fd < 0)
        to.fd = open_name(&s, name, O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_measure(&plain, &from, "raw", "falloc", NULL, &size, &error), error);
    ck_assert_int_eq(qemu_img_check(&plain, &from, &error), QEMU_IMG_CLEAN);
    assert_ok(qemu_img_convert(&plain, &from, &to, "falloc", NULL, &error), error);
    ck_assert_int_eq(qemu_img_compare(&plain, &from, &to, &error), QEMU_IMG_SAME);
    close(from.fd);
    close(to.fd);
}
END_TEST

START_TEST(layout_is_carried_over)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image from = { 0, "qcow2" }, to = { 0, "qcow2" };
    struct qemu_img_layout layout, copied;
    g_autoptr(GError) error = NULL;

    scratch_run(&s, MAKE("qcow2", "-o cluster_size=128k,extended_l2=on,lazy_refcounts=on,"
                                  "refcount_bits=32,compression_type=zstd", "old"));
    from.fd = open_name(&s, "old", O_RDONLY);
    to.fd = open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_layout(&plain, &from, &layout, &error), error);
    assert_ok(qemu_img_convert(&plain, &from, &to, "falloc", &layout, &error), error);
    assert_ok(qemu_img_layout(&plain, &to, &copied, &error), error);
    ck_assert_uint_eq(copied.cluster_size, 128 * 1024);
    ck_assert_str_eq(copied.compat, "1.1");
    ck_assert(copied.extended_l2 && copied.lazy_refcounts && copied.zstd);
    ck_assert_uint_eq(copied.refcount_bits, 32);
    close(from.fd);
    close(to.fd);

    scratch_run(&s, "qemu-img create -q -f qcow2 -o compat=0.10 old2 1M");
    from.fd = open_name(&s, "old2", O_RDONLY);
    to.fd = open_name(&s, "new2", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_layout(&plain, &from, &layout, &error), error);
    assert_ok(qemu_img_convert(&plain, &from, &to, "metadata", &layout, &error), error);
    assert_ok(qemu_img_layout(&plain, &to, &copied, &error), error);
    ck_assert_str_eq(copied.compat, "0.10");
    close(from.fd);
    close(to.fd);
}
END_TEST

START_TEST(comparison_tells_apart)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image a = { 0, "qcow2" }, b = { 0, "raw" };
    g_autoptr(GError) error = NULL;

    scratch_run(&s, MAKE("qcow2", "", "a") "qemu-img convert -f qcow2 -O raw a b");
    a.fd = open_name(&s, "a", O_RDONLY);
    b.fd = open_name(&s, "b", O_RDONLY);
    ck_assert_int_eq(qemu_img_compare(&plain, &a, &b, &error), QEMU_IMG_SAME);
    scratch_run(&s, "printf x | dd of=b bs=1 seek=20000000 conv=notrunc status=none");
    ck_assert_int_eq(qemu_img_compare(&plain, &a, &b, &error), QEMU_IMG_DIFFERENT);
    ck_assert_ptr_null(error);
    b.format = "qcow2";
    ck_assert_int_eq(qemu_img_compare(&plain, &a, &b, &error), QEMU_IMG_UNKNOWN);
    ck_assert(g_error_matches(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED));
    /* One line, without names that mean nothing outside. */
    ck_assert_msg(strstr(error->message, "/proc/") == NULL && !strchr(error->message, '\n'), "%s",
                  error->message);
    ck_assert_msg(strstr(error->message, "not in qcow2 format") != NULL, "%s", error->message);
    close(a.fd);
    close(b.fd);
}
END_TEST

static const struct {
    const char *make, *format;
    enum qemu_img_health health;
} check_cases[] = {
    { MAKE("qcow2", "", "i"), "qcow2", QEMU_IMG_CLEAN },
    { MAKE("raw", "", "i"), "raw", QEMU_IMG_UNCHECKED },
    /* A cluster at the end that is counted and that nobody uses. */
    { MAKE("qcow2", "", "i") "end=$(($(stat -c %s i) / 65536)); "
      "truncate -s $(((end + 1) * 65536)) i; "
      "printf '\\000\\001' | dd of=i bs=1 seek=$((0x20000 + 2 * end)) conv=notrunc status=none",
      "qcow2", QEMU_IMG_LEAKS },
    /* The first L2 entry leads to the L1 table. */
    { MAKE("qcow2", "", "i") "printf '\\200\\000\\000\\000\\000\\003\\000\\000' | dd of=i bs=1 "
      "seek=$((0x40000)) conv=notrunc status=none", "qcow2", QEMU_IMG_CORRUPT },
    { "truncate -s 1M i", "qcow2", QEMU_IMG_FAILED },
};

START_TEST(check_tells_apart)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image image = { 0, check_cases[_i].format };
    g_autoptr(GError) error = NULL;
    g_autofree char *before = NULL, *after = NULL;
    enum qemu_img_health health;

    scratch_run(&s, "%s", check_cases[_i].make);
    before = scratch_output(&s, "sha256sum i");
    image.fd = open_name(&s, "i", O_RDONLY);
    health = qemu_img_check(&plain, &image, &error);
    ck_assert_msg(health == check_cases[_i].health, "%d: %s", (int)health,
                  error ? error->message : "no error");
    ck_assert((error != NULL) == (health == QEMU_IMG_FAILED));
    after = scratch_output(&s, "sha256sum i");
    ck_assert_str_eq(before, after);
    close(image.fd);
}
END_TEST

/* What is measured is what a copy takes, within a MiB. */
static const struct {
    const char *to, *preallocation;
} measure_cases[] = {
    { "raw", "falloc" }, { "qcow2", "falloc" }, { "qcow2", "metadata" }, { "qcow2", "off" },
};

START_TEST(measure_foretells)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image from = { 0, "qcow2" }, to = { 0, measure_cases[_i].to };
    g_autoptr(GError) error = NULL;
    struct qemu_img_size size;
    guint64 taken;
    struct stat st;

    scratch_run(&s, MAKE("qcow2", "", "old"));
    from.fd = open_name(&s, "old", O_RDONLY);
    to.fd = open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_measure(&plain, &from, to.format, measure_cases[_i].preallocation, NULL,
                               &size, &error), error);
    assert_ok(qemu_img_convert(&plain, &from, &to, measure_cases[_i].preallocation, NULL, &error),
              error);
    ck_assert_int_eq(fsync(to.fd), 0);
    ck_assert_int_eq(fstat(to.fd, &st), 0);
    taken = (guint64)st.st_blocks * 512;
    ck_assert_msg(size.required + 65536 >= taken && size.required <= taken + 1024 * 1024,
                  "foretold %" G_GUINT64_FORMAT ", taken %" G_GUINT64_FORMAT, size.required, taken);
    ck_assert_uint_ge(size.fully_allocated, 32 * 1024 * 1024);
    close(from.fd);
    close(to.fd);
}
END_TEST

/* A guard of our own is no hindrance; another's program is. */
START_TEST(locks)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "old");
    struct qemu_img_image from = { 0, "qcow2" }, to = { 0, "raw" };
    struct guard *guard;
    g_autoptr(GError) error = NULL;
    int taken;

    scratch_run(&s, MAKE("qcow2", "", "old"));
    guard = guard_take(path, NULL);
    ck_assert_ptr_nonnull(guard);
    from.fd = guard_fd(guard);
    to.fd = open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_convert(&plain, &from, &to, "falloc", NULL, &error), error);
    ck_assert_int_eq(qemu_img_compare(&plain, &from, &to, &error), QEMU_IMG_SAME);
    ck_assert_int_eq(qemu_img_check(&plain, &from, &error), QEMU_IMG_CLEAN);
    ck_assert(guard_check(guard, &error));
    /* Once the new file is guarded, nothing writes to it. */
    assert_ok(guard_add(guard, to.fd, &error), error);
    ck_assert_int_eq(qemu_img_compare(&plain, &from, &to, &error), QEMU_IMG_SAME);
    ck_assert(!qemu_img_convert(&plain, &from, &to, "falloc", NULL, &error));
    ck_assert(g_error_matches(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_LOCKED));
    taken = (int)guard_identity(guard)->size;
    ck_assert_int_gt(taken, 0);
    guard_free(guard);
    close(to.fd);
}
END_TEST

static gpointer
cancel_soon(gpointer data)
{
    g_usleep(700000);
    g_cancellable_cancel(data);
    return NULL;
}

START_TEST(can_be_cancelled_and_slowed)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    const struct qemu_img_run run = { .cancellable = cancellable, .rate_limit_mib = 1 };
    struct qemu_img_image from = { 0, "raw" }, to = { 0, "raw" };
    g_autoptr(GError) error = NULL;
    gint64 start;
    GThread *thread;

    scratch_run(&s, "head -c 24M /dev/urandom >old");
    from.fd = open_name(&s, "old", O_RDONLY);
    to.fd = open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL);
    thread = g_thread_new("cancel", cancel_soon, cancellable);
    start = g_get_monotonic_time();
    /* Without the limit it would be done by then. */
    ck_assert(!qemu_img_convert(&run, &from, &to, "off", NULL, &error));
    ck_assert_msg(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED), "%s", error->message);
    ck_assert_int_lt(g_get_monotonic_time() - start, 10 * G_USEC_PER_SEC);
    g_thread_join(thread);
    /* It is gone, with its locks. */
    scratch_run(&s, "qemu-io -f raw -c 'write -q 0 512' new");
    g_clear_error(&error);
    ck_assert(!qemu_img_convert(&run, &from, &to, "off", NULL, &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
    close(from.fd);
    close(to.fd);
}
END_TEST

/* Killed outright, we leave no qemu-img that writes on. */
START_TEST(dies_with_us)
{
    g_auto(scratch) s = scratch_new();
    const struct qemu_img_run run = { .rate_limit_mib = 1 };
    g_autofree char *writers = NULL;
    pid_t child;

    scratch_run(&s, "head -c 24M /dev/urandom >old");
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct qemu_img_image from = { open_name(&s, "old", O_RDONLY), "raw" };
        struct qemu_img_image to = { open_name(&s, "new", O_RDWR | O_CREAT | O_EXCL), "raw" };

        qemu_img_convert(&run, &from, &to, "off", NULL, NULL);
        _exit(0);
    }
    scratch_run(&s, "for i in $(seq 100); do pgrep -P %d qemu-img >/dev/null && break; sleep 0.05; "
                    "done; pgrep -P %d qemu-img >qemu.pid", child, child);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    scratch_run(&s, "for i in $(seq 100); do kill -0 $(cat qemu.pid) 2>/dev/null || exit 0; "
                    "grep -q '^State:.Z' /proc/$(cat qemu.pid)/status && exit 0; sleep 0.05; done; "
                    "exit 1");
}
END_TEST

START_TEST(absent_is_said)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image image = { 0, "raw" };
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autoptr(GError) error = NULL;

    scratch_run(&s, "truncate -s 1M i");
    image.fd = open_name(&s, "i", O_RDONLY);
    g_setenv("PATH", s.folder, TRUE);
    ck_assert_int_eq(qemu_img_check(&plain, &image, &error), QEMU_IMG_FAILED);
    g_setenv("PATH", path, TRUE);
    ck_assert_msg(g_error_matches(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_ABSENT), "%s",
                  error->message);
    close(image.fd);
}
END_TEST

/* Another qemu-img, which answers what it likes. */
START_TEST(odd_answers_are_errors)
{
    static const struct {
        const char *script;
        enum qemu_img_error code;
    } cases[] = {
        { "echo '[]'", QEMU_IMG_ERROR_ANSWER },
        { "echo '{'", QEMU_IMG_ERROR_ANSWER },
        { "true", QEMU_IMG_ERROR_ANSWER },
        { "exit 1", QEMU_IMG_ERROR_FAILED },
        { "kill -9 $$", QEMU_IMG_ERROR_FAILED },
        { "yes error | head -c 10000000 >&2; exit 1", QEMU_IMG_ERROR_FAILED },
        { "yes '{' | head -c 40000000", QEMU_IMG_ERROR_ANSWER },
        { "echo 'x: No space left on device' >&2; exit 1", QEMU_IMG_ERROR_NO_SPACE },
    };
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image image = { 0, "raw" };
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autofree char *with = g_strdup_printf("%s:%s", s.folder, path);

    scratch_run(&s, "truncate -s 1M i");
    image.fd = open_name(&s, "i", O_RDONLY);
    g_setenv("PATH", with, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        struct qemu_img_layout layout;

        scratch_run(&s, "cat >qemu-img <<'END'\n#!/bin/sh\n%s\nEND\nchmod 755 qemu-img",
                    cases[i].script);
        ck_assert(!qemu_img_layout(&plain, &image, &layout, &error));
        ck_assert_msg(g_error_matches(error, QEMU_IMG_ERROR, (int)cases[i].code), "%s: %s",
                      cases[i].script, error->message);
        ck_assert_uint_lt(strlen(error->message), 5000);
    }
    g_setenv("PATH", path, TRUE);
    close(image.fd);
}
END_TEST

START_TEST(direct_io_is_not_needed)
{
    static const char *const rules[][3] = {
        { "direct:*:EINVAL", NULL },
        { "direct:new:EINVAL", NULL },
    };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    const struct qemu_img_run run = { .notes = notes };
    struct qemu_img_image from = { 0, "qcow2" }, to = { 0, "raw" };
    g_autoptr(GError) error = NULL;

    if (fuse_mount_missing())
        return;
    scratch_run(&s, "mkdir under m; " MAKE("qcow2", "", "under/old"));
    mount = fuse_mount_start(&s, "under", "m", rules[_i]);
    from.fd = open_name(&s, "m/old", O_RDONLY);
    to.fd = open_name(&s, "m/new", O_RDWR | O_CREAT | O_EXCL);
    assert_ok(qemu_img_convert(&run, &from, &to, "off", NULL, &error), error);
    ck_assert_int_eq(fsync(to.fd), 0);
    ck_assert_int_eq(qemu_img_compare(&run, &from, &to, &error), QEMU_IMG_SAME);
    ck_assert_uint_eq(notes->len, 1);
    close(from.fd);
    close(to.fd);
}
END_TEST

START_TEST(a_full_disk_is_said)
{
    g_auto(scratch) s = scratch_new();
    struct qemu_img_image from = { 0, "raw" }, to = { 0, "raw" };
    g_autoptr(GError) error = NULL;

    if (!private_mounts())
        return;
    scratch_run(&s, "head -c 24M /dev/urandom >old; truncate -s 20M disk; mkfs.ext4 -q disk; "
                    "mkdir m; mount -o loop disk m");
    from.fd = open_name(&s, "old", O_RDONLY);
    to.fd = open_name(&s, "m/new", O_RDWR | O_CREAT | O_EXCL);
    for (int i = 0; i < 2; i++) {
        g_clear_error(&error);
        ck_assert(!qemu_img_convert(&plain, &from, &to, i ? "falloc" : "off", NULL, &error));
        if (!g_error_matches(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_NO_SPACE))
            break;
    }
    close(from.fd);
    close(to.fd);
    scratch_run(&s, "umount m");
    ck_assert_msg(g_error_matches(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_NO_SPACE), "%s",
                  error->message);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qemu-img");
    TCase *tcase = tcase_create("qemu-img");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, converts_as_asked, 0, G_N_ELEMENTS(convert_cases));
    tcase_add_loop_test(tcase, any_name_will_do, 0, G_N_ELEMENTS(odd_names));
    tcase_add_test(tcase, layout_is_carried_over);
    tcase_add_test(tcase, comparison_tells_apart);
    tcase_add_loop_test(tcase, check_tells_apart, 0, G_N_ELEMENTS(check_cases));
    tcase_add_loop_test(tcase, measure_foretells, 0, G_N_ELEMENTS(measure_cases));
    tcase_add_test(tcase, locks);
    tcase_add_test(tcase, can_be_cancelled_and_slowed);
    tcase_add_test(tcase, dies_with_us);
    tcase_add_test(tcase, absent_is_said);
    tcase_add_test(tcase, odd_answers_are_errors);
    tcase_add_loop_test(tcase, direct_io_is_not_needed, 0, 2);
    tcase_add_test(tcase, a_full_disk_is_said);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
