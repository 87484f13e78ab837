/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-doc.c: --explain and --list-rules: the rules' own fields, laid out for a terminal.
 */
#include <stdio.h>
#include <string.h>

#include "cli/mode.h"
#include "cli/wrap.h"

#define INDENT 2

struct page {
    FILE *file;
    const char *bold, *plain; /* "" without colour */
};

static struct page
page_new(gboolean color)
{
    return (struct page){
        .file = stdout,
        .bold = color ? "\033[1m" : "",
        .plain = color ? "\033[0m" : "",
    };
}

/* One part of a rule's page; nothing where the rule has no such text. */
static void
print_section(const struct page *page, const char *heading, const char *text)
{
    g_autofree char *wrapped = NULL;

    if (!text)
        return;
    wrapped = wrap(text, INDENT, INDENT);
    fprintf(page->file, "\n%s%s%s\n%*s%s", page->bold, heading, page->plain, INDENT, "", wrapped);
}

static void
print_rule(const struct page *page, const struct lint_rule *rule)
{
    g_autofree char *summary = wrap(rule->summary, INDENT, INDENT);

    fprintf(page->file, "%s%s%s (%s%s)\n%*s%s", page->bold, rule->id, page->plain,
            lint_severity_name(rule->severity), rule->opt_in ? ", runs only where -r names it" : "",
            INDENT, "", summary);
    print_section(page, "Why", rule->why);
    print_section(page, "Fix", rule->fix ? rule->fix : "None: it is for you to decide.");
    print_section(page, "How safe the fix is", rule->fix_safety);
    print_section(page, "What changes for the guest", rule->guest);
    if (rule->references && rule->references[0])
        fprintf(page->file, "\n%sReferences%s\n", page->bold, page->plain);
    for (gsize i = 0; rule->references && rule->references[i]; i++)
        fprintf(page->file, "%*s%s\n", INDENT, "", rule->references[i]);
}

void
mode_explain(const GPtrArray *rules, gboolean color)
{
    struct page page = page_new(color);

    for (guint i = 0; i < rules->len; i++) {
        if (i)
            fputs("\n\n", page.file);
        print_rule(&page, g_ptr_array_index(rules, i));
    }
}

void
mode_list_rules(const GPtrArray *rules, gboolean color)
{
    struct page page = page_new(color);
    int id_width = strlen("RULE");
    int severity_width = strlen("SEVERITY");

    for (guint i = 0; i < rules->len; i++) {
        const struct lint_rule *rule = g_ptr_array_index(rules, i);

        id_width = MAX(id_width, (int)strlen(rule->id));
    }
    fprintf(page.file, "%s%-*s  %-*s  WHAT IS WRONG%s\n", page.bold, id_width, "RULE",
            severity_width, "SEVERITY", page.plain);
    for (guint i = 0; i < rules->len; i++) {
        const struct lint_rule *rule = g_ptr_array_index(rules, i);

        fprintf(page.file, "%-*s  %-*s  %s%s\n", id_width, rule->id, severity_width,
                lint_severity_name(rule->severity), rule->summary,
                rule->opt_in ? " (only where -r names it)" : "");
    }
}
