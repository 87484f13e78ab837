/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help.c: the text of --help.
 */
#include "cli/option-table.h"
#include "cli/options.h"
#include "cli/wrap.h"

/* Where an option's description begins, from 0. */
#define DESCRIPTION_COLUMN 24

static const char before_options[] =
    "Usage: domlint [MODE] [OPTION...] [TARGET...]\n"
    "\n"
    "Finds slow and dangerous disks in libvirt domain XML, explains what it finds,\n"
    "and mends it without touching another byte.\n"
    "\n"
    "TARGET is a path (it has a '/' or ends in .xml), a folder (its *.xml and\n"
    "*.xml.j2 that hold a domain or a disk, recursively), - for standard input;\n"
    "any other word is a domain of the connection, by name or UUID. file:PATH and\n"
    "dom:NAME say which is meant. Without any: all domains of the connection.\n";

static const char after_options[] =
    "\n"
    "Exit status (the highest that applies)\n"
    "  0  nothing at or above --fail-on is left\n"
    "  1  findings are left, or --diff has something to change\n"
    "  2  wrong usage; nothing was done\n"
    "  3  a file or domain could not be read or checked; with --strict also: a rule\n"
    "     could not decide\n"
    "  4  a fix or conversion was refused, by you or for the reason told; nothing was\n"
    "     touched by it\n"
    "  5  something failed part-way: a file, report or image could not be written, or\n"
    "     a fix did not clear its finding and was put back\n"
    "  128+N  ended by signal N\n"
    "\n"
    "Examples\n"
    "  domlint web1.xml                  check one file\n"
    "  domlint guests/                   check all domains in a folder\n"
    "  domlint --explain=ide-bus         what a rule is about\n"
    "  domlint --diff guests/ | less     see what --fix would change\n"
    "  domlint --fix guests/             apply the safe fixes\n"
    "  domlint --all                     check all domains of this host\n"
    "  domlint --fix --convert web1      convert its images too; asks first\n"
    "  domlint --undo                    take the last run back\n"
    "  virsh dumpxml --inactive web1 | domlint -\n"
    "  domlint -f json:report.json -f text guests/\n";

static void
print_option(FILE *stream, const GOptionEntry *entry)
{
    g_autofree char *names =
        entry->short_name ? g_strdup_printf("-%c, --%s", entry->short_name, entry->long_name)
                          : g_strdup_printf("    --%s", entry->long_name);
    const char *argument = entry->arg_description ? entry->arg_description : "";
    /* One that may be left out brings its '=' with it. */
    g_autofree char *left = g_strdup_printf("  %s%s%s", names,
                                            *argument && *argument != '[' ? "=" : "", argument);
    g_autofree char *right = wrap(entry->description, DESCRIPTION_COLUMN, DESCRIPTION_COLUMN);

    if (g_utf8_strlen(left, -1) + 2 > DESCRIPTION_COLUMN)
        fprintf(stream, "%s\n%*s%s", left, DESCRIPTION_COLUMN, "", right);
    else
        fprintf(stream, "%-*s%s", DESCRIPTION_COLUMN, left, right);
}

void
options_print_help(FILE *stream)
{
    struct raw_options raw = {0};
    g_autofree GOptionEntry *entries = option_table(&raw);

    fputs(before_options, stream);
    for (gsize i = 0; entries[i].long_name; i++) {
        const char *heading = option_table_heading(entries[i].long_name);

        if (heading)
            fprintf(stream, "\n%s\n", heading);
        if (entries[i].description)
            print_option(stream, &entries[i]);
    }
    fputs(after_options, stream);
}
