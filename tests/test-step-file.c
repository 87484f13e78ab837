/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-step-file.c: a file is replaced whole, keeps all that it had, and is left alone where it
 * must be.
 *
 * What needs another user than the one who runs it happens in child processes; run by root, the
 * tests cover both sides, run by anyone else, those of an ordinary user.
 */
#include <check.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "apply/file-owner.h"
#include "apply/step-file.h"

#define OLD "<domain><name>web1</name></domain>\n"
#define NEW "<domain><name>web1</name><devices/></domain>\n"
#define WARNING \
    "<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE. CHANGES TO IT ARE LIKELY TO BE\n" \
    "OVERWRITTEN AND LOST. Changes to this xml configuration should be made using:\n" \
    "  virsh edit web1\nor other application using the libvirt API.\n-->\n"
#define NOBODY 65534

static char *folder, *path;

/* The system's calls, but that they fail when told to. */
static int fsync_error, fsync_failures, pread_error;

int
fsync(int file)
{
    if (fsync_failures > 0) {
        fsync_failures--;
        errno = fsync_error;
        return -1;
    }
    return (int)syscall(SYS_fsync, file);
}

ssize_t
pread(int file, void *buffer, size_t size, off_t offset)
{
    if (pread_error) {
        errno = pread_error;
        return -1;
    }
    return syscall(SYS_pread64, file, buffer, size, offset);
}

static void
set_up(void)
{
    folder = g_dir_make_tmp("domlint-test-XXXXXX", NULL);
    ck_assert_ptr_nonnull(folder);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    path = g_build_filename(folder, "web1.xml", NULL);
    ck_assert(g_file_set_contents(path, OLD, -1, NULL));
}

/* Removes @where and what is in it, one level of folders deep. */
static void
remove_all(const char *where)
{
    g_autoptr(GDir) dir = g_dir_open(where, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(where, name, NULL);

        if (g_file_test(child, G_FILE_TEST_IS_DIR) && !g_file_test(child, G_FILE_TEST_IS_SYMLINK))
            remove_all(child);
        else
            unlink(child);
    }
    rmdir(where);
}

static void
tear_down(void)
{
    ck_assert_int_eq(chmod(folder, 0777), 0);
    remove_all(folder);
    g_clear_pointer(&folder, g_free);
    g_clear_pointer(&path, g_free);
}

static void
ck_assert_holds(const char *file, const char *text)
{
    g_autofree char *content = NULL;

    ck_assert(g_file_get_contents(file, &content, NULL, NULL));
    ck_assert_str_eq(content, text);
}

/* No temporary file is left: the folder has @count names. */
static void
ck_assert_names(const char *where, guint count)
{
    g_autoptr(GDir) dir = g_dir_open(where, 0, NULL);
    const char *name;
    guint found = 0;

    ck_assert_ptr_nonnull(dir);
    while ((name = g_dir_read_name(dir))) {
        ck_assert_msg(!strstr(name, ".domlint-"), "%s is left in %s", name, where);
        found++;
    }
    ck_assert_uint_eq(found, count);
}

static gboolean
write_new(const char *file, GError **error)
{
    return step_file_write(file, OLD, strlen(OLD), NEW, strlen(NEW), error);
}

static void
ck_assert_written(const char *file)
{
    g_autoptr(GError) error = NULL;

    ck_assert_msg(write_new(file, &error), "%s", error ? error->message : "no error");
}

