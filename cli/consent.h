/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.h: changes that need a word from a person first.
 */
#pragma once

#include "cli/options.h"

enum consent {
    CONSENT_GIVEN,
    CONSENT_REFUSED, /* the person said no */
    CONSENT_NOBODY,  /* there is nobody to ask: no terminal, and no --yes */
};

/* Whether somebody could be asked, or --yes was given. */
gboolean consent_possible(const struct options *options);

/* Asks @question on the terminal, unless --yes answers it. */
enum consent consent_ask(const struct options *options, const char *question);
