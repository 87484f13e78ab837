/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.c: which rules run, from lists of ids. */
#include <string.h>

#include "lint/run.h"

static const struct lint_rule *
find_rule(const struct lint_rule *const *table, const char *id)
{
    for (size_t i = 0; table[i]; i++) {
        if (g_str_equal(table[i]->id, id))
            return table[i];
    }
    return NULL;
}

/* How many insertions, deletions and replacements of a byte lead from @a to @b. */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t width = strlen(b) + 1;
    g_autofree size_t *row = g_new(size_t, width);

    for (size_t j = 0; j < width; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 1; j < width; j++) {
            size_t replaced = diagonal + (a[i] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(MIN(row[j], row[j - 1]) + 1, replaced);
        }
    }
    return row[width - 1];
}

/* The rule id that @id was most likely meant to be: the nearest, or one that starts with it; NULL
 * where none is near. */
static const char *
nearest_id(const struct lint_rule *const *table, const char *id)
{
    const char *nearest = NULL;
    size_t best = strlen(id) / 2 + 1;

    if (strlen(id) > 100)
        return NULL;
    for (size_t i = 0; table[i]; i++) {
        size_t distance = edit_distance(id, table[i]->id);

        if (distance < best) {
            best = distance;
            nearest = table[i]->id;
        }
    }
    for (size_t i = 0; !nearest && table[i]; i++) {
        if (strlen(id) >= 3 && strstr(table[i]->id, id))
            nearest = table[i]->id;
    }
    return nearest;
}

/* The rules that @list names; NULL with @error where an id is unknown. */
static GHashTable *
parse_list(const struct lint_rule *const *table, const char *list, GError **error)
{
    g_autoptr(GHashTable) rules = g_hash_table_new(NULL, NULL);
    g_auto(GStrv) ids = g_strsplit(list, ",", -1);

    for (size_t i = 0; ids[i]; i++) {
        const struct lint_rule *rule;
        const char *nearest;

        g_strstrip(ids[i]);
        if (!ids[i][0])
            continue;
        rule = find_rule(table, ids[i]);
        if (rule) {
            g_hash_table_add(rules, (gpointer)rule);
            continue;
        }
        nearest = nearest_id(table, ids[i]);
        if (nearest)
            g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                        "unknown rule '%s'; did you mean '%s'?", ids[i], nearest);
        else
            g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                        "unknown rule '%s'; --list-rules lists them", ids[i]);
        return NULL;
    }
    return g_steal_pointer(&rules);
}

struct lint_selection *
lint_select(const struct lint_rule *const *table, const char *only, const char *except,
            GError **error)
{
    g_autoptr(GHashTable) included = NULL;
    g_autoptr(GHashTable) excluded = NULL;
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    struct lint_selection *selection;

    if (only && !(included = parse_list(table, only, error)))
        return NULL;
    if (except && !(excluded = parse_list(table, except, error)))
        return NULL;

    for (size_t i = 0; table[i]; i++) {
        gboolean runs = included ? g_hash_table_contains(included, table[i]) : !table[i]->opt_in;

        if (runs && !(excluded && g_hash_table_contains(excluded, table[i])))
            g_ptr_array_add(rules, (gpointer)table[i]);
    }
    /* A run without rules would pass everything. */
    if (rules->len == 0) {
        g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                            "no rule is left to run");
        return NULL;
    }
    selection = g_new0(struct lint_selection, 1);
    selection->rules = g_steal_pointer(&rules);
    return selection;
}

void
lint_selection_free(struct lint_selection *selection)
{
    if (!selection)
        return;
    g_ptr_array_unref(selection->rules);
    g_free(selection);
}
