/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h: what the TARGETs of the command line stand for.
 */
#pragma once

#include <glib.h>

/* One document to be worked on. */
struct target {
    char *path;    /* as it is reported; "-": standard input */
    char *failure; /* why it is known already that it cannot be read (a folder); NULL otherwise */
};

/**
 * targets_list:
 * @words: the TARGETs as given
 *
 * Returns: an array of struct target *, in the order of @words, those of a folder bytewise by path,
 * each file once however often and by whatever symlinks it is named; to be unreferenced. NULL with
 * @error (of G_OPTION_ERROR) for a word that is no TARGET, and for a folder without documents.
 */
GPtrArray *targets_list(GStrv words, GError **error);

/* The one of @targets that is the same file as @path; NULL where none is. */
const struct target *targets_find(GPtrArray *targets, const char *path);

/* Whether standard input is one of @targets. */
gboolean targets_have_stdin(GPtrArray *targets);
