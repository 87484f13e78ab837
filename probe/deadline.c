/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadline.c: work that may hang, in threads that may be left behind.
 */
#include "probe/deadline.h"

struct deadline_threads {
    GThreadPool *pool; /* without a limit: overdue work must not keep other work from starting */
};

/* One piece of work; held by its thread and by the one who waits (g_atomic_rc_box). */
struct call {
    GMutex mutex;
    GCond done_changed;
    gboolean done;
    gboolean left; /* nobody waits any more: the thread frees the data */
    void (*work)(void *data);
    void *data;
    GDestroyNotify free_data;
};

static void
call_clear(void *data)
{
    struct call *call = data;

    g_mutex_clear(&call->mutex);
    g_cond_clear(&call->done_changed);
}

static void
call_release(struct call *call)
{
    g_atomic_rc_box_release_full(call, call_clear);
}

static void
run_call(gpointer item, gpointer user_data G_GNUC_UNUSED)
{
    struct call *call = item;
    gboolean left;

    call->work(call->data);
    g_mutex_lock(&call->mutex);
    call->done = TRUE;
    left = call->left;
    g_cond_signal(&call->done_changed);
    g_mutex_unlock(&call->mutex);
    if (left)
        call->free_data(call->data);
    call_release(call);
}

struct deadline_threads *
deadline_threads_new(void)
{
    struct deadline_threads *threads = g_new0(struct deadline_threads, 1);

    threads->pool = g_thread_pool_new(run_call, NULL, -1, FALSE, NULL);
    return threads;
}

void
deadline_threads_free(struct deadline_threads *threads)
{
    if (!threads)
        return;
    g_thread_pool_free(threads->pool, FALSE, FALSE);
    g_free(threads);
}

gboolean
deadline_run(struct deadline_threads *threads, void (*work)(void *data), void *data,
             GDestroyNotify free_data, guint timeout_ms)
{
    gint64 end = g_get_monotonic_time() + (gint64)timeout_ms * G_TIME_SPAN_MILLISECOND;
    struct call *call = g_atomic_rc_box_new0(struct call);
    gboolean done;

    g_mutex_init(&call->mutex);
    g_cond_init(&call->done_changed);
    call->work = work;
    call->data = data;
    call->free_data = free_data;
    g_thread_pool_push(threads->pool, g_atomic_rc_box_acquire(call), NULL);

    g_mutex_lock(&call->mutex);
    while (!call->done && g_cond_wait_until(&call->done_changed, &call->mutex, end))
        ;
    done = call->done;
    call->left = !done;
    g_mutex_unlock(&call->mutex);
    call_release(call);
    return done;
}
