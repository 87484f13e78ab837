/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.c: the facts source that looks at this host.
 */
#include "probe/probe.h"

#include <sys/utsname.h>

#include "probe/facts-cache.h"
#include "probe/image.h"
#include "probe/limited-calls.h"

#define DEFAULT_TIMEOUT_MS 5000
/* Once a path of a folder has hung, others there get less time; after as many as this, none. */
#define MAX_HUNG 4
#define IMPATIENCE 4

struct probe {
    struct facts_source base;
    struct facts_cache *images;
    struct host_facts host;
    char *root;
    guint timeout_ms;
    struct limited_calls *calls;
    GMutex mutex;
    GHashTable *hung; /* of folder -> how many paths in it have hung so far; guarded by mutex */
};

/* What a call needs to know; the probe may be gone before it comes back. */
struct question {
    char *path;
    char *root;
    gint64 deadline;
};

static void
question_free(void *data)
{
    struct question *question = data;

    g_free(question->path);
    g_free(question->root);
    g_free(question);
}

static void *
answer(void *data)
{
    const struct question *question = data;

    return image_probe(question->path, question->root, question->deadline);
}

static void
answer_free(void *data)
{
    image_facts_free(data);
}

/* The image's facts, or NULL once @timeout_ms have passed. */
static struct image_facts *
ask(struct probe *probe, const char *path, guint timeout_ms)
{
    struct question *question = g_new0(struct question, 1);

    question->path = g_strdup(path);
    question->root = g_strdup(probe->root);
    /* What takes long by itself, such as the tables of a huge image, ends before. */
    question->deadline = g_get_monotonic_time() + (gint64)timeout_ms * 1000 / 5 * 4;
    return limited_calls_run(probe->calls, question, timeout_ms);
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
        facts = ask(probe, path, timeout_ms);
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

    limited_calls_free(probe->calls);
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
    probe->calls = limited_calls_new(answer, question_free, answer_free);
    g_mutex_init(&probe->mutex);
    probe->hung = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (uname(&name) == 0)
        probe->host.kernel = g_strdup(name.release);
    return &probe->base;
}
