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
    "Usage: domlint [MODE] [OPTION...] TARGET...\n"
    "\n"
    "Finds slow and dangerous disks in libvirt domain XML, explains what it finds,\n"
    "and mends it without touching another byte.\n"
    "\n"
    "TARGET is a path (it has a '/' or ends in .xml), a folder (its *.xml and\n"
    "*.xml.j2 that hold a domain or a disk, recursively), or - for standard input;\n"
    "file:PATH says that it is a path whatever it looks like.\n";

static const char after_options[] =
    "\n"
    "Exit status (the highest that applies)\n"
    "  0  nothing at or above --fail-on is left\n"
    "  1  findings are left, or --diff has something to change\n"
    "  2  wrong usage; nothing was done\n"
    "  3  a file could not be read or checked; with --strict also: a rule could not\n"
    "     decide\n"
    "  4  a fix was refused: the file has several hard links, is libvirtd's own, or\n"
    "     was changed by someone else meanwhile\n"
    "  5  something failed part-way: a file or report could not be written, or a fix\n"
    "     did not clear its finding and was put back\n"
    "  128+N  ended by signal N\n"
    "\n"
    "Examples\n"
    "  domlint web1.xml                  check one file\n"
    "  domlint guests/                   check all domains in a folder\n"
    "  domlint --explain=ide-bus         what a rule is about\n"
    "  domlint --diff guests/ | less     see what --fix would change\n"
    "  domlint --fix guests/             apply the safe fixes\n"
    "  virsh dumpxml --inactive web1 | domlint -\n"
    "  domlint -f json:report.json -f text guests/\n";

static void
print_option(FILE *stream, const GOptionEntry *entry)
{
    g_autofree char *names =
        entry->short_name ? g_strdup_printf("-%c, --%s", entry->short_name, entry->long_name)
                          : g_strdup_printf("    --%s", entry->long_name);
    g_autofree char *left = entry->arg_description
                                ? g_strdup_printf("  %s=%s", names, entry->arg_description)
                                : g_strdup_printf("  %s", names);
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
