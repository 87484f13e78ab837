/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h: where a report or diff is written to, and what became of that.
 */
#pragma once

#include <stdio.h>

#include "cli/options.h"

struct stream {
    FILE *file;
    char *path;  /* NULL: one of the program's own, not closed by stream_close() */
    int error;   /* errno of the first write that failed; 0 without one */
};

/* Opens @path for writing; the program's own stream @standard where @path is NULL. FALSE with
 * @error. */
gboolean stream_open(struct stream *stream, const char *path, FILE *standard, GError **error);

/* Whether all could be written so far; to be called soon after a write, while errno still says
 * why not. */
gboolean stream_check(struct stream *stream);

/* Writes out what is buffered, and closes. Whether all could be written. */
gboolean stream_close(struct stream *stream);

/* Whether it failed because whoever read it has gone, which is no error to speak of (domlint ...
 * | head). */
gboolean stream_reader_is_gone(const struct stream *stream);

/* Whether what goes there may be coloured, as --color and the environment say. */
gboolean stream_has_color(const struct stream *stream, enum color_when when);

/* Whether a person's terminal is at the other end. */
gboolean stream_is_terminal(const struct stream *stream);
