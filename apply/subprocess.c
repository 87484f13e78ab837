/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subprocess.c: a program that is run to its end. */
#include "apply/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <linux/ioprio.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is kept of the standard error: enough for a reason, whatever a damaged image makes it
 * say. */
enum { MESSAGE_MAX = 4096, IO_CHUNK = 4096 };

/* What the child does before it becomes the program. */
struct setup {
    pid_t parent;
    gboolean idle;
};

/* Between fork and exec of a process with threads: async-signal-safe calls only. */
static void
prepare_child(void *data)
{
    const struct setup *setup = data;
    sigset_t no_signals;

    /* Ctrl-C is for us to answer, who know what to tell the user. */
    setpgid(0, 0);
    sigemptyset(&no_signals);
    sigprocmask(SIG_SETMASK, &no_signals, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != setup->parent)
        _exit(127);
    if (setup->idle)
        syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

/* Returns: whether it runs, as @pid. */
static gboolean
spawn(const struct subprocess *run, const struct setup *setup, int out, int err, GPid *pid,
      GError **error)
{
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "LC_ALL", "C", TRUE);
    g_autofree int *targets = g_new(int, run->fd_count);

    for (guint i = 0; i < run->fd_count; i++)
        targets[i] = 3 + (int)i;
    return g_spawn_async_with_pipes_and_fds(
        NULL, run->argv, (const char *const *)environment,
        G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, prepare_child, (void *)setup, -1, out, err,
        run->fds, targets, run->fd_count, pid, NULL, NULL, NULL, error);
}

/* Reads what is there. Returns: FALSE at the end. */
static gboolean
read_output(const struct subprocess *run, int fd, GString *message)
{
    char buffer[IO_CHUNK];
    gssize got = read(fd, buffer, sizeof buffer);

    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (message)
        g_string_append_len(message, buffer, MIN(got, (gssize)MESSAGE_MAX - (gssize)message->len));
    else if (got > 0 && run->output)
        run->output(buffer, (gsize)got, run->data);
    return got > 0;
}

/* Reads both pipes to their ends. Returns: FALSE where it was cancelled before. */
static gboolean
read_all(const struct subprocess *run, int out, int err, GString *message)
{
    struct pollfd fds[] = {
        { .fd = out, .events = POLLIN },
        { .fd = err, .events = POLLIN },
        { .fd = run->cancellable ? g_cancellable_get_fd(run->cancellable) : -1, .events = POLLIN },
    };
    gboolean cancelled = FALSE;

    while (!cancelled && (fds[0].fd >= 0 || fds[1].fd >= 0)) {
        if (poll(fds, G_N_ELEMENTS(fds), -1) >= 0) {
            for (guint i = 0; i < 2; i++) {
                if (fds[i].fd >= 0 && fds[i].revents != 0 &&
                    !read_output(run, fds[i].fd, i == 1 ? message : NULL))
                    fds[i].fd = -1;
            }
        }
        cancelled = g_cancellable_is_cancelled(run->cancellable);
    }
    if (fds[2].fd >= 0)
        g_cancellable_release_fd(run->cancellable);
    return !cancelled;
}

static void
note_end(int status, struct subprocess_end *end, GString *message)
{
    end->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->message = g_utf8_make_valid(message->str, (gssize)message->len);
}

/* Reads from the process and waits for its end; FALSE where it was cancelled. */
static gboolean
attend(const struct subprocess *run, GPid pid, int out, int err, struct subprocess_end *end)
{
    g_autoptr(GString) message = g_string_new(NULL);
    gboolean whole = read_all(run, out, err, message);
    int status = 0;
    pid_t waited;

    if (!whole)
        kill(pid, SIGKILL);
    do
        waited = waitpid(pid, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (whole)
        note_end(status, end, message);
    return whole;
}

gboolean
subprocess_run(const struct subprocess *run, struct subprocess_end *end, GError **error)
{
    const struct setup setup = { .parent = getpid(), .idle = run->idle };
    int out[2], err[2];
    gboolean done;
    GPid pid;

    *end = (struct subprocess_end){ .status = -1 };
    if (g_cancellable_set_error_if_cancelled(run->cancellable, error) ||
        !g_unix_open_pipe(out, FD_CLOEXEC, error))
        return FALSE;
    if (!g_unix_open_pipe(err, FD_CLOEXEC, error)) {
        close(out[0]);
        close(out[1]);
        return FALSE;
    }
    done = spawn(run, &setup, out[1], err[1], &pid, error);
    close(out[1]);
    close(err[1]);
    if (done && !attend(run, pid, out[0], err[0], end)) {
        g_cancellable_set_error_if_cancelled(run->cancellable, error);
        done = FALSE;
    }
    close(out[0]);
    close(err[0]);
    return done;
}
