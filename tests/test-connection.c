/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-connection.c: connections and their domains, without a daemon: on
 * libvirt's test driver, and on sockets that nobody answers at.
 */
#include <check.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>

#include "probe/deadline.h"
#include "probe/fetch-ahead.h"
#include "probe/source-past.h"
#include "probe/volumes.h"

#define TEST_UUID "6695eb01-f6a4-8304-79aa-97f2502e193f" /* of the domain of test:///default */

/* ---- Work with a time limit ------------------------------------------------------------ */

/* Work that waits until it is told to go on; shared with the test, which may not look at what
 * it hands over. */
struct gate {
    gatomicrefcount references;
    GMutex mutex;
    GCond changed;
    gboolean open;
    gint freed; /* atomic */
};

static struct gate *
gate_new(void)
{
    struct gate *gate = g_new0(struct gate, 1);

    g_atomic_ref_count_init(&gate->references);
    g_atomic_ref_count_inc(&gate->references);
    g_mutex_init(&gate->mutex);
    g_cond_init(&gate->changed);
    return gate;
}

static void
gate_unref(struct gate *gate)
{
    if (g_atomic_ref_count_dec(&gate->references))
        g_free(gate);
}

static void
gate_release(void *data)
{
    struct gate *gate = data;

    g_atomic_int_set(&gate->freed, TRUE);
    gate_unref(gate);
}

static void
pass_gate(void *data)
{
    struct gate *gate = data;

    g_mutex_lock(&gate->mutex);
    while (!gate->open)
        g_cond_wait(&gate->changed, &gate->mutex);
    g_mutex_unlock(&gate->mutex);
}

static void
open_gate(struct gate *gate)
{
    g_mutex_lock(&gate->mutex);
    gate->open = TRUE;
    g_cond_broadcast(&gate->changed);
    g_mutex_unlock(&gate->mutex);
}

START_TEST(test_work_in_time)
{
    struct deadline_threads *threads = deadline_threads_new();
    struct gate *gate = gate_new();

    open_gate(gate);
    ck_assert(deadline_run(threads, pass_gate, gate, gate_release, 60000));
    ck_assert_int_eq(g_atomic_int_get(&gate->freed), FALSE);
    gate_unref(gate);
    gate_unref(gate);
    deadline_threads_free(threads);
}
END_TEST

START_TEST(test_work_overdue)
{
    struct deadline_threads *threads = deadline_threads_new();
    struct gate *gate = gate_new();
    gint64 begin = g_get_monotonic_time();

    ck_assert(!deadline_run(threads, pass_gate, gate, gate_release, 50));
    ck_assert_int_ge(g_get_monotonic_time() - begin, 50 * 1000);
    ck_assert_int_lt(g_get_monotonic_time() - begin, 40 * G_USEC_PER_SEC);
    ck_assert_int_eq(g_atomic_int_get(&gate->freed), FALSE);
    /* What was left behind frees its data when it comes back, also when nobody runs threads any
     * more. */
    deadline_threads_free(threads);
    open_gate(gate);
    while (!g_atomic_int_get(&gate->freed))
        g_usleep(1000);
    gate_unref(gate);
}
END_TEST

/* ---- Where the daemon is --------------------------------------------------------------- */

static const struct {
    const char *uri;
    enum connection_place place;
} places[] = {
    { "qemu:///system", CONNECTION_LOCAL },
    { "qemu:///session", CONNECTION_LOCAL },
    { "qemu+unix:///system?socket=/run/libvirt/libvirt-sock", CONNECTION_LOCAL },
    { "xen:///", CONNECTION_LOCAL },
    { "lxc:///system", CONNECTION_LOCAL },
    { "qemu://host/system", CONNECTION_REMOTE },
    { "qemu://localhost/system", CONNECTION_REMOTE },
    { "qemu+ssh://root@host:2222/system", CONNECTION_REMOTE },
    { "qemu+ssh://root@[fe80::1]/system", CONNECTION_REMOTE },
    { "qemu+ssh:///system", CONNECTION_REMOTE },
    { "qemu+tcp:///system", CONNECTION_REMOTE },
    { "qemu+ext:///system?command=/bin/tunnel", CONNECTION_REMOTE },
    { "esx://user@vcenter/?no_verify=1", CONNECTION_REMOTE },
    { "test:///default", CONNECTION_TEST },
    { "test:///srv/host.xml", CONNECTION_TEST },
    { "test+unix:///default", CONNECTION_TEST },
    { "test+ssh://host/default", CONNECTION_REMOTE },
    { "not a uri", CONNECTION_REMOTE },
    { "", CONNECTION_REMOTE },
};

