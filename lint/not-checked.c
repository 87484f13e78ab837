/* SPDX-License-Identifier: GPL-2.0-or-later */
/* not-checked.c: unknown results by their cause. */
#include <string.h>

#include "lint/escape.h"
#include "lint/not-checked.h"

/* A cause may hold a path; beyond so many the rest is counted only, so that memory stays flat. */
#define MAX_CAUSES 200
/* So many are listed. */
#define MAX_LINES 20

struct cause {
    char *reason;
    GPtrArray *rules;  /* of const char *: ids, in order of appearance */
    guint disks, others; /* how many disks, and domains or hosts, it concerns */
    char *example;     /* the first place it was met */
    GHashTable *seen;  /* the present target's disks (index + 2) that are counted already */
};

struct lint_not_checked {
    GPtrArray *causes;   /* of struct cause *, owned */
    GHashTable *by_reason;
    guint beyond;        /* results whose cause is over MAX_CAUSES */
};

static void
cause_free(gpointer data)
{
    struct cause *cause = data;

    g_free(cause->reason);
    g_free(cause->example);
    g_ptr_array_unref(cause->rules);
    g_hash_table_unref(cause->seen);
    g_free(cause);
}

struct lint_not_checked *
lint_not_checked_new(void)
{
    struct lint_not_checked *not_checked = g_new0(struct lint_not_checked, 1);

    not_checked->causes = g_ptr_array_new_with_free_func(cause_free);
    not_checked->by_reason = g_hash_table_new(g_str_hash, g_str_equal);
    return not_checked;
}

void
lint_not_checked_free(struct lint_not_checked *not_checked)
{
    if (!not_checked)
        return;
    g_hash_table_unref(not_checked->by_reason);
    g_ptr_array_unref(not_checked->causes);
    g_free(not_checked);
}

void
lint_not_checked_begin_target(struct lint_not_checked *not_checked)
{
    for (guint i = 0; i < not_checked->causes->len; i++) {
        struct cause *cause = not_checked->causes->pdata[i];

        g_hash_table_remove_all(cause->seen);
    }
}

static char *
describe_place(const struct lint_target *target, const struct lint_finding *finding)
{
    GString *place = g_string_new(target->path ? target->path : target->name);

    if (finding->located)
        g_string_append_printf(place, ":%d", finding->line);
    if (finding->subject)
        g_string_append_printf(place, ", %s", finding->subject);
    return g_string_free(place, FALSE);
}

static struct cause *
get_cause(struct lint_not_checked *not_checked, const struct lint_target *target,
          const struct lint_finding *finding)
{
    struct cause *cause = g_hash_table_lookup(not_checked->by_reason, finding->reason);

    if (cause || not_checked->causes->len == MAX_CAUSES)
        return cause;
    cause = g_new0(struct cause, 1);
    cause->reason = g_strdup(finding->reason);
    cause->rules = g_ptr_array_new();
    cause->seen = g_hash_table_new(NULL, NULL);
    cause->example = describe_place(target, finding);
    g_ptr_array_add(not_checked->causes, cause);
    g_hash_table_insert(not_checked->by_reason, cause->reason, cause);
    return cause;
}

void
lint_not_checked_add(struct lint_not_checked *not_checked, const struct lint_target *target,
                     const struct lint_finding *finding)
{
    struct cause *cause = get_cause(not_checked, target, finding);

    if (!cause) {
        not_checked->beyond++;
        return;
    }
    if (!g_ptr_array_find(cause->rules, finding->rule->id, NULL))
        g_ptr_array_add(cause->rules, (gpointer)finding->rule->id);
    if (!g_hash_table_add(cause->seen, GINT_TO_POINTER(finding->disk + 2)))
        return;
    if (finding->disk >= 0)
        cause->disks++;
    else
        cause->others++;
}

static void
append_cause(GString *out, const struct cause *cause)
{
    g_string_append(out, "not checked: ");
    if (cause->disks > 0)
        g_string_append_printf(out, "%u disk%s", cause->disks, cause->disks == 1 ? "" : "s");
    if (cause->others > 0)
        g_string_append_printf(out, "%s%u domain%s", cause->disks > 0 ? ", " : "", cause->others,
                               cause->others == 1 ? "" : "s");
    g_string_append(out, ": ");
    lint_escape_append(out, cause->reason, strlen(cause->reason));
    g_string_append(out, " (");
    for (guint i = 0; i < cause->rules->len; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", (char *)cause->rules->pdata[i]);
    g_string_append(out, cause->disks + cause->others > 1 ? "; first: " : "; ");
    lint_escape_append(out, cause->example, strlen(cause->example));
    g_string_append(out, ")\n");
}

char *
lint_not_checked_text(const struct lint_not_checked *not_checked)
{
    GString *out = g_string_new(NULL);
    guint hidden = not_checked->beyond;

    for (guint i = 0; i < not_checked->causes->len; i++) {
        const struct cause *cause = not_checked->causes->pdata[i];

        if (i < MAX_LINES)
            append_cause(out, cause);
        else
            hidden += cause->disks + cause->others;
    }
    if (hidden > 0)
        g_string_append_printf(out, "not checked: %u more, of other causes (--format=json lists "
                                    "them)\n", hidden);
    return g_string_free(out, FALSE);
}
