/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse-mount.c: tests/system/fusefs mounted in a scratch folder.
 */
#include "tests/fuse-mount.h"

#include <check.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *
fuse_mount_missing(void)
{
    if (access(FUSEFS, X_OK) < 0)
        return "fusefs was not built: no libfuse3";
    if (access("/dev/fuse", R_OK | W_OK) < 0)
        return "no access to /dev/fuse";
    if (geteuid() != 0)
        return "mounting needs root";
    return NULL;
}

static void
die_with_parent(G_GNUC_UNUSED void *data)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static dev_t
device_of(const char *path)
{
    struct stat st;

    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_dev;
}

fuse_mount
fuse_mount_start(const scratch *s, const char *folder, const char *point,
                 const char *const *rules)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *shown = scratch_path(s, folder);
    fuse_mount mount = { .point = scratch_path(s, point) };
    dev_t before;

    scratch_run(s, "mkdir -p '%s' '%s'", folder, point);
    before = device_of(mount.point);
    g_ptr_array_add(argv, (void *)FUSEFS);
    /* Should this process die, nothing stays mounted. */
    g_ptr_array_add(argv, (void *)"-o");
    g_ptr_array_add(argv, (void *)"auto_unmount");
    g_ptr_array_add(argv, shown);
    g_ptr_array_add(argv, mount.point);
    for (; *rules; rules++)
        g_ptr_array_add(argv, (void *)*rules);
    g_ptr_array_add(argv, NULL);
    ck_assert_msg(g_spawn_async(NULL, (char **)argv->pdata, NULL,
                                /* libfuse grumbles about a default of its own. */
                                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
                                die_with_parent, NULL, &mount.pid, &error),
                  "%s", error ? error->message : "?");
    for (int i = 0; device_of(mount.point) == before; i++) {
        ck_assert_msg(i < 1000 && waitpid(mount.pid, NULL, WNOHANG) == 0, "fusefs did not mount");
        g_usleep(10000);
    }
    return mount;
}

void
fuse_mount_stop(fuse_mount *mount)
{
    if (!mount->point)
        return;
    kill(mount->pid, SIGKILL);
    waitpid(mount->pid, NULL, 0);
    /* Either this or auto_unmount comes first. */
    umount2(mount->point, MNT_DETACH);
    g_clear_pointer(&mount->point, g_free);
}
