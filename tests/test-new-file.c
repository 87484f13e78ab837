/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-new-file.c: the new image while it is made, and what names come to mean; on real file
 * systems.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/file-name.h"
#include "apply/image-name.h"
#include "apply/new-file.h"
#include "tests/fuse-mount.h"
#include "tests/private-mounts.h"
#include "tests/scratch.h"

static int
open_name(const scratch *s, const char *name)
{
    g_autofree char *path = scratch_path(s, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    ck_assert_msg(fd >= 0, "%s: %s", path, g_strerror(errno));
    return fd;
}

static void
assert_ok(gboolean good, const GError *error)
{
    ck_assert_msg(good, "%s", error ? error->message : "failed without an error");
}

static struct new_file *
create(const scratch *s, const char *folder, int original)
{
    g_autofree char *path = scratch_path(s, folder);
    g_autoptr(GError) error = NULL;
    struct new_file *file = new_file_create(path, original, &error);

    assert_ok(file != NULL, error);
    return file;
}

static gboolean
name_it(struct new_file *file, const scratch *s, const char *name, GError **error)
{
    g_autofree char *path = scratch_path(s, name);

    return new_file_name(file, path, error);
}

/* The names in the folder, in a line. */
static void
assert_folder(const scratch *s, const char *folder, const char *expected)
{
    g_autofree char *found = scratch_output(s, "ls -A %s | tr '\\n' ' '", folder);

    g_strchomp(found);
    ck_assert_str_eq(found, expected);
}

/* What stat(1) says of a file. */
static void
assert_stat(const scratch *s, const char *name, const char *format, const char *expected)
{
    g_autofree char *found = scratch_output(s, "stat -c '%s' %s", format, name);

    g_strchomp(found);
    ck_assert_msg(g_str_equal(found, expected), "%s: %s is '%s', not '%s'", name, format, found,
                  expected);
}

START_TEST(has_no_name_until_it_is_whole)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    struct file_identity before, after;
    g_autofree char *path = scratch_path(&s, "d/new");
    struct new_file *file;
    struct stat st;
    int original;

    scratch_run(&s, "mkdir d; printf old >d/old; chmod 644 d/old");
    original = open_name(&s, "d/old");
    umask(0);
    file = create(&s, "d", original);
    if (!new_file_temporary(file))
        assert_folder(&s, "d", "old");
    ck_assert_int_eq(fstat(new_file_fd(file), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_eq(st.st_size, 0);
    ck_assert_int_eq(write(new_file_fd(file), "new", 3), 3);
    assert_ok(new_file_flush(file, &error), error);
    assert_ok(new_file_identity(file, &before, &error), error);
    /* What is there is not replaced. */
    ck_assert(!name_it(file, &s, "d/old", &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_EXISTS));
    g_clear_error(&error);
    assert_ok(name_it(file, &s, "d/new", &error), error);
    assert_folder(&s, "d", "new old");
    assert_ok(file_identity_at(path, &after, &error), error);
    ck_assert(file_identity_unchanged(&before, &after));
    ck_assert_ptr_null(new_file_temporary(file));
    new_file_free(file);
    scratch_run(&s, "test \"$(cat d/new) $(cat d/old)\" = 'new old'");
    close(original);
}
END_TEST

START_TEST(nothing_is_left_of_what_got_no_name)
{
    g_auto(scratch) s = scratch_new();
    int original;
    pid_t child;

    scratch_run(&s, "mkdir d; printf old >d/old");
    original = open_name(&s, "d/old");
    new_file_free(create(&s, "d", original));
    assert_folder(&s, "d", "old");
    /* Killed in the middle. */
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct new_file *file = create(&s, "d", original);

        if (new_file_temporary(file) || write(new_file_fd(file), "new", 3) != 3)
            _exit(0);
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    assert_folder(&s, "d", "old");
    close(original);
}
END_TEST

/* A file system without O_TMPFILE, and its ways to rename. */
static const struct {
    const char *rules[3];
    gboolean good;
} fuse_cases[] = {
    { { NULL }, TRUE },
    { { "rename-flags:*:EINVAL", NULL }, TRUE },
    { { "rename-flags:*:EINVAL", "link:*:EOPNOTSUPP", NULL }, FALSE },
};

START_TEST(works_without_unnamed_files)
{
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    g_autoptr(GError) error = NULL;
    struct new_file *file;
    int original;

    if (fuse_mount_missing())
        return;
    scratch_run(&s, "mkdir under m; printf old >under/old; chmod 644 under/old");
    mount = fuse_mount_start(&s, "under", "m", fuse_cases[_i].rules);
    original = open_name(&s, "m/old");
    umask(0);
    file = create(&s, "m", original);
    ck_assert_ptr_nonnull(new_file_temporary(file));
    assert_stat(&s, "under/.domlint-*.tmp", "%a %s", "600 0");
    ck_assert(!name_it(file, &s, "m/old", &error));
    g_clear_error(&error);
    ck_assert_int_eq(name_it(file, &s, "m/new", &error), fuse_cases[_i].good);
    if (!fuse_cases[_i].good)
        ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED));
    new_file_free(file);
    assert_folder(&s, "under", fuse_cases[_i].good ? "new old" : "old");
    scratch_run(&s, "test $(cat under/old) = old -a $(stat -c %%h under/old) = 1");
    close(original);
}
END_TEST

