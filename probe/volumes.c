/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volumes.c: the paths of volumes, kept by pool and name.
 */
#include "probe/volumes.h"

struct volumes {
    struct connection *connection;
    GMutex mutex;
    GHashTable *pools; /* name -> struct pool; none is ever removed */
};

struct pool {
    virStoragePoolPtr handle; /* NULL: not to be had */
    char *reason;             /* why not */
    GHashTable *found;        /* volume's name -> struct found; none is ever removed */
};

/* What is known of a volume: one of the two. */
struct found {
    char *path;
    char *reason;
};

static void
free_pool(void *data)
{
    struct pool *pool = data;

    if (pool->handle)
        virStoragePoolFree(pool->handle);
    g_free(pool->reason);
    g_hash_table_unref(pool->found);
    g_free(pool);
}

static void
free_found(void *data)
{
    struct found *found = data;

    g_free(found->path);
    g_free(found->reason);
    g_free(found);
}

struct volumes *
volumes_new(struct connection *connection)
{
    struct volumes *volumes = g_new0(struct volumes, 1);

    volumes->connection = connection;
    g_mutex_init(&volumes->mutex);
    volumes->pools = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_pool);
    return volumes;
}

void
volumes_free(struct volumes *volumes)
{
    if (!volumes)
        return;
    g_hash_table_unref(volumes->pools);
    g_mutex_clear(&volumes->mutex);
    g_free(volumes);
}

/* ---- Asking ---------------------------------------------------------------------------- */

struct question {
    char *name;             /* of the pool, or of the volume */
    virStoragePoolPtr pool; /* asked for, or asked */
    int type;               /* of the volume: VIR_STORAGE_VOL_... */
    char *path;
};

static void
free_question(void *data)
{
    struct question *question = data;

    if (question->pool)
        virStoragePoolFree(question->pool);
    g_free(question->path);
    g_free(question->name);
    g_free(question);
}

static gboolean
ask_pool(virConnectPtr handle, void *data)
{
    struct question *question = data;

    question->pool = virStoragePoolLookupByName(handle, question->name);
    return question->pool != NULL;
}

static gboolean
ask_volume(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct question *question = data;
    virStorageVolPtr volume = virStorageVolLookupByName(question->pool, question->name);
    virStorageVolInfo info;

    if (!volume)
        return FALSE;
    question->path = virStorageVolGetPath(volume);
    question->type = virStorageVolGetInfo(volume, &info) == 0 ? info.type : -1;
    virStorageVolFree(volume);
    return question->path != NULL && question->type >= 0;
}

static struct pool *
pool_new(struct volumes *volumes, const char *name)
{
    struct pool *pool = g_new0(struct pool, 1);
    struct question *question = g_new0(struct question, 1);
    g_autoptr(GError) error = NULL;

    pool->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_found);
    question->name = g_strdup(name);
    if (connection_call(volumes->connection, ask_pool, question, free_question, &error)) {
        pool->handle = g_steal_pointer(&question->pool);
        free_question(question);
    } else {
        pool->reason = g_strdup(error->message);
    }
    return pool;
}

static struct found *
found_new(struct volumes *volumes, const struct pool *pool, const char *name)
{
    struct found *found = g_new0(struct found, 1);
    struct question *question;
    g_autoptr(GError) error = NULL;

    if (!pool->handle) {
        found->reason = g_strdup(pool->reason);
        return found;
    }
    question = g_new0(struct question, 1);
    question->name = g_strdup(name);
    question->pool = pool->handle;
    virStoragePoolRef(pool->handle);
    if (!connection_call(volumes->connection, ask_volume, question, free_question, &error)) {
        found->reason = g_strdup(error->message);
        return found;
    }
    if (question->type == VIR_STORAGE_VOL_FILE || question->type == VIR_STORAGE_VOL_BLOCK)
        found->path = g_steal_pointer(&question->path);
    else
        found->reason = g_strdup_printf("volume %s is no file and no block device", name);
    free_question(question);
    return found;
}

/* The mutex is not held while the daemon is asked, so that one slow pool holds up nobody else:
 * two who ask for the same at the same time both do, and the first answer stands. */
static struct pool *
pool_of(struct volumes *volumes, const char *name)
{
    struct pool *pool, *made;

    g_mutex_lock(&volumes->mutex);
    pool = g_hash_table_lookup(volumes->pools, name);
    g_mutex_unlock(&volumes->mutex);
    if (pool)
        return pool;
    made = pool_new(volumes, name);
    g_mutex_lock(&volumes->mutex);
    pool = g_hash_table_lookup(volumes->pools, name);
    if (!pool) {
        pool = made;
        g_hash_table_insert(volumes->pools, g_strdup(name), g_steal_pointer(&made));
    }
    g_mutex_unlock(&volumes->mutex);
    if (made)
        free_pool(made);
    return pool;
}

const char *
volumes_path(struct volumes *volumes, const char *pool_name, const char *volume,
             const char **reason)
{
    struct pool *pool = pool_of(volumes, pool_name);
    struct found *found, *made = NULL;

    g_mutex_lock(&volumes->mutex);
    found = g_hash_table_lookup(pool->found, volume);
    g_mutex_unlock(&volumes->mutex);
    if (!found) {
        made = found_new(volumes, pool, volume);
        g_mutex_lock(&volumes->mutex);
        found = g_hash_table_lookup(pool->found, volume);
        if (!found) {
            found = made;
            g_hash_table_insert(pool->found, g_strdup(volume), g_steal_pointer(&made));
        }
        g_mutex_unlock(&volumes->mutex);
    }
    if (made)
        free_found(made);
    if (reason)
        *reason = found->reason;
    return found->path;
}
