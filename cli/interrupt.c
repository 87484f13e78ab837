/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.c: signals that end the program wait for the file that is being written.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/interrupt.h"

struct interrupt {
    pthread_t thread;
    gboolean running;   /* whether there is that thread */
    sigset_t signals;   /* those it waits for */
    sigset_t before;    /* what was blocked before */
    GMutex lock;        /* for what follows */
    GCond idle;         /* signalled when @writes becomes 0 */
    guint writes;       /* under way */
    gboolean stopping;  /* a signal arrived */
    GCancellable *cancellable;
    GThread *long_work; /* the thread between interrupt_enter_long() and its end; or NULL */
};

void
interrupt_die(int number)
{
    sigset_t only;

    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

static void *
wait_for_signal(void *data)
{
    struct interrupt *interrupt = data;
    int number;

    if (sigwait(&interrupt->signals, &number) != 0)
        return NULL;
    g_mutex_lock(&interrupt->lock);
    interrupt->stopping = TRUE;
    g_cancellable_cancel(interrupt->cancellable);
    while (interrupt->writes)
        g_cond_wait(&interrupt->idle, &interrupt->lock);
    /* With the lock held, so that no write begins any more. */
    interrupt_die(number);
}

struct interrupt *
interrupt_new(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    struct interrupt *interrupt = g_new0(struct interrupt, 1);

    g_mutex_init(&interrupt->lock);
    g_cond_init(&interrupt->idle);
    interrupt->cancellable = g_cancellable_new();
    sigemptyset(&interrupt->signals);
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction action;

        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&interrupt->signals, numbers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &interrupt->signals, &interrupt->before);
    interrupt->running =
        pthread_create(&interrupt->thread, NULL, wait_for_signal, interrupt) == 0;
    if (!interrupt->running)
        pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    return interrupt;
}

void
interrupt_free(struct interrupt *interrupt)
{
    if (!interrupt)
        return;
    if (interrupt->running) {
        pthread_cancel(interrupt->thread);
        pthread_join(interrupt->thread, NULL);
        pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    }
    g_object_unref(interrupt->cancellable);
    g_mutex_clear(&interrupt->lock);
    g_cond_clear(&interrupt->idle);
    g_free(interrupt);
}

GCancellable *
interrupt_cancellable(struct interrupt *interrupt)
{
    return interrupt->cancellable;
}

void
interrupt_enter(struct interrupt *interrupt)
{
    g_mutex_lock(&interrupt->lock);
    while (interrupt->stopping && interrupt->long_work != g_thread_self())
        g_cond_wait(&interrupt->idle, &interrupt->lock);
    interrupt->writes++;
    g_mutex_unlock(&interrupt->lock);
}

void
interrupt_leave(struct interrupt *interrupt)
{
    g_mutex_lock(&interrupt->lock);
    if (--interrupt->writes == 0)
        g_cond_broadcast(&interrupt->idle);
    g_mutex_unlock(&interrupt->lock);
}

void
interrupt_enter_long(struct interrupt *interrupt)
{
    interrupt_enter(interrupt);
    g_mutex_lock(&interrupt->lock);
    interrupt->long_work = g_thread_self();
    g_mutex_unlock(&interrupt->lock);
}

void
interrupt_leave_long(struct interrupt *interrupt)
{
    g_mutex_lock(&interrupt->lock);
    interrupt->long_work = NULL;
    g_mutex_unlock(&interrupt->lock);
    interrupt_leave(interrupt);
}