/* Writing fails with @code and @words, and all is as it was. */
static void
ck_assert_not_written(const char *file, enum step_file_error code, const char *words)
{
    g_autoptr(GError) error = NULL;

    ck_assert(!write_new(file, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(g_error_matches(error, STEP_FILE_ERROR, code), "%s", error->message);
    ck_assert_msg(strstr(error->message, words), "%s", error->message);
}

/* Runs @body in a child process as an ordinary user, where that can be had. */
static void
as_ordinary_user(void (*body)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (geteuid() == 0 &&
            (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
            _exit(1);
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* In such a child, in place of Check's assertions, whose messages need the parent's pipe. */
static void
demand(gboolean holds, const char *what)
{
    if (holds)
        return;
    g_printerr("%s\n", what);
    _exit(1);
}

static void
demand_not_written(enum step_file_error code, const char *words)
{
    g_autoptr(GError) error = NULL;

    demand(!write_new(path, &error), "was written");
    demand(g_error_matches(error, STEP_FILE_ERROR, code), error->message);
    demand(strstr(error->message, words) != NULL, error->message);
}

START_TEST(replaces_the_content)
{
    ck_assert_written(path);
    ck_assert_holds(path, NEW);
    ck_assert_names(folder, 1);
}
END_TEST

START_TEST(replaces_large_and_empty_texts)
{
    gsize length = 9 * 1000 * 1000 + 17;
    g_autofree char *large = g_malloc(length + 1);
    g_autofree char *content = NULL;
    gsize got;

    memset(large, 'x', length);
    large[length] = '\0';
    ck_assert(step_file_write(path, OLD, strlen(OLD), large, length, NULL));
    ck_assert(g_file_get_contents(path, &content, &got, NULL));
    ck_assert_uint_eq(got, length);
    ck_assert(memcmp(content, large, length) == 0);
    ck_assert(step_file_write(path, large, length, "", 0, NULL));
    ck_assert_holds(path, "");
    ck_assert_names(folder, 1);
}
END_TEST

START_TEST(resolves_symlinks)
{
    g_autofree char *links = g_build_filename(folder, "links", NULL);
    g_autofree char *first = g_build_filename(links, "first.xml", NULL);
    g_autofree char *second = g_build_filename(links, "second.xml", NULL);
    g_autofree char *target = NULL;

    ck_assert_int_eq(g_mkdir(links, 0700), 0);
    ck_assert_int_eq(symlink("../web1.xml", first), 0);
    ck_assert_int_eq(symlink("first.xml", second), 0);
    ck_assert_written(second);
    ck_assert_holds(path, NEW);
    target = g_file_read_link(second, NULL);
    ck_assert_str_eq(target, "first.xml");
    ck_assert(g_file_test(first, G_FILE_TEST_IS_SYMLINK));
    ck_assert_names(links, 2);
    ck_assert_names(folder, 2);
}
END_TEST

START_TEST(refuses_hard_links)
{
    g_autofree char *other = g_build_filename(folder, "other.xml", NULL);
    g_autofree char *refusal = NULL;

    ck_assert_int_eq(link(path, other), 0);
    refusal = step_file_refusal(path, OLD, strlen(OLD));
    ck_assert_ptr_nonnull(refusal);
    ck_assert_not_written(path, STEP_FILE_REFUSED, "2 hard links");
    ck_assert_holds(path, OLD);
    ck_assert_holds(other, OLD);
    ck_assert_names(folder, 2);
}
END_TEST

START_TEST(refuses_what_is_no_regular_file)
{
    g_autofree char *fifo = g_build_filename(folder, "fifo.xml", NULL);
    g_autofree char *dangling = g_build_filename(folder, "dangling.xml", NULL);

    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert_int_eq(symlink("nowhere.xml", dangling), 0);
    ck_assert_not_written(fifo, STEP_FILE_REFUSED, "not a regular file");
    ck_assert_not_written(folder, STEP_FILE_REFUSED, "not a regular file");
    ck_assert_not_written("/dev/null", STEP_FILE_REFUSED, "not a regular file");
    ck_assert_not_written(dangling, STEP_FILE_REFUSED, "No such file");
    ck_assert_names(folder, 3);
}
END_TEST

START_TEST(refuses_a_file_that_changed)
{
    ck_assert(g_file_set_contents(path, OLD "<!-- more -->", -1, NULL));
    ck_assert_not_written(path, STEP_FILE_REFUSED, "changed by someone else");
    ck_assert_holds(path, OLD "<!-- more -->");
    ck_assert(g_file_set_contents(path, "<domain/>", -1, NULL));
    ck_assert_not_written(path, STEP_FILE_REFUSED, "changed by someone else");
    ck_assert(g_file_set_contents(path, "<domain><name>web2</name></domain>\n", -1, NULL));
    ck_assert_not_written(path, STEP_FILE_REFUSED, "changed by someone else");
    ck_assert_names(folder, 1);
}
END_TEST

START_TEST(says_what_cannot_be_read_again)
{
    pread_error = EIO;
    ck_assert_not_written(path, STEP_FILE_FAILED, "cannot be read again");
    pread_error = 0;
    ck_assert_holds(path, OLD);
}
END_TEST

START_TEST(an_interrupted_flush_goes_on)
{
    fsync_error = EINTR;
    fsync_failures = 2;
    ck_assert_written(path);
    ck_assert_int_eq(fsync_failures, 0);
    ck_assert_holds(path, NEW);
}
END_TEST

START_TEST(a_failed_flush_changes_nothing)
{
    fsync_error = EIO;
    fsync_failures = 1;
    ck_assert_not_written(path, STEP_FILE_FAILED, "cannot flush");
    ck_assert_holds(path, OLD);
}
END_TEST

START_TEST(keeps_the_mode)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0755, 0200 | 0400};

    for (gsize i = 0; i < G_N_ELEMENTS(modes); i++) {
        struct stat status;

        ck_assert(g_file_set_contents(path, OLD, -1, NULL));
        ck_assert_int_eq(chmod(path, modes[i]), 0);
        umask(077);
        ck_assert_written(path);
        ck_assert_int_eq(stat(path, &status), 0);
        ck_assert_uint_eq(status.st_mode & 07777, modes[i]);
    }
}
END_TEST

START_TEST(keeps_the_owner)
{
    struct stat status;

    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chown(path, 12345, 54321), 0);
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_written(path);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_uid, 12345);
    ck_assert_uint_eq(status.st_gid, 54321);
    ck_assert_uint_eq(status.st_mode & 07777, 0640);
}
END_TEST

static void
replace_where_owner_cannot_be_kept(void)
{
    demand_not_written(STEP_FILE_FAILED, "owner cannot be kept");
}

START_TEST(fails_where_the_owner_cannot_be_kept)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chmod(path, 0666), 0);
    as_ordinary_user(replace_where_owner_cannot_be_kept);
    ck_assert_holds(path, OLD);
    ck_assert_names(folder, 1);
}
END_TEST

