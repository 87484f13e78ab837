/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private-mounts.c: mounts of a test's own. */
#include "tests/private-mounts.h"

#include <sched.h>
#include <sys/mount.h>

gboolean
private_mounts(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
}
