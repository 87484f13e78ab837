/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.c: the word that a misspelt one was most likely meant to be.
 */
#include <string.h>

#include "cli/nearest.h"

/* Longer words are not worth the time: it takes the product of both lengths. */
#define LONGEST 100

/* How many bytes must be inserted, removed, replaced, or swapped with their neighbour to get
 * from @a to @b. */
static gsize
distance(const char *a, const char *b)
{
    gsize width = strlen(b) + 1;
    g_autofree gsize *rows = g_new0(gsize, 3 * width);
    gsize *older = rows, *old = rows + width, *now = rows + 2 * width;

    for (gsize j = 0; j < width; j++)
        now[j] = j;
    for (gsize i = 1; a[i - 1]; i++) {
        gsize *spare = older;

        older = old;
        old = now;
        now = spare;
        now[0] = i;
        for (gsize j = 1; j < width; j++) {
            now[j] = MIN(MIN(old[j], now[j - 1]) + 1, old[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = MIN(now[j], older[j - 2] + 1);
        }
    }
    return now[width - 1];
}

const char *
nearest(const char *word, const char *const *words)
{
    const char *found = NULL;
    gsize best = strlen(word) / 3 + 2;

    if (strlen(word) > LONGEST)
        return NULL;
    for (gsize i = 0; words[i]; i++) {
        gsize far = g_str_has_prefix(words[i], word) ? 1 : distance(word, words[i]);

        if (far < best) {
            best = far;
            found = words[i];
        }
    }
    return found;
}
