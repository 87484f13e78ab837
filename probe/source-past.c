/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-past.c: the snapshots, checkpoints and managed save of a domain.
 */
#include "probe/source-past.h"

#include <stdlib.h>

struct past {
    virDomainPtr domain;
    enum fact_answer snapshots;
    enum fact_answer checkpoints;
    enum fact_answer managed_save;
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

    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return g_strcmp0(left->name, right->name);
}

/* Notes a text (taken over); or, without one, that there is none and why. */
static void
add_item(struct past *past, enum source_past_kind kind, const char *name, char *xml,
         const char *unreadable)
{
    struct source_past *item = g_new0(struct source_past, 1);

    item->kind = kind;
    item->name = g_strdup(name);
    item->xml = xml;
    item->unreadable = xml ? NULL : g_strdup(unreadable);
    g_ptr_array_add(past->found, item);
}

/* The same, with libvirt's error as the reason, unless it is that the thing has vanished
 * (@vanished). */
static void
add(struct past *past, enum source_past_kind kind, const char *name, char *xml, int vanished)
{
    if (xml || virGetLastErrorCode() != vanished)
        add_item(past, kind, name, xml, virGetLastErrorMessage());
}

static gboolean
list_snapshots(struct past *past)
{
    virDomainSnapshotPtr *handles = NULL;
    int count = virDomainListAllSnapshots(past->domain, &handles, 0);

    for (int i = 0; i < count; i++) {
        add(past, SOURCE_PAST_SNAPSHOT, virDomainSnapshotGetName(handles[i]),
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
        add(past, SOURCE_PAST_CHECKPOINT, virDomainCheckpointGetName(handles[i]),
            virDomainCheckpointGetXMLDesc(handles[i], 0), VIR_ERR_NO_DOMAIN_CHECKPOINT);
        virDomainCheckpointFree(handles[i]);
    }
    free(handles);
    return count >= 0 || virGetLastErrorCode() == VIR_ERR_NO_SUPPORT;
}

/* The daemon reads it from the saved guest's file, which may be unreadable or gone. */
static void
add_managed_save(struct past *past)
{
    char *xml = virDomainManagedSaveGetXMLDesc(past->domain, 0);
    g_autofree char *reason = xml ? NULL : g_strdup(virGetLastErrorMessage());

    if (xml || virDomainHasManagedSaveImage(past->domain, 0) != 0)
        add_item(past, SOURCE_PAST_MANAGED_SAVE, NULL, xml, reason);
}

static gboolean
list_past(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct past *past = data;

    if (past->managed_save == FACT_YES)
        add_managed_save(past);
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
    past->managed_save = domain->managed_save;
    past->found = g_ptr_array_new_with_free_func(free_item);
    if (!connection_call(connection, list_past, past, past_free, error))
        return NULL;
    found = g_ptr_array_ref(past->found);
    past_free(past);
    g_ptr_array_sort(found, compare);
    return found;
}
