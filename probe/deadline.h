/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadline.h: work that may hang, done in a thread of its own and waited for no
 * longer than agreed. Neither a libvirt call nor a stat() can be cancelled, so
 * one that is overdue is left to itself: its thread lives on until it returns.
 */
#pragma once

#include <glib.h>

/* The threads. Any number of callers may share them. */
struct deadline_threads;

struct deadline_threads *deadline_threads_new(void);

/* Does not wait for what is overdue: the threads go when their work is done. */
void deadline_threads_free(struct deadline_threads *threads);

/**
 * deadline_run:
 * @work: what is done, in another thread; results go into @data
 * @free_data: frees @data, in whichever thread
 * @timeout_ms: how long to wait for it
 *
 * Returns: TRUE where @work was done: @data is still the caller's. FALSE where it is overdue:
 * @data is no longer the caller's and must not be looked at; it is freed when @work returns, if
 * ever.
 */
gboolean deadline_run(struct deadline_threads *threads, void (*work)(void *data), void *data,
                      GDestroyNotify free_data, guint timeout_ms);
