/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-image.c: facts of raw images, of what is no image, and of chains.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/chain.h"
#include "probe/image.h"
#include "tests/scratch.h"

#define QCOW2 "qemu-img create -q -f qcow2 "

static struct image_facts *
probe_name(const scratch *s, const char *name)
{
    g_autofree char *path = scratch_path(s, name);

    return image_probe(path, NULL, G_MAXINT64);
}

static void
assert_contains(const char *text, const char *part)
{
    ck_assert_msg(text && strstr(text, part), "'%s' is not in '%s'", part, text);
}

/* ---- Raw images -------------------------------------------------------------------------- */

static const struct {
    const char *script;
    gboolean filled; /* falloc or full; which of the two only extents that were flushed tell */
    guint64 size;
} raw_cases[] = {
    { "truncate -s 64M i", FALSE, 64 << 20 },
    { "fallocate -l 64M i", TRUE, 64 << 20 },
    { "fallocate -l 1000001 i", TRUE, 1000001 },
    { "dd if=/dev/zero of=i bs=1M count=16 conv=fsync status=none", TRUE, 16 << 20 },
    { "qemu-img create -q -f raw i 64M", FALSE, 64 << 20 },
    { "qemu-img create -q -f raw -o preallocation=falloc i 64M", TRUE, 64 << 20 },
    { "qemu-img create -q -f raw -o preallocation=full i 16M", TRUE, 16 << 20 },
    /* Half of it, and all but a hole of 1 MiB. */
    { "truncate -s 64M i; fallocate -l 32M i", FALSE, 64 << 20 },
    { "fallocate -l 64M i; fallocate -p -o 8M -l 1M i", FALSE, 64 << 20 },
    /* Reserved beyond the end: that is no use to the guest. */
    { "truncate -s 64M i; fallocate -n -o 64M -l 64M i", FALSE, 64 << 20 },
};

START_TEST(raw_image)
{
    g_auto(scratch) s = scratch_new();
    struct image_facts *facts;
    gboolean filled;

    scratch_run(&s, "%s", raw_cases[_i].script);
    facts = probe_name(&s, "i");
    filled = facts->preallocation == PREALLOCATION_FALLOC ||
             facts->preallocation == PREALLOCATION_FULL;
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_str_eq(facts->format, "raw");
    ck_assert_msg(filled == raw_cases[_i].filled &&
                      (filled || facts->preallocation == PREALLOCATION_OFF),
                  "%s: %s", raw_cases[_i].script, preallocation_name(facts->preallocation));
    ck_assert_uint_eq(facts->virtual_size, raw_cases[_i].size);
    ck_assert_uint_eq(facts->file_size, raw_cases[_i].size);
    ck_assert_double_ge(facts->host_allocated, filled ? 0.999 : 0);
    ck_assert_double_le(facts->host_allocated, filled ? 1 : 0.99);
    ck_assert_uint_eq(facts->version, 0);
    image_facts_free(facts);
}
END_TEST

START_TEST(empty_image)
{
    g_auto(scratch) s = scratch_new();
    struct image_facts *facts;

    scratch_write(&s, "i", "", 0);
    facts = probe_name(&s, "i");
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    ck_assert_str_eq(facts->preallocation_unknown, "the file is empty");
    image_facts_free(facts);
}
END_TEST

START_TEST(other_formats)
{
    static const char *const formats[] = { "qcow", "qed", "vmdk", "vdi", "vhdx", "vpc",
                                           "parallels" };
    g_auto(scratch) s = scratch_new();
    struct image_facts *facts;

    scratch_run(&s, "qemu-img create -q -f %s i 64M", formats[_i]);
    facts = probe_name(&s, "i");
    ck_assert_str_eq(facts->format, formats[_i]);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    assert_contains(facts->preallocation_unknown, formats[_i]);
    ck_assert_int_ne(facts->direct_io, FACT_YES);
    image_facts_free(facts);
}
END_TEST

/* ---- What is no image -------------------------------------------------------------------- */

static const struct {
    const char *script;
    enum image_state state;
    const char *reason;
} not_images[] = {
    { "mkfifo i", IMAGE_UNKNOWN, "it is a FIFO" },
    { "mkdir i", IMAGE_UNKNOWN, "it is a directory" },
    { "ln -s /dev/null i", IMAGE_UNKNOWN, "it is a character device" },
    { "ln -s /dev/tty i", IMAGE_UNKNOWN, "it is a character device" },
    { "ln -s /proc/self/status i", IMAGE_UNKNOWN, "it is in a file system of the kernel's own" },
    { "ln -s /sys/kernel/uevent_seqnum i", IMAGE_UNKNOWN,
      "it is in a file system of the kernel's own" },
    { "true", IMAGE_ELSEWHERE, "no such file on this host" },
    { "ln -s nowhere i", IMAGE_ELSEWHERE, "no such file on this host" },
    { "ln -s f/g i; touch f", IMAGE_ELSEWHERE, "no such file on this host" },
    { "ln -s i i", IMAGE_UNKNOWN, "too many levels of symbolic links" },
    { "mkfifo f; ln -s f i", IMAGE_UNKNOWN, "it is a FIFO" },
};

