/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-users.c: who uses which image, on a real libvirtd, with images as qemu-img
 * and virsh make them; and which facts of images hold for a connection's domains.
 */
#include "tests/system/harness.h"

#include "probe/domain-facts.h"
#include "probe/probe.h"
#include "probe/users.h"

static struct event_loop *loop;
static struct connection *connection;
static struct volumes *volumes;

static void
setup(void)
{
    g_autoptr(GError) error = NULL;

    harness_setup();
    loop = event_loop_new(&error);
    ck_assert_msg(loop != NULL, "%s", error ? error->message : "");
    connection = connection_open(loop, NULL, CONNECTION_READ_ONLY, NULL, &error);
    ck_assert_msg(connection != NULL, "%s", error ? error->message : "");
    volumes = volumes_new(connection);
}

static void
teardown(void)
{
    volumes_free(volumes);
    connection_close(connection);
    event_loop_free(loop);
    harness_teardown();
}

static struct users *
index_of(GPtrArray *domains)
{
    g_autoptr(GError) error = NULL;
    struct users *users = users_new(connection, volumes, domains, 0, &error);

    ck_assert_msg(users != NULL, "%s", error ? error->message : "");
    return users;
}

static struct users *
index_all(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = source_libvirt_list(connection, &error);

    ck_assert_msg(domains != NULL, "%s", error ? error->message : "");
    return index_of(domains);
}

/* Who uses the image of that name in $images, in a line: "web:vda:disk other:vdb:backing file";
 * behind it "!" for each problem of the index. */
static char *
uses(struct users *users, const char *name)
{
    g_autofree char *folder = harness_images();
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) found = users_of(users, path, &error);
    GString *text = g_string_new(NULL);

    ck_assert_msg(found != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < found->len; i++) {
        const struct image_user *user = g_ptr_array_index(found, i);

        g_string_append_printf(text, "%s%s:%s:%s%s%s", i ? ", " : "", user->domain,
                               user->disk ? user->disk : "-", image_role_name(user->role),
                               user->past ? " " : "", user->past ? user->past : "");
    }
    return g_string_free(text, FALSE);
}

static void
assert_uses(struct users *users, const char *name, const char *expected)
{
    g_autofree char *found = uses(users, name);

    ck_assert_msg(g_str_equal(found, expected), "%s: used by '%s', expected '%s'", name, found,
                  expected);
}

static void
assert_complete(struct users *users)
{
    const GPtrArray *problems = users_problems(users);

    ck_assert_msg(users_complete(users), "%s",
                  problems->len ? (char *)g_ptr_array_index(problems, 0) : "");
}

START_TEST(test_disks_and_chains)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/base.raw 1M\n"
        "make_image qcow2 $images/middle.qcow2 1M -b $images/base.raw -F raw\n"
        "make_image qcow2 $images/top.qcow2 1M -b middle.qcow2 -F qcow2\n"
        "make_image raw $images/data.raw 1M; make_image raw $images/free.raw 1M\n"
        "define_domain over \"$(disk_xml vda virtio qcow2 $images/top.qcow2)"
        "$(disk_xml vdb virtio raw $images/data.raw)\"\n"
        "define_domain base \"$(disk_xml sda sata raw $images/base.raw)\"\n"
        /* The chain is as qemu-img sees it. */
        "qemu-img info --backing-chain $images/top.qcow2 | grep -c '^image: '");
    struct users *users = index_all();

    ck_assert_str_eq(made, "3");
    assert_uses(users, "top.qcow2", "over:vda:disk");
    assert_uses(users, "middle.qcow2", "over:vda:backing file");
    assert_uses(users, "base.raw", "base:sda:disk, over:vda:backing file");
    assert_uses(users, "data.raw", "over:vdb:disk");
    assert_uses(users, "free.raw", "");
    assert_complete(users);
    users_free(users);
}
END_TEST

