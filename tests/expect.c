/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect.c: an assertion for loops of millions, where Check's own would note each one down. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"

void
expect(bool holds, const char *format, ...)
{
    const char *subject;
    char message[4096];
    va_list args;

    if (holds)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    subject = getenv("DOMLINT_TEST_SUBJECT");
    ck_abort_msg("%s: %s", subject ? subject : "?", message);
}

bool
same_string(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}
