/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domain.c: looking at and defining a domain. */
#include "apply/domain.h"

#include <libvirt/virterror.h>
#include <string.h>

struct look {
    virDomainPtr domain;
    struct domain_now now;
};

static void
look_free(void *data)
{
    struct look *look = data;

    virDomainFree(look->domain);
    g_free(look);
}

/* A driver that does not know the question has nothing to answer it by: the test driver keeps no managed saves. */
static int
none_if_unsupported(int answer)
{
    return answer < 0 && virGetLastErrorCode() == VIR_ERR_NO_SUPPORT ? 0 : answer;
}

static gboolean
look_at(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct look *look = data;
    virDomainPtr domain = look->domain;
    int persistent, active, managed_save, snapshots, checkpoints, state;

    if ((persistent = virDomainIsPersistent(domain)) < 0 ||
        (active = virDomainIsActive(domain)) < 0 ||
        virDomainGetState(domain, &state, NULL, 0) < 0 ||
        (managed_save = none_if_unsupported(virDomainHasManagedSaveImage(domain, 0))) < 0 ||
        (snapshots = none_if_unsupported(virDomainSnapshotNum(domain, 0))) < 0 ||
        (checkpoints = none_if_unsupported(virDomainListAllCheckpoints(domain, NULL, 0))) < 0)
        return FALSE;
    look->now = (struct domain_now){
        .persistent = persistent == 1,
        .managed_save = managed_save == 1,
        .active = active == 1,
        .paused = state == VIR_DOMAIN_PAUSED,
        .snapshots = snapshots,
        .checkpoints = checkpoints,
    };
    return TRUE;
}

gboolean
domain_look(struct connection *connection, const struct source_domain *domain,
            struct domain_now *now, GError **error)
{
    struct look *look = g_new0(struct look, 1);

    look->domain = domain->handle;
    virDomainRef(look->domain);
    if (!connection_call(connection, look_at, look, look_free, error))
        return FALSE;
    *now = look->now;
    look_free(look);
    return TRUE;
}

struct define {
    char *xml;
    unsigned int flags;
    gboolean defined;
    gboolean invalid;
    char *message;
};

static void
define_free(void *data)
{
    struct define *define = data;

    /* It holds the domain's passwords. */
    explicit_bzero(define->xml, strlen(define->xml));
    g_free(define->xml);
    g_free(define->message);
    g_free(define);
}

static gboolean
call_define(virConnectPtr handle, void *data)
{
    struct define *define = data;
    virDomainPtr domain = virDomainDefineXMLFlags(handle, define->xml, define->flags);

    if (domain) {
        define->defined = TRUE;
        virDomainFree(domain);
        return TRUE;
    }
    define->invalid = virGetLastErrorCode() == VIR_ERR_XML_INVALID_SCHEMA;
    if (!define->invalid)
        return FALSE;
    define->message = g_strdup(virGetLastErrorMessage());
    return TRUE;
}

gboolean
domain_define(struct connection *connection, const char *xml, gboolean validate, gboolean *invalid,
              GError **error)
{
    struct define *define = g_new0(struct define, 1);
    gboolean defined;

    define->xml = g_strdup(xml);
    define->flags = validate ? VIR_DOMAIN_DEFINE_VALIDATE : 0;
    if (invalid)
        *invalid = FALSE;
    if (!connection_call(connection, call_define, define, define_free, error))
        return FALSE;
    defined = define->defined;
    if (invalid)
        *invalid = define->invalid;
    if (!defined)
        g_set_error_literal(error, CONNECTION_ERROR, CONNECTION_ERROR_FAILED, define->message);
    define_free(define);
    return defined;
}