/* The same file, whatever it is called; and names for which there is no file. */
START_TEST(test_names_of_one_file)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/a.raw 1M; ln $images/a.raw $images/hard.raw\n"
        "ln -s a.raw $images/soft.raw; mkdir $images/d; ln -s d $images/link\n"
        "ln -s ../a.raw $images/d/far.raw; cp $images/a.raw $images/copy.raw\n"
        "define_domain one \"$(disk_xml vda virtio raw $images/hard.raw)\"\n"
        "define_domain two \"$(disk_xml vda virtio raw $images/link/far.raw)\"\n"
        "define_domain three \"$(disk_xml vda virtio raw $images/d/../soft.raw)\"\n"
        "define_domain gone \"$(disk_xml vda virtio raw $images/gone.raw)\"\n");
    static const char all[] = "one:vda:disk, three:vda:disk, two:vda:disk";
    struct users *users = index_all();

    assert_uses(users, "a.raw", all);
    assert_uses(users, "hard.raw", all);
    assert_uses(users, "soft.raw", all);
    assert_uses(users, "d/far.raw", all);
    assert_uses(users, "copy.raw", "");
    assert_uses(users, "gone.raw", "gone:vda:disk");
    assert_uses(users, "d/../gone.raw", "gone:vda:disk");
    assert_complete(users);
    users_free(users);
}
END_TEST

/* A block device is the same under each of its nodes. */
START_TEST(test_block_device)
{
    g_autofree char *made = harness_run(
        "truncate -s 8M $images/disk; loop=$(losetup --find --show $images/disk)\n"
        "mknod $images/node b $((0x$(stat -c %%t $loop))) $((0x$(stat -c %%T $loop)))\n"
        "disk_xml vda virtio raw X | sed \"s|type='file'|type='block'|; s|file='X'|dev='$loop'|\" "
        ">$images/disk.xml\n"
        "define_domain web \"$(cat $images/disk.xml)\"\n"
        "echo $loop");
    struct users *users = index_all();
    g_autofree char *detached = harness_run("losetup -d %s", made);

    assert_uses(users, "node", "web:vda:disk");
    assert_uses(users, "disk", "");
    users_free(users);
}
END_TEST

/* The definition that runs and the one that waits for the next start both count. */
START_TEST(test_live_and_inactive)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/old.raw 1M; make_image raw $images/new.raw 1M\n"
        "define_domain web \"$(disk_xml vda virtio raw $images/old.raw)\"; virsh -q start web\n"
        "virsh -q dumpxml --inactive web | sed s/old.raw/new.raw/ >$images/new.xml\n"
        "virsh -q define $images/new.xml\n"
        "make_image raw $images/passing.raw 1M\n"
        "domain_xml passing \"$(disk_xml vda virtio raw $images/passing.raw)\" >$images/p.xml\n"
        "virsh -q create $images/p.xml\n"
        "virsh -q domblklist web | grep -c old.raw\n"
        "virsh -q domblklist --inactive web | grep -c new.raw");
    struct users *users = index_all();

    ck_assert_str_eq(made, "1\n1");
    assert_uses(users, "old.raw", "web:vda:disk");
    assert_uses(users, "new.raw", "web:vda:disk");
    assert_uses(users, "passing.raw", "passing:vda:disk");
    assert_complete(users);
    users_free(users);
}
END_TEST

/* Snapshots, a checkpoint and a managed save keep naming what the definition has left. */
START_TEST(test_past)
{
    g_autofree char *made = harness_run(
        "for name in inner outer check saved; do make_image qcow2 $images/$name.qcow2 1M\n"
        "define_domain $name \"$(disk_xml vda virtio qcow2 $images/$name.qcow2)\"; done\n"
        "make_image raw $images/new.raw 1M\n"
        "virsh -q snapshot-create-as inner first\n"
        "virsh -q snapshot-create-as outer second --disk-only "
        "--diskspec vda,snapshot=external,file=$images/over.qcow2\n"
        "virsh -q start check; virsh -q checkpoint-create-as check third\n"
        "virsh -q start saved; virsh -q managedsave saved\n"
        "for name in inner saved; do\n"
        "  virsh -q dumpxml --inactive $name | sed \"s|$images/$name.qcow2|$images/new.raw|; "
        "s|type='qcow2'|type='raw'|\" >$images/$name.xml; virsh -q define $images/$name.xml; done\n"
        "virsh -q domblklist --inactive inner | grep -c new.raw");
    struct users *users = index_all();

    ck_assert_str_eq(made, "1");
    assert_uses(users, "inner.qcow2", "inner:vda:snapshot first");
    assert_uses(users, "new.raw", "inner:vda:disk, saved:vda:disk");
    assert_uses(users, "over.qcow2", "outer:vda:disk, outer:vda:snapshot second");
    assert_uses(users, "outer.qcow2", "outer:vda:backing file, outer:vda:snapshot second");
    assert_uses(users, "check.qcow2", "check:vda:disk, check:vda:checkpoint third");
    assert_uses(users, "saved.qcow2", "saved:vda:managed save");
    assert_complete(users);
    users_free(users);
}
END_TEST

