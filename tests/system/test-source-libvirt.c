/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-source-libvirt.c: the domains and volumes of a real libvirtd, and what
 * happens when it stops answering.
 */
#include "tests/system/harness.h"

#include "probe/source-past.h"
#include "probe/volumes.h"

static struct event_loop *loop;
static struct connection *connection;

static void
open_connection(enum connection_access access, const struct connection_limits *limits)
{
    g_autoptr(GError) error = NULL;

    loop = event_loop_new(&error);
    ck_assert_msg(loop != NULL, "%s", error ? error->message : "");
    connection = connection_open(loop, NULL, access, limits, &error);
    ck_assert_msg(connection != NULL, "%s", error ? error->message : "");
}

static void
setup(void)
{
    harness_setup();
    open_connection(CONNECTION_READ_ONLY, NULL);
}

static void
teardown(void)
{
    connection_close(connection);
    event_loop_free(loop);
    harness_teardown();
}

static GPtrArray *
list(void)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *domains = source_libvirt_list(connection, &error);

    ck_assert_msg(domains != NULL, "%s", error ? error->message : "");
    return domains;
}

static struct source_domain *
lookup(const char *word)
{
    g_autoptr(GError) error = NULL;
    struct source_domain *domain = source_libvirt_lookup(connection, word, &error);

    ck_assert_msg(domain != NULL, "%s", error ? error->message : "");
    return domain;
}

/* What is known of a domain, in one line; the state as virsh words it. */
static char *
describe(const struct source_domain *domain)
{
    return g_strdup_printf("%s %s%s%s%s%s%s%s%s", domain->name, domain_state_name(domain->state),
                           domain->active == FACT_YES ? " active" : "",
                           domain->persistent == FACT_YES ? " persistent" : "",
                           domain->managed_save == FACT_YES ? " saved" : "",
                           domain->snapshots == FACT_YES ? " snapshots" : "",
                           domain->checkpoints == FACT_YES ? " checkpoints" : "",
                           domain->autostart == FACT_YES ? " autostart" : "",
                           domain->active == FACT_UNKNOWN || domain->persistent == FACT_UNKNOWN
                                   || domain->managed_save == FACT_UNKNOWN
                                   || domain->snapshots == FACT_UNKNOWN
                                   || domain->checkpoints == FACT_UNKNOWN
                                   || domain->autostart == FACT_UNKNOWN ? " unknown" : "");
}

/* One domain of each kind; and what virsh says of them, in the words of describe(). */
#define EACH_KIND \
    "make_image qcow2 $images/snap.qcow2 1M; make_image qcow2 $images/check.qcow2 1M\n" \
    "for name in off run hold saved boot; do define_domain $name; done\n" \
    "define_domain snap \"$(disk_xml vda virtio qcow2 $images/snap.qcow2)\"\n" \
    "define_domain check \"$(disk_xml vda virtio qcow2 $images/check.qcow2)\"\n" \
    "domain_xml passing >$images/passing.xml\n" \
    "virsh -q create $images/passing.xml\n" \
    "virsh -q start run; virsh -q start hold; virsh -q suspend hold\n" \
    "virsh -q start saved; virsh -q managedsave saved\n" \
    "virsh -q snapshot-create-as snap first\n" \
    "virsh -q start check; virsh -q checkpoint-create-as check one\n" \
    "virsh -q autostart boot\n"
#define FLAG(option, word) \
    "  virsh -q list --all --name " option " | grep -qx $name && line=\"$line " word "\"\n"
#define AS_VIRSH_SAYS \
    "virsh -q list --all --name | sed '/^$/d' | LC_ALL=C sort | while read -r name; do\n" \
    "  line=\"$name $(virsh -q domstate $name | head -n 1)\"\n" \
    "  virsh -q list --name | grep -qx $name && line=\"$line active\"\n" \
    FLAG("--persistent", "persistent") FLAG("--with-managed-save", "saved") \
    FLAG("--with-snapshot", "snapshots") FLAG("--with-checkpoint", "checkpoints") \
    FLAG("--autostart", "autostart") \
    "  echo \"$line\"\ndone\n"

