/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.h: changes that need a word from a person first.
 */
#pragma once

#include "cli/exit-status.h"
#include "cli/options.h"

/* Whether somebody could be asked, or --yes was given. */
gboolean consent_possible(const struct options *options);

/* Asks @question on the terminal, unless --yes answers it. Where the answer is no, or there is nobody to ask,
 * that is said, and *@status raised. */
gboolean consent_have(const struct options *options, const char *question,
                      enum exit_status *status);
