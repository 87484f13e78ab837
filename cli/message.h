/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h: what is said on standard error.
 */
#pragma once

#include <glib.h>

/* Prints "domlint: " and the text, escaped for a terminal, as one line. */
void message(const char *format, ...) G_GNUC_PRINTF(1, 2);
