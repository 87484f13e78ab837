/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts-cache.c: facts of images by path, each made once.
 */
#include "probe/facts-cache.h"

#include "probe/probe.h"

struct facts_cache {
    GMutex mutex;
    GCond made;          /* signalled whenever an entry gets its facts */
    GHashTable *entries; /* of path -> struct entry; none is ever removed */
    facts_cache_make make;
    void *data;
};

/* Facts are NULL while the thread that came first is making them. */
struct entry {
    struct image_facts *facts;
};

static void
entry_free(void *data)
{
    struct entry *entry = data;

    image_facts_free(entry->facts);
    g_free(entry);
}

struct facts_cache *
facts_cache_new(facts_cache_make make, void *data)
{
    struct facts_cache *cache = g_new0(struct facts_cache, 1);

    g_mutex_init(&cache->mutex);
    g_cond_init(&cache->made);
    cache->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
    cache->make = make;
    cache->data = data;
    return cache;
}

void
facts_cache_free(struct facts_cache *cache)
{
    if (!cache)
        return;
    g_hash_table_unref(cache->entries);
    g_cond_clear(&cache->made);
    g_mutex_clear(&cache->mutex);
    g_free(cache);
}

/* Called with the mutex held. @key is taken over. */
static struct entry *
insert(struct facts_cache *cache, char *key, struct image_facts *facts)
{
    struct entry *entry = g_new0(struct entry, 1);

    entry->facts = facts;
    g_hash_table_insert(cache->entries, key, entry);
    return entry;
}

void
facts_cache_add(struct facts_cache *cache, struct image_facts *facts)
{
    g_mutex_lock(&cache->mutex);
    if (g_hash_table_contains(cache->entries, facts->path))
        image_facts_free(facts);
    else
        insert(cache, g_strdup(facts->path), facts);
    g_mutex_unlock(&cache->mutex);
}

/* The facts of a disk without a path that could be looked at: one set for each state and reason. */
static const struct image_facts *
without_path(struct facts_cache *cache, enum image_state state, const char *reason)
{
    /* No path that is looked at starts with a line feed: they are absolute. */
    g_autofree char *key = g_strdup_printf("\n%d %s", (int)state, reason ? reason : "");
    struct entry *entry;

    g_mutex_lock(&cache->mutex);
    entry = g_hash_table_lookup(cache->entries, key);
    if (!entry) {
        struct image_facts *facts = image_facts_new(NULL, state);

        if (state == IMAGE_UNKNOWN)
            facts->unknown = g_strdup(reason);
        entry = insert(cache, g_steal_pointer(&key), facts);
    }
    g_mutex_unlock(&cache->mutex);
    return entry->facts;
}

const struct image_facts *
facts_cache_image(struct facts_cache *cache, const domxml_elem *disk)
{
    enum image_state state;
    g_autofree char *reason = NULL;
    g_autofree char *path = disk_image_path(disk, &state, &reason);
    struct image_facts *facts;
    struct entry *entry;

    if (!path)
        return without_path(cache, state, reason);

    g_mutex_lock(&cache->mutex);
    entry = g_hash_table_lookup(cache->entries, path);
    if (entry) {
        while (!entry->facts)
            g_cond_wait(&cache->made, &cache->mutex);
        g_mutex_unlock(&cache->mutex);
        return entry->facts;
    }
    entry = insert(cache, g_strdup(path), NULL);
    g_mutex_unlock(&cache->mutex);

    facts = cache->make(path, cache->data);

    g_mutex_lock(&cache->mutex);
    entry->facts = facts;
    g_cond_broadcast(&cache->made);
    g_mutex_unlock(&cache->mutex);
    return facts;
}
