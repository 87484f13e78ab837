/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limited-calls.c: calls that may hang, waited for a limited time.
 *
 * Not a GThreadPool: that keeps its idle threads, and can only wait for all or for none.
 */
#include "probe/limited-calls.h"

/* Owned by the limited_calls and by each thread, since a thread that hangs may be the last. */
struct shared {
    gatomicrefcount references;
    void *(*function)(void *argument);
    GDestroyNotify free_argument;
    GDestroyNotify free_result;
    GMutex mutex;
    GCond wake;     /* a job is there for an idle thread, or no more will come */
    GQueue jobs;    /* of struct job, not yet taken by a thread */
    guint idle;     /* threads that wait for a job */
    gboolean closed;
};

/* Guarded by the mutex of what is shared; owned by the thread that runs it and by who waits. */
struct job {
    guint references;
    void *argument;
    void *result;
    GCond done;
};

struct worker {
    struct shared *shared;
    GThread *thread;
    gboolean busy; /* guarded by the mutex of what is shared */
};

struct limited_calls {
    struct shared *shared;
    GPtrArray *workers; /* of struct worker; guarded by the same mutex */
};

static void
shared_unref(struct shared *shared)
{
    if (!g_atomic_ref_count_dec(&shared->references))
        return;
    g_cond_clear(&shared->wake);
    g_mutex_clear(&shared->mutex);
    g_free(shared);
}

/* With the mutex held. */
static void
job_unref(struct shared *shared, struct job *job)
{
    if (--job->references > 0)
        return;
    shared->free_argument(job->argument);
    if (job->result)
        shared->free_result(job->result);
    g_cond_clear(&job->done);
    g_free(job);
}

static void *
work(void *data)
{
    struct worker *worker = data;
    struct shared *shared = worker->shared;

    g_mutex_lock(&shared->mutex);
    for (;;) {
        struct job *job = g_queue_pop_head(&shared->jobs);
        void *result;

        if (job && job->references == 1) {
            /* Given up before a thread was there for it. */
            job_unref(shared, job);
        } else if (job) {
            worker->busy = TRUE;
            g_mutex_unlock(&shared->mutex);
            result = shared->function(job->argument);
            g_mutex_lock(&shared->mutex);
            job->result = result;
            g_cond_signal(&job->done);
            job_unref(shared, job);
            /* Closed while it hung: nobody joins this thread, and the worker is its own. */
            if (shared->closed) {
                g_free(worker);
                break;
            }
            worker->busy = FALSE;
        } else if (shared->closed) {
            break;
        } else {
            shared->idle++;
            g_cond_wait(&shared->wake, &shared->mutex);
            shared->idle--;
        }
    }
    g_mutex_unlock(&shared->mutex);
    shared_unref(shared);
    return NULL;
}

struct limited_calls *
limited_calls_new(void *(*function)(void *argument), GDestroyNotify free_argument,
                  GDestroyNotify free_result)
{
    struct limited_calls *calls = g_new0(struct limited_calls, 1);
    struct shared *shared = g_new0(struct shared, 1);

    g_atomic_ref_count_init(&shared->references);
    shared->function = function;
    shared->free_argument = free_argument;
    shared->free_result = free_result;
    g_mutex_init(&shared->mutex);
    g_cond_init(&shared->wake);
    g_queue_init(&shared->jobs);
    calls->shared = shared;
    calls->workers = g_ptr_array_new();
    return calls;
}

void
limited_calls_free(struct limited_calls *calls)
{
    struct shared *shared = calls->shared;

    g_mutex_lock(&shared->mutex);
    shared->closed = TRUE;
    g_cond_broadcast(&shared->wake);
    /* Who is busy now hangs: it is left alone, and its worker is for it to free. */
    for (guint i = calls->workers->len; i-- > 0;) {
        struct worker *worker = g_ptr_array_index(calls->workers, i);

        if (worker->busy) {
            g_thread_unref(worker->thread);
            g_ptr_array_remove_index_fast(calls->workers, i);
        }
    }
    g_mutex_unlock(&shared->mutex);
    for (guint i = 0; i < calls->workers->len; i++) {
        struct worker *worker = g_ptr_array_index(calls->workers, i);

        g_thread_join(worker->thread);
        g_free(worker);
    }
    g_ptr_array_unref(calls->workers);
    shared_unref(shared);
    g_free(calls);
}

/* With the mutex held. */
static gboolean
start_worker(struct limited_calls *calls)
{
    struct worker *worker = g_new0(struct worker, 1);

    worker->shared = calls->shared;
    g_atomic_ref_count_inc(&calls->shared->references);
    worker->thread = g_thread_try_new("limited-call", work, worker, NULL);
    if (worker->thread) {
        g_ptr_array_add(calls->workers, worker);
        return TRUE;
    }
    shared_unref(calls->shared);
    g_free(worker);
    return FALSE;
}

void *
limited_calls_run(struct limited_calls *calls, void *argument, guint timeout_ms)
{
    gint64 end = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
    struct shared *shared = calls->shared;
    struct job *job;
    void *result;

    g_mutex_lock(&shared->mutex);
    /* Idle threads may have jobs coming already. */
    if (shared->idle <= shared->jobs.length && !start_worker(calls)) {
        g_mutex_unlock(&shared->mutex);
        shared->free_argument(argument);
        return NULL;
    }
    job = g_new0(struct job, 1);
    job->references = 2;
    job->argument = argument;
    g_cond_init(&job->done);
    g_queue_push_tail(&shared->jobs, job);
    g_cond_signal(&shared->wake);
    while (!job->result && g_cond_wait_until(&job->done, &shared->mutex, end))
        continue;
    result = g_steal_pointer(&job->result);
    job_unref(shared, job);
    g_mutex_unlock(&shared->mutex);
    return result;
}
