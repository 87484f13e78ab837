/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-workers.c: results come in order, whatever the threads do; nothing is lost, and little
 * waits.
 */
#include <check.h>
#include <stdlib.h>

#include "cli/workers.h"

struct state {
    gint alive;       /* results made and not yet taken or discarded; atomic */
    gint most_alive;  /* the most of them at one time, as seen at a delivery */
    gint made;        /* atomic */
    gsize delivered;
    gsize stop_at;
    gboolean uneven;  /* some pieces take long */
};

static gpointer
work(gsize index, gpointer data)
{
    struct state *state = data;
    gsize *result = g_new(gsize, 1);

    if (state->uneven && index % 7 == 0)
        g_usleep(2000);
    *result = index;
    g_atomic_int_inc(&state->alive);
    g_atomic_int_inc(&state->made);
    return result;
}

static gboolean
deliver(gsize index, gpointer result, gpointer data)
{
    struct state *state = data;
    gsize *number = result;

    ck_assert_uint_eq(index, state->delivered);
    ck_assert_uint_eq(*number, index);
    state->most_alive = MAX(state->most_alive, g_atomic_int_get(&state->alive));
    g_atomic_int_add(&state->alive, -1);
    g_free(number);
    state->delivered++;
    return state->delivered != state->stop_at;
}

/* For what is left over; there is nobody to count it for. */
static void
discard(gpointer result)
{
    g_free(result);
}

static const guint thread_counts[] = {1, 2, 3, 8, 33};

START_TEST(delivers_in_order)
{
    static const gsize counts[] = {0, 1, 2, 7, 1000};

    for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct state state = {.uneven = counts[i] < 100};
        const struct workers_job job = {counts[i], work, deliver, discard, &state};

        workers_run(&job, thread_counts[_i]);
        ck_assert_uint_eq(state.delivered, counts[i]);
        ck_assert_int_eq(state.made, counts[i]);
        ck_assert_int_eq(state.alive, 0);
    }
}
END_TEST

START_TEST(keeps_few_results_waiting)
{
    struct state state = {.uneven = TRUE};
    const struct workers_job job = {700, work, deliver, discard, &state};

    workers_run(&job, thread_counts[_i]);
    /* Those in the ring, and one in the hand of each thread. */
    ck_assert_int_le(state.most_alive, 5 * thread_counts[_i]);
}
END_TEST

START_TEST(stops_when_told)
{
    struct state state = {.stop_at = 10};
    const struct workers_job job = {100000, work, deliver, discard, &state};

    workers_run(&job, thread_counts[_i]);
    ck_assert_uint_eq(state.delivered, 10);
    ck_assert_int_lt(state.made, 10 + 6 * thread_counts[_i]);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("workers");
    TCase *tests = tcase_create("workers");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, delivers_in_order, 0, G_N_ELEMENTS(thread_counts));
    tcase_add_loop_test(tests, keeps_few_results_waiting, 0, G_N_ELEMENTS(thread_counts));
    tcase_add_loop_test(tests, stops_when_told, 0, G_N_ELEMENTS(thread_counts));
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
