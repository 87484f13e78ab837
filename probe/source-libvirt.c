/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-libvirt.c: documents that are the domains of a libvirt connection.
 */
#include "probe/source-libvirt.h"

#include <stdlib.h>

void
source_domain_free(struct source_domain *domain)
{
    if (!domain)
        return;
    if (domain->handle)
        virDomainFree(domain->handle);
    g_free(domain->uri);
    g_free(domain->name);
    g_free(domain);
}

static void
free_domain(void *data)
{
    source_domain_free(data);
}

int
source_domain_compare(const void *a, const void *b)
{
    const struct source_domain *left = *(const struct source_domain *const *)a;
    const struct source_domain *right = *(const struct source_domain *const *)b;
    int order = strcmp(left->uri, right->uri);

    if (order == 0)
        order = strcmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->uuid, right->uuid);
}

const char *
domain_state_name(enum domain_state state)
{
    switch (state) {
    case DOMAIN_STATE_RUNNING:
        return "running";
    case DOMAIN_STATE_PAUSED:
        return "paused";
    case DOMAIN_STATE_SHUT_OFF:
        return "shut off";
    case DOMAIN_STATE_OTHER:
        return "in another state";
    case DOMAIN_STATE_UNKNOWN:
    default:
        return "in an unknown state";
    }
}

enum source_text
source_domain_text(const struct source_domain *domain)
{
    return domain->persistent == FACT_NO ? SOURCE_TEXT_LIVE : SOURCE_TEXT_INACTIVE;
}

/* A domain with nothing known but who it is; @handle is taken over. NULL with libvirt's error
 * set. */
static struct source_domain *
domain_new(virDomainPtr handle)
{
    struct source_domain *domain = g_new0(struct source_domain, 1);
    const char *name = virDomainGetName(handle);

    domain->handle = handle;
    if (!name || virDomainGetUUIDString(handle, domain->uuid) < 0) {
        source_domain_free(domain);
        return NULL;
    }
    domain->name = g_strdup(name);
    return domain;
}

/* ---- All domains ----------------------------------------------------------------------- */

struct list {
    GPtrArray *domains;
    GHashTable *by_uuid; /* uuid -> struct source_domain *, both the array's */
};

static void
list_free(void *data)
{
    struct list *list = data;

    g_hash_table_unref(list->by_uuid);
    g_ptr_array_unref(list->domains);
    g_free(list);
}

/* Notes the answer to what @flag asks. */
static void
set_answer(struct source_domain *domain, guint flag, gboolean is)
{
    enum fact_answer answer = is ? FACT_YES : FACT_NO;

    switch (flag) {
    case VIR_CONNECT_LIST_DOMAINS_TRANSIENT:
        domain->persistent = is ? FACT_NO : FACT_YES;
        break;
    case VIR_CONNECT_LIST_DOMAINS_MANAGEDSAVE:
        domain->managed_save = answer;
        break;
    case VIR_CONNECT_LIST_DOMAINS_HAS_SNAPSHOT:
        domain->snapshots = answer;
        break;
    case VIR_CONNECT_LIST_DOMAINS_HAS_CHECKPOINT:
        domain->checkpoints = answer;
        break;
    case VIR_CONNECT_LIST_DOMAINS_AUTOSTART:
        domain->autostart = answer;
        break;
    case VIR_CONNECT_LIST_DOMAINS_RUNNING:
        domain->state = is ? DOMAIN_STATE_RUNNING : domain->state;
        break;
    case VIR_CONNECT_LIST_DOMAINS_PAUSED:
        domain->state = is ? DOMAIN_STATE_PAUSED : domain->state;
        break;
    case VIR_CONNECT_LIST_DOMAINS_OTHER:
        domain->state = is ? DOMAIN_STATE_OTHER : domain->state;
        break;
    default:
        break;
    }
}

/* Notes for all domains whether they are among those that @flag selects. A driver that does not
 * know the flag leaves the answer unknown; any other failure is one of the whole list. */
