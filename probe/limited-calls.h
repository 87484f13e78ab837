/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limited-calls.h: calls of a function that may hang for ever, waited for a limited time.
 *
 * A path on a dead network file system blocks whoever looks at it, uninterruptibly. So each call
 * runs in a thread of its own; one that hangs is left behind, and frees what it holds should it
 * ever come back.
 */
#pragma once

#include <glib.h>

struct limited_calls;

/**
 * limited_calls_new:
 * @function: what is called: with an argument, gives a result that is not NULL; by several
 *   threads at a time. It may outlive the limited_calls, and so must rest on nothing but its
 *   argument
 * @free_argument, @free_result: how those are freed
 */
struct limited_calls *limited_calls_new(void *(*function)(void *argument),
                                        GDestroyNotify free_argument, GDestroyNotify free_result);

/* Waits for no call that hangs. No other thread may be in limited_calls_run(). */
void limited_calls_free(struct limited_calls *calls);

/**
 * limited_calls_run: calls the function with @argument, which is taken over. Thread-safe.
 * Returns: its result, to be freed; NULL once @timeout_ms have passed, or where no thread can be
 * had.
 */
void *limited_calls_run(struct limited_calls *calls, void *argument, guint timeout_ms);
