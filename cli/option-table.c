/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-table.c: the options there are, with their help.
 */
#include <string.h>

#include "cli/option-table.h"

#define LIST G_OPTION_ARG_FILENAME_ARRAY
#define WORD G_OPTION_ARG_FILENAME
#define FLAG G_OPTION_ARG_NONE

GOptionEntry *
option_table(struct raw_options *raw)
{
    /* Words are of type FILENAME, that is, taken as the bytes they are, whatever the locale. */
    const GOptionEntry entries[] = {
        {"fix", 0, 0, FLAG, &raw->fix,
         "apply the safe fixes: to files in place, to domains in their definition, from standard "
         "input to standard output", NULL},
        {"diff", 0, 0, FLAG, &raw->diff,
         "print what --fix would change, as a unified diff; write nothing", NULL},
        {"undo", 0, 0, WORD, &raw->undo,
         "take back what a run (default: the last) changed in domains", "[=ID]"},
        {"resume", 0, 0, WORD, &raw->resume,
         "finish or roll back the conversions of a run (default: the last) that was interrupted",
         "[=ID]"},
        {"forget", 0, 0, WORD, &raw->forget,
         "remove the originals that the conversions of a run kept", "ID"},
        {"history", 0, 0, FLAG, &raw->history, "list what was changed in domains", NULL},
        {"explain", 0, 0, LIST, &raw->explain,
         "say what a rule finds, why, and what its fix does", "RULE"},
        {"list-rules", 0, 0, FLAG, &raw->list_rules, "list the rules", NULL},
        {"help", 'h', 0, FLAG, &raw->help, "show this help", NULL},
        {"version", 0, 0, FLAG, &raw->version,
         "show the versions of domlint and its libraries", NULL},

        {"all", 'a', 0, FLAG, &raw->all,
         "all domains of the connection; so does no TARGET at all", NULL},
        {"connect", 'c', 0, WORD, &raw->connect,
         "the libvirt connection of domains (default: libvirt's own default)", "URI"},
        {"rule", 'r', 0, LIST, &raw->rules, "only these rules (comma-separated)", "LIST"},
        {"exclude", 'x', 0, LIST, &raw->except, "not these rules (comma-separated)", "LIST"},
        {"host", 0, 0, FLAG, &raw->host,
         "the files describe this host: an image that is missing is an error", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &raw->jobs,
         "how many files or domains at once (default: the number of processors)", "N"},

        {"unsafe-fixes", 0, 0, FLAG, &raw->unsafe_fixes,
         "with --fix and --diff: also the fixes that the guest must be ready for", NULL},
        {"convert", 0, 0, FLAG, &raw->convert,
         "with --fix and --diff: also convert images; the originals are kept", NULL},
        {"to", 0, 0, WORD, &raw->to, "convert to raw or qcow2 (default: raw)", "FORMAT"},
        {"preallocation", 0, 0, WORD, &raw->preallocation,
         "off, metadata (qcow2), falloc or full (default: falloc, for qcow2 metadata)", "MODE"},
        {"shutdown", 0, 0, FLAG, &raw->shutdown,
         "shut running domains down for their conversion, and start them again", NULL},
        {"shutdown-timeout", 0, 0, G_OPTION_ARG_INT, &raw->shutdown_timeout,
         "how long a guest may take to shut down (default: 180)", "SEC"},
        {"rate-limit", 0, 0, G_OPTION_ARG_INT, &raw->rate_limit,
         "copy at most so many MiB a second", "MIB"},
        {"keep-going", 0, 0, FLAG, &raw->keep_going,
         "after a conversion that failed go on with the next", NULL},
        {"yes", 'y', 0, FLAG, &raw->yes,
         "ask nothing: carry it out (changes of files never ask)", NULL},

        {"state-dir", 0, 0, WORD, &raw->state_dir,
         "the folder of the journal that --undo reads (default: /var/lib/domlint for root)", "DIR"},

        {"format", 'f', 0, LIST, &raw->formats,
         "text or json, to FILE or standard output; repeatable (default: text)", "FORMAT[:FILE]"},
        {"fail-on", 0, 0, WORD, &raw->fail_on,
         "exit 1 for findings of this level and above: error, warning or info (default: warning)",
         "LEVEL"},
        {"min-severity", 0, 0, WORD, &raw->min_severity,
         "show findings of this level and above (default: info); the exit status stays", "LEVEL"},
        {"strict", 0, 0, FLAG, &raw->strict, "exit 3 where a rule could not decide", NULL},
        {"quiet", 'q', 0, FLAG, &raw->quiet, "findings only: no notes, no summary", NULL},
        {"color", 0, 0, WORD, &raw->color, "auto, always or never (default: auto)", "WHEN"},

        {G_OPTION_REMAINING, 0, 0, LIST, &raw->targets, NULL, "TARGET"},
        {NULL},
    };
    GOptionEntry *copy = g_new(GOptionEntry, G_N_ELEMENTS(entries));

    memcpy(copy, entries, sizeof(entries));
    return copy;
}

const char *
option_table_heading(const char *long_name)
{
    static const char *const headings[][2] = {
        {"fix", "Modes (one of them; without one: check and report)"},
        {"all", "What is checked"},
        {"unsafe-fixes", "Fixes"},
        {"format", "The report"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(headings); i++) {
        if (g_str_equal(headings[i][0], long_name))
            return headings[i][1];
    }
    return NULL;
}

const char **
option_table_names(void)
{
    struct raw_options raw = {0};
    g_autofree GOptionEntry *entries = option_table(&raw);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (gsize i = 0; entries[i].long_name; i++) {
        if (*entries[i].long_name)
            g_ptr_array_add(names, (gpointer)entries[i].long_name);
    }
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

gboolean
option_table_is_for_later(const char *name)
{
    static const char *const later[] = {
        "apply", "bench", "config", "drop-snapshots", "flatten", "live", "plan", "progress",
        "script", "show-plan", NULL,
    };

    return g_strv_contains(later, name);
}