START_TEST(keeps_extended_attributes)
{
    char value[16] = "";

    if (setxattr(path, "user.note", "kept", 4, 0) < 0) {
        ck_assert_int_eq(errno, ENOTSUP);
        return;
    }
    if (geteuid() == 0 && setxattr(path, "trusted.note", "kept", 4, 0) < 0)
        ck_assert(errno == EPERM || errno == ENOTSUP);
    ck_assert_written(path);
    ck_assert_int_eq(getxattr(path, "user.note", value, sizeof(value)), 4);
    ck_assert_str_eq(value, "kept");
    if (geteuid() == 0 && getxattr(path, "trusted.note", value, sizeof(value)) < 0)
        ck_assert_int_eq(errno, ENODATA);
    ck_assert_holds(path, NEW);
}
END_TEST

/* A POSIX ACL in the form of its extended attribute, little-endian. */
static const unsigned char acl[] = {
    2,    0, 0, 0,                         /* version */
    1,    0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* u::rw- */
    2,    0, 6, 0, 0x39, 0x30, 0,    0,    /* u:12345:rw- */
    4,    0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* g::r-- */
    0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* m::rw- */
    0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* o::--- */
};

START_TEST(keeps_an_acl)
{
    unsigned char value[sizeof(acl) + 16];
    struct stat status;

    if (setxattr(path, "system.posix_acl_access", acl, sizeof(acl), 0) < 0) {
        ck_assert_int_eq(errno, ENOTSUP);
        return;
    }
    ck_assert_written(path);
    ck_assert_int_eq(getxattr(path, "system.posix_acl_access", value, sizeof(value)), sizeof(acl));
    ck_assert(memcmp(value, acl, sizeof(acl)) == 0);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0660);
}
END_TEST

