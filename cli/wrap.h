/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h: prose broken into lines.
 */
#pragma once

#include <glib.h>

/**
 * wrap:
 * @text: words separated by white space; an empty line between paragraphs stays
 * @indent: the column at which each line but the first begins, from 0
 * @column: the column at which the first line goes on, from 0
 *
 * Returns: the text in lines of 80 columns, each ended by a newline, to be freed. A word that is
 * too long for that is not broken.
 */
char *wrap(const char *text, guint indent, guint column);
