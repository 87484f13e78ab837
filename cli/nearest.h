/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h: the word that a misspelt one was most likely meant to be.
 */
#pragma once

#include <glib.h>

/* The one of @words (NULL-terminated) that is nearest to @word, or that @word is a beginning of;
 * NULL where none is near. */
const char *nearest(const char *word, const char *const *words);
