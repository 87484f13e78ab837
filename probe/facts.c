/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c: making and freeing facts, and the names of their enums.
 */
#include "probe/facts.h"

static const char *const preallocation_names[] = {
    [PREALLOCATION_UNKNOWN] = "unknown",
    [PREALLOCATION_OFF] = "off",
    [PREALLOCATION_METADATA] = "metadata",
    [PREALLOCATION_FALLOC] = "falloc",
    [PREALLOCATION_FULL] = "full",
    [PREALLOCATION_SUSPENDED] = "suspended",
    [PREALLOCATION_DECAYED] = "decayed",
    [PREALLOCATION_OVERLAY] = "overlay",
    [PREALLOCATION_COMPRESSED] = "compressed",
    [PREALLOCATION_HOST] = "host",
};

static const char *const image_state_names[] = {
    [IMAGE_NONE] = "none",
    [IMAGE_TEMPLATE] = "template",
    [IMAGE_UNKNOWN] = "unknown",
    [IMAGE_ELSEWHERE] = "elsewhere",
    [IMAGE_FILE] = "file",
    [IMAGE_BLOCK] = "block",
};

static const char *const fact_answer_names[] = {
    [FACT_UNKNOWN] = "unknown",
    [FACT_NO] = "no",
    [FACT_YES] = "yes",
};

struct image_facts *
image_facts_new(const char *path, enum image_state state)
{
    struct image_facts *facts = g_new0(struct image_facts, 1);

    facts->path = g_strdup(path);
    facts->state = state;
    return facts;
}

void
image_facts_free(struct image_facts *facts)
{
    if (!facts)
        return;
    g_free(facts->path);
    g_free(facts->unknown);
    g_free(facts->format);
    g_free(facts->preallocation_unknown);
    g_strfreev(facts->snapshot_names);
    g_free(facts->backing_file);
    g_free(facts->backing_format);
    g_free(facts->data_file);
    g_free(facts->chain_missing);
    g_free(facts->direct_io_reason);
    g_free(facts);
}

static const char *
name_of(const char *const *names, gsize n_names, guint value)
{
    return value < n_names ? names[value] : NULL;
}

static int
value_of(const char *const *names, gsize n_names, const char *name)
{
    for (gsize i = 0; name && i < n_names; i++) {
        if (g_str_equal(names[i], name))
            return (int)i;
    }
    return -1;
}

const char *
preallocation_name(enum preallocation preallocation)
{
    return name_of(preallocation_names, G_N_ELEMENTS(preallocation_names), preallocation);
}

int
preallocation_from_name(const char *name)
{
    return value_of(preallocation_names, G_N_ELEMENTS(preallocation_names), name);
}

const char *
image_state_name(enum image_state state)
{
    return name_of(image_state_names, G_N_ELEMENTS(image_state_names), state);
}

int
image_state_from_name(const char *name)
{
    return value_of(image_state_names, G_N_ELEMENTS(image_state_names), name);
}

const char *
fact_answer_name(enum fact_answer answer)
{
    return name_of(fact_answer_names, G_N_ELEMENTS(fact_answer_names), answer);
}

int
fact_answer_from_name(const char *name)
{
    return value_of(fact_answer_names, G_N_ELEMENTS(fact_answer_names), name);
}