START_TEST(inherits_no_acl)
{
    struct stat status;

    if (setxattr(folder, "system.posix_acl_default", acl, sizeof(acl), 0) < 0) {
        ck_assert_int_eq(errno, ENOTSUP);
        return;
    }
    ck_assert_int_eq(chmod(path, 0664), 0);
    ck_assert_written(path);
    ck_assert_int_eq(getxattr(path, "system.posix_acl_access", NULL, 0), -1);
    ck_assert_int_eq(errno, ENODATA);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0664);
}
END_TEST

static void
replace_in_read_only_folder(void)
{
    demand_not_written(STEP_FILE_FAILED, "Permission denied");
}

START_TEST(fails_in_a_read_only_folder)
{
    if (geteuid() == 0)
        ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    ck_assert_int_eq(chmod(folder, 0555), 0);
    as_ordinary_user(replace_in_read_only_folder);
    ck_assert_holds(path, OLD);
    ck_assert_names(folder, 1);
}
END_TEST

static void
replace_write_protected(void)
{
    demand_not_written(STEP_FILE_REFUSED, "write-protected");
}

START_TEST(refuses_a_write_protected_file)
{
    if (geteuid() == 0)
        ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    ck_assert_int_eq(chmod(path, 0444), 0);
    as_ordinary_user(replace_write_protected);
    ck_assert_holds(path, OLD);
}
END_TEST

static void
replace_as_owner(void)
{
    demand(write_new(path, NULL), "an ordinary user cannot write a file of their own");
}

START_TEST(works_for_an_ordinary_user)
{
    if (geteuid() == 0)
        ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    as_ordinary_user(replace_as_owner);
    ck_assert_holds(path, NEW);
    ck_assert_names(folder, 1);
}
END_TEST

/* The limit of a process stands for a full disk: the same path, another errno. */
static void
replace_beyond_the_limit(void)
{
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
    g_autofree char *large = g_strnfill(1000 * 1000, 'x');
    g_autoptr(GError) error = NULL;

    signal(SIGXFSZ, SIG_IGN);
    demand(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    demand(!step_file_write(path, OLD, strlen(OLD), large, 1000 * 1000, &error), "was written");
    demand(g_error_matches(error, STEP_FILE_ERROR, STEP_FILE_FAILED), error->message);
    demand(strstr(error->message, "File too large") != NULL, error->message);
}

START_TEST(leaves_nothing_where_the_text_does_not_fit)
{
    if (geteuid() == 0)
        ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
    as_ordinary_user(replace_beyond_the_limit);
    ck_assert_holds(path, OLD);
    ck_assert_names(folder, 1);
}
END_TEST

START_TEST(keeps_off_files_of_libvirtd)
{
    static const char *const paths[] = {
        "/etc/libvirt/qemu/web1.xml",
        "/etc/libvirt/qemu/autostart/web1.xml",
        "/run/libvirt/qemu/web1.xml",
        "/var/run/libvirt/qemu/web1.xml",
    };

    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *refusal = file_owned_by_libvirtd(paths[i], OLD, strlen(OLD));

        ck_assert_msg(refusal != NULL, "%s", paths[i]);
        ck_assert_ptr_nonnull(strstr(refusal, "domlint --fix web1 "));
        ck_assert_ptr_nonnull(strstr(refusal, "virsh define"));
    }
    ck_assert_ptr_null(file_owned_by_libvirtd("/etc/libvirt.git/web1.xml", OLD, strlen(OLD)));
    ck_assert_ptr_null(file_owned_by_libvirtd("/srv/etc/libvirt/web1.xml", OLD, strlen(OLD)));
}
END_TEST

