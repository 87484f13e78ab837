/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workers.c: many pieces of work in several threads, their results delivered in order.
 *
 * The results wait in a ring. A piece is taken up only when the ring has a place for its result, so
 * the slot of piece n is n modulo the ring's size, and is free when piece n is begun.
 */
#include "cli/workers.h"

/* Places in the ring for each thread: enough that a slow piece does not hold up the others at
 * once. */
#define RING_PER_THREAD 4

struct pool {
    const struct workers_job *job;
    gpointer *ring;
    gsize size;
    GMutex lock;     /* for what follows, and the ring */
    GCond room;      /* a place in the ring became free, or the work was stopped */
    GCond ready;     /* the next result to be delivered is there */
    gsize begun;     /* pieces taken up */
    gsize delivered; /* results taken for delivery */
    gboolean stopped;
};

static gpointer
work_thread(gpointer data)
{
    struct pool *pool = data;

    g_mutex_lock(&pool->lock);
    for (;;) {
        gsize index;
        gpointer result;

        while (!pool->stopped && pool->begun < pool->job->count &&
               pool->begun >= pool->delivered + pool->size)
            g_cond_wait(&pool->room, &pool->lock);
        if (pool->stopped || pool->begun >= pool->job->count)
            break;
        index = pool->begun++;

        g_mutex_unlock(&pool->lock);
        result = pool->job->work(index, pool->job->data);
        g_mutex_lock(&pool->lock);

        pool->ring[index % pool->size] = result;
        if (index == pool->delivered)
            g_cond_signal(&pool->ready);
    }
    g_mutex_unlock(&pool->lock);
    return NULL;
}

/* Waits for the results and hands them on, without the lock. */
static void
deliver_in_order(struct pool *pool)
{
    gboolean more = TRUE;

    g_mutex_lock(&pool->lock);
    while (more && pool->delivered < pool->job->count) {
        gsize index = pool->delivered;
        gpointer *slot = &pool->ring[index % pool->size];
        gpointer result;

        while (!*slot)
            g_cond_wait(&pool->ready, &pool->lock);
        result = *slot;
        *slot = NULL;
        pool->delivered++;
        g_cond_signal(&pool->room);

        g_mutex_unlock(&pool->lock);
        more = pool->job->deliver(index, result, pool->job->data);
        g_mutex_lock(&pool->lock);
    }
    pool->stopped = TRUE;
    g_cond_broadcast(&pool->room);
    g_mutex_unlock(&pool->lock);
}

static void
run_here(const struct workers_job *job)
{
    for (gsize i = 0; i < job->count; i++) {
        if (!job->deliver(i, job->work(i, job->data), job->data))
            return;
    }
}

void
workers_run(const struct workers_job *job, guint threads)
{
    g_autoptr(GPtrArray) running = g_ptr_array_new();
    struct pool pool = {.job = job};

    threads = MIN(threads, job->count);
    if (threads <= 1) {
        run_here(job);
        return;
    }
    pool.size = (gsize)threads * RING_PER_THREAD;
    pool.ring = g_new0(gpointer, pool.size);
    g_mutex_init(&pool.lock);
    g_cond_init(&pool.room);
    g_cond_init(&pool.ready);

    for (guint i = 0; i < threads; i++) {
        GThread *thread = g_thread_try_new("worker", work_thread, &pool, NULL);

        if (thread)
            g_ptr_array_add(running, thread);
    }
    /* Where the system lets us have no thread, the work is still done. */
    if (running->len)
        deliver_in_order(&pool);
    else
        run_here(job);
    for (guint i = 0; i < running->len; i++)
        g_thread_join(g_ptr_array_index(running, i));

    for (gsize i = 0; i < pool.size; i++) {
        if (pool.ring[i])
            job->discard(pool.ring[i]);
    }
    g_mutex_clear(&pool.lock);
    g_cond_clear(&pool.room);
    g_cond_clear(&pool.ready);
    g_free(pool.ring);
}
