/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-facts.c: the facts of a connection's domains.
 */
#include "probe/domain-facts.h"

#include <sys/stat.h>

#include "probe/deadline.h"
#include "probe/probe.h"
#include "probe/same-image.h"

struct connection_facts {
    struct connection *connection;
    struct volumes *volumes;
    struct facts_source *local;
    struct deadline_threads *threads;
    struct host_facts elsewhere; /* of a host that is not this one: nothing is known */
    GMutex mutex;
    GHashTable *file_systems; /* name -> enum fact_answer: whether the daemon sees the same */
};

struct domain_facts {
    struct facts_source base;
    struct connection_facts *shared;
    const struct source_domain *domain;
    GMutex mutex;
    GPtrArray *made; /* of struct image_facts *: those that are no other source's */
};

struct connection_facts *
connection_facts_new(struct connection *connection, struct volumes *volumes,
                     struct facts_source *local)
{
    struct connection_facts *facts = g_new0(struct connection_facts, 1);

    facts->connection = connection;
    facts->volumes = volumes;
    facts->local = local;
    facts->threads = deadline_threads_new();
    g_mutex_init(&facts->mutex);
    facts->file_systems = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return facts;
}

void
connection_facts_free(struct connection_facts *facts)
{
    if (!facts)
        return;
    deadline_threads_free(facts->threads);
    g_hash_table_unref(facts->file_systems);
    g_mutex_clear(&facts->mutex);
    g_free(facts);
}

/* Facts of an image that say why there are none. */
static const struct image_facts *
no_facts(struct domain_facts *facts, enum image_state state, const char *path, const char *reason)
{
    struct image_facts *made = image_facts_new(path, state);

    made->unknown = g_strdup(reason);
    g_mutex_lock(&facts->mutex);
    g_ptr_array_add(facts->made, made);
    g_mutex_unlock(&facts->mutex);
    return made;
}

/* ---- The same images ------------------------------------------------------------------- */

/* Which file system a path is on; looked at in another thread. */
struct place {
    char *path;
    struct stat st;
    gboolean known;
};

static void
place_free(void *data)
{
    struct place *place = data;

    g_free(place->path);
    g_free(place);
}

static void
place_look(void *data)
{
    struct place *place = data;

    place->known = stat(place->path, &place->st) == 0;
}

/* A name for the file system that an image is on, or for the block device that it is; NULL
 * where it does not answer, or the image is gone. */
static char *
file_system_of(struct connection_facts *shared, const char *path)
{
    enum { TIMEOUT_MS = 5000 };
    struct place *place = g_new0(struct place, 1);
    char *name = NULL;

    place->path = g_strdup(path);
    if (!deadline_run(shared->threads, place_look, place, place_free, TIMEOUT_MS))
        return NULL;
    if (place->known && S_ISBLK(place->st.st_mode))
        name = g_strdup_printf("b%" G_GUINT64_FORMAT, (guint64)place->st.st_rdev);
    else if (place->known)
        name = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)place->st.st_dev);
    place_free(place);
    return name;
}

/* Whether the daemon sees the file system of @image as we do; FACT_UNKNOWN with @reason (to be
 * freed). Only certain answers are kept: one image that the daemon cannot look at says nothing
 * of the next. */
static enum fact_answer
same_file_system(struct domain_facts *facts, const domxml_elem *disk,
                 const struct image_facts *image, char **reason)
{
    struct connection_facts *shared = facts->shared;
    g_autofree char *name = file_system_of(shared, image->path);
    g_autoptr(GError) error = NULL;
    enum fact_answer answer;
    gboolean same;

    if (!name) {
        *reason = g_strdup("it does not answer any more");
        return FACT_UNKNOWN;
    }
    g_mutex_lock(&shared->mutex);
    answer = (enum fact_answer)GPOINTER_TO_INT(g_hash_table_lookup(shared->file_systems, name));
    g_mutex_unlock(&shared->mutex);
    if (answer != FACT_UNKNOWN)
        return answer;

    if (!same_image(shared->connection, facts->domain, disk, image, &same, &error)) {
        *reason = g_strdup_printf("the daemon does not say that it sees the same image: %s",
                                  error->message);
        return FACT_UNKNOWN;
    }
    answer = same ? FACT_YES : FACT_NO;
    g_mutex_lock(&shared->mutex);
    g_hash_table_insert(shared->file_systems, g_strdup(name), GINT_TO_POINTER((int)answer));
    g_mutex_unlock(&shared->mutex);
    return answer;
}

