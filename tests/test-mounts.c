/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-mounts.c: mountinfo of a recorded host, and of this one.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/mounts.h"
#include "probe/statx-word.h"

#define RECORDED SRCDIR "/tests/roots/mounts"

static GPtrArray *
recorded(void)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *mounts = mounts_read(RECORDED, &error);

    ck_assert_msg(mounts != NULL, "%s", error ? error->message : "?");
    return mounts;
}

static const struct {
    const char *path;
    guint64 id;
} paths[] = {
    { "/etc/passwd", 28 },
    { "/", 28 },
    { "/srv/vm/a.qcow2", 61 },
    { "/srv/vm", 61 },
    { "/srv/vmx/a.qcow2", 28 },
    { "/home/x", 62 },
    { "/srv/my images/a", 63 },
    { "/srv/back\\slash/a", 70 },
    { "/mnt/nas/vm/a", 65 },
    /* The later of two at one place lies over the earlier. */
    { "/srv/over/a", 67 },
    /* A bind mount of a folder of the root file system. */
    { "/var/lib/libvirt/images/a", 68 },
    { "/var/lib/libvirt/a", 28 },
    { "/run/empty/a", 69 },
};

START_TEST(by_path)
{
    g_autoptr(GPtrArray) mounts = recorded();
    const struct mount *mount = mounts_by_path(mounts, paths[_i].path);

    ck_assert_ptr_nonnull(mount);
    ck_assert_msg(mount->id == paths[_i].id, "%s: %s", paths[_i].path, mount->point);
}
END_TEST

START_TEST(fields)
{
    g_autoptr(GPtrArray) mounts = recorded();
    const struct mount *mount = mounts_by_id(mounts, 65);

    /* Lines that are none are left out. */
    ck_assert_uint_eq(mounts->len, 13);
    ck_assert_str_eq(mount->point, "/mnt/nas");
    ck_assert_str_eq(mount->type, "nfs4");
    ck_assert_str_eq(mount->source, "nas.example:/export/vm");
    ck_assert_ptr_null(mounts_by_id(mounts, 71));
    ck_assert_str_eq(mounts_by_id(mounts, 69)->source, "");
}
END_TEST

START_TEST(options)
{
    g_autoptr(GPtrArray) mounts = recorded();

    ck_assert(mount_has_option(mounts_by_id(mounts, 61), "nodatasum"));
    ck_assert(!mount_has_option(mounts_by_id(mounts, 62), "nodatasum"));
    ck_assert(mount_has_option(mounts_by_id(mounts, 64), "data"));
    ck_assert(mount_has_option(mounts_by_id(mounts, 64), "data=journal"));
    ck_assert(!mount_has_option(mounts_by_id(mounts, 64), "dat"));
    /* Of the mount itself as well as of the file system. */
    ck_assert(mount_has_option(mounts_by_id(mounts, 70), "nobarrier"));
    ck_assert(mount_has_option(mounts_by_id(mounts, 61), "noatime"));
}
END_TEST

/* The kernel's number for a mount is the one in mountinfo. */
START_TEST(this_host)
{
    g_autoptr(GPtrArray) mounts = mounts_read(NULL, NULL);
    const struct mount *mount;
    guint64 id;
    int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

    ck_assert_ptr_nonnull(mounts);
    if (statx_word(fd, STATX_WORD_MNT_ID, &id)) {
        mount = mounts_by_id(mounts, id);
        ck_assert_ptr_nonnull(mount);
        ck_assert_str_eq(mount->type, "proc");
    }
    close(fd);
}
END_TEST

START_TEST(no_such_root)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(mounts_read("/nowhere", &error));
    ck_assert_ptr_nonnull(error);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("mounts");
    TCase *tcase = tcase_create("mounts");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tcase, by_path, 0, G_N_ELEMENTS(paths));
    tcase_add_test(tcase, fields);
    tcase_add_test(tcase, options);
    tcase_add_test(tcase, this_host);
    tcase_add_test(tcase, no_such_root);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
