/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event-loop.c: libvirt's event loop, in a thread.
 */
#include "probe/event-loop.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "probe/connection.h"

struct event_loop {
    GThread *thread;
    gint quit; /* atomic */
};

static void
print_nothing(void *data G_GNUC_UNUSED, virErrorPtr error G_GNUC_UNUSED)
{
}

static void
wake(int timer G_GNUC_UNUSED, void *data G_GNUC_UNUSED)
{
}

static gpointer
run(gpointer data)
{
    struct event_loop *loop = data;

    while (!g_atomic_int_get(&loop->quit)) {
        /* A failure leaves keepalive without effect; the time limit of each call still holds. */
        if (virEventRunDefaultImpl() < 0)
            break;
    }
    return NULL;
}

static gboolean
is_ready(gboolean good, GError **error)
{
    if (!good)
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_OPEN, "libvirt cannot be used: %s",
                    virGetLastErrorMessage());
    return good;
}

gboolean
event_loop_ready_libvirt(GError **error)
{
    virSetErrorFunc(NULL, print_nothing);
    return is_ready(virInitialize() == 0, error);
}

struct event_loop *
event_loop_new(GError **error)
{
    g_autofree struct event_loop *loop = g_new0(struct event_loop, 1);

    if (!event_loop_ready_libvirt(error) ||
        !is_ready(virEventRegisterDefaultImpl() == 0, error))
        return NULL;
    loop->thread = g_thread_try_new("libvirt-events", run, loop, error);
    return loop->thread ? g_steal_pointer(&loop) : NULL;
}

void
event_loop_free(struct event_loop *loop)
{
    int timer;

    if (!loop)
        return;
    g_atomic_int_set(&loop->quit, TRUE);
    timer = virEventAddTimeout(0, wake, NULL, NULL);
    g_thread_join(loop->thread);
    virEventRemoveTimeout(timer);
    g_free(loop);
}
