/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h: a folder of a test's own, below the current one, and shell commands in it.
 */
#pragma once

#include <glib.h>

typedef struct {
    char *folder; /* absolute */
} scratch;

scratch scratch_new(void);
void scratch_clear(scratch *s); /* removes the folder with all that is in it */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scratch, scratch_clear)

/* The path of @name in the folder; to be freed. */
char *scratch_path(const scratch *s, const char *name);

/* Runs a shell script in the folder; the test fails if it does. */
void scratch_run(const scratch *s, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same; its standard output, to be freed. */
char *scratch_output(const scratch *s, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Makes a file; @length -1: @text ends in NUL. */
void scratch_write(const scratch *s, const char *name, const void *text, gssize length);
