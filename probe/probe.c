/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.c: the facts source that looks at this host.
 *
 * Every image is looked at in a thread of a pool, since a path on a dead network file system may hang for ever. Who asked waits
 * for a limited time; a thread that is stuck is left behind with its job, which
 * frees itself should the thread ever come back.
 */
#include "probe/probe.h"

#include <sys/utsname.h>

#include "probe/facts-cache.h"
#include "probe/image.h"

#define DEFAULT_TIMEOUT_MS 5000
/* Once a path of a folder has hung, others there get less time; after as many as this, none. */
#define MAX_HUNG 4
#define IMPATIENCE 10

struct probe {
    struct facts_source base;
    struct facts_cache *images;
    struct host_facts host;
    char *root;
    guint timeout_ms;
    GThreadPool *pool;
    GMutex mutex;
    GHashTable *hung; /* of folder -> how many paths in it have hung so far; guarded by mutex */
};

/* One image that a thread looks at: owned by that thread and by who waits for it. */
struct job {
    gatomicrefcount references;
    char *path;
    char *root;
    gint64 deadline;
    GMutex mutex;
    GCond done;
    struct image_facts *facts; /* guarded by mutex; NULL until done */
};

static void
job_unref(struct job *job)
{
    if (!g_atomic_ref_count_dec(&job->references))
        return;
    image_facts_free(job->facts);
    g_cond_clear(&job->done);
    g_mutex_clear(&job->mutex);
    g_free(job->root);
    g_free(job->path);
    g_free(job);
}

/* In a thread of the pool. Nothing of the probe may be touched here: it may be gone. */
static void
run_job(void *data, G_GNUC_UNUSED void *user_data)
{
    struct job *job = data;
    struct image_facts *facts = image_probe(job->path, job->root, job->deadline);

    g_mutex_lock(&job->mutex);
    job->facts = facts;
    g_cond_signal(&job->done);
    g_mutex_unlock(&job->mutex);
    job_unref(job);
}

/* The image's facts, or NULL once @timeout_ms have passed. */
static struct image_facts *
probe_in_thread(struct probe *probe, const char *path, guint timeout_ms)
{
    gint64 now = g_get_monotonic_time(), end = now + (gint64)timeout_ms * 1000;
    struct job *job = g_new0(struct job, 1);
    struct image_facts *facts;

    g_atomic_ref_count_init(&job->references);
    g_atomic_ref_count_inc(&job->references);
    job->path = g_strdup(path);
    job->root = g_strdup(probe->root);
    /* What takes long by itself, such as the tables of a huge image, ends before. */
    job->deadline = now + (end - now) / 5 * 4;
    g_mutex_init(&job->mutex);
    g_cond_init(&job->done);
    g_thread_pool_push(probe->pool, job, NULL);

    g_mutex_lock(&job->mutex);
    while (!job->facts) {
        if (!g_cond_wait_until(&job->done, &job->mutex, end))
            break;
    }
    facts = g_steal_pointer(&job->facts);
    g_mutex_unlock(&job->mutex);
    job_unref(job);
    return facts;
}

static guint
count_hung(struct probe *probe, const char *folder, guint more)
{
    guint hung;

    g_mutex_lock(&probe->mutex);
    hung = GPOINTER_TO_UINT(g_hash_table_lookup(probe->hung, folder)) + more;
    if (more > 0)
        g_hash_table_insert(probe->hung, g_strdup(folder), GUINT_TO_POINTER(hung));
    g_mutex_unlock(&probe->mutex);
    return hung;
}

static struct image_facts *
make_facts(const char *path, void *data)
{
    struct probe *probe = data;
    g_autofree char *folder = g_path_get_dirname(path);
    guint hung = count_hung(probe, folder, 0);
    guint timeout_ms = hung > 0 ? MAX(probe->timeout_ms / IMPATIENCE, 1) : probe->timeout_ms;
    struct image_facts *facts = NULL;

    if (hung < MAX_HUNG) {
        facts = probe_in_thread(probe, path, timeout_ms);
        if (!facts)
            count_hung(probe, folder, 1);
    }
    if (!facts) {
        facts = image_facts_new(path, IMAGE_UNKNOWN);
        facts->unknown = g_strdup_printf("its file system did not answer within %g s",
                                         probe->timeout_ms / 1000.0);
    }
    return facts;
}

static const struct image_facts *
probe_image(struct facts_source *source, const domxml_elem *disk)
{
    return facts_cache_image(((struct probe *)source)->images, disk);
}

static const struct host_facts *
probe_host(struct facts_source *source)
{
    return &((struct probe *)source)->host;
}

static void
probe_free(struct facts_source *source)
{
    struct probe *probe = (struct probe *)source;

    /* Not waited for: threads that are stuck would keep us here. */
    g_thread_pool_free(probe->pool, FALSE, FALSE);
    facts_cache_free(probe->images);
    g_hash_table_unref(probe->hung);
    g_mutex_clear(&probe->mutex);
    g_free(probe->host.kernel);
    g_free(probe->root);
    g_free(probe);
}

struct facts_source *
probe_new(const struct probe_options *options)
{
    struct probe *probe = g_new0(struct probe, 1);
    struct utsname name;

    probe->base.image = probe_image;
    probe->base.host = probe_host;
    probe->base.free = probe_free;
    probe->images = facts_cache_new(make_facts, probe);
    probe->root = g_strdup(options ? options->root : NULL);
    probe->timeout_ms = options && options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
    /* Not exclusive and without a limit: this cannot fail, and idle threads are used again. */
    probe->pool = g_thread_pool_new(run_job, NULL, -1, FALSE, NULL);
    g_mutex_init(&probe->mutex);
    probe->hung = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (uname(&name) == 0)
        probe->host.kernel = g_strdup(name.release);
    return &probe->base;
}