START_TEST(test_place)
{
    ck_assert_msg(connection_place_of(places[_i].uri) == places[_i].place, "%s: place %d",
                  places[_i].uri, (int)connection_place_of(places[_i].uri));
}
END_TEST

/* ---- Connections ----------------------------------------------------------------------- */

static struct event_loop *
loop_new(void)
{
    g_autoptr(GError) error = NULL;
    struct event_loop *loop = event_loop_new(&error);

    ck_assert_msg(loop != NULL, "%s", error ? error->message : "");
    return loop;
}

/* Waits @call_ms at most for an answer of the daemon at @uri, which gives none. */
static char *
open_in_vain(const char *uri, guint call_ms)
{
    struct event_loop *loop = loop_new();
    struct connection_limits limits = { .call_ms = call_ms };
    g_autoptr(GError) error = NULL;
    gint64 begin = g_get_monotonic_time();
    char *text;

    ck_assert_ptr_null(connection_open(loop, uri, CONNECTION_READ_ONLY, &limits, &error));
    ck_assert_int_lt(g_get_monotonic_time() - begin, 40 * G_USEC_PER_SEC);
    ck_assert(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_OPEN));
    text = g_strdup(error->message);
    event_loop_free(loop);
    return text;
}

START_TEST(test_open_nobody_there)
{
    g_autofree char *text = open_in_vain("qemu+unix:///system?socket=/nonexistent/sock", 5000);

    ck_assert_msg(g_str_has_prefix(text, "cannot connect to qemu+unix:///system?"
                                         "socket=/nonexistent/sock: "), "%s", text);
    ck_assert_msg(strstr(text, "No such file or directory") != NULL, "%s", text);
}
END_TEST

START_TEST(test_open_unknown_driver)
{
    g_autofree char *text = open_in_vain("nosuchhypervisor:///", 5000);

    ck_assert_msg(g_str_has_prefix(text, "cannot connect to nosuchhypervisor:///: "), "%s", text);
}
END_TEST

/* A daemon that takes the connection and says nothing. */
START_TEST(test_open_nobody_answers)
{
    g_autofree char *folder = g_dir_make_tmp("domlint-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "socket", NULL);
    g_autofree char *uri = g_strdup_printf("qemu+unix:///system?socket=%s", path);
    g_autoptr(GSocket) listener = g_socket_new(G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM,
                                               G_SOCKET_PROTOCOL_DEFAULT, NULL);
    g_autoptr(GSocketAddress) address = g_unix_socket_address_new(path);
    g_autofree char *text = NULL;

    ck_assert(g_socket_bind(listener, address, TRUE, NULL));
    ck_assert(g_socket_listen(listener, NULL));
    text = open_in_vain(uri, 200);
    ck_assert_msg(g_str_has_suffix(text, "socket does not answer (waited for 0.2 s)"), "%s", text);
    g_unlink(path);
    g_rmdir(folder);
}
END_TEST

/* ---- Domains of the test driver -------------------------------------------------------- */

static struct event_loop *test_loop;
static struct connection *test_connection;

static void
open_test(void)
{
    g_autoptr(GError) error = NULL;

    test_loop = loop_new();
    test_connection = connection_open(test_loop, "test:///default", CONNECTION_READ_WRITE, NULL,
                                      &error);
    ck_assert_msg(test_connection != NULL, "%s", error ? error->message : "");
}

static void
close_test(void)
{
    connection_close(test_connection);
    event_loop_free(test_loop);
}

START_TEST(test_list)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = source_libvirt_list(test_connection, &error);
    const struct source_domain *domain;

    ck_assert_msg(domains != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(domains->len, 1);
    domain = g_ptr_array_index(domains, 0);
    ck_assert_str_eq(domain->uri, "test:///default");
    ck_assert_str_eq(domain->name, "test");
    ck_assert_str_eq(domain->uuid, TEST_UUID);
    ck_assert_int_eq(domain->state, DOMAIN_STATE_RUNNING);
    ck_assert_int_eq(domain->active, FACT_YES);
    ck_assert_int_eq(domain->persistent, FACT_YES);
    ck_assert_int_eq(domain->managed_save, FACT_NO);
    ck_assert_int_eq(domain->snapshots, FACT_NO);
    ck_assert_int_eq(domain->autostart, FACT_NO);
    ck_assert_int_eq(connection_place(test_connection), CONNECTION_TEST);
    ck_assert_str_eq(connection_uri(test_connection), "test:///default");
}
END_TEST

START_TEST(test_lookup)
{
    static const char *const words[] = { "test", TEST_UUID };

    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(GError) error = NULL;
        struct source_domain *domain = source_libvirt_lookup(test_connection, words[i], &error);

        ck_assert_msg(domain != NULL, "%s", error ? error->message : "");
        ck_assert_str_eq(domain->name, "test");
        ck_assert_str_eq(domain->uuid, TEST_UUID);
        ck_assert_int_eq(domain->state, DOMAIN_STATE_RUNNING);
        ck_assert_int_eq(domain->persistent, FACT_YES);
        source_domain_free(domain);
    }
}
END_TEST

