/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect.h: an assertion for loops of millions, where Check's own would note each one down. */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <stdbool.h>

/* Fails the test with the message unless it holds; says what $DOMLINT_TEST_SUBJECT is then. */
void expect(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the strings are equal, each may be NULL. */
bool same_string(const char *a, const char *b);

#endif
