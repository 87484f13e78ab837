/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.c: asking on the terminal.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/consent.h"
#include "cli/message.h"

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

gboolean
consent_have(const struct options *options, const char *question, enum exit_status *status)
{
    char answer[16] = "";

    if (options->yes)
        return TRUE;
    if (!somebody_is_there()) {
        message("there is no terminal to ask on: say --yes to carry it out");
        exit_status_raise(status, STATUS_USAGE);
        return FALSE;
    }
    fprintf(stderr, "%s [y/N] ", question);
    fflush(stderr);
    if (fgets(answer, sizeof(answer), stdin)) {
        g_strstrip(answer);
        if (g_ascii_strcasecmp(answer, "y") == 0 || g_ascii_strcasecmp(answer, "yes") == 0)
            return TRUE;
    }
    message("nothing was changed");
    exit_status_raise(status, STATUS_REFUSED);
    return FALSE;
}