START_TEST(not_an_image)
{
    g_auto(scratch) s = scratch_new();
    struct image_facts *facts;

    scratch_run(&s, "%s", not_images[_i].script);
    facts = probe_name(&s, "i");
    ck_assert_int_eq(facts->state, not_images[_i].state);
    ck_assert_str_eq(facts->unknown, not_images[_i].reason);
    ck_assert_ptr_null(facts->format);
    ck_assert_int_eq(facts->direct_io, FACT_UNKNOWN);
    image_facts_free(facts);
}
END_TEST

START_TEST(name_too_long)
{
    g_autofree char *name = g_strnfill(5000, 'x');
    g_autofree char *path = g_strconcat("/", name, NULL);
    struct image_facts *facts = image_probe(path, NULL, G_MAXINT64);

    ck_assert_int_eq(facts->state, IMAGE_UNKNOWN);
    ck_assert_ptr_nonnull(facts->unknown);
    image_facts_free(facts);
}
END_TEST

/* What an unprivileged process finds out about the image at @path: exit status 0 for "permission
 * denied". */
static int
probe_unprivileged(const char *path)
{
    struct image_facts *facts;
    gboolean ok;

    if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
        return 2;
    facts = image_probe(path, NULL, G_MAXINT64);
    ok = facts->state == IMAGE_UNKNOWN &&
         g_str_equal(facts->unknown, "permission denied: run as root");
    image_facts_free(facts);
    return ok ? 0 : 1;
}

START_TEST(no_permission)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *image = scratch_path(&s, "i"), *hidden = scratch_path(&s, "d/i");
    const char *paths[] = { image, hidden };

    scratch_run(&s, "chmod 755 .; truncate -s 1M i; chmod 0 i; mkdir d; truncate -s 1M d/i; "
                "chmod 0 d");
    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        int status;
        pid_t child = fork();

        if (child == 0)
            _exit(probe_unprivileged(paths[i]));
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    scratch_run(&s, "chmod 700 d");
}
END_TEST

/* ---- Chains ------------------------------------------------------------------------------ */

/* Whether a plain file there works with O_DIRECT: that differs between hosts. */
static enum fact_answer
plain_answer(const scratch *s)
{
    struct image_facts *facts;
    enum fact_answer answer;

    scratch_run(s, "truncate -s 1M plain");
    facts = probe_name(s, "plain");
    answer = facts->direct_io;
    ck_assert_int_ne(answer, FACT_UNKNOWN);
    image_facts_free(facts);
    return answer;
}

static const struct {
    const char *script;
    gboolean whole;         /* all files of the chain can be looked at */
    const char *reason;     /* else: part of the reason */
    const char *missing;    /* name of the file that is not there */
} chains[] = {
    { QCOW2 "i 1M", TRUE, NULL, NULL },
    { QCOW2 "a 1M; " QCOW2 "-b a -F qcow2 b; " QCOW2 "-b b -F qcow2 i", TRUE, NULL, NULL },
    { "mkdir d e; " QCOW2 "e/a 1M; " QCOW2 "-u -b ../e/a -F qcow2 d/b 1M; "
      QCOW2 "-b d/b -F qcow2 i", TRUE, NULL, NULL },
    { "truncate -s 1M a; " QCOW2 "-b a -F raw i", TRUE, NULL, NULL },
    { QCOW2 "a 1M; " QCOW2 "-b file:a -F qcow2 i", TRUE, NULL, NULL },
    { QCOW2 "-o data_file=d i 1M", TRUE, NULL, NULL },
    /* No format declared: found out by looking, as QEMU does. */
    { QCOW2 "a 1M; " QCOW2 "-b a -F qcow2 b; " QCOW2 "-b b -F qcow2 i; "
      "qemu-img rebase -u -F '' -b b i || true", TRUE, NULL, NULL },
    { QCOW2 "a 1M; " QCOW2 "-b a -F qcow2 i; rm a", FALSE, "no such file on this host", "a" },
    { QCOW2 "a 1M; " QCOW2 "-b a -F qcow2 b; " QCOW2 "-b b -F qcow2 i; rm a", FALSE,
      "no such file on this host", "a" },
    { QCOW2 "-o data_file=d i 1M; rm d", FALSE, "no such file on this host", "d" },
    { QCOW2 "-u -b nbd://nowhere/x -F raw i 1M", FALSE, "no local file", NULL },
    { QCOW2 "-u -b 'json:{\"driver\":\"null-co\"}' -F raw i 1M", FALSE, "no local file", NULL },
    { "ln -s i l; " QCOW2 "-u -b l -F qcow2 i 1M", FALSE, "comes back", NULL },
    { QCOW2 "-u -b b -F qcow2 i 1M; " QCOW2 "-u -b i -F qcow2 b 1M", FALSE, "comes back", NULL },
    { QCOW2 "-u -b b -F qcow2 i 1M; mkfifo b", FALSE, "it is a FIFO", NULL },
    { QCOW2 "-u -b /dev/zero -F raw i 1M", FALSE, "it is a character device", NULL },
    { QCOW2 "-u -b b -F vmdk i 1M; truncate -s 1M b", FALSE, "format vmdk", NULL },
    { QCOW2 "-u -b b -F qcow2 i 1M; truncate -s 1M b", FALSE, "malformed", NULL },
    /* A guest may write what it likes into its raw disk: its header names nothing here. */
    { QCOW2 "-u -b /nowhere -F qcow2 a 1M; " QCOW2 "-u -b a -F raw i 1M", TRUE, NULL, NULL },
};