START_TEST(a_failing_flush_is_said)
{
    const char *rules[] = { "fsync:*:EIO", NULL };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    g_autoptr(GError) error = NULL;
    struct new_file *file;
    int original;

    if (fuse_mount_missing())
        return;
    scratch_run(&s, "mkdir under m; printf old >under/old");
    mount = fuse_mount_start(&s, "under", "m", rules);
    original = open_name(&s, "m/old");
    file = create(&s, "m", original);
    ck_assert(!new_file_flush(file, &error));
    ck_assert_msg(strstr(error->message, "flushed") != NULL, "%s", error->message);
    new_file_free(file);
    assert_folder(&s, "under", "old");
    close(original);
}
END_TEST

START_TEST(gets_the_old_ones_attributes)
{
    g_auto(scratch) s = scratch_new();
    gboolean root = geteuid() == 0;
    g_autoptr(GError) error = NULL;
    g_autofree char *attributes = NULL;
    struct new_file *file;
    struct stat st;
    int original;

    scratch_run(&s, "mkdir d; printf old >d/old; chmod 2640 d/old; "
                    "setfattr -n user.note -v kept d/old");
    if (root)
        scratch_run(&s, "chown 64055:107 d/old; chmod 2640 d/old; setfacl -m u:1000:r d/old; "
                        "setfacl -d -m u:1234:rwx d; "
                        "setfattr -n trusted.libvirt.security.dac -v +1000:+1000 d/old; "
                        "setfattr -n trusted.libvirt.security.ref_dac -v 1 d/old; "
                        "setfattr -n trusted.other -v kept d/old");
    original = open_name(&s, "d/old");
    umask(0);
    file = create(&s, "d", original);
    /* The folder's default ACL lets nobody in before. */
    ck_assert_int_eq(fstat(new_file_fd(file), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    assert_ok(new_file_dress(file, original, &error), error);
    assert_ok(name_it(file, &s, "d/new", &error), error);
    new_file_free(file);
    if (root) {
        assert_stat(&s, "d/new", "%u:%g %a", "64055:107 2640");
        scratch_run(&s, "getfacl -cnE d/old >a; getfacl -cnE d/new >b; cmp a b; "
                        "grep -q user:1000:r b; ! grep -q 1234 b");
        attributes = scratch_output(&s, "getfattr --absolute-names -m - d/new");
        ck_assert_msg(strstr(attributes, "trusted.other") != NULL, "%s", attributes);
        ck_assert_msg(strstr(attributes, "user.note") != NULL, "%s", attributes);
        ck_assert_msg(strstr(attributes, "libvirt") == NULL, "%s", attributes);
        scratch_run(&s, "getfattr --absolute-names -m - d/old | grep -q libvirt.security.dac");
    } else {
        assert_stat(&s, "d/new", "%a", "2640");
    }
    close(original);
}
END_TEST

START_TEST(keeps_nocow)
{
    g_auto(scratch) s = scratch_new();
    struct new_file *file;
    g_autoptr(GError) error = NULL;
    int original;

    if (!private_mounts())
        return;
    scratch_run(&s, "truncate -s 120M disk; mkfs.btrfs -q disk; mkdir m; mount -o loop disk m; "
                    "mkdir m/plain m/nocow; chattr +C m/nocow; touch m/plain/old m/plain/cow; "
                    "chattr +C m/plain/old; echo x >>m/plain/old; echo x >m/nocow/old");
    for (int i = 0; i < 3; i++) {
        static const char *const olds[] = { "m/plain/old", "m/nocow/old", "m/plain/cow" };
        static const char *const news[] = { "m/plain/new", "m/nocow/new", "m/plain/new2" };
        g_autofree char *folder = g_path_get_dirname(olds[i]);
        g_autofree char *flags = NULL;

        original = open_name(&s, olds[i]);
        file = create(&s, folder, original);
        ck_assert_int_eq(write(new_file_fd(file), "new", 3), 3);
        assert_ok(new_file_dress(file, original, &error), error);
        assert_ok(name_it(file, &s, news[i], &error), error);
        new_file_free(file);
        flags = scratch_output(&s, "lsattr %s | cut -d ' ' -f 1", news[i]);
        ck_assert_msg((strchr(flags, 'C') != NULL) == (i < 2), "%s: %s", news[i], flags);
        close(original);
    }
    scratch_run(&s, "umount m");
}
END_TEST

START_TEST(works_on_xfs_and_says_where_it_cannot)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = scratch_path(&s, "m");
    struct new_file *file;
    int original;

    if (!private_mounts())
        return;
    scratch_run(&s, "truncate -s 300M disk; mkfs.xfs -q disk; mkdir m; mount -o loop disk m; "
                    "echo x >m/old");
    original = open_name(&s, "m/old");
    file = create(&s, "m", original);
    assert_ok(name_it(file, &s, "m/new", &error), error);
    new_file_free(file);
    assert_ok(file_name_can_exchange(folder, &error), error);
    scratch_run(&s, "mount -o remount,ro m");
    ck_assert_ptr_null(new_file_create(folder, original, &error));
    ck_assert_msg(strstr(error->message, folder) != NULL, "%s", error->message);
    close(original);
    scratch_run(&s, "umount m");
}
END_TEST

/* ---- Names ----------------------------------------------------------------------------- */

START_TEST(exchanges)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *a = scratch_path(&s, "a"), *b = scratch_path(&s, "b"),
                    *c = scratch_path(&s, "c");
    g_autoptr(GError) error = NULL;

    scratch_run(&s, "printf A >a; printf B >b");
    assert_ok(file_name_can_exchange(s.folder, &error), error);
    assert_folder(&s, ".", "a b");
    assert_ok(file_name_exchange(a, b, &error), error);
    scratch_run(&s, "test $(cat a) = B -a $(cat b) = A");
    ck_assert(!file_name_exchange(a, c, &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND));
    g_clear_error(&error);
    ck_assert(!file_name_move(a, b, &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_EXISTS));
    g_clear_error(&error);
    assert_ok(file_name_move(a, c, &error), error);
    scratch_run(&s, "test ! -e a -a $(cat b) = A -a $(cat c) = B");
}
END_TEST