START_TEST(test_each_kind_of_domain)
{
    g_autofree char *made = harness_run("%s", EACH_KIND);
    g_autofree char *expected = harness_run("%s", AS_VIRSH_SAYS);
    g_autoptr(GPtrArray) domains = list();
    g_autoptr(GString) found = g_string_new(NULL);

    for (guint i = 0; i < domains->len; i++) {
        g_autofree char *line = describe(g_ptr_array_index(domains, i));

        g_string_append_printf(found, "%s%s", i ? "\n" : "", line);
    }
    ck_assert_str_eq(found->str, expected);
    /* That virsh was understood. */
    ck_assert_str_eq(found->str, "boot shut off persistent autostart\n"
                                 "check running active persistent checkpoints\n"
                                 "hold paused active persistent\n"
                                 "off shut off persistent\n"
                                 "passing running active\n"
                                 "run running active persistent\n"
                                 "saved shut off persistent saved\n"
                                 "snap shut off persistent snapshots");
    /* Looked up one by one, the same. */
    for (guint i = 0; i < domains->len; i++) {
        struct source_domain *listed = g_ptr_array_index(domains, i);
        struct source_domain *by_name = lookup(listed->name), *by_uuid = lookup(listed->uuid);
        g_autofree char *line = describe(listed), *one = describe(by_name),
                        *other = describe(by_uuid);

        ck_assert_str_eq(one, line);
        ck_assert_str_eq(other, line);
        source_domain_free(by_name);
        source_domain_free(by_uuid);
    }
}
END_TEST

static void
assert_xml_as_virsh(struct source_domain *domain, enum source_text text, const char *options)
{
    g_autofree char *expected = harness_run("virsh -q dumpxml %s %s", options, domain->name);
    g_autoptr(GError) error = NULL;
    g_autofree char *xml = source_libvirt_xml(connection, domain, text, SOURCE_WITHOUT_SECRETS,
                                              &error);

    ck_assert_msg(xml != NULL, "%s", error ? error->message : "");
    ck_assert_str_eq(g_strstrip(xml), expected);
}

/* A change that waits for the next start is in the inactive text and not in the live one. */
START_TEST(test_text_of_a_running_domain)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/a.raw 1M\n"
        "define_domain web \"$(disk_xml vda virtio raw $images/a.raw \"cache='writethrough'\")\"\n"
        "virsh -q start web\n"
        "virsh -q dumpxml --inactive web | sed s/writethrough/none/ >$images/new.xml\n"
        "virsh -q define $images/new.xml\n");
    struct source_domain *domain = lookup("web");

    ck_assert_int_eq(source_domain_text(domain), SOURCE_TEXT_INACTIVE);
    assert_xml_as_virsh(domain, SOURCE_TEXT_INACTIVE, "--inactive");
    assert_xml_as_virsh(domain, SOURCE_TEXT_LIVE, "");
    {
        g_autoptr(GError) error = NULL;
        g_autofree char *inactive = source_libvirt_xml(connection, domain, SOURCE_TEXT_INACTIVE,
                                                       SOURCE_WITHOUT_SECRETS, &error);
        g_autofree char *live = source_libvirt_xml(connection, domain, SOURCE_TEXT_LIVE,
                                                   SOURCE_WITHOUT_SECRETS, &error);

        ck_assert(strstr(inactive, "cache='none'") && !strstr(inactive, "cache='writethrough'"));
        ck_assert(strstr(live, "cache='writethrough'") && !strstr(live, "cache='none'"));
    }
    source_domain_free(domain);
}
END_TEST

START_TEST(test_text_of_a_transient_domain)
{
    g_autofree char *made = harness_run("domain_xml passing >$images/a.xml\n"
                                        "virsh -q create $images/a.xml\n");
    struct source_domain *domain = lookup("passing");

    ck_assert_int_eq(source_domain_text(domain), SOURCE_TEXT_LIVE);
    assert_xml_as_virsh(domain, SOURCE_TEXT_LIVE, "");
    source_domain_free(domain);
}
END_TEST

static gboolean
has_secret(enum source_secrets secrets, GError **error)
{
    struct source_domain *domain = lookup("vnc");
    g_autofree char *xml = source_libvirt_xml(connection, domain, SOURCE_TEXT_INACTIVE, secrets,
                                              error);

    source_domain_free(domain);
    return xml && strstr(xml, "sekret");
}

