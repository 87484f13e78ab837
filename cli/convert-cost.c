/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-cost.c: space and time of conversions, before they are carried out. */
#include "cli/convert-cost.h"

#include "apply/space.h"
#include "cli/progress.h"

/* For the estimate of the time that a copy takes; said with it. */
#define ASSUMED_MIB_PER_SECOND 200

/* qcow2's own tables take less than this share of what the guest sees, and a little more. */
#define TABLES_SHARE 2048
#define TABLES_LEAST (1024 * 1024)

/* The words of the option that makes the copy as small as it can be. */
static const char least_option[] = "--to=qcow2 --preallocation=metadata";

void
convert_cost_estimate(struct planned *planned, const struct image_facts *facts)
{
    guint64 tables = facts->virtual_size / TABLES_SHARE + TABLES_LEAST;
    gboolean sparse = g_str_equal(planned->preallocation, "off") ||
                      g_str_equal(planned->preallocation, "metadata");

    planned->least = MIN(facts->allocated, facts->virtual_size) + tables;
    if (planned->size.required)
        return;
    planned->size.required = sparse ? planned->least : facts->virtual_size + tables;
    planned->size.fully_allocated = facts->virtual_size + tables;
}

static void
add_need(struct space *space, const struct planned *planned)
{
    g_autofree char *folder =
        planned->record.real ? g_path_get_dirname(planned->record.real) : NULL;
    gboolean smaller = planned->least < planned->size.required;
    const struct space_need need = {
        .folder = folder,
        .name = planned->label,
        .bytes = planned->size.required,
        .bytes_least = smaller ? planned->least : planned->size.required,
        .least = smaller ? least_option : NULL,
    };

    if (!planned->refused && folder)
        space_add(space, &need, NULL);
}

static void
refuse_on(struct convert_plan *plan, const struct space *space, guint place, const char *why)
{
    for (guint i = 0; i < plan->items->len; i++) {
        struct planned *planned = g_ptr_array_index(plan->items, i);
        g_autofree char *folder =
            planned->record.real ? g_path_get_dirname(planned->record.real) : NULL;

        if (!planned->refused && folder && space_place(space, folder) == (int)place)
            planned->refused = g_strdup(why);
    }
}

void
convert_cost_fit(struct convert_plan *plan)
{
    struct space *space = space_new();
    g_autoptr(GPtrArray) left = NULL;
    g_autoptr(GPtrArray) shortages = NULL;
    guint shortage = 0;

    for (guint i = 0; i < plan->items->len; i++)
        add_need(space, g_ptr_array_index(plan->items, i));
    left = space_measure(space, NULL);
    shortages = left ? space_shortage(space, left) : NULL;
    for (guint i = 0; left && i < left->len; i++) {
        const struct space_left *here = g_ptr_array_index(left, i);
        g_autofree char *rest = progress_size(here->fits ? here->available - here->needed : 0);

        if (!here->fits)
            refuse_on(plan, space, i, g_ptr_array_index(shortages, shortage++));
        else
            g_ptr_array_add(plan->room, g_strdup_printf("%s: %s stay free", here->folder, rest));
    }
    space_free(space);
}

char *
convert_cost_text(const struct planned *planned)
{
    guint64 seconds = planned->size.required / (ASSUMED_MIB_PER_SECOND * 1024 * 1024) * 2 + 1;
    g_autofree char *copied = progress_size(MIN(planned->least, planned->size.required));
    g_autofree char *takes = progress_size(planned->size.required);

    return g_strdup_printf("copies up to %s and takes %s of space; the domain must stay off for "
                           "about %" G_GUINT64_FORMAT " s (at %d MiB/s)", copied, takes, seconds,
                           ASSUMED_MIB_PER_SECOND);
}
