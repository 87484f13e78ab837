/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch-ahead.c: definitions fetched before they are asked for.
 */
#include "probe/fetch-ahead.h"

#include <stdlib.h>

/* The daemon serves five calls of a client at a time unless it is set up otherwise. */
#define THREADS 4
#define BATCH_SIZE 16
/* Batches that are fetched or wait to be taken: what is kept in memory. */
#define BATCHES_AHEAD 8

/* A call for some domains; outlives us where the daemon does not answer. */
struct batch {
    guint count;
    virDomainPtr domains[BATCH_SIZE];
    guint flags[BATCH_SIZE];
    char *texts[BATCH_SIZE];
};

struct fetch_ahead {
    struct connection *connection;
    GPtrArray *domains;
    GHashTable *indices; /* struct source_domain * -> its index in @domains, plus 1 */
    GPtrArray *threads;
    GMutex mutex;        /* for what follows */
    GCond changed;
    struct batch **batches; /* those that are there and not all taken */
    gboolean *fetched;   /* those that were there */
    guint count;         /* of batches */
    guint begun;         /* taken up by a thread */
    guint wanted;        /* the furthest that somebody has asked for */
    gboolean stopped;    /* no more come: the connection fails, or nobody wants them */
    guint running;       /* threads */
};

static void
batch_free(void *data)
{
    struct batch *batch = data;

    for (guint i = 0; i < batch->count; i++) {
        virDomainFree(batch->domains[i]);
        free(batch->texts[i]);
    }
    g_free(batch);
}

static struct batch *
batch_new(const struct fetch_ahead *ahead, guint number)
{
    struct batch *batch = g_new0(struct batch, 1);

    for (guint i = number * BATCH_SIZE;
         i < ahead->domains->len && batch->count < BATCH_SIZE; i++) {
        const struct source_domain *domain = g_ptr_array_index(ahead->domains, i);

        virDomainRef(domain->handle);
        batch->domains[batch->count] = domain->handle;
        batch->flags[batch->count++] =
            source_domain_text(domain) == SOURCE_TEXT_INACTIVE ? VIR_DOMAIN_XML_INACTIVE : 0;
    }
    return batch;
}

/* A domain that is gone stops nothing; a connection that is lost does. */
static gboolean
fetch_batch(virConnectPtr handle, void *data)
{
    struct batch *batch = data;

    for (guint i = 0; i < batch->count; i++) {
        batch->texts[i] = virDomainGetXMLDesc(batch->domains[i], batch->flags[i]);
        if (!batch->texts[i] && virConnectIsAlive(handle) != 1)
            return FALSE;
    }
    return TRUE;
}

/* With the mutex held: waits until there is a batch to fetch. */
static gboolean
next_batch(struct fetch_ahead *ahead, guint *number)
{
    while (!ahead->stopped && ahead->begun < ahead->count &&
           ahead->begun >= ahead->wanted + BATCHES_AHEAD)
        g_cond_wait(&ahead->changed, &ahead->mutex);
    if (ahead->stopped || ahead->begun >= ahead->count)
        return FALSE;
    *number = ahead->begun++;
    return TRUE;
}

static gpointer
fetch(gpointer data)
{
    struct fetch_ahead *ahead = data;
    guint number;

    g_mutex_lock(&ahead->mutex);
    while (next_batch(ahead, &number)) {
        struct batch *batch = batch_new(ahead, number);
        gboolean done;

        g_mutex_unlock(&ahead->mutex);
        done = connection_call(ahead->connection, fetch_batch, batch, batch_free, NULL);
        g_mutex_lock(&ahead->mutex);
        if (done)
            ahead->batches[number] = batch;
        else
            ahead->stopped = TRUE;
        ahead->fetched[number] = TRUE;
        g_cond_broadcast(&ahead->changed);
    }
    ahead->running--;
    g_cond_broadcast(&ahead->changed);
    g_mutex_unlock(&ahead->mutex);
    return NULL;
}

struct fetch_ahead *
fetch_ahead_new(struct connection *connection, GPtrArray *domains)
{
    struct fetch_ahead *ahead = g_new0(struct fetch_ahead, 1);

    ahead->connection = connection;
    ahead->domains = g_ptr_array_ref(domains);
    ahead->indices = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < domains->len; i++)
        g_hash_table_insert(ahead->indices, g_ptr_array_index(domains, i), GUINT_TO_POINTER(i + 1));
    ahead->threads = g_ptr_array_new();
    g_mutex_init(&ahead->mutex);
    g_cond_init(&ahead->changed);
    ahead->count = (domains->len + BATCH_SIZE - 1) / BATCH_SIZE;
    ahead->batches = g_new0(struct batch *, ahead->count);
    ahead->fetched = g_new0(gboolean, ahead->count);
    g_mutex_lock(&ahead->mutex);
    for (guint i = 0; i < MIN(THREADS, ahead->count); i++) {
        GThread *thread = g_thread_try_new("fetch-ahead", fetch, ahead, NULL);

        if (thread) {
            g_ptr_array_add(ahead->threads, thread);
            ahead->running++;
        }
    }
    g_mutex_unlock(&ahead->mutex);
    return ahead;
}

void
fetch_ahead_free(struct fetch_ahead *ahead)
{
    if (!ahead)
        return;
    g_mutex_lock(&ahead->mutex);
    ahead->stopped = TRUE;
    g_cond_broadcast(&ahead->changed);
    g_mutex_unlock(&ahead->mutex);
    for (guint i = 0; i < ahead->threads->len; i++)
        g_thread_join(g_ptr_array_index(ahead->threads, i));
    for (guint i = 0; i < ahead->count; i++)
        if (ahead->batches[i])
            batch_free(ahead->batches[i]);
    g_free(ahead->batches);
    g_free(ahead->fetched);
    g_mutex_clear(&ahead->mutex);
    g_cond_clear(&ahead->changed);
    g_ptr_array_unref(ahead->threads);
    g_hash_table_unref(ahead->indices);
    g_ptr_array_unref(ahead->domains);
    g_free(ahead);
}

/* With the mutex held: the text is the caller's; a batch that is empty goes. */
static char *
take_text(struct fetch_ahead *ahead, guint number, guint place)
{
    struct batch *batch = ahead->batches[number];
    char *text = g_strdup(batch->texts[place]);

    g_clear_pointer(&batch->texts[place], free);
    for (guint i = 0; i < batch->count; i++)
        if (batch->texts[i])
            return text;
    batch_free(batch);
    ahead->batches[number] = NULL;
    return text;
}

char *
fetch_ahead_take(struct fetch_ahead *ahead, const struct source_domain *domain)
{
    guint index = GPOINTER_TO_UINT(g_hash_table_lookup(ahead->indices, domain));
    guint number = (index - 1) / BATCH_SIZE;
    char *text = NULL;

    if (index == 0)
        return NULL;
    g_mutex_lock(&ahead->mutex);
    if (number > ahead->wanted) {
        ahead->wanted = number;
        g_cond_broadcast(&ahead->changed);
    }
    /* One that was taken up comes, or all stops; one that nobody will take up does not. */
    while (!ahead->fetched[number] && !ahead->stopped && ahead->running > 0)
        g_cond_wait(&ahead->changed, &ahead->mutex);
    if (ahead->batches[number])
        text = take_text(ahead, number, (index - 1) % BATCH_SIZE);
    g_mutex_unlock(&ahead->mutex);
    return text;
}