START_TEST(test_lookup_in_vain)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(source_libvirt_lookup(test_connection, "nobody", &error));
    ck_assert(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE));
    ck_assert_str_eq(error->message, "test:///default: there is no domain 'nobody'");
}
END_TEST

START_TEST(test_xml)
{
    g_autoptr(GError) error = NULL;
    struct source_domain *domain = source_libvirt_lookup(test_connection, "test", &error);
    g_autofree char *xml = source_libvirt_xml(test_connection, domain, SOURCE_TEXT_INACTIVE,
                                              SOURCE_WITHOUT_SECRETS, &error);
    g_autoptr(GPtrArray) past = source_past_list(test_connection, domain, &error);

    ck_assert_msg(xml != NULL, "%s", error ? error->message : "");
    ck_assert(strstr(xml, "<uuid>" TEST_UUID "</uuid>") != NULL);
    ck_assert_msg(past != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(past->len, 0);
    source_domain_free(domain);
}
END_TEST

static gboolean
destroy_and_undefine(virConnectPtr handle, void *data)
{
    virDomainPtr domain = virDomainLookupByName(handle, data);
    gboolean good = domain && virDomainDestroy(domain) == 0 && virDomainUndefine(domain) == 0;

    if (domain)
        virDomainFree(domain);
    return good;
}

/* So many that the threads have to wait for the one who takes. */
#define MANY 400

static gboolean
define_many(virConnectPtr handle, void *data G_GNUC_UNUSED)
{
    for (int i = 0; i < MANY; i++) {
        g_autofree char *xml =
            g_strdup_printf("<domain type='test'><name>vm%03d</name><memory>8192</memory>"
                            "<os><type>hvm</type></os></domain>", i);
        virDomainPtr domain = virDomainDefineXML(handle, xml);

        if (!domain)
            return FALSE;
        virDomainFree(domain);
    }
    return TRUE;
}

static gboolean
undefine_some(virConnectPtr handle, void *data G_GNUC_UNUSED)
{
    /* One batch as a whole, and some of others. */
    for (int i = 160; i < 200; i++) {
        g_autofree char *name = g_strdup_printf("vm%03d", i);
        virDomainPtr domain = virDomainLookupByName(handle, name);

        if (!domain || virDomainUndefine(domain) < 0)
            return FALSE;
        virDomainFree(domain);
    }
    return TRUE;
}

START_TEST(test_fetched_ahead)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = NULL;
    struct fetch_ahead *ahead;
    guint missing = 0;

    ck_assert(connection_call(test_connection, define_many, NULL, g_free, &error));
    domains = source_libvirt_list(test_connection, &error);
    ck_assert_uint_eq(domains->len, MANY + 1);
    ck_assert(connection_call(test_connection, undefine_some, NULL, g_free, &error));
    ahead = fetch_ahead_new(test_connection, domains);
    for (guint i = 0; i < domains->len; i++) {
        const struct source_domain *domain = g_ptr_array_index(domains, i);
        g_autofree char *text = fetch_ahead_take(ahead, domain);
        g_autofree char *plain = source_libvirt_xml(test_connection, domain, SOURCE_TEXT_INACTIVE,
                                                    SOURCE_WITHOUT_SECRETS, NULL);

        ck_assert_pstr_eq(text, plain);
        missing += !text;
    }
    ck_assert_uint_eq(missing, 40);
    fetch_ahead_free(ahead);
    /* One that nobody takes from ends, too. */
    fetch_ahead_free(fetch_ahead_new(test_connection, domains));
}
END_TEST