START_TEST(says_where_it_cannot_exchange)
{
    const char *rules[] = { "rename-flags:*:EINVAL", NULL };
    g_auto(scratch) s = scratch_new();
    g_auto(fuse_mount) mount = { 0 };
    g_autofree char *folder = scratch_path(&s, "m");
    g_autoptr(GError) error = NULL;

    if (fuse_mount_missing())
        return;
    mount = fuse_mount_start(&s, "under", "m", rules);
    ck_assert(!file_name_can_exchange(folder, &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED));
    assert_folder(&s, "under", "");
}
END_TEST

START_TEST(removes_only_what_it_was_told)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *a = scratch_path(&s, "a");
    g_autoptr(GError) error = NULL;
    struct file_identity identity, aged;

    scratch_run(&s, "printf A >a; printf B >b");
    assert_ok(file_identity_at(a, &identity, &error), error);
    /* What the file is written with does not matter. */
    scratch_run(&s, "printf more >>a; mv b c; mv a b; ln -s b a");
    ck_assert(!file_name_remove(a, &identity, &error));
    ck_assert(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG));
    g_clear_error(&error);
    scratch_run(&s, "mv c a");
    ck_assert(!file_name_remove(a, &identity, &error));
    g_clear_error(&error);
    assert_folder(&s, ".", "a b");
    scratch_run(&s, "mv b a");
    /* The same number, but another file's: it was free in between. */
    aged = identity;
    aged.birth_ns -= 1;
    if (identity.birth_ns != 0)
        ck_assert(!file_name_remove(a, &aged, NULL));
    assert_ok(file_name_remove(a, &identity, &error), error);
    assert_folder(&s, ".", "");
    assert_ok(file_name_remove(a, &identity, &error), error);
}
END_TEST

