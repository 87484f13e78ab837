/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.c: locks on image files that keep every QEMU from writing to them.
 */
#include "apply/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "apply/file-users.h"
#include "probe/file.h"

/* The bytes that QEMU locks, by the meaning that it gives them. */
enum {
    BYTE_WRITES = 101,
    BYTE_RESIZES = 103,
    BYTE_SHARES_NO_WRITE = 201,
    BYTE_SHARES_NO_RESIZE = 203,
};

struct guard {
    GArray *fds; /* of int: the guarded files; locks hang on these very descriptors */
    struct file_identity identity;
};

GQuark
guard_error_quark(void)
{
    return g_quark_from_static_string("domlint-guard");
}

static gboolean
lock_byte(int fd, int command, short type, off_t byte, struct flock *lock)
{
    int result;

    *lock = (struct flock){
        .l_type = type,
        .l_whence = SEEK_SET,
        .l_start = byte,
        .l_len = 1,
    };
    do
        result = fcntl(fd, command, lock);
    while (result < 0 && errno == EINTR);
    return result == 0;
}

static gboolean
no_locks(int code, GError **error)
{
    g_set_error(error, GUARD_ERROR, GUARD_ERROR_NO_LOCKS,
                "its file system cannot lock it (%s), so a guest could start on it meanwhile: "
                "move it to one that can",
                g_strerror(code));
    return FALSE;
}

/* Who may be behind a lock: those that have the file open. "" where nobody is seen. */
static char *
describe_users(int fd)
{
    g_autoptr(GPtrArray) users = file_users_open(fd);
    g_autofree char *names = NULL;

    if (users->len == 0)
        return g_strdup("another process");
    g_ptr_array_add(users, NULL);
    names = g_strjoinv(", ", (char **)users->pdata);
    return g_steal_pointer(&names);
}

static gboolean
in_use(int fd, const char *what, GError **error)
{
    g_autofree char *who = describe_users(fd);

    g_set_error(error, GUARD_ERROR, GUARD_ERROR_IN_USE,
                "it is in use, by %s (a QEMU lock says: %s): shut the guest down, or let the "
                "program end, first",
                who, what);
    return FALSE;
}

/* Whether nobody writes to the file. Asked with a lock for writing, since those for reading do
 * not meet; locks of our own descriptor do not count. */
static gboolean
probe_writers(int fd, GError **error)
{
    static const struct {
        off_t byte;
        const char *what;
    } probes[] = {
        { BYTE_WRITES, "it is written to" },
        { BYTE_RESIZES, "its size is changed" },
    };
    struct flock lock;

    for (gsize i = 0; i < G_N_ELEMENTS(probes); i++) {
        if (!lock_byte(fd, F_OFD_GETLK, F_WRLCK, probes[i].byte, &lock))
            return no_locks(errno, error);
        if (lock.l_type != F_UNLCK)
            return in_use(fd, probes[i].what, error);
    }
    return TRUE;
}

static gboolean
take_locks(int fd, GError **error)
{
    static const off_t bytes[] = { BYTE_SHARES_NO_WRITE, BYTE_SHARES_NO_RESIZE };
    struct flock lock;

    for (gsize i = 0; i < G_N_ELEMENTS(bytes); i++) {
        if (lock_byte(fd, F_OFD_SETLK, F_RDLCK, bytes[i], &lock))
            continue;
        if (errno == EAGAIN || errno == EACCES)
            return in_use(fd, "nobody else may keep it from being written to", error);
        return no_locks(errno, error);
    }
    return TRUE;
}

static gboolean
failed(GError **error, enum guard_error code, GError *reason)
{
    g_set_error_literal(error, GUARD_ERROR, code, reason->message);
    g_error_free(reason);
    return FALSE;
}

/* Guards what @path_fd (O_PATH) leads to, through a descriptor of the guard's own. */
static gboolean
add(struct guard *guard, int path_fd, const struct stat *st, GError **error)
{
    GError *reason = NULL;
    int fd;

    if (!S_ISREG(st->st_mode)) {
        g_set_error(error, GUARD_ERROR, GUARD_ERROR_NOT_REGULAR,
                    "it is %s, which QEMU does not lock: only regular files can be guarded",
                    file_kind(st->st_mode));
        return FALSE;
    }
    fd = file_reopen(path_fd, st, 0, &reason);
    if (fd < 0)
        return failed(error, GUARD_ERROR_FAILED, reason);
    /* First the locks, then the question: who comes later meets the locks. */
    if (!take_locks(fd, error) || !probe_writers(fd, error)) {
        close(fd);
        return FALSE;
    }
    g_array_append_val(guard->fds, fd);
    return TRUE;
}

struct guard *
guard_take(const char *path, GError **error)
{
    struct guard *guard = g_new0(struct guard, 1);
    GError *reason = NULL;
    gboolean taken = FALSE;
    struct stat st;
    int path_fd = file_open_path(path, &st, &reason);

    guard->fds = g_array_new(FALSE, FALSE, sizeof(int));
    if (path_fd < 0) {
        failed(error, GUARD_ERROR_FAILED, reason);
    } else {
        taken = add(guard, path_fd, &st, error);
        close(path_fd);
    }
    if (taken && !file_identity_of(guard_fd(guard), &guard->identity, &reason))
        taken = failed(error, GUARD_ERROR_FAILED, reason);
    if (taken)
        return guard;
    guard_free(guard);
    return NULL;
}

gboolean
guard_add(struct guard *guard, int fd, GError **error)
{
    struct stat st, guarded;

    if (fstat(fd, &st) < 0) {
        g_set_error_literal(error, GUARD_ERROR, GUARD_ERROR_FAILED, g_strerror(errno));
        return FALSE;
    }
    for (guint i = 0; i < guard->fds->len; i++) {
        if (fstat(g_array_index(guard->fds, int, i), &guarded) == 0 &&
            guarded.st_dev == st.st_dev && guarded.st_ino == st.st_ino)
            return TRUE;
    }
    return add(guard, fd, &st, error);
}

gboolean
guard_check(const struct guard *guard, GError **error)
{
    for (guint i = 0; i < guard->fds->len; i++) {
        if (!probe_writers(g_array_index(guard->fds, int, i), error))
            return FALSE;
    }
    return TRUE;
}

int
guard_fd(const struct guard *guard)
{
    return g_array_index(guard->fds, int, 0);
}

const struct file_identity *
guard_identity(const struct guard *guard)
{
    return &guard->identity;
}

gboolean
guard_unchanged(const struct guard *guard)
{
    struct file_identity now;

    return file_identity_of(guard_fd(guard), &now, NULL) &&
           file_identity_unchanged(&now, &guard->identity);
}

void
guard_free(struct guard *guard)
{
    if (!guard)
        return;
    for (guint i = 0; i < guard->fds->len; i++)
        close(g_array_index(guard->fds, int, i));
    g_array_unref(guard->fds);
    g_free(guard);
}