START_TEST(test_vanished)
{
    g_autoptr(GError) error = NULL;
    struct source_domain *domain = source_libvirt_lookup(test_connection, "test", &error);
    char *name = g_strdup("test");

    ck_assert(connection_call(test_connection, destroy_and_undefine, name, g_free, &error));
    g_free(name);
    ck_assert_ptr_null(source_libvirt_xml(test_connection, domain, SOURCE_TEXT_INACTIVE,
                                          SOURCE_WITHOUT_SECRETS, &error));
    ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE), "%s",
                  error->message);
    source_domain_free(domain);
}
END_TEST

START_TEST(test_volume)
{
    struct volumes *volumes = volumes_new(test_connection);
    const char *reason = NULL;

    ck_assert_ptr_null(volumes_path(volumes, "default-pool", "none.img", &reason));
    ck_assert_msg(strstr(reason, "none.img") != NULL, "%s", reason);
    ck_assert_ptr_null(volumes_path(volumes, "no-pool", "a.img", &reason));
    ck_assert_msg(strstr(reason, "no-pool") != NULL, "%s", reason);
    volumes_free(volumes);
}
END_TEST

/* Answers from a source that was listed long ago stand in order. */
START_TEST(test_order)
{
    struct source_domain domains[] = {
        { .uri = (char *)"qemu:///system", .name = (char *)"b", .uuid = "1" },
        { .uri = (char *)"qemu:///system", .name = (char *)"a", .uuid = "2" },
        { .uri = (char *)"lxc:///", .name = (char *)"z", .uuid = "3" },
        { .uri = (char *)"qemu:///system", .name = (char *)"B", .uuid = "4" },
        { .uri = (char *)"qemu:///system", .name = (char *)"\xc3\xa4", .uuid = "5" },
        { .uri = (char *)"qemu:///system", .name = (char *)"a", .uuid = "0" },
    };
    g_autoptr(GPtrArray) array = g_ptr_array_new();
    g_autoptr(GString) order = g_string_new(NULL);

    for (gsize i = 0; i < G_N_ELEMENTS(domains); i++)
        g_ptr_array_add(array, &domains[i]);
    g_ptr_array_sort(array, source_domain_compare);
    for (guint i = 0; i < array->len; i++)
        g_string_append(order, ((struct source_domain *)g_ptr_array_index(array, i))->uuid);
    ck_assert_str_eq(order->str, "340215");
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("connection");
    TCase *plain = tcase_create("plain"), *vain = tcase_create("in vain"),
          *driver = tcase_create("test driver");

    tcase_add_test(plain, test_work_in_time);
    tcase_add_test(plain, test_work_overdue);
    tcase_add_loop_test(plain, test_place, 0, G_N_ELEMENTS(places));
    tcase_add_test(plain, test_order);
    suite_add_tcase(s, plain);
    tcase_set_timeout(vain, 300);
    tcase_add_test(vain, test_open_nobody_there);
    tcase_add_test(vain, test_open_unknown_driver);
    tcase_add_test(vain, test_open_nobody_answers);
    suite_add_tcase(s, vain);
    tcase_add_checked_fixture(driver, open_test, close_test);
    tcase_add_test(driver, test_list);
    tcase_add_test(driver, test_lookup);
    tcase_add_test(driver, test_lookup_in_vain);
    tcase_add_test(driver, test_xml);
    tcase_add_test(driver, test_fetched_ahead);
    tcase_add_test(driver, test_vanished);
    tcase_add_test(driver, test_volume);
    suite_add_tcase(s, driver);
    return s;
}

int
main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