START_TEST(test_command_line)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/base.raw 1M\n"
        "make_image qcow2 $images/a,b.qcow2 1M -b $images/base.raw -F raw\n"
        "uri=http://libvirt.org/schemas/domain/qemu/1.0\n"
        "domain_xml web | sed -e \"s|<domain |&xmlns:qemu='$uri' |\" "
        "-e \"s|</domain>|<qemu:commandline><qemu:arg value='-drive'/>"
        "<qemu:arg value='file=$images/a,,b.qcow2,if=virtio'/></qemu:commandline></domain>|\" "
        ">$images/web.xml; virsh -q define $images/web.xml\n"
        "virsh -q domblklist web; virsh -q dumpxml web | grep -c 'a,,b.qcow2'");
    struct users *users = index_all();

    ck_assert_str_eq(made, "1");
    assert_uses(users, "a,b.qcow2", "web:-:QEMU's command line");
    assert_uses(users, "base.raw", "web:-:QEMU's command line");
    assert_complete(users);
    users_free(users);
}
END_TEST

#define POOL \
    "mkdir $images/pool\n" \
    "virsh -q pool-define-as disks dir --target $images/pool; virsh -q pool-start disks\n" \
    "virsh -q vol-create-as disks a.raw 1M --format raw\n" \
    "disk_xml vda virtio raw X | sed \"s|type='file'|type='volume'|; " \
    "s|file='X'|pool='disks' volume='a.raw'|\" >$images/disk.xml\n" \
    "define_domain web \"$(cat $images/disk.xml)\"\n"

START_TEST(test_volume)
{
    g_autofree char *made = harness_run("%s", POOL);
    struct users *users = index_all();

    assert_uses(users, "pool/a.raw", "web:vda:disk");
    assert_complete(users);
    users_free(users);
}
END_TEST

/* What cannot be known makes the index incomplete, and the reason names the domain. */
START_TEST(test_unresolved_volume)
{
    g_autofree char *made = harness_run(POOL "virsh -q pool-destroy disks");
    struct users *users = index_all();

    assert_uses(users, "pool/a.raw", "");
    ck_assert(!users_complete(users));
    ck_assert_str_eq((char *)g_ptr_array_index(users_problems(users), 0),
                     "domain web: volume a.raw of pool disks: qemu:///system: Requested operation "
                     "is not valid: storage pool 'disks' is not active");
    users_free(users);
}
END_TEST

START_TEST(test_broken_image)
{
    g_autofree char *made = harness_run(
        "echo none >$images/a.qcow2\n"
        "define_domain web \"$(disk_xml vda virtio qcow2 $images/a.qcow2)\"\n"
        "! qemu-img info -f qcow2 $images/a.qcow2 2>/dev/null");
    struct users *users = index_all();
    const char *problem;

    assert_uses(users, "a.qcow2", "web:vda:disk");
    ck_assert(!users_complete(users));
    problem = g_ptr_array_index(users_problems(users), 0);
    ck_assert_msg(g_str_has_prefix(problem, "domain web: vda: /"), "%s", problem);
    users_free(users);
}
END_TEST

