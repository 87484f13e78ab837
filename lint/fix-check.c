/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fix-check.c: comparing the findings before and after fixes were applied. */
#include "lint/fix-check.h"

/* How many findings there are at one place. */
struct count {
    guint all;     /* unknown ones too: not to know any more is not to be mended */
    guint serious; /* that fail, from warning up */
};

static guint
place_hash(gconstpointer key)
{
    const struct lint_place *place = key;

    return g_direct_hash(place->rule) * 31 + (guint)place->disk;
}

static gboolean
place_equal(gconstpointer first, gconstpointer second)
{
    const struct lint_place *a = first, *b = second;

    return a->rule == b->rule && a->disk == b->disk;
}

struct lint_place *
lint_place_new(const struct lint_finding *finding)
{
    struct lint_place *place = g_new(struct lint_place, 1);

    place->rule = finding->rule;
    place->disk = finding->disk;
    return place;
}

GHashTable *
lint_places_new(void)
{
    return g_hash_table_new_full(place_hash, place_equal, g_free, NULL);
}

gboolean
lint_places_contain(GHashTable *places, const struct lint_finding *finding)
{
    const struct lint_place place = { finding->rule, finding->disk };

    return g_hash_table_contains(places, &place);
}

static struct count
count_at(GHashTable *counts, const struct lint_finding *finding)
{
    const struct lint_place place = { finding->rule, finding->disk };
    const struct count *count = g_hash_table_lookup(counts, &place);

    return count ? *count : (struct count){ 0, 0 };
}

static GHashTable *
count_findings(GPtrArray *findings)
{
    GHashTable *counts = g_hash_table_new_full(place_hash, place_equal, g_free, g_free);

    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];
        const struct lint_place place = { finding->rule, finding->disk };
        struct count *count = g_hash_table_lookup(counts, &place);

        if (!count) {
            count = g_new0(struct count, 1);
            g_hash_table_insert(counts, lint_place_new(finding), count);
        }
        count->all++;
        count->serious +=
            finding->result == LINT_RESULT_FAIL && finding->severity >= LINT_WARNING;
    }
    return counts;
}

char *
lint_fix_check(GPtrArray *before, GPtrArray *after, GPtrArray *chosen, GHashTable *closed)
{
    g_autoptr(GHashTable) old_counts = count_findings(before);
    g_autoptr(GHashTable) new_counts = count_findings(after);

    for (guint i = 0; i < chosen->len; i++) {
        const struct lint_finding *finding = chosen->pdata[i];

        if (count_at(new_counts, finding).all >= count_at(old_counts, finding).all)
            return g_strdup("the finding is still there afterwards");
    }
    for (guint i = 0; i < after->len; i++) {
        const struct lint_finding *finding = after->pdata[i];
        struct count was = count_at(old_counts, finding);
        struct count is = count_at(new_counts, finding);

        if (is.serious > was.serious || (is.all > was.all && lint_places_contain(closed, finding)))
            return g_strdup_printf("it brings %s: %s", finding->rule->id, finding->message);
    }
    return NULL;
}
