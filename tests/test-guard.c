/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-guard.c: the guard against real QEMU programs that hold an image, and who has a file
 * otherwise.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/file-users.h"
#include "apply/guard.h"
#include "tests/fuse-mount.h"
#include "tests/scratch.h"

/* qemu-io with an image open, until it is told to end. */
struct holder {
    GPid pid;
    int input;
};

static struct holder
hold(const scratch *s, const char *name, const char *option)
{
    const char *argv[] = { "qemu-io", option, "-f", "raw", name, NULL };
    g_autoptr(GError) error = NULL;
    g_autofree char *prompt = NULL;
    struct holder holder;
    char c;
    int output;

    if (!*option)
        memmove(argv + 1, argv + 2, sizeof argv - 2 * sizeof *argv);
    ck_assert_msg(g_spawn_async_with_pipes(s->folder, (char **)argv, NULL,
                                           G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                           NULL, &holder.pid, &holder.input, &output, NULL, &error),
                  "%s", error ? error->message : "?");
    /* Its prompt comes once the image is open. */
    ck_assert_int_eq(read(output, &c, 1), 1);
    return holder;
}

static void
let_go(struct holder *holder)
{
    close(holder->input);
    ck_assert_int_eq(waitpid(holder->pid, NULL, 0), holder->pid);
}

/* Whether a program that would write to the image can have it, as a guest would. */
static gboolean
can_write(const scratch *s, const char *name)
{
    g_autofree char *output =
        scratch_output(s, "qemu-io -f raw -c 'write 0 512' %s >/dev/null 2>&1 && echo yes || "
                          "echo no", name);

    return g_str_has_prefix(output, "yes");
}

static struct guard *
take(const scratch *s, const char *name, GError **error)
{
    g_autofree char *path = scratch_path(s, name);

    return guard_take(path, error);
}

START_TEST(keeps_writers_out)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    struct guard *guard;

    scratch_run(&s, "truncate -s 1M i");
    guard = take(&s, "i", &error);
    ck_assert_msg(guard != NULL, "%s", error ? error->message : "?");
    ck_assert(!can_write(&s, "i"));
    /* Who reads may. */
    scratch_run(&s, "qemu-img convert -f raw -O qcow2 i copy; qemu-img info i >/dev/null");
    ck_assert(guard_check(guard, &error));
    ck_assert(guard_unchanged(guard));
    guard_free(guard);
    ck_assert(can_write(&s, "i"));
}
END_TEST

START_TEST(refuses_what_is_written_to)
{
    g_auto(scratch) s = scratch_new();
    struct holder holder;
    g_autoptr(GError) error = NULL;

    scratch_run(&s, "truncate -s 1M i");
    holder = hold(&s, "i", "");
    ck_assert_ptr_null(take(&s, "i", &error));
    ck_assert(g_error_matches(error, GUARD_ERROR, GUARD_ERROR_IN_USE));
    ck_assert_msg(strstr(error->message, "qemu-io (process ") != NULL, "%s", error->message);
    let_go(&holder);
    g_clear_error(&error);
    /* No lock of ours was left to keep others out. */
    ck_assert(can_write(&s, "i"));
}
END_TEST

/* Locks of the refused attempt must not stay while the other runs on. */
START_TEST(leaves_no_lock_when_it_refuses)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *before = NULL, *after = NULL;
    struct holder holder;

    scratch_run(&s, "truncate -s 1M i");
    holder = hold(&s, "i", "");
    before = scratch_output(&s, "grep -c \":$(stat -c %%i i) \" /proc/locks");
    ck_assert_ptr_null(take(&s, "i", NULL));
    after = scratch_output(&s, "grep -c \":$(stat -c %%i i) \" /proc/locks");
    ck_assert_str_eq(after, before);
    ck_assert_str_ne(before, "0\n");
    let_go(&holder);
}
END_TEST