START_TEST(chain)
{
    g_auto(scratch) s = scratch_new();
    enum fact_answer plain = plain_answer(&s);
    g_autofree char *missing = NULL;
    struct image_facts *facts;

    scratch_run(&s, "%s", chains[_i].script);
    facts = probe_name(&s, "i");
    ck_assert_str_eq(facts->format, "qcow2");
    if (chains[_i].whole) {
        ck_assert_msg(facts->direct_io == plain, "%s: %s", chains[_i].script,
                      facts->direct_io_reason);
    } else if (plain == FACT_YES) {
        ck_assert_int_eq(facts->direct_io, FACT_UNKNOWN);
        assert_contains(facts->direct_io_reason, chains[_i].reason);
    }
    if (chains[_i].missing)
        missing = scratch_path(&s, chains[_i].missing);
    ck_assert_pstr_eq(facts->chain_missing, missing);
    image_facts_free(facts);
}
END_TEST

/* A chain of @n files: f0 on f1 on ... on the last, which is raw. */
static void
make_chain(const scratch *s, guint n)
{
    for (guint i = 0; i < n; i++) {
        g_autofree char *name = g_strdup_printf("f%u", i);
        g_autofree char *backing = g_strdup_printf("f%u", i + 1);
        guint8 bytes[512] = "QFI\xfb\0\0\0\2";
        guint32 length = GUINT32_TO_BE((guint32)strlen(backing));

        bytes[15] = 200; /* where the backing file's name is */
        memcpy(bytes + 16, &length, 4);
        bytes[23] = 9; /* clusters of 512 bytes */
        memcpy(bytes + 200, backing, strlen(backing));
        scratch_write(s, name, bytes, sizeof bytes);
    }
}

START_TEST(long_chain)
{
    g_auto(scratch) s = scratch_new();
    enum fact_answer plain = plain_answer(&s);
    struct image_facts *facts;

    make_chain(&s, 150);
    scratch_run(&s, "cp plain f150");
    facts = probe_name(&s, "f0");
    ck_assert_str_eq(facts->backing_file, "f1");
    ck_assert_msg(facts->direct_io == plain, "%s", facts->direct_io_reason);
    image_facts_free(facts);

    make_chain(&s, 250);
    scratch_run(&s, "cp plain f250");
    facts = probe_name(&s, "f0");
    ck_assert_int_ne(facts->direct_io, FACT_YES);
    if (plain == FACT_YES)
        assert_contains(facts->direct_io_reason, "the chain is too long");
    image_facts_free(facts);
}
END_TEST

START_TEST(resolve)
{
    static const struct {
        const char *path, *name, *resolved;
    } names[] = {
        { "/a/b/i", "c", "/a/b/c" },
        { "/a/b/i", "../c", "/a/b/../c" },
        { "/a/b/i", "/c", "/c" },
        { "/a/b/i", "file:/c", "/c" },
        { "/a/b/i", "file:c", "/a/b/c" },
        { "/a/b/i", "./x:y", "/a/b/./x:y" },
        { "/a/b/i", "d/x:y", "/a/b/d/x:y" },
        { "/a/b/i", "x:y", NULL },
        { "/a/b/i", "nbd://host/x", NULL },
        { "/a/b/i", "json:{\"driver\":\"file\"}", NULL },
        { "/a/b/i", "", NULL },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *resolved = chain_resolve(names[i].path, names[i].name);

        ck_assert_pstr_eq(resolved, names[i].resolved);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("image");
    TCase *raw = tcase_create("raw"), *none = tcase_create("no image"),
          *chained = tcase_create("chain");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(raw, 60);
    tcase_add_loop_test(raw, raw_image, 0, G_N_ELEMENTS(raw_cases));
    tcase_add_test(raw, empty_image);
    tcase_add_loop_test(raw, other_formats, 0, 7);
    suite_add_tcase(suite, raw);
    tcase_set_timeout(none, 60);
    tcase_add_loop_test(none, not_an_image, 0, G_N_ELEMENTS(not_images));
    tcase_add_test(none, name_too_long);
    tcase_add_test(none, no_permission);
    suite_add_tcase(suite, none);
    tcase_set_timeout(chained, 60);
    tcase_add_loop_test(chained, chain, 0, G_N_ELEMENTS(chains));
    tcase_add_test(chained, long_chain);
    tcase_add_test(chained, resolve);
    suite_add_tcase(suite, chained);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