START_TEST(knows_the_comment_of_libvirtd)
{
    static const char *const generated[] = {
        WARNING OLD,
        "\xef\xbb\xbf" WARNING OLD,
        "<?xml version='1.0'?>\n<!-- one --><?two three?>\n" WARNING OLD,
        "<!-- AUTO-GENERATED FILE -->",
    };
    static const char *const others[] = {
        OLD,
        "<!-- nothing --><domain><name>a</name>" WARNING "</domain>",
        "<domain><description>AUTO-GENERATED FILE</description></domain>",
        OLD WARNING,
        "<!-- AUTO-GENERATED FILE",
        "<?pi AUTO-GENERATED FILE?><domain/>",
        "",
    };

    for (gsize i = 0; i < G_N_ELEMENTS(generated); i++) {
        g_autofree char *refusal = step_file_refusal(path, generated[i], strlen(generated[i]));

        ck_assert_msg(refusal != NULL, "%s", generated[i]);
        ck_assert_ptr_nonnull(strstr(refusal, "libvirtd's own file"));
    }
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        ck_assert_msg(!step_file_refusal(path, others[i], strlen(others[i])), "%s", others[i]);
}
END_TEST

START_TEST(quotes_the_domain_for_a_shell)
{
    static const char text[] = "<domain><name>it's; reboot</name></domain>";
    g_autofree char *refusal = file_owned_by_libvirtd("/etc/libvirt/a", text, strlen(text));
    g_autofree char *broken = file_owned_by_libvirtd("/etc/libvirt/a", "<domain>", 8);

    ck_assert_ptr_nonnull(strstr(refusal, "--fix 'it'\\''s; reboot' "));
    ck_assert_ptr_nonnull(strstr(broken, "--fix NAME "));
}
END_TEST

/* What a child does until a signal ends it: makes the file the one text and the other in turn. */
static void
replace_for_ever(const char *one, const char *other, gsize length)
{
    for (;;) {
        demand(step_file_write(path, one, length, other, length, NULL), "first");
        demand(step_file_write(path, other, length, one, length, NULL), "second");
    }
}

START_TEST(leaves_nothing_when_a_signal_ends_it)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    gsize length = 300 * 1000;
    g_autofree char *one = g_strnfill(length, '1');
    g_autofree char *other = g_strnfill(length, '2');

    for (guint i = 0; i < 30; i++) {
        g_autofree char *content = NULL;
        pid_t child;
        int status;

        ck_assert(g_file_set_contents(path, one, -1, NULL));
        /* Check's own handlers, which the child would inherit, end other processes too. */
        signal(signals[i % G_N_ELEMENTS(signals)], SIG_DFL);
        child = fork();
        if (child == 0)
            replace_for_ever(one, other, length);
        g_usleep(1000 + (gulong)g_random_int_range(0, 8000));
        kill(child, signals[i % G_N_ELEMENTS(signals)]);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        ck_assert(g_file_get_contents(path, &content, NULL, NULL));
        ck_assert(g_str_equal(content, one) || g_str_equal(content, other));
        ck_assert_names(folder, 1);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("step-file");
    TCase *tests = tcase_create("step-file");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, replaces_the_content);
    tcase_add_test(tests, replaces_large_and_empty_texts);
    tcase_add_test(tests, resolves_symlinks);
    tcase_add_test(tests, refuses_hard_links);
    tcase_add_test(tests, refuses_what_is_no_regular_file);
    tcase_add_test(tests, refuses_a_file_that_changed);
    tcase_add_test(tests, says_what_cannot_be_read_again);
    tcase_add_test(tests, an_interrupted_flush_goes_on);
    tcase_add_test(tests, a_failed_flush_changes_nothing);
    tcase_add_test(tests, keeps_the_mode);
    tcase_add_test(tests, keeps_the_owner);
    tcase_add_test(tests, fails_where_the_owner_cannot_be_kept);
    tcase_add_test(tests, keeps_extended_attributes);
    tcase_add_test(tests, keeps_an_acl);
    tcase_add_test(tests, inherits_no_acl);
    tcase_add_test(tests, fails_in_a_read_only_folder);
    tcase_add_test(tests, refuses_a_write_protected_file);
    tcase_add_test(tests, works_for_an_ordinary_user);
    tcase_add_test(tests, leaves_nothing_where_the_text_does_not_fit);
    tcase_add_test(tests, keeps_off_files_of_libvirtd);
    tcase_add_test(tests, knows_the_comment_of_libvirtd);
    tcase_add_test(tests, quotes_the_domain_for_a_shell);
    tcase_add_test(tests, leaves_nothing_when_a_signal_ends_it);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
