/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subprocess.h: a program that is run to its end: no shell, nothing to read, no descriptor but
 * those that it is given, and it dies with us.
 */
#pragma once

#include <gio/gio.h>

/* What it is run with. All zeros will do, but for @argv. */
struct subprocess {
    const char *const *argv; /* the program, found in PATH, and its arguments; NULL-terminated */
    const int *fds;          /* become 3, 4, ... in the child; they stay the caller's */
    guint fd_count;
    gboolean idle;           /* I/O only when nobody else wants any */
    GCancellable *cancellable;
    /* What it writes to its standard output, as it comes, in the caller's thread. */
    void (*output)(const char *text, gsize length, void *data);
    void *data;
};

/* What became of it. */
struct subprocess_end {
    int status;    /* its exit status; -1 where a signal ended it */
    int signal;
    char *message; /* what it wrote to its standard error, at most some KiB; to be freed */
};

/**
 * subprocess_run: runs it in the C locale and waits for its end. It gets SIGKILL where the calling
 * thread ends or @cancellable is cancelled.
 * Returns: FALSE with @error: G_SPAWN_ERROR where it could not be started (G_SPAWN_ERROR_NOENT:
 * there is no such program), G_IO_ERROR_CANCELLED.
 */
gboolean subprocess_run(const struct subprocess *run, struct subprocess_end *end, GError **error);
