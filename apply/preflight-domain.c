/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight-domain.c: what a domain does now, and what hangs on it. */
#include <stdlib.h>
#include <string.h>

#include "apply/preflight-checks.h"

/* What is asked of a domain in one call. */
struct details {
    virDomainPtr domain;
    char *target;
    gboolean active;
    char *job;              /* what is under way, in words; NULL: nothing */
    GPtrArray *snapshots;   /* names */
    GPtrArray *checkpoints; /* names */
};

static void
free_details(void *data)
{
    struct details *details = data;

    virDomainFree(details->domain);
    g_free(details->target);
    g_free(details->job);
    g_ptr_array_unref(details->snapshots);
    g_ptr_array_unref(details->checkpoints);
    g_free(details);
}

static gboolean
list_snapshots(struct details *details)
{
    virDomainSnapshotPtr *snapshots = NULL;
    int count = virDomainListAllSnapshots(details->domain, &snapshots, 0);

    for (int i = 0; i < count; i++) {
        g_ptr_array_add(details->snapshots, g_strdup(virDomainSnapshotGetName(snapshots[i])));
        virDomainSnapshotFree(snapshots[i]);
    }
    free(snapshots);
    return count >= 0;
}

static gboolean
list_checkpoints(struct details *details)
{
    virDomainCheckpointPtr *checkpoints = NULL;
    int count = virDomainListAllCheckpoints(details->domain, &checkpoints, 0);

    for (int i = 0; i < count; i++) {
        g_ptr_array_add(details->checkpoints,
                        g_strdup(virDomainCheckpointGetName(checkpoints[i])));
        virDomainCheckpointFree(checkpoints[i]);
    }
    free(checkpoints);
    return count >= 0 || virGetLastErrorCode() == VIR_ERR_NO_SUPPORT;
}

/* A block job of the disk; a copy, backup, migration or save of the whole domain. */
static gboolean
look_at_jobs(struct details *details)
{
    virDomainBlockJobInfo block;
    virDomainJobInfo job;
    int found = virDomainGetBlockJobInfo(details->domain, details->target, &block, 0);

    if (found > 0) {
        details->job = g_strdup("a block job is under way on the disk");
        return TRUE;
    }
    if (found == 0 && virDomainGetJobInfo(details->domain, &job) < 0)
        return FALSE;
    if (found == 0 && job.type != VIR_DOMAIN_JOB_NONE)
        details->job = g_strdup("a job (a backup, save or migration) of the domain is under way");
    return found == 0;
}

static gboolean
look(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct details *details = data;

    /* It may have been shut down since it was looked up; then there is no job. */
    if (details->active && !look_at_jobs(details) && virDomainIsActive(details->domain) != 0)
        return FALSE;
    return list_snapshots(details) && list_checkpoints(details);
}

/* "a, b, c and 4 more", to be freed. */
static char *
join(GPtrArray *names)
{
    enum { NAMES_MAX = 5 };
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < names->len && i < NAMES_MAX; i++)
        g_string_append_printf(text, "%s%s", i == 0 ? "" : ", ",
                               (char *)g_ptr_array_index(names, i));
    if (names->len > NAMES_MAX)
        g_string_append_printf(text, " and %u more", names->len - NAMES_MAX);
    return g_string_free(text, FALSE);
}

