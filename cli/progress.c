/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c: how a long copy goes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "lint/output.h"

#define REDRAW_US (G_USEC_PER_SEC / 5)

struct progress {
    char *label;
    guint64 bytes;
    gboolean quiet, terminal;
    const char *doing; /* NULL: nothing long */
    gint64 began, drawn;
    gboolean on_line;  /* the cursor stands behind a line of ours */
};

struct progress *
progress_new(const char *label, guint64 bytes, gboolean quiet)
{
    struct progress *progress = g_new0(struct progress, 1);

    progress->label = lint_escape(label);
    progress->bytes = bytes;
    progress->quiet = quiet;
    progress->terminal = isatty(STDERR_FILENO) && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
    return progress;
}

static void
end_line(struct progress *progress)
{
    if (progress->on_line)
        fputs("\r\033[K", stderr);
    progress->on_line = FALSE;
}

void
progress_free(struct progress *progress)
{
    if (!progress)
        return;
    end_line(progress);
    g_free(progress->label);
    g_free(progress);
}

char *
progress_size(guint64 bytes)
{
    return g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS);
}

/* The step that is announced is over when its record is written, but for the long ones, which
 * begin with the record before theirs. */
void
progress_step(const char *step, void *data)
{
    static const struct {
        const char *step, *doing;
    } long_steps[] = {
        { "convert-made", "copying" },
        { "convert-copied", "comparing" },
        { "convert-defining", "changing the definition" },
        { "convert-done", "converted" },
    };
    struct progress *progress = data;

    progress->doing = NULL;
    progress->began = g_get_monotonic_time();
    for (gsize i = 0; i < G_N_ELEMENTS(long_steps); i++)
        if (g_str_equal(step, long_steps[i].step))
            progress->doing = long_steps[i].doing;
    end_line(progress);
    if (progress->doing && !progress->quiet && !progress->terminal)
        message("%s: %s", progress->label, progress->doing);
}

void
progress_percent(double percent, void *data)
{
    struct progress *progress = data;
    gint64 now = g_get_monotonic_time();
    double seconds = (double)(now - progress->began) / G_USEC_PER_SEC;
    guint left = percent > 0 ? (guint)(seconds * (100 - percent) / percent) : 0;
    g_autofree char *rate = NULL;

    if (progress->quiet || !progress->terminal || !progress->doing ||
        now - progress->drawn < REDRAW_US)
        return;
    progress->drawn = now;
    rate = progress_size(seconds > 0 ? (guint64)((double)progress->bytes * percent / 100 / seconds)
                                     : 0);
    fprintf(stderr, "\r\033[K%s: %s: %.0f %%, %s/s, %u:%02u left", progress->label,
            progress->doing, percent, rate, left / 60, left % 60);
    fflush(stderr);
    progress->on_line = TRUE;
}