static gboolean
list_flag(virConnectPtr handle, struct list *list, guint flag)
{
    virDomainPtr *handles = NULL;
    int count = virConnectListAllDomains(handle, &handles, flag);

    if (count < 0) {
        int code = virGetLastErrorCode();

        return code == VIR_ERR_INVALID_ARG || code == VIR_ERR_NO_SUPPORT;
    }
    for (guint i = 0; i < list->domains->len; i++)
        set_answer(g_ptr_array_index(list->domains, i), flag, FALSE);
    for (int i = 0; i < count; i++) {
        char uuid[VIR_UUID_STRING_BUFLEN];
        struct source_domain *domain = NULL;

        if (virDomainGetUUIDString(handles[i], uuid) == 0)
            domain = g_hash_table_lookup(list->by_uuid, uuid);
        /* One that is new since the first call is left for the next run. */
        if (domain)
            set_answer(domain, flag, TRUE);
        virDomainFree(handles[i]);
    }
    free(handles);
    return TRUE;
}

/* What the first call tells of a domain: who it is, and whether it has a live definition. One
 * that has and is in no list of a state changed its state between two calls. */
static gboolean
list_add(struct list *list, virDomainPtr handle)
{
    struct source_domain *domain = domain_new(handle);

    if (!domain)
        return FALSE;
    domain->active = virDomainGetID(handle) == (unsigned int)-1 ? FACT_NO : FACT_YES;
    domain->state = domain->active == FACT_NO ? DOMAIN_STATE_SHUT_OFF : DOMAIN_STATE_UNKNOWN;
    g_ptr_array_add(list->domains, domain);
    g_hash_table_insert(list->by_uuid, domain->uuid, domain);
    return TRUE;
}

static gboolean
list_all(virConnectPtr handle, void *data)
{
    /* Each with few domains in it, as a rule: what most are is what the others are not. */
    static const guint flags[] = {
        VIR_CONNECT_LIST_DOMAINS_RUNNING,
        VIR_CONNECT_LIST_DOMAINS_PAUSED,
        VIR_CONNECT_LIST_DOMAINS_OTHER,
        VIR_CONNECT_LIST_DOMAINS_TRANSIENT,
        VIR_CONNECT_LIST_DOMAINS_MANAGEDSAVE,
        VIR_CONNECT_LIST_DOMAINS_HAS_SNAPSHOT,
        VIR_CONNECT_LIST_DOMAINS_HAS_CHECKPOINT,
        VIR_CONNECT_LIST_DOMAINS_AUTOSTART,
    };
    struct list *list = data;
    virDomainPtr *handles = NULL;
    int count = virConnectListAllDomains(handle, &handles, 0);
    gboolean good = count >= 0;

    for (int i = 0; i < count; i++)
        good = list_add(list, handles[i]) && good;
    free(handles);
    for (gsize i = 0; good && i < G_N_ELEMENTS(flags); i++)
        good = list_flag(handle, list, flags[i]);
    return good;
}

GPtrArray *
source_libvirt_list(struct connection *connection, GError **error)
{
    struct list *list = g_new0(struct list, 1);
    GPtrArray *domains;

    list->domains = g_ptr_array_new_with_free_func(free_domain);
    list->by_uuid = g_hash_table_new(g_str_hash, g_str_equal);
    if (!connection_call(connection, list_all, list, list_free, error))
        return NULL;
    domains = g_ptr_array_ref(list->domains);
    list_free(list);
    for (guint i = 0; i < domains->len; i++) {
        struct source_domain *domain = g_ptr_array_index(domains, i);

        domain->uri = g_strdup(connection_uri(connection));
    }
    g_ptr_array_sort(domains, source_domain_compare);
    return domains;
}

/* ---- One domain ------------------------------------------------------------------------ */

struct lookup {
    char *word;
    struct source_domain *domain; /* NULL: there is none */
    gboolean ambiguous;
};

static void
lookup_free(void *data)
{
    struct lookup *lookup = data;

    source_domain_free(lookup->domain);
    g_free(lookup->word);
    g_free(lookup);
}

static enum fact_answer
answer_of(int result)
{
    return result < 0 ? FACT_UNKNOWN : result > 0 ? FACT_YES : FACT_NO;
}

static enum domain_state
state_of(int state)
{
    switch (state) {
    /* The same groups as the flags of the list. */
    case VIR_DOMAIN_RUNNING:
        return DOMAIN_STATE_RUNNING;
    case VIR_DOMAIN_PAUSED:
        return DOMAIN_STATE_PAUSED;
    case VIR_DOMAIN_SHUTOFF:
        return DOMAIN_STATE_SHUT_OFF;
    default:
        return DOMAIN_STATE_OTHER;
    }
}