/* Secrets come when they are asked for, and to nobody who only reads. */
START_TEST(test_secrets)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *made = harness_run(
        "domain_xml vnc | sed \"s|<memballoon|<graphics type='vnc' passwd='sekret'/><memballoon|\" "
        ">$images/a.xml\nvirsh -q define $images/a.xml\n"
        "virsh -q dumpxml --inactive --security-info vnc | grep -c sekret");

    ck_assert_str_eq(made, "1");
    ck_assert(!has_secret(SOURCE_WITHOUT_SECRETS, &error));
    ck_assert_msg(error == NULL, "%s", error ? error->message : "");
    ck_assert(!has_secret(SOURCE_WITH_SECRETS, &error));
    ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_DENIED), "%s",
                  error ? error->message : "");
    g_clear_error(&error);
    connection_close(connection);
    event_loop_free(loop);
    open_connection(CONNECTION_READ_WRITE, NULL);
    ck_assert(has_secret(SOURCE_WITH_SECRETS, &error));
    ck_assert(!has_secret(SOURCE_WITHOUT_SECRETS, &error));
}
END_TEST

/* A domain that vanishes between the list and the reading is told apart from all failures. */
START_TEST(test_vanished)
{
    g_autofree char *made = harness_run(
        "define_domain a; define_domain b\n"
        "domain_xml passing >$images/a.xml; virsh -q create $images/a.xml\n");
    g_autoptr(GPtrArray) domains = list();
    g_autofree char *gone = harness_run("virsh -q undefine a; virsh -q destroy passing");

    ck_assert_uint_eq(domains->len, 3);
    for (guint i = 0; i < domains->len; i++) {
        struct source_domain *domain = g_ptr_array_index(domains, i);
        g_autoptr(GError) error = NULL;
        g_autofree char *xml = source_libvirt_xml(connection, domain, source_domain_text(domain),
                                                  SOURCE_WITHOUT_SECRETS, &error);

        if (g_str_equal(domain->name, "b")) {
            ck_assert_msg(xml != NULL, "%s", error ? error->message : "");
        } else {
            ck_assert_ptr_null(xml);
            ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE), "%s",
                          error->message);
            ck_assert_msg(g_str_has_prefix(error->message, "qemu:///system: "), "%s",
                          error->message);
        }
    }
}
END_TEST

START_TEST(test_no_domains)
{
    g_autoptr(GPtrArray) domains = list();

    ck_assert_uint_eq(domains->len, 0);
    ck_assert_str_eq(connection_uri(connection), "qemu:///system");
    ck_assert_int_eq(connection_place(connection), CONNECTION_LOCAL);
}
END_TEST

/* What snapshots and checkpoints say is what virsh reads. */
START_TEST(test_past)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *made = harness_run(
        "make_image qcow2 $images/a.qcow2 1M\n"
        "define_domain web \"$(disk_xml vda virtio qcow2 $images/a.qcow2)\"\n"
        "virsh -q snapshot-create-as web zwei; virsh -q snapshot-create-as web eins\n"
        "virsh -q start web\n"
        "virsh -q managedsave web\n");
    struct source_domain *domain = lookup("web");
    g_autoptr(GPtrArray) past = source_past_list(connection, domain, &error);
    static const char *const names[] = { "eins", "zwei" };

    ck_assert_msg(past != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(past->len, 3);
    for (guint i = 0; i < 2; i++) {
        struct source_past *item = g_ptr_array_index(past, i);
        g_autofree char *expected = harness_run("virsh -q snapshot-dumpxml web %s", names[i]);

        ck_assert_str_eq(item->name, names[i]);
        ck_assert_int_eq(item->kind, SOURCE_PAST_SNAPSHOT);
        ck_assert_str_eq(g_strstrip(item->xml), expected);
    }
    {
        struct source_past *item = g_ptr_array_index(past, 2);
        g_autofree char *expected = harness_run("virsh -q managedsave-dumpxml web");

        ck_assert_int_eq(item->kind, SOURCE_PAST_MANAGED_SAVE);
        ck_assert_str_eq(g_strstrip(item->xml), expected);
    }
    source_domain_free(domain);
}
END_TEST

/* ---- Volumes --------------------------------------------------------------------------- */

