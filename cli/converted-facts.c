/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * converted-facts.c: facts after a conversion in this run.
 */
#include "cli/converted-facts.h"

#include "probe/probe.h"

struct converted {
    struct facts_source source;
    struct facts_source *inner;
    GHashTable *images; /* path -> struct image_facts *, whose strings are @inner's but for those in @formats */
    GHashTable *formats; /* path -> format */
    GMutex lock;
};

/* What @inner says of the image, read before it was converted or after, with what the conversion made of it. */
static struct image_facts *
revise(const struct image_facts *facts, const char *format)
{
    struct image_facts *copy = g_memdup2(facts, sizeof(*facts));
    gboolean qcow2 = g_str_equal(format, "qcow2");

    copy->format = (char *)format;
    copy->preallocation = qcow2 ? PREALLOCATION_METADATA : PREALLOCATION_OFF;
    copy->preallocation_unknown = NULL;
    copy->snapshots = 0;
    copy->snapshot_names = NULL;
    return copy;
}

static const struct image_facts *
image(struct facts_source *source, const domxml_elem *disk)
{
    struct converted *converted = (struct converted *)source;
    const struct image_facts *facts = converted->inner->image(converted->inner, disk);
    const char *format;
    struct image_facts *revised;

    if (!facts->path)
        return facts;
    g_mutex_lock(&converted->lock);
    format = g_hash_table_lookup(converted->formats, facts->path);
    revised = format ? g_hash_table_lookup(converted->images, facts->path) : NULL;
    if (format && !revised) {
        revised = revise(facts, format);
        g_hash_table_insert(converted->images, revised->path, revised);
    }
    g_mutex_unlock(&converted->lock);
    return revised ? revised : facts;
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
    g_hash_table_unref(converted->formats);
    g_mutex_clear(&converted->lock);
    g_free(converted);
}

struct facts_source *
converted_facts_new(struct facts_source *inner)
{
    struct converted *converted = g_new0(struct converted, 1);

    converted->source = (struct facts_source){ image, host, converted_free };
    converted->inner = inner;
    converted->images = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    converted->formats = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_mutex_init(&converted->lock);
    return &converted->source;
}

void
converted_facts_add(struct facts_source *facts, const char *path, const char *format)
{
    struct converted *converted = (struct converted *)facts;

    g_hash_table_insert(converted->formats, g_strdup(path), g_strdup(format));
}