/* FALSE with libvirt's error set where the domain has vanished; what its driver cannot say stays
 * unknown. */
static gboolean
look_at(struct source_domain *domain)
{
    virDomainPtr handle = domain->handle;
    int state, autostart = 0;
    int result = virDomainGetState(handle, &state, NULL, 0);

    if (result < 0)
        return FALSE;
    domain->state = state_of(state);
    domain->active = answer_of(virDomainIsActive(handle));
    domain->persistent = answer_of(virDomainIsPersistent(handle));
    domain->managed_save = answer_of(virDomainHasManagedSaveImage(handle, 0));
    domain->snapshots = answer_of(virDomainSnapshotNum(handle, 0));
    domain->checkpoints = answer_of(virDomainListAllCheckpoints(handle, NULL, 0));
    result = virDomainGetAutostart(handle, &autostart);
    domain->autostart = result < 0 ? FACT_UNKNOWN : answer_of(autostart);
    return TRUE;
}

static gboolean
look_up(virConnectPtr handle, void *data)
{
    struct lookup *lookup = data;
    virDomainPtr by_name = virDomainLookupByName(handle, lookup->word);
    virDomainPtr by_uuid = NULL;

    if (!by_name && virGetLastErrorCode() != VIR_ERR_NO_DOMAIN)
        return FALSE;
    if (g_uuid_string_is_valid(lookup->word)) {
        by_uuid = virDomainLookupByUUIDString(handle, lookup->word);
        if (!by_uuid && virGetLastErrorCode() != VIR_ERR_NO_DOMAIN) {
            if (by_name)
                virDomainFree(by_name);
            return FALSE;
        }
    }
    if (by_name && by_uuid) {
        lookup->ambiguous = g_strcmp0(virDomainGetName(by_name), virDomainGetName(by_uuid)) != 0;
        virDomainFree(by_uuid);
    }
    if (!by_name && !by_uuid)
        return TRUE;
    lookup->domain = domain_new(by_name ? by_name : by_uuid);
    return lookup->domain && look_at(lookup->domain);
}

struct source_domain *
source_libvirt_lookup(struct connection *connection, const char *word, GError **error)
{
    struct lookup *lookup = g_new0(struct lookup, 1);
    struct source_domain *domain;

    lookup->word = g_strdup(word);
    if (!connection_call(connection, look_up, lookup, lookup_free, error))
        return NULL;
    domain = lookup->ambiguous ? NULL : g_steal_pointer(&lookup->domain);
    if (lookup->ambiguous)
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_FAILED,
                    "%s: '%s' is the name of one domain and the UUID of another",
                    connection_uri(connection), word);
    else if (!domain)
        g_set_error(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE,
                    "%s: there is no domain '%s'", connection_uri(connection), word);
    else
        domain->uri = g_strdup(connection_uri(connection));
    lookup_free(lookup);
    return domain;
}

/* ---- Texts ----------------------------------------------------------------------------- */

struct fetch {
    virDomainPtr domain;
    guint flags;
    char *xml;
};

static void
fetch_free(void *data)
{
    struct fetch *fetch = data;

    virDomainFree(fetch->domain);
    free(fetch->xml);
    g_free(fetch);
}

static gboolean
fetch_xml(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct fetch *fetch = data;

    fetch->xml = virDomainGetXMLDesc(fetch->domain, fetch->flags);
    return fetch->xml != NULL;
}

char *
source_libvirt_xml(struct connection *connection, const struct source_domain *domain,
                   enum source_text text, enum source_secrets secrets, GError **error)
{
    struct fetch *fetch = g_new0(struct fetch, 1);
    char *xml;

    fetch->domain = domain->handle;
    virDomainRef(fetch->domain);
    if (text == SOURCE_TEXT_INACTIVE)
        fetch->flags |= VIR_DOMAIN_XML_INACTIVE;
    if (secrets == SOURCE_WITH_SECRETS)
        fetch->flags |= VIR_DOMAIN_XML_SECURE;
    if (!connection_call(connection, fetch_xml, fetch, fetch_free, error))
        return NULL;
    xml = g_steal_pointer(&fetch->xml);
    fetch_free(fetch);
    return xml;
}
