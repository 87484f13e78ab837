/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.c: what is said on standard error.
 */
#include <stdio.h>

#include "cli/message.h"
#include "lint/output.h"

void
message(const char *format, ...)
{
    g_autofree char *text = NULL;
    g_autofree char *escaped = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    escaped = lint_escape(text);
    fprintf(stderr, "domlint: %s\n", escaped);
}