/* A managed save that the daemon cannot read may name any image. */
START_TEST(test_unreadable_managed_save)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/a.raw 1M\n"
        "define_domain web \"$(disk_xml vda virtio raw $images/a.raw)\"\n"
        "virsh -q start web; virsh -q managedsave web\n"
        "echo spoilt >/var/lib/libvirt/qemu/save/web.save\n"
        "! virsh -q managedsave-dumpxml web 2>/dev/null");
    struct users *users = index_all();
    const char *problem;

    assert_uses(users, "a.raw", "web:vda:disk");
    ck_assert(!users_complete(users));
    problem = g_ptr_array_index(users_problems(users), 0);
    ck_assert_msg(g_str_has_prefix(problem, "domain web: its managed save cannot be read: "), "%s",
                  problem);
    users_free(users);
}
END_TEST

/* A domain that has vanished since it was listed uses nothing, and is no gap in what is known. */
START_TEST(test_vanished_domain)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/a.raw 1M\n"
        "disk=$(disk_xml vda virtio raw $images/a.raw)\n"
        "define_domain web \"$disk\"; define_domain gone \"$disk\"");
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = source_libvirt_list(connection, &error);
    g_autofree char *gone = harness_run("virsh -q undefine gone");
    struct users *users = index_of(domains);

    assert_uses(users, "a.raw", "web:vda:disk");
    assert_complete(users);
    users_free(users);
}
END_TEST

START_TEST(test_many_domains)
{
    g_autofree char *made = harness_run(
        "make_image raw $images/a.raw 1M\n"
        "for i in $(seq 40); do domain_xml d$i \"$(disk_xml vda virtio raw $images/a.raw)\" "
        ">$images/$i.xml; echo define $images/$i.xml; done | virsh -q >/dev/null");
    struct users *users = index_all();
    g_autofree char *found = uses(users, "a.raw");
    g_auto(GStrv) each = g_strsplit(found, ", ", -1);

    ck_assert_uint_eq(g_strv_length(each), 40);
    assert_complete(users);
    users_free(users);
}
END_TEST

/* The daemon stops in the middle: no index, rather than one with holes. */
START_TEST(test_lost_connection)
{
    g_autofree char *made = harness_run("define_domain web");
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = source_libvirt_list(connection, &error);
    g_autofree char *killed = harness_run("signal_libvirtd KILL");

    ck_assert_ptr_null(users_new(connection, volumes, domains, 0, &error));
    ck_assert(g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST));
    g_free(harness_run("start_libvirtd"));
}
END_TEST

/* ---- Facts of a connection's domains --------------------------------------------------- */

/* The facts of a domain's first disk: "STATE REASON" or "STATE FORMAT". */
static char *
facts_of(const char *name)
{
    g_autoptr(GError) error = NULL;
    struct source_domain *domain = source_libvirt_lookup(connection, name, &error);
    g_autofree char *xml = source_libvirt_xml(connection, domain, SOURCE_TEXT_INACTIVE,
                                              SOURCE_WITHOUT_SECRETS, &error);
    g_autoptr(domxml_doc) doc = domxml_parse(xml, strlen(xml), NULL);
    struct facts_source *local = probe_new(NULL);
    struct connection_facts *shared = connection_facts_new(connection, volumes, local);
    struct facts_source *facts = connection_facts_domain(shared, domain);
    const struct image_facts *image = facts->image(facts, domxml_disk(doc, 0));
    char *text = g_strdup_printf("%s %s", image_state_name(image->state),
                                 image->unknown ? image->unknown : image->format);

    ck_assert_ptr_nonnull(facts->host(facts)->kernel);
    facts_source_free(facts);
    connection_facts_free(shared);
    facts_source_free(local);
    source_domain_free(domain);
    return text;
}

