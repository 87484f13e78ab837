/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts-cache.h: facts of images by path, each made once whatever the number
 * of disks and threads that ask. What every facts source stands on.
 */
#pragma once

#include "probe/facts.h"

struct facts_cache;

/* Makes the facts of the image at @path; called once for each path, by several threads at
 * a time. */
typedef struct image_facts *(*facts_cache_make)(const char *path, void *data);

struct facts_cache *facts_cache_new(facts_cache_make make, void *data);
void facts_cache_free(struct facts_cache *cache);

/* Puts @facts (taken over) in, so that they need not be made. Later ones of a path are ignored. */
void facts_cache_add(struct facts_cache *cache, struct image_facts *facts);

/* The facts of the image that @disk names. Thread-safe; they live as long as @cache. */
const struct image_facts *facts_cache_image(struct facts_cache *cache, const domxml_elem *disk);