/* @image, once it is known to be the daemon's image too. */
static const struct image_facts *
if_same(struct domain_facts *facts, const domxml_elem *disk, const struct image_facts *image)
{
    g_autofree char *reason = NULL;

    if (image->state != IMAGE_FILE && image->state != IMAGE_BLOCK)
        return image;
    switch (same_file_system(facts, disk, image, &reason)) {
    case FACT_YES:
        return image;
    case FACT_NO:
        return no_facts(facts, IMAGE_ELSEWHERE, image->path,
                        "the daemon sees another image under this path (is it in a container?): "
                        "run domlint where the daemon runs");
    case FACT_UNKNOWN:
    default:
        return no_facts(facts, IMAGE_UNKNOWN, image->path, reason);
    }
}

/* ---- Facts of a disk ------------------------------------------------------------------- */

/* This host's facts of the image at @path, asked for by a disk that names it. */
static const struct image_facts *
by_path(struct domain_facts *facts, const char *path)
{
    struct facts_source *local = facts->shared->local;
    g_autofree char *text = g_markup_printf_escaped("<disk type='file'><source file='%s'/></disk>",
                                                    path);
    g_autoptr(domxml_doc) doc = domxml_parse(text, strlen(text), NULL);

    if (!doc)
        return no_facts(facts, IMAGE_UNKNOWN, NULL, "its path is no text that XML can hold");
    return local->image(local, domxml_disk(doc, 0));
}

static const struct image_facts *
volume_image(struct domain_facts *facts, const domxml_elem *disk)
{
    struct connection_facts *shared = facts->shared;
    const char *pool = domxml_get(disk, "source@pool");
    const char *volume = domxml_get(disk, "source@volume");
    const char *path, *reason = NULL;

    /* QEMU itself speaks to the iSCSI target. */
    if (g_strcmp0(domxml_get(disk, "source@mode"), "direct") == 0)
        return no_facts(facts, IMAGE_NONE, NULL, NULL);
    path = volumes_path(shared->volumes, pool, volume, &reason);
    return path ? by_path(facts, path) : no_facts(facts, IMAGE_UNKNOWN, NULL, reason);
}

static const struct image_facts *
domain_image(struct facts_source *source, const domxml_elem *disk)
{
    struct domain_facts *facts = (struct domain_facts *)source;
    struct connection_facts *shared = facts->shared;
    struct facts_source *local = shared->local;
    enum connection_place place = connection_place(shared->connection);
    enum image_state state;
    g_autofree char *path = disk_image_path(disk, &state, NULL);
    const char *volume = domxml_get(disk, "source@volume");
    gboolean is_volume = !path && state == IMAGE_UNKNOWN && volume
                         && domxml_get(disk, "source@pool");
    const struct image_facts *image;

    if (!path && !is_volume)
        return local->image(local, disk);
    if (place == CONNECTION_REMOTE) {
        g_autofree char *reason = g_strdup_printf("the image is on the host of %s: run domlint "
                                                  "there", connection_uri(shared->connection));

        return no_facts(facts, IMAGE_ELSEWHERE, path ? path : volume, reason);
    }
    image = is_volume ? volume_image(facts, disk) : local->image(local, disk);
    return place == CONNECTION_TEST ? image : if_same(facts, disk, image);
}

static const struct host_facts *
domain_host(struct facts_source *source)
{
    struct connection_facts *shared = ((struct domain_facts *)source)->shared;

    if (connection_place(shared->connection) == CONNECTION_REMOTE)
        return &shared->elsewhere;
    return shared->local->host(shared->local);
}

static void
domain_facts_free(struct facts_source *source)
{
    struct domain_facts *facts = (struct domain_facts *)source;

    g_ptr_array_unref(facts->made);
    g_mutex_clear(&facts->mutex);
    g_free(facts);
}

static void
free_image_facts(void *data)
{
    image_facts_free(data);
}

struct facts_source *
connection_facts_domain(struct connection_facts *shared, const struct source_domain *domain)
{
    struct domain_facts *facts = g_new0(struct domain_facts, 1);

    facts->base.image = domain_image;
    facts->base.host = domain_host;
    facts->base.free = domain_facts_free;
    facts->shared = shared;
    facts->domain = domain;
    g_mutex_init(&facts->mutex);
    facts->made = g_ptr_array_new_with_free_func(free_image_facts);
    return &facts->base;
}