static void
check_details(struct preflight_state *state, const struct source_domain *now)
{
    struct details *details = g_new0(struct details, 1);
    g_autoptr(GError) error = NULL;

    details->domain = now->handle;
    virDomainRef(details->domain);
    details->target = g_strdup(state->target);
    details->active = now->active != FACT_NO;
    details->snapshots = g_ptr_array_new_with_free_func(g_free);
    details->checkpoints = g_ptr_array_new_with_free_func(g_free);
    if (!connection_call(state->ask->connection, look, details, free_details, &error)) {
        preflight_refuse(state, PREFLIGHT_STATE,
                         "libvirt does not say whether %s has jobs, snapshots and checkpoints: %s",
                         now->name, error->message);
        return;
    }
    if (details->job)
        preflight_refuse(state, PREFLIGHT_JOB, "%s: wait for its end, or abort it", details->job);
    if (details->snapshots->len > 0) {
        g_autofree char *names = join(details->snapshots);

        preflight_refuse(state, PREFLIGHT_SNAPSHOTS,
                         "%s has libvirt snapshots (%s), which would be lost or would bring the "
                         "old image back: delete them first (virsh snapshot-delete)",
                         now->name, names);
    }
    if (details->checkpoints->len > 0) {
        g_autofree char *names = join(details->checkpoints);

        preflight_refuse(state, PREFLIGHT_CHECKPOINTS,
                         "%s has checkpoints (%s), which incremental backups rest on and which "
                         "would be lost: delete them first (virsh checkpoint-delete)",
                         now->name, names);
    }
    free_details(details);
}

static void
check_state(struct preflight_state *state, const struct source_domain *now)
{
    const char *name = now->name;

    if (now->persistent == FACT_NO)
        preflight_refuse(state, PREFLIGHT_TRANSIENT,
                         "%s is transient, without a definition that could name the new image: "
                         "change what creates it",
                         name);
    if (now->state == DOMAIN_STATE_RUNNING)
        preflight_refuse(state, PREFLIGHT_RUNNING,
                         "%s is running: shut it down first, or let --shutdown do it", name);
    else if (now->state == DOMAIN_STATE_PAUSED)
        preflight_refuse(state, PREFLIGHT_PAUSED,
                         "%s is paused, with its guest still in memory: resume it and shut it "
                         "down first",
                         name);
    else if (now->state != DOMAIN_STATE_SHUT_OFF || now->active != FACT_NO ||
             now->persistent == FACT_UNKNOWN || now->managed_save == FACT_UNKNOWN)
        preflight_refuse(state, PREFLIGHT_STATE, "%s is %s: it has to be shut off", name,
                         now->state == DOMAIN_STATE_SHUT_OFF ? "not known to be shut off"
                                                             : domain_state_name(now->state));
    if (now->managed_save == FACT_YES)
        preflight_refuse(state, PREFLIGHT_MANAGED_SAVE,
                         "%s has a managed save and would resume with the old image: start it and "
                         "shut it down, or drop its saved memory with 'virsh managedsave-remove'",
                         name);
}

static void
check_now(struct preflight_state *state)
{
    const struct source_domain *domain = state->ask->domain;
    g_autoptr(GError) error = NULL;
    struct source_domain *now =
        source_libvirt_lookup(state->ask->connection, domain->uuid, &error);

    if (!now) {
        gboolean gone = g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE);

        preflight_refuse(state, gone ? PREFLIGHT_GONE : PREFLIGHT_STATE,
                         gone ? "%s is not there any more: %s"
                              : "libvirt does not say what %s does now: %s",
                         domain->name, error->message);
        return;
    }
    check_state(state, now);
    check_details(state, now);
    source_domain_free(now);
}

gboolean
preflight_check_domain(struct preflight_state *state)
{
    struct connection *connection = state->ask->connection;

    if (!connection)
        return TRUE;
    switch (connection_place(connection)) {
    case CONNECTION_REMOTE:
        preflight_refuse(state, PREFLIGHT_REMOTE,
                         "the images of %s are on another host: run domlint there",
                         connection_uri(connection));
        return FALSE;
    case CONNECTION_TEST:
        preflight_refuse(state, PREFLIGHT_TEST,
                         "%s is libvirt's test driver, whose images are made up: nothing is "
                         "converted there",
                         connection_uri(connection));
        return FALSE;
    case CONNECTION_LOCAL:
    default:
        if (state->ask->domain)
            check_now(state);
        return TRUE;
    }
}
