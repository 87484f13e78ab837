/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h: locks on image files that keep every QEMU from writing to them, so that no guest starts
 * on a file that is being replaced.
 *
 * QEMU locks single bytes of its images (OFD locks): 100 to 163 for what a user does with the
 * image, 200 to 263 for what it will not share. Shared locks on 201 (write) and 203 (resize) make a
 * guest fail to start with 'Failed to get "write" lock', while our own qemu-img reads. They could
 * be had beside a running guest, too: so they are taken first, and then 101 and 103, which whoever
 * writes holds, are probed. Block devices have no such locks (libvirt's private /dev gives QEMU
 * another inode): regular files alone are guarded.
 *
 * The locks go with the guard or with this process, whatever ends it. A child process must not
 * inherit the descriptor (it is close-on-exec).
 */
#pragma once

#include "apply/file-identity.h"

#define GUARD_ERROR guard_error_quark()
GQuark guard_error_quark(void);
enum guard_error {
    GUARD_ERROR_IN_USE,      /* a guest or another writer has it; the text says which */
    GUARD_ERROR_NO_LOCKS,    /* its file system has no such locks */
    GUARD_ERROR_NOT_REGULAR, /* a block device, a folder, ... */
    GUARD_ERROR_FAILED,      /* it is not there, cannot be read, I/O */
};

struct guard;

/**
 * guard_take: opens @path (for reading; symlinks are followed) and guards the file it leads to.
 * Never waits.
 * Returns: the guard, to be freed; NULL with @error set, a clause about the image without its path;
 * no lock is left then.
 */
struct guard *guard_take(const char *path, GError **error);

/**
 * guard_add: guards a second file too, the one open as @fd (which stays the caller's): the new one,
 * once it is written and before it gets the name. From then on no qemu-img of ours can write to it.
 * A file that is guarded already stays so.
 */
gboolean guard_add(struct guard *guard, int fd, GError **error);

/**
 * guard_check: whether nobody writes to any guarded file (101 and 103 again); the locks cannot be
 * lost meanwhile, but a lock is advice only to who asks for it.
 */
gboolean guard_check(const struct guard *guard, GError **error);

/* The first file, open for reading; the guard's. Locks hang on it: to read, use it with offsets
 * (pread), or reopen it. */
int guard_fd(const struct guard *guard);

/* The first file as it was when it was guarded. */
const struct file_identity *guard_identity(const struct guard *guard);

/* Whether the first file is as it was when it was guarded: size and time of the last write. */
gboolean guard_unchanged(const struct guard *guard);

void guard_free(struct guard *guard);
