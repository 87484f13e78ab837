/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h: escaping text from outside into a report that is being put together. See
 * lint_escape() in output.h for what is escaped.
 */
#pragma once

#include <glib.h>

/* How many bytes from @text on, before @end, are printable ASCII, which is never escaped. */
size_t lint_plain_length(const char *text, const char *end);

/* Appends @length bytes of @text, escaped. */
void lint_escape_append(GString *out, const char *text, size_t length);

/* Appends the character, or the byte that is none, at @text, before @end, escaped. Returns what
 * follows it. */
const char *lint_escape_next(GString *out, const char *text, const char *end);
