/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-past.c: the snapshots and checkpoints of a domain.
 */
#include "probe/source-past.h"

#include <stdlib.h>

struct past {
    virDomainPtr domain;
    enum fact_answer snapshots;
    enum fact_answer checkpoints;
    GPtrArray *found; /* of struct source_past */
};

static void
free_item(void *data)
{
    struct source_past *item = data;

    g_free(item->name);
    g_free(item->xml);
    g_free(item->unreadable);
    g_free(item);
}

static void
past_free(void *data)
{
    struct past *past = data;

    virDomainFree(past->domain);
    g_ptr_array_unref(past->found);
    g_free(past);
}

static int
compare(const void *a, const void *b)
{
    const struct source_past *left = *(const struct source_past *const *)a;
    const struct source_past *right = *(const struct source_past *const *)b;

    if (left->checkpoint != right->checkpoint)
        return left->checkpoint ? 1 : -1;
    return strcmp(left->name, right->name);
}

/* Notes a text (taken over); or, without one, why there is none, from libvirt's error, unless it is
 * that the thing has vanished (@vanished). */
static void
add(struct past *past, gboolean checkpoint, const char *name, char *xml, int vanished)
{
    struct source_past *item;

    if (!xml && virGetLastErrorCode() == vanished)
        return;
    item = g_new0(struct source_past, 1);
    item->name = g_strdup(name);
    item->checkpoint = checkpoint;
    item->xml = xml;
    if (!xml)
        item->unreadable = g_strdup(virGetLastErrorMessage());
    g_ptr_array_add(past->found, item);
}

static gboolean
list_snapshots(struct past *past)
{
    virDomainSnapshotPtr *handles = NULL;
    int count = virDomainListAllSnapshots(past->domain, &handles, 0);

    for (int i = 0; i < count; i++) {
        add(past, FALSE, virDomainSnapshotGetName(handles[i]),
            virDomainSnapshotGetXMLDesc(handles[i], 0), VIR_ERR_NO_DOMAIN_SNAPSHOT);
        virDomainSnapshotFree(handles[i]);
    }
    free(handles);
    /* A driver without snapshots has none. */
    return count >= 0 || virGetLastErrorCode() == VIR_ERR_NO_SUPPORT;
}

static gboolean
list_checkpoints(struct past *past)
{
    virDomainCheckpointPtr *handles = NULL;
    int count = virDomainListAllCheckpoints(past->domain, &handles, 0);

    for (int i = 0; i < count; i++) {
        add(past, TRUE, virDomainCheckpointGetName(handles[i]),
            virDomainCheckpointGetXMLDesc(handles[i], 0), VIR_ERR_NO_DOMAIN_CHECKPOINT);
        virDomainCheckpointFree(handles[i]);
    }
    free(handles);
    return count >= 0 || virGetLastErrorCode() == VIR_ERR_NO_SUPPORT;
}

static gboolean
list_past(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct past *past = data;

    return (past->snapshots == FACT_NO || list_snapshots(past))
        && (past->checkpoints == FACT_NO || list_checkpoints(past));
}

GPtrArray *
source_past_list(struct connection *connection, const struct source_domain *domain, GError **error)
{
    struct past *past = g_new0(struct past, 1);
    GPtrArray *found;

    past->domain = domain->handle;
    virDomainRef(past->domain);
    past->snapshots = domain->snapshots;
    past->checkpoints = domain->checkpoints;
    past->found = g_ptr_array_new_with_free_func(free_item);
    if (!connection_call(connection, list_past, past, past_free, error))
        return NULL;
    found = g_ptr_array_ref(past->found);
    past_free(past);
    g_ptr_array_sort(found, compare);
    return found;
}
