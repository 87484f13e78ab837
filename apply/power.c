/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power.c: clean shutdown and start. */
#include "apply/power.h"

#include <libvirt/virterror.h>
#include <string.h>

#define POLL_MS 250

GQuark
power_error_quark(void)
{
    return g_quark_from_static_string("domlint-power");
}

struct call {
    virDomainPtr domain;
    int result;
};

static void
call_free(void *data)
{
    struct call *call = data;

    virDomainFree(call->domain);
    g_free(call);
}

static gboolean
ask_state(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct call *call = data;
    int reason;

    return virDomainGetState(call->domain, &call->result, &reason, 0) == 0;
}

static gboolean
ask_shutdown(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    return virDomainShutdown(((struct call *)data)->domain) == 0;
}

static gboolean
ask_start(virConnectPtr handle G_GNUC_UNUSED, void *data)
{
    struct call *call = data;

    return virDomainCreate(call->domain) == 0 || virDomainIsActive(call->domain) == 1;
}

static gboolean
run(struct connection *connection, const struct source_domain *domain, connection_func func,
    int *result, GError **error)
{
    struct call *call = g_new0(struct call, 1);

    call->domain = domain->handle;
    virDomainRef(call->domain);
    if (!connection_call(connection, func, call, call_free, error))
        return FALSE;
    if (result)
        *result = call->result;
    call_free(call);
    return TRUE;
}

gboolean
power_is_on(struct connection *connection, const struct source_domain *domain)
{
    int state;

    return run(connection, domain, ask_state, &state, NULL) && state != VIR_DOMAIN_SHUTOFF &&
           state != VIR_DOMAIN_CRASHED && state != VIR_DOMAIN_NOSTATE;
}

static gboolean
check_stays_off(struct connection *connection, const struct source_domain *domain, GError **error)
{
    g_autofree char *xml = source_libvirt_xml(connection, domain, SOURCE_TEXT_LIVE,
                                              SOURCE_WITHOUT_SECRETS, error);
    g_autoptr(domxml_doc) doc = xml ? domxml_parse(xml, strlen(xml), NULL) : NULL;
    const char *action = doc ? domxml_get(domxml_doc_domain(doc), "on_poweroff") : NULL;

    if (!xml)
        return FALSE;
    if (!action || g_str_equal(action, "destroy"))
        return TRUE;
    g_set_error(error, POWER_ERROR, POWER_REFUSED,
                "on_poweroff is '%s': it would not stay off when its guest shuts down", action);
    return FALSE;
}

gboolean
power_wait_off(struct connection *connection, const struct source_domain *domain, guint timeout_s,
               GCancellable *cancellable, GError **error)
{
    gint64 end = g_get_monotonic_time() + (gint64)timeout_s * G_USEC_PER_SEC;
    int state;

    do {
        if (!run(connection, domain, ask_state, &state, error))
            return FALSE;
        if (state == VIR_DOMAIN_SHUTOFF)
            return TRUE;
        g_usleep(POLL_MS * 1000);
        if (g_cancellable_set_error_if_cancelled(cancellable, error))
            return FALSE;
    } while (g_get_monotonic_time() < end);
    g_set_error(error, POWER_ERROR, POWER_TIMEOUT,
                "its guest did not shut down within %u s (--shutdown-timeout), and may still do so",
                timeout_s);
    return FALSE;
}

gboolean
power_off(struct connection *connection, const struct source_domain *domain, guint timeout_s,
          GCancellable *cancellable, GError **error)
{
    int state;

    if (!run(connection, domain, ask_state, &state, error))
        return FALSE;
    if (state == VIR_DOMAIN_SHUTOFF)
        return TRUE;
    if (state != VIR_DOMAIN_RUNNING && state != VIR_DOMAIN_BLOCKED) {
        g_set_error_literal(error, POWER_ERROR, POWER_REFUSED,
                            "it is not running (paused?): resume or shut it down first");
        return FALSE;
    }
    return check_stays_off(connection, domain, error) &&
           run(connection, domain, ask_shutdown, NULL, error) &&
           power_wait_off(connection, domain, timeout_s, cancellable, error);
}

gboolean
power_on(struct connection *connection, const struct source_domain *domain, GError **error)
{
    return run(connection, domain, ask_start, NULL, error);
}
