/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * converted-facts.c: facts after a conversion in this run.
 */
#include "cli/converted-facts.h"


struct converted {
    struct facts_source source;
    struct facts_source *inner;
    /* path -> struct image_facts *, whose strings are @inner's but for path and format */
    GHashTable *images;
};

static void
image_free(gpointer data)
{
    struct image_facts *facts = data;

    g_free(facts->path);
    g_free(facts->format);
    g_free(facts);
}

static const struct image_facts *
image(struct facts_source *source, const domxml_elem *disk)
{
    struct converted *converted = (struct converted *)source;
    const char *path = domxml_get(disk, "source@file");
    const struct image_facts *facts = path ? g_hash_table_lookup(converted->images, path) : NULL;

    return facts ? facts : converted->inner->image(converted->inner, disk);
}

static const struct host_facts *
host(struct facts_source *source)
{
    struct converted *converted = (struct converted *)source;

    return converted->inner->host(converted->inner);
}

static void
converted_free(struct facts_source *source)
{
    struct converted *converted = (struct converted *)source;

    g_hash_table_unref(converted->images);
    g_free(converted);
}

struct facts_source *
converted_facts_new(struct facts_source *inner)
{
    struct converted *converted = g_new0(struct converted, 1);

    converted->source = (struct facts_source){ image, host, converted_free };
    converted->inner = inner;
    converted->images = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, image_free);
    return &converted->source;
}

void
converted_facts_add(struct facts_source *facts, const domxml_elem *disk, const char *path,
                    const char *format, const char *preallocation)
{
    struct converted *converted = (struct converted *)facts;
    const struct image_facts *old = converted->inner->image(converted->inner, disk);
    struct image_facts *copy = g_memdup2(old, sizeof(*old));

    copy->path = g_strdup(path);
    copy->format = g_strdup(format);
    copy->preallocation = g_str_equal(format, "qcow2") && !g_str_equal(preallocation, "off")
                              ? PREALLOCATION_METADATA
                              : PREALLOCATION_OFF;
    copy->preallocation_unknown = NULL;
    g_hash_table_replace(converted->images, copy->path, copy);
}