START_TEST(readers_do_not_matter)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    struct guard *guard;
    struct holder holder;

    scratch_run(&s, "truncate -s 1M i");
    holder = hold(&s, "i", "-r");
    guard = take(&s, "i", &error);
    ck_assert_msg(guard != NULL, "%s", error ? error->message : "?");
    guard_free(guard);
    let_go(&holder);
}
END_TEST

/* A child that is started while the image is guarded must not keep the locks when we are gone. */
START_TEST(children_do_not_keep_it)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i");
    const char *argv[] = { "sleep", "60", NULL };
    struct guard *guard;
    GPid child;

    scratch_run(&s, "truncate -s 1M i");
    guard = guard_take(path, NULL);
    ck_assert_ptr_nonnull(guard);
    ck_assert(g_spawn_async(NULL, (char **)argv, NULL,
                            G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child,
                            NULL));
    guard_free(guard);
    ck_assert(can_write(&s, "i"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
END_TEST

START_TEST(guards_a_second_file)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "second");
    g_autoptr(GError) error = NULL;
    struct guard *guard;
    int fd;

    scratch_run(&s, "truncate -s 1M i; truncate -s 1M second; chmod 600 second");
    guard = take(&s, "i", NULL);
    ck_assert_ptr_nonnull(guard);
    fd = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_msg(guard_add(guard, fd, &error), "%s", error ? error->message : "?");
    ck_assert(guard_add(guard, fd, &error));
    /* The guard outlives the caller's descriptor. */
    close(fd);
    ck_assert(!can_write(&s, "second"));
    ck_assert(!can_write(&s, "i"));
    /* The locks go with the inode, whatever the names are. */
    scratch_run(&s, "mv second third; mv i second");
    ck_assert(!can_write(&s, "third"));
    guard_free(guard);
    ck_assert(can_write(&s, "third"));
}
END_TEST

START_TEST(sees_writes_of_those_who_heed_no_lock)
{
    g_auto(scratch) s = scratch_new();
    struct guard *guard;

    scratch_run(&s, "truncate -s 1M i; touch -d '2020-01-01 00:00:00.5' i");
    guard = take(&s, "i", NULL);
    ck_assert_ptr_nonnull(guard);
    ck_assert_uint_eq(guard_identity(guard)->size, 1024 * 1024);
    ck_assert(guard_identity(guard)->mtime_ns % 1000000000 == 500000000);
    ck_assert(guard_unchanged(guard));
    scratch_run(&s, "printf x | dd of=i conv=notrunc status=none");
    ck_assert(!guard_unchanged(guard));
    guard_free(guard);
}
END_TEST

/* What cannot be guarded: a folder, a device, a FIFO (which must not be waited for), nothing. */
static const struct {
    const char *script;
    enum guard_error code;
} strange_cases[] = {
    { "mkdir i", GUARD_ERROR_NOT_REGULAR },
    { "mkfifo i", GUARD_ERROR_NOT_REGULAR },
    { "ln -s /dev/null i", GUARD_ERROR_NOT_REGULAR },
    { "ln -s /proc/version i", GUARD_ERROR_FAILED },
    { "true", GUARD_ERROR_FAILED },
    { "ln -s i i", GUARD_ERROR_FAILED },
};

