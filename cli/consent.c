/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.c: asking on the terminal.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/consent.h"

static gboolean
somebody_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

gboolean
consent_possible(const struct options *options)
{
    return options->yes || somebody_is_there();
}

enum consent
consent_ask(const struct options *options, const char *question)
{
    char answer[16] = "";

    if (options->yes)
        return CONSENT_GIVEN;
    if (!somebody_is_there())
        return CONSENT_NOBODY;
    fprintf(stderr, "%s [y/N] ", question);
    fflush(stderr);
    if (!fgets(answer, sizeof(answer), stdin))
        return CONSENT_REFUSED;
    g_strstrip(answer);
    return g_ascii_strcasecmp(answer, "y") == 0 || g_ascii_strcasecmp(answer, "yes") == 0
               ? CONSENT_GIVEN
               : CONSENT_REFUSED;
}