static const struct {
    const char *script; /* makes the image */
    const char *path, *from, *to;
    const char *real, *new_real, *new_path; /* NULL: refused */
} name_cases[] = {
    { "touch web.qcow2", "web.qcow2", "qcow2", "raw", "web.qcow2", "web.raw", "web.raw" },
    { "touch web.img", "web.img", "qcow2", "raw", "web.img", "web.raw", "web.raw" },
    { "touch web.IMG", "web.IMG", "raw", "qcow2", "web.IMG", "web.qcow2", "web.qcow2" },
    { "touch web.example.com", "web.example.com", "qcow2", "raw", "web.example.com",
      "web.example.com.raw", "web.example.com.raw" },
    { "touch web", "web", "qcow2", "raw", "web", "web.raw", "web.raw" },
    { "touch .qcow2", ".qcow2", "qcow2", "raw", ".qcow2", ".qcow2.raw", ".qcow2.raw" },
    /* A qcow2 image that is called .raw. */
    { "touch web.raw", "web.raw", "qcow2", "raw", "web.raw", "web.raw.raw", "web.raw.raw" },
    { "touch web.qcow2", "web.qcow2", "qcow2", "qcow2", "web.qcow2", "web.qcow2.domlint-7",
      "web.qcow2" },
    /* Links: the folder itself, within it, into another. */
    { "mkdir d; touch d/web.qcow2; ln -s d e", "e/web.qcow2", "qcow2", "raw", "d/web.qcow2",
      "d/web.raw", "e/web.raw" },
    { "touch a.qcow2; ln -s a.qcow2 web.img", "web.img", "qcow2", "raw", "a.qcow2", "a.raw",
      "a.raw" },
    { "mkdir d; touch d/a.qcow2; ln -s d/a.qcow2 web.img", "web.img", "qcow2", "raw", NULL, NULL,
      NULL },
    { "mkdir d; touch d/a.qcow2; ln -s d/a.qcow2 web.img", "web.img", "qcow2", "qcow2",
      "d/a.qcow2", "d/a.qcow2.domlint-7", "web.img" },
    { "true", "web.qcow2", "qcow2", "raw", NULL, NULL, NULL },
    { "touch $(printf %0253d 1)", NULL, "qcow2", "raw", NULL, NULL, NULL },
};

static void
assert_path(const scratch *s, const char *found, const char *expected)
{
    g_autofree char *path = scratch_path(s, expected);

    ck_assert_str_eq(found, path);
}

START_TEST(names)
{
    g_auto(scratch) s = scratch_new();
    const char *given = name_cases[_i].path;
    g_autofree char *longest = g_strdup_printf("%0253d", 1);
    g_autofree char *path = scratch_path(&s, given ? given : longest);
    g_autoptr(GError) error = NULL;
    struct image_name *name;

    scratch_run(&s, "%s", name_cases[_i].script);
    name = image_name_for(path, name_cases[_i].from, name_cases[_i].to, "7", &error);
    if (!name_cases[_i].real) {
        ck_assert_ptr_null(name);
        ck_assert_ptr_nonnull(error);
        return;
    }
    assert_ok(name != NULL, error);
    assert_path(&s, name->real, name_cases[_i].real);
    assert_path(&s, name->new_real, name_cases[_i].new_real);
    assert_path(&s, name->new_path, name_cases[_i].new_path);
    ck_assert_int_eq(name->exchange, g_str_equal(name_cases[_i].from, name_cases[_i].to));
    image_name_free(name);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("new file");
    TCase *tcase = tcase_create("new file");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, has_no_name_until_it_is_whole);
    tcase_add_test(tcase, nothing_is_left_of_what_got_no_name);
    tcase_add_loop_test(tcase, works_without_unnamed_files, 0, G_N_ELEMENTS(fuse_cases));
    tcase_add_test(tcase, a_failing_flush_is_said);
    tcase_add_test(tcase, gets_the_old_ones_attributes);
    tcase_add_test(tcase, keeps_nocow);
    tcase_add_test(tcase, works_on_xfs_and_says_where_it_cannot);
    tcase_add_test(tcase, exchanges);
    tcase_add_test(tcase, says_where_it_cannot_exchange);
    tcase_add_test(tcase, removes_only_what_it_was_told);
    tcase_add_loop_test(tcase, names, 0, G_N_ELEMENTS(name_cases));
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