START_TEST(refuses_what_is_no_file)
{
    g_auto(scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;

    scratch_run(&s, "%s", strange_cases[_i].script);
    ck_assert_ptr_null(take(&s, "i", &error));
    ck_assert_msg(g_error_matches(error, GUARD_ERROR, (int)strange_cases[_i].code), "%s: %s",
                  strange_cases[_i].script, error->message);
}
END_TEST

/* ---- Who has it ------------------------------------------------------------------------ */

static void
assert_users(const scratch *s, const char *name, const char *const *parts)
{
    g_autofree char *path = scratch_path(s, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    g_autoptr(GPtrArray) users = file_users_writing(fd);
    guint expected = g_strv_length((char **)parts);

    close(fd);
    ck_assert_msg(users->len == expected, "%u users, the first: %s", users->len,
                  users->len ? (char *)users->pdata[0] : "none");
    for (guint i = 0; i < expected; i++)
        ck_assert_msg(strstr(users->pdata[i], parts[i]) != NULL, "'%s' is not in '%s'", parts[i],
                      (char *)users->pdata[i]);
}

/* Leaves a command running; its process, which is no child of ours. */
static GPid
background(const scratch *s, const char *command)
{
    g_autofree char *output = scratch_output(s, "%s & echo $!", command);

    return (GPid)atoi(output);
}

START_TEST(sees_processes)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i");
    const char *none[] = { NULL };
    const char *writer[] = { "sleep (process ", NULL };
    const char *locker[] = { "sleep (process ", "has a lock on it", NULL };
    int own, locked;
    GPid child;

    scratch_run(&s, "truncate -s 1M i");
    own = open(path, O_RDWR | O_CLOEXEC);
    assert_users(&s, "i", none);
    /* Who only reads is none. */
    child = background(&s, "sleep 60 <i >/dev/null 2>&1");
    assert_users(&s, "i", none);
    kill(child, SIGKILL);
    child = background(&s, "sleep 60 >>i 2>/dev/null </dev/null");
    assert_users(&s, "i", writer);
    kill(child, SIGKILL);
    /* A lock, as other programs have them. */
    locked = fork();
    ck_assert_int_ge(locked, 0);
    if (locked == 0) {
        int fd = open(path, O_RDWR);

        flock(fd, LOCK_EX);
        execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    for (int i = 0; i < 100; i++) {
        g_autofree char *comm = scratch_output(&s, "cat /proc/%d/comm", locked);

        if (g_str_equal(comm, "sleep\n"))
            break;
        g_usleep(20000);
    }
    assert_users(&s, "i", locker);
    kill(locked, SIGKILL);
    waitpid(locked, NULL, 0);
    assert_users(&s, "i", none);
    close(own);
}
END_TEST

START_TEST(sees_loop_devices)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *device = NULL;
    const char *none[] = { NULL };
    const char *loop[] = { NULL, NULL };

    if (geteuid() != 0)
        return;
    scratch_run(&s, "truncate -s 1M i; truncate -s 1M j");
    device = g_strstrip(scratch_output(&s, "losetup --show -f -r i"));
    loop[0] = device;
    assert_users(&s, "i", loop);
    assert_users(&s, "j", none);
    /* By whatever name: the loop device was told the old one. */
    scratch_run(&s, "mv i k; mv j i");
    assert_users(&s, "k", loop);
    assert_users(&s, "i", none);
    scratch_run(&s, "losetup -d %s", device);
}
END_TEST

START_TEST(sees_swap)
{
    g_auto(scratch) s = scratch_new();
    const char *swap[] = { "swaps to it", NULL };
    g_autofree char *on = NULL;

    if (geteuid() != 0)
        return;
    scratch_run(&s, "dd if=/dev/zero of='i mage' bs=64k count=16 status=none; chmod 600 'i mage'; "
                    "mkswap -q 'i mage'");
    on = scratch_output(&s, "swapon 'i mage' 2>/dev/null && echo on || echo off");
    if (g_str_has_prefix(on, "off"))
        return;
    assert_users(&s, "i mage", swap);
    scratch_run(&s, "swapoff 'i mage'");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("guard");
    TCase *tcase = tcase_create("guard");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, keeps_writers_out);
    tcase_add_test(tcase, refuses_what_is_written_to);
    tcase_add_test(tcase, leaves_no_lock_when_it_refuses);
    tcase_add_test(tcase, readers_do_not_matter);
    tcase_add_test(tcase, children_do_not_keep_it);
    tcase_add_test(tcase, guards_a_second_file);
    tcase_add_test(tcase, sees_writes_of_those_who_heed_no_lock);
    tcase_add_loop_test(tcase, refuses_what_is_no_file, 0, G_N_ELEMENTS(strange_cases));
    tcase_add_test(tcase, sees_processes);
    tcase_add_test(tcase, sees_loop_devices);
    tcase_add_test(tcase, sees_swap);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
