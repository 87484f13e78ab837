/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workers.h: many pieces of work in several threads, their results delivered in order.
 */
#pragma once

#include <glib.h>

struct workers_job {
    gsize count;                                      /* of pieces, numbered from 0 */
    gpointer (*work)(gsize index, gpointer data);     /* in any thread; its result is never NULL */
    gboolean (*deliver)(gsize index, gpointer result, gpointer data);
                                                      /* in the caller's thread, in order; takes
                                                       * the result; FALSE: no more */
    GDestroyNotify discard;                           /* frees a result that is not delivered */
    gpointer data;                                    /* for both */
};

/**
 * workers_run: carries @job out in @threads threads (1: in the caller's alone). No more results
 * wait for delivery than a few for each thread, so that memory stays flat however many pieces
 * there are.
 */
void workers_run(const struct workers_job *job, guint threads);