START_TEST(test_volumes)
{
    g_autofree char *made = harness_run(
        "mkdir $images/pool\n"
        "virsh -q pool-define-as disks dir --target $images/pool; virsh -q pool-start disks\n"
        "virsh -q vol-create-as disks a.qcow2 1M --format qcow2\n"
        "virsh -q vol-create-as disks 'b c.raw' 1M --format raw\n"
        "mkdir $images/idle; virsh -q pool-define-as idle dir --target $images/idle\n");
    static const char *const names[] = { "a.qcow2", "b c.raw", "a.qcow2" };
    struct volumes *volumes = volumes_new(connection);
    const char *reason = NULL;

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *expected = harness_run("virsh -q vol-path '%s' disks", names[i]);
        const char *path = volumes_path(volumes, "disks", names[i], &reason);

        ck_assert_msg(path != NULL, "%s", reason);
        ck_assert_str_eq(path, expected);
        ck_assert(g_file_test(path, G_FILE_TEST_IS_REGULAR));
    }
    ck_assert_ptr_null(volumes_path(volumes, "disks", "none", &reason));
    ck_assert_msg(strstr(reason, "no storage vol with matching name 'none'") != NULL, "%s", reason);
    ck_assert_ptr_null(volumes_path(volumes, "idle", "a.qcow2", &reason));
    ck_assert_msg(strstr(reason, "storage pool 'idle' is not active") != NULL, "%s", reason);
    ck_assert_ptr_null(volumes_path(volumes, "none", "a.qcow2", &reason));
    ck_assert_msg(strstr(reason, "no storage pool with matching name 'none'") != NULL, "%s",
                  reason);
    volumes_free(volumes);
}
END_TEST

/* ---- A daemon that does not answer ----------------------------------------------------- */

static void
teardown_daemon(void)
{
    g_free(harness_run("signal_libvirtd CONT 2>/dev/null || start_libvirtd"));
    harness_teardown();
}

/* The time that @call takes to fail, which it must; @error is what it says. What is asserted of it leaves
 * room for a very busy machine: without the limits under test it would be minutes. */
static double
seconds_until_failure(GError **error)
{
    gint64 begin = g_get_monotonic_time();

    ck_assert_ptr_null(source_libvirt_list(connection, error));
    return (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
}

/* Keepalive notices a stopped daemon before the time limit of the call is up, and for all calls. */
START_TEST(test_stopped_daemon)
{
    const struct connection_limits limits = {
        .call_ms = 60000, .keepalive_interval_s = 1, .keepalive_count = 1,
    };
    g_autoptr(GError) error = NULL;
    double seconds;

    open_connection(CONNECTION_READ_ONLY, &limits);
    g_free(harness_run("signal_libvirtd STOP"));
    seconds = seconds_until_failure(&error);
    ck_assert_msg(seconds < 40, "%g s: %s", seconds, error->message);
    ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST), "%s",
                  error->message);
    ck_assert_msg(g_str_has_prefix(error->message, "qemu:///system: the connection is lost: "),
                  "%s", error->message);
    g_clear_error(&error);
    seconds = seconds_until_failure(&error);
    ck_assert_msg(seconds < 20, "%g s: %s", seconds, error->message);
    ck_assert(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST));
    connection_close(connection);
    event_loop_free(loop);
}
END_TEST

/* The time limit of the call ends it where keepalive is slower; after some such calls no more
 * is waited for. */
START_TEST(test_call_overdue)
{
    const struct connection_limits limits = {
        .call_ms = 200, .keepalive_interval_s = 60, .keepalive_count = 10,
    };
    guint overdue = 0;

    open_connection(CONNECTION_READ_ONLY, &limits);
    g_free(harness_run("define_domain web"));
    g_free(harness_run("signal_libvirtd STOP"));
    for (guint i = 0; i < 6; i++) {
        g_autoptr(GError) error = NULL;
        double seconds = seconds_until_failure(&error);

        ck_assert_msg(seconds < 40, "%g s: %s", seconds, error->message);
        ck_assert_msg(strstr(error->message, "qemu:///system") != NULL, "%s", error->message);
        if (g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_TIMEOUT))
            overdue++;
        else
            ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST), "%s",
                          error->message);
    }
    ck_assert_uint_eq(overdue, 4);
    /* And once it answers again, so do we. */
    g_free(harness_run("signal_libvirtd CONT; wait_for 10 virsh -q version"));
    for (guint i = 0;; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) domains = source_libvirt_list(connection, &error);

        if (domains) {
            ck_assert_uint_eq(domains->len, 1);
            break;
        }
        ck_assert_msg(i < 100, "%s", error->message);
        g_usleep(50000);
    }
    connection_close(connection);
    event_loop_free(loop);
}
END_TEST