START_TEST(test_local_facts)
{
    g_autofree char *made = harness_run(
        POOL "make_image qcow2 $images/a.qcow2 5M; make_image raw $images/odd.raw 1000001\n"
        "define_domain a \"$(disk_xml vda virtio qcow2 $images/a.qcow2)\"\n"
        "define_domain odd \"$(disk_xml vda virtio raw $images/odd.raw)\"\n"
        "define_domain gone \"$(disk_xml vda virtio raw $images/gone.raw)\"\n"
        "define_domain wrong \"$(disk_xml vda virtio raw $images/a.qcow2)\"\n"
        "make_image qcow2 $images/run.qcow2 5M\n"
        "define_domain run \"$(disk_xml vda virtio qcow2 $images/run.qcow2)\"\n"
        "virsh -q start run\n");
    g_autofree char *a = facts_of("a"), *odd = facts_of("odd"), *gone = facts_of("gone"),
                    *wrong = facts_of("wrong"), *volume = facts_of("web"), *run = facts_of("run");

    ck_assert_str_eq(a, "file qcow2");
    ck_assert_str_eq(odd, "file raw");
    ck_assert_msg(g_str_has_prefix(gone, "elsewhere "), "%s", gone);
    ck_assert_str_eq(wrong, "file qcow2");
    ck_assert_str_eq(volume, "file raw");
    ck_assert_str_eq(run, "file qcow2");
}
END_TEST

/* A daemon that sees another file under the same path: its mounts differ from ours, as in a
 * container. */
START_TEST(test_daemon_sees_another_image)
{
    g_autofree char *made = harness_run(
        "mkdir $images/theirs $images/ours\n"
        "make_image raw $images/theirs/a.raw 1M; make_image raw $images/ours/a.raw 2M\n"
        "make_image raw $images/ours/only.raw 1M\n"
        "end_libvirtd\n"
        "unshare --mount --propagation private bash -c \"mount --bind $images/theirs $images/ours; "
        "libvirtd -d -p $DOMLINT_LIBVIRTD/libvirtd.pid\"; wait_for 30 virsh -q version\n"
        "define_domain a \"$(disk_xml vda virtio raw $images/ours/a.raw)\"\n"
        "define_domain only \"$(disk_xml vda virtio raw $images/ours/only.raw)\"\n"
        "virsh -q domblkinfo a vda | sed -n 's/^Capacity: *//p'; stat -c %%s $images/ours/a.raw");
    g_autofree char *a = NULL, *only = NULL;

    ck_assert_str_eq(made, "1048576\n2097152");
    connection_close(connection);
    connection = connection_open(loop, NULL, CONNECTION_READ_ONLY, NULL, NULL);
    volumes_free(volumes);
    volumes = volumes_new(connection);
    a = facts_of("a");
    only = facts_of("only");
    ck_assert_str_eq(a, "elsewhere the daemon sees another image under this path (is it in a "
                        "container?): run domlint where the daemon runs");
    ck_assert_msg(g_str_has_prefix(only, "unknown the daemon does not say that it sees the same "
                                         "image: "), "%s", only);
    g_free(harness_run("end_libvirtd; start_libvirtd"));
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("users");
    TCase *users = tcase_create("users"), *facts = tcase_create("facts");

    tcase_set_timeout(users, 600);
    tcase_add_checked_fixture(users, setup, teardown);
    tcase_add_test(users, test_disks_and_chains);
    tcase_add_test(users, test_names_of_one_file);
    tcase_add_test(users, test_block_device);
    tcase_add_test(users, test_live_and_inactive);
    tcase_add_test(users, test_past);
    tcase_add_test(users, test_command_line);
    tcase_add_test(users, test_volume);
    tcase_add_test(users, test_unresolved_volume);
    tcase_add_test(users, test_broken_image);
    tcase_add_test(users, test_unreadable_managed_save);
    tcase_add_test(users, test_vanished_domain);
    tcase_add_test(users, test_many_domains);
    tcase_add_test(users, test_lost_connection);
    suite_add_tcase(s, users);
    tcase_set_timeout(facts, 600);
    tcase_add_checked_fixture(facts, setup, teardown);
    tcase_add_test(facts, test_local_facts);
    tcase_add_test(facts, test_daemon_sees_another_image);
    suite_add_tcase(s, facts);
    return s;
}

int
main(int argc G_GNUC_UNUSED, char **argv)
{
    harness_enter(argv);
    return harness_main(suite());
}