START_TEST(test_stopped_daemon_is_not_waited_for_at_the_door)
{
    const struct connection_limits limits = { .call_ms = 300 };
    g_autoptr(GError) error = NULL;

    loop = event_loop_new(&error);
    g_free(harness_run("signal_libvirtd STOP"));
    ck_assert_ptr_null(connection_open(loop, "qemu:///system", CONNECTION_READ_ONLY, &limits,
                                       &error));
    ck_assert(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_OPEN));
    ck_assert_str_eq(error->message, "qemu:///system does not answer (waited for 0.3 s)");
    event_loop_free(loop);
}
END_TEST

/* To close a connection is to ask the daemon, too. */
START_TEST(test_stopped_daemon_is_not_waited_for_at_the_end)
{
    const struct connection_limits limits = {
        .call_ms = 300, .keepalive_interval_s = 60, .keepalive_count = 10,
    };
    gint64 begin;

    open_connection(CONNECTION_READ_ONLY, &limits);
    g_free(harness_run("signal_libvirtd STOP"));
    begin = g_get_monotonic_time();
    connection_close(connection);
    ck_assert_int_lt(g_get_monotonic_time() - begin, 40 * G_USEC_PER_SEC);
    event_loop_free(loop);
    ck_assert_int_lt(g_get_monotonic_time() - begin, 40 * G_USEC_PER_SEC);
}
END_TEST

START_TEST(test_dead_daemon)
{
    g_autoptr(GError) error = NULL;
    double seconds;

    open_connection(CONNECTION_READ_ONLY, NULL);
    g_free(harness_run("define_domain web; signal_libvirtd KILL"));
    seconds = seconds_until_failure(&error);
    ck_assert_msg(seconds < 40, "%g s: %s", seconds, error->message);
    ck_assert_msg(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST), "%s",
                  error->message);
    connection_close(connection);
    g_clear_error(&error);
    /* Nobody there; and when it is back, a new connection finds the domain. */
    ck_assert_ptr_null(connection_open(loop, "qemu:///system", CONNECTION_READ_ONLY, NULL, &error));
    ck_assert_msg(g_str_has_prefix(error->message, "cannot connect to qemu:///system: "), "%s",
                  error->message);
    event_loop_free(loop);
    g_free(harness_run("start_libvirtd"));
    open_connection(CONNECTION_READ_ONLY, NULL);
    source_domain_free(lookup("web"));
    connection_close(connection);
    event_loop_free(loop);
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("source-libvirt");
    TCase *domains = tcase_create("domains"), *daemon = tcase_create("daemon");

    tcase_set_timeout(domains, 600);
    tcase_add_checked_fixture(domains, setup, teardown);
    tcase_add_test(domains, test_no_domains);
    tcase_add_test(domains, test_each_kind_of_domain);
    tcase_add_test(domains, test_text_of_a_running_domain);
    tcase_add_test(domains, test_text_of_a_transient_domain);
    tcase_add_test(domains, test_secrets);
    tcase_add_test(domains, test_vanished);
    tcase_add_test(domains, test_past);
    tcase_add_test(domains, test_volumes);
    suite_add_tcase(s, domains);
    tcase_set_timeout(daemon, 600);
    tcase_add_checked_fixture(daemon, harness_setup, teardown_daemon);
    tcase_add_test(daemon, test_stopped_daemon);
    tcase_add_test(daemon, test_call_overdue);
    tcase_add_test(daemon, test_stopped_daemon_is_not_waited_for_at_the_door);
    tcase_add_test(daemon, test_stopped_daemon_is_not_waited_for_at_the_end);
    tcase_add_test(daemon, test_dead_daemon);
    suite_add_tcase(s, daemon);
    return s;
}

int
main(int argc G_GNUC_UNUSED, char **argv)
{
    harness_enter(argv);
    return harness_main(suite());
}
