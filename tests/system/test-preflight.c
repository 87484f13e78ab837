/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-preflight.c: each thing that forbids a conversion, on a real libvirtd with real guests and
 * images; and that looking changed nothing.
 */
#include "tests/system/harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "apply/image-name.h"
#include "apply/new-file.h"
#include "apply/preflight.h"
#include "probe/probe.h"
#include "tests/private-mounts.h"

static struct event_loop *loop;
static struct connection *connection;

static void
setup(void)
{
    g_autoptr(GError) error = NULL;

    harness_setup();
    loop = event_loop_new(&error);
    ck_assert_msg(loop != NULL, "%s", error ? error->message : "");
    connection = connection_open(loop, NULL, CONNECTION_READ_WRITE, NULL, &error);
    ck_assert_msg(connection != NULL, "%s", error ? error->message : "");
}

static void
teardown(void)
{
    connection_close(connection);
    event_loop_free(loop);
    harness_teardown();
}

/* ---- Asking ---------------------------------------------------------------------------- */

/* All that a preflight of one disk of domain "web" is asked with. */
struct subject {
    struct source_domain *domain;
    char *text;
    domxml_doc *doc;
    struct image_name *name;
    struct guard *guard;
    GError *guard_error;
    struct preflight ask;
};

static const domxml_elem *
disk_named(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return domxml_disk(doc, i);
    }
    ck_abort_msg("there is no disk %s", target);
    return NULL;
}

static void
subject_of_text(struct subject *subject, char *text)
{
    const domxml_elem *disk;
    const char *format;
    g_autofree char *path = NULL;
    enum image_state state;

    subject->text = text;
    subject->doc = domxml_parse(text, strlen(text), NULL);
    ck_assert_ptr_nonnull(subject->doc);
    disk = disk_named(subject->doc, "vda");
    path = disk_image_path(disk, &state, NULL);
    format = domxml_get(disk, "driver@type");
    if (path) {
        subject->guard = guard_take(path, &subject->guard_error);
        subject->name = image_name_for(path, format ? format : "raw", "raw", "1", NULL);
    }
    subject->ask = (struct preflight){
        .time = PREFLIGHT_BEFORE_COPY,
        .connection = connection,
        .domain = subject->domain,
        .doc = subject->doc,
        .disk = disk,
        .guard = subject->guard,
        .guard_error = subject->guard_error,
        .new_path = subject->name ? subject->name->new_real : NULL,
        .exchange = subject->name && subject->name->exchange,
    };
}

static struct subject
subject_of_domain(void)
{
    struct subject subject = { 0 };
    g_autoptr(GError) error = NULL;
    char *text;

    subject.domain = source_libvirt_lookup(connection, "web", &error);
    ck_assert_msg(subject.domain != NULL, "%s", error ? error->message : "");
    text = source_libvirt_xml(connection, subject.domain, source_domain_text(subject.domain),
                              SOURCE_WITHOUT_SECRETS, &error);
    ck_assert_msg(text != NULL, "%s", error ? error->message : "");
    subject_of_text(&subject, text);
    return subject;
}

static void
subject_clear(struct subject *subject)
{
    guard_free(subject->guard);
    g_clear_error(&subject->guard_error);
    image_name_free(subject->name);
    domxml_doc_free(subject->doc);
    g_free(subject->text);
    source_domain_free(subject->domain);
}

/* The names of the refusals, in a line; @part is in one of their texts. */
static void
assert_refusals(const struct preflight *ask, const char *expected, const char *part)
{
    g_autoptr(GPtrArray) refusals = preflight_run(ask);
    g_autoptr(GString) names = g_string_new(NULL), texts = g_string_new(NULL);

    for (guint i = 0; i < refusals->len; i++) {
        const struct preflight_refusal *refusal = g_ptr_array_index(refusals, i);

        ck_assert_ptr_nonnull(preflight_name(refusal->code));
        ck_assert_msg(strchr(refusal->text, '\n') == NULL, "%s", refusal->text);
        /* A reason and a way out. */
        ck_assert_msg(strlen(refusal->text) > 30 && strchr(refusal->text, ':') != NULL, "%s",
                      refusal->text);
        g_string_append_printf(names, "%s%s", i ? " " : "", preflight_name(refusal->code));
        g_string_append_printf(texts, "\n%s", refusal->text);
    }
    ck_assert_msg(g_str_equal(names->str, expected), "expected '%s', found '%s':%s", expected,
                  names->str, texts->str);
    ck_assert_msg(!part || strstr(texts->str, part) != NULL, "'%s' is not in:%s", part,
                  texts->str);
}

/* ---- One refusal each ------------------------------------------------------------------ */

#define QCOW2 "make_image qcow2 $images/web.qcow2 4M; "
#define DEFINE(target, bus, format, file) \
    "define_domain web \"$(disk_xml " target " " bus " " format " $images/" file ")\"; "
#define WEB QCOW2 DEFINE("vda", "virtio", "qcow2", "web.qcow2")
/* A domain from edited XML: @sed is done to it. */
#define EDITED(format, file, sed) \
    "domain_xml web \"$(disk_xml vda virtio " format " $images/" file ")\" | sed -e \"" sed "\" " \
    ">$images/web.xml; virsh -q define $images/web.xml; "
#define START "export MEMORY=32; "
#define BYTE(offset, octal) \
    "printf '" octal "' | dd of=$images/web.qcow2 bs=1 seek=" offset " conv=notrunc status=none; "
/* QEMU gives up ("Unable to get accurate CPU usage") on a host that is too busy to measure. */
#define ENCRYPTED \
    "n=0; until make_image qcow2 $images/web.qcow2 4M --object secret,id=s,data=x -o " \
    "encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10; " \
    "do n=$((n + 1)); [ $n -lt 100 ]; sleep 0.2; done; "

static const struct {
    const char *script;
    const char *expected; /* codes */
    const char *part;     /* of a text */
    const char *end;      /* what is to be undone besides */
} cases[] = {
    { WEB, "", NULL, NULL },
    { "make_image raw $images/web.img 4M; " DEFINE("vda", "virtio", "raw", "web.img"), "", NULL,
      NULL },
    /* What the domain does. */
    { START WEB "virsh -q start web", "running guard", "--shutdown", NULL },
    { START WEB "virsh -q start web; virsh -q suspend web", "paused guard", "guest web)", NULL },
    { START WEB "virsh -q start web; virsh -q managedsave web", "managed-save",
      "managedsave-remove", NULL },
    { START QCOW2 "domain_xml web \"$(disk_xml vda virtio qcow2 $images/web.qcow2)\" "
      ">$images/x; virsh -q create $images/x", "transient running guard", NULL, NULL },
    { START "make_image qcow2 $images/web.qcow2 64M; qemu-io -c 'write -q 0 64M' "
      "$images/web.qcow2; " DEFINE("vda", "virtio", "qcow2", "web.qcow2")
      "virsh -q start web; virsh -q blockcopy web vda $images/copy.qcow2 --transient-job "
      "--bandwidth 1 >/dev/null", "running job guard", "block job", NULL },
    { WEB "virsh -q snapshot-create-as web one >/dev/null", "snapshots internal-snapshots",
      "(one)", NULL },
    { START WEB "virsh -q start web; virsh -q checkpoint-create-as web one >/dev/null; "
      "virsh -q destroy web", "checkpoints bitmaps", "(one)", NULL },
    /* What the disk is. */
    { "define_domain web \"<disk type='network'><driver name='qemu' type='raw'/>"
      "<source protocol='nbd' name='x'><host name='localhost' port='10809'/></source>"
      "<target dev='vda' bus='virtio'/></disk>\"", "not-local", "network", NULL },
    { "truncate -s 1M $images/web.iso; define_domain web \"<disk type='file' device='cdrom'>"
      "<driver name='qemu' type='raw'/><source file='$images/web.iso'/>"
      "<target dev='vda' bus='sata'/></disk>\"", "not-disk", "cdrom", NULL },
    { "virsh -q pool-create-as default dir --target $images >/dev/null; virsh -q vol-create-as "
      "default v.qcow2 1M --format qcow2 >/dev/null; define_domain web \"<disk type='volume'>"
      "<driver name='qemu' type='qcow2'/><source pool='default' volume='v.qcow2'/>"
      "<target dev='vda' bus='virtio'/></disk>\"", "volume", "v.qcow2", NULL },
    { EDITED("qcow2", "web.qcow2", "s,$images/web.qcow2,images/web.qcow2,"), "relative-path",
      "absolute", NULL },
    { QCOW2 "mkdir $images/far; mv $images/web.qcow2 $images/far/; "
      "ln -s far/web.qcow2 $images/web.qcow2; " DEFINE("vda", "virtio", "qcow2", "web.qcow2"),
      "link", "/far/web.qcow2", NULL },
    { QCOW2 "ln -s web.qcow2 $images/link; " DEFINE("vda", "virtio", "qcow2", "link"), "", NULL,
      NULL },
    { QCOW2 "losetup -f --show $images/web.qcow2 >$images/loop; define_domain web "
      "\"<disk type='block'><driver name='qemu' type='qcow2'/>"
      "<source dev='$(cat $images/loop)'/><target dev='vda' bus='virtio'/></disk>\"",
      "block-device", NULL, "losetup -d $(cat $images/loop)" },
    { QCOW2 "losetup -f --show $images/web.qcow2 >$images/loop; "
      EDITED("qcow2", "web.qcow2", "s,$images/web.qcow2,$(cat $images/loop),"), "block-device",
      NULL, "losetup -d $(cat $images/loop)" },
    { "make_image raw $images/web.img 4M; " EDITED("raw", "web.img", "s,<driver,<shareable/>&,"),
      "shareable", NULL, NULL },
    { QCOW2 EDITED("qcow2", "web.qcow2", "s,<driver,<transient/>&,"), "transient-disk", NULL,
      NULL },
    { QCOW2 EDITED("qcow2", "web.qcow2", "s,<driver,<backingStore type='file'><format "
      "type='raw'/><source file='$images/base.raw'/></backingStore>&,"), "backing-file",
      "<backingStore>", NULL },
    /* What the image is. */
    { DEFINE("vda", "virtio", "qcow2", "web.qcow2"), "unreadable", "no such file", NULL },
    { "mkfifo $images/web.qcow2; " DEFINE("vda", "virtio", "qcow2", "web.qcow2"), "unreadable",
      "FIFO", NULL },
    { QCOW2 DEFINE("vda", "virtio", "raw", "web.qcow2"), "format", "declared as raw", NULL },
    { "make_image raw $images/web.img 4M; " DEFINE("vda", "virtio", "qcow2", "web.img"),
      "format users-unknown", "declared as qcow2", NULL },
    { "make_image raw $images/web.img 4M; " EDITED("raw", "web.img", "s, type='raw',,"), "", NULL,
      NULL },
    { "make_image vmdk $images/web.vmdk 4M; " DEFINE("vda", "virtio", "vmdk", "web.vmdk"),
      "format users-unknown", "vmdk", NULL },
    { ENCRYPTED DEFINE("vda", "virtio", "qcow2", "web.qcow2"), "encrypted", "in the clear", NULL },
    /* What the guest itself has encrypted is its own matter. */
    { "printf 'LUKS\\272\\276' >$images/web.img; truncate -s 4M $images/web.img; "
      DEFINE("vda", "virtio", "raw", "web.img"), "", NULL, NULL },
    { "make_image raw $images/web.img 4M; " EDITED("raw", "web.img", "s,<driver,<encryption "
      "format='luks'><secret type='passphrase' uuid='0a81f5b2-8403-7b23-c8d6-21ccc2f80d6f'/>"
      "</encryption>&,"), "encrypted", "<encryption>", NULL },
    { WEB "qemu-img snapshot -c one $images/web.qcow2", "internal-snapshots", "(one)", NULL },
    { WEB "qemu-img bitmap --add -f qcow2 $images/web.qcow2 b", "bitmaps", "qemu-img bitmap",
      NULL },
    { "make_image raw $images/base.raw 4M; make_image qcow2 $images/web.qcow2 4M -b base.raw "
      "-F raw; " DEFINE("vda", "virtio", "qcow2", "web.qcow2"), "backing-file", "base.raw", NULL },
    { "make_image qcow2 $images/web.qcow2 4M -o data_file=$images/data.raw; "
      DEFINE("vda", "virtio", "qcow2", "web.qcow2"), "data-file", "data.raw", NULL },
    { WEB BYTE("79", "\\001"), "dirty", "check -r all", NULL },
    { WEB BYTE("79", "\\002"), "corrupt", "marked as corrupt", NULL },
    /* The first L2 table is said to be where the L1 table is. */
    { "make_image qcow2 $images/web.qcow2 4M; qemu-io -c 'write -q 0 4M' $images/web.qcow2; "
      DEFINE("vda", "virtio", "qcow2", "web.qcow2") BYTE("$((0x40005))", "\\003"), "corrupt",
      "qemu-img check", NULL },
    { WEB "ln $images/web.qcow2 $images/other", "hard-links", "2 names", NULL },
    /* Who else has it. */
    { WEB "define_domain db \"$(disk_xml vdb virtio qcow2 $images/web.qcow2)\"", "shared",
      "domain db uses the image too (vdb)", NULL },
    { WEB "ln -s web.qcow2 $images/link; define_domain db \"$(disk_xml vdb virtio qcow2 "
      "$images/link)\"", "shared", NULL, NULL },
    { WEB "ln $images/web.qcow2 $images/other; define_domain db \"$(disk_xml vdb virtio qcow2 "
      "$images/other)\"", "hard-links shared", NULL, NULL },
    { WEB "make_image qcow2 $images/over 4M -b web.qcow2 -F qcow2; define_domain db "
      "\"$(disk_xml vda virtio qcow2 $images/over)\"", "shared", "stands on the image", NULL },
    { QCOW2 "define_domain web \"$(disk_xml vda virtio qcow2 $images/web.qcow2)"
      "$(disk_xml vdb virtio qcow2 $images/web.qcow2)\"", "shared", "domain web uses the image",
      NULL },
    /* A snapshot of another domain's past. */
    { WEB "make_image raw $images/db.img 1M; make_image qcow2 $images/db.qcow2 4M; define_domain "
      "db \"$(disk_xml vda virtio qcow2 $images/web.qcow2)\"; virsh -q snapshot-create-as db old "
      "--disk-only --diskspec vda,file=$images/new.qcow2 >/dev/null; rm $images/new.qcow2; "
      "define_domain db \"$(disk_xml vda virtio qcow2 $images/db.qcow2)\" 2>/dev/null || "
      "{ id=$(virsh domuuid db | head -n 1); sed -i \"s,<name>,<uuid>$id</uuid>&,\" "
      "$DOMLINT_LIBVIRTD/db.xml; virsh -q define $DOMLINT_LIBVIRTD/db.xml; }", "shared",
      "snapshot old", NULL },
    { QCOW2 EDITED("qcow2", "web.qcow2", "s,<domain ,&xmlns:qemu='http://libvirt.org/schemas/"
      "domain/qemu/1.0' ,;s,</domain>,<qemu:commandline><qemu:arg value='-drive'/><qemu:arg "
      "value='file=$images/web.qcow2'/></qemu:commandline>&,"), "qemu-commandline",
      "<qemu:commandline>", NULL },
    { WEB "make_image vmdk $images/db.vmdk 1M; define_domain db \"$(disk_xml vda virtio vmdk "
      "$images/db.vmdk)\"", "users-unknown", "domain db: vda", NULL },
    { WEB "losetup -f --show $images/web.qcow2 >$images/loop", "open", "/dev/loop",
      "losetup -d $(cat $images/loop)" },
    { WEB "(sleep 60 >>$images/web.qcow2 2>/dev/null </dev/null & echo $! >$images/pid)", "open",
      "for writing", "kill $(cat $images/pid)" },
    { WEB "mkfifo $images/fifo; (qemu-io $images/web.qcow2 <$images/fifo >$images/said 2>&1 & "
      "echo $! >$images/pid); exec 3>$images/fifo; (exec sleep 60 >$images/fifo 2>/dev/null & "
      "echo $! >$images/sleep); wait_for 10 test -s $images/said", "guard", "qemu-io (process",
      "kill $(cat $images/pid) $(cat $images/sleep)" },
    /* The new name. */
    { WEB "touch $images/web.raw", "name-taken", "web.raw", NULL },
    { WEB "ln -s nowhere $images/web.raw", "name-taken", "web.raw", NULL },
    { WEB "define_domain db \"$(disk_xml vda virtio raw $images/web.raw)\"", "name-used",
      "domain db names", NULL },
    { WEB "make_image raw $images/db.img 1M; ln $images/db.img $images/web.raw; define_domain db "
      "\"$(disk_xml vda virtio raw $images/db.img)\"", "name-taken name-used", NULL, NULL },
    /* All that applies, in a fixed order. */
    { WEB "qemu-img snapshot -c one $images/web.qcow2; touch $images/web.raw; "
      "define_domain db \"$(disk_xml vdb virtio qcow2 $images/web.qcow2)\"; "
      "ln $images/web.qcow2 $images/other", "internal-snapshots hard-links shared name-taken",
      NULL, NULL },
};

START_TEST(refuses)
{
    struct subject subject;

    g_free(harness_run("%s", cases[_i].script));
    g_free(harness_run("record_state $DOMLINT_LIBVIRTD/state"));
    subject = subject_of_domain();
    assert_refusals(&subject.ask, cases[_i].expected, cases[_i].part);
    subject_clear(&subject);
    g_free(harness_run("assert_state $DOMLINT_LIBVIRTD/state"));
    if (cases[_i].end)
        g_free(harness_run("%s", cases[_i].end));
}
END_TEST

/* ---- The second time ------------------------------------------------------------------- */

START_TEST(new_file_of_ours_is_no_obstacle)
{
    g_autoptr(GError) error = NULL;
    struct file_identity identity, other;
    struct new_file *file;
    struct subject subject;

    g_free(harness_run(WEB));
    subject = subject_of_domain();
    assert_refusals(&subject.ask, "", NULL);
    file = new_file_create(subject.name->folder, guard_fd(subject.guard), &error);
    ck_assert_msg(file != NULL, "%s", error ? error->message : "");
    ck_assert(new_file_identity(file, &identity, &error));
    subject.ask.time = PREFLIGHT_BEFORE_DEFINE;
    subject.ask.new_file = &identity;
    /* Without its name, or with its name taken away, there is nothing to define. */
    assert_refusals(&subject.ask, "changed", "not there any more");
    ck_assert_msg(new_file_name(file, subject.name->new_real, &error), "%s",
                  error ? error->message : "");
    ck_assert(guard_add(subject.guard, new_file_fd(file), &error));
    assert_refusals(&subject.ask, "", NULL);
    /* Another file of that name is not ours. */
    other = identity;
    other.inode++;
    subject.ask.new_file = &other;
    assert_refusals(&subject.ask, "name-taken", NULL);
    subject.ask.new_file = &identity;
    /* What happened while it was copied. */
    g_free(harness_run("virsh -q start web 2>/dev/null || echo refused >$images/start"));
    g_free(harness_run("grep -q refused $images/start"));
    g_free(harness_run("define_domain db \"$(disk_xml vda virtio raw $images/web.raw)\""));
    assert_refusals(&subject.ask, "name-used", "domain db");
    g_free(harness_run("virsh -q undefine db; printf x >>$images/web.qcow2"));
    assert_refusals(&subject.ask, "changed", "written to");
    new_file_free(file);
    subject_clear(&subject);
}
END_TEST

START_TEST(another_file_under_the_name_is_seen)
{
    struct subject subject;

    g_free(harness_run(WEB));
    subject = subject_of_domain();
    g_free(harness_run("cp $images/web.qcow2 $images/x; mv $images/x $images/web.qcow2"));
    assert_refusals(&subject.ask, "changed", "another file");
    subject_clear(&subject);
}
END_TEST

START_TEST(exchanged_names_are_no_obstacle)
{
    g_autofree char *folder = harness_images();
    g_autofree char *path = g_build_filename(folder, "web.raw", NULL);
    g_autofree char *text = NULL;
    struct file_identity identity;
    struct subject subject = { 0 };

    g_free(harness_run("make_image raw $images/web.raw 4M; make_image raw $images/new 4M; "
                       DEFINE("vda", "virtio", "raw", "web.raw")));
    subject = subject_of_domain();
    ck_assert(subject.ask.exchange);
    assert_refusals(&subject.ask, "", NULL);
    g_free(harness_run("ln $images/new $images/web.raw.domlint-1; rm $images/new; "
                       "python3 - <<'END' \"$images/web.raw\"\n"
                       "import ctypes, sys\n"
                       "path = sys.argv[1].encode()\n"
                       "libc = ctypes.CDLL(None)\n"
                       "sys.exit(libc.renameat2(-100, path, -100, path + b'.domlint-1', 2))\n"
                       "END"));
    ck_assert(file_identity_at(path, &identity, NULL));
    subject.ask.time = PREFLIGHT_BEFORE_DEFINE;
    subject.ask.new_file = &identity;
    assert_refusals(&subject.ask, "", NULL);
    /* Somebody put another file where the old image should be. */
    g_free(harness_run("mv $images/web.raw.domlint-1 $images/kept; "
                       "touch $images/web.raw.domlint-1"));
    assert_refusals(&subject.ask, "name-taken", NULL);
    subject_clear(&subject);
}
END_TEST

START_TEST(a_vanished_domain_is_said)
{
    struct subject subject;

    g_free(harness_run(WEB));
    subject = subject_of_domain();
    g_free(harness_run("virsh -q undefine web"));
    assert_refusals(&subject.ask, "gone", NULL);
    subject_clear(&subject);
}
END_TEST

/* ---- Connections ----------------------------------------------------------------------- */

START_TEST(other_hosts_and_test_drivers_are_refused)
{
    static const char *const uris[][2] = {
        { "test:///default", "test-driver" },
        { "qemu+ext:///system?command=%s/connect", "remote" },
    };
    g_autofree char *folder = harness_images();

    g_free(harness_run(WEB "printf '#!/bin/sh\\nexec virt-ssh-helper qemu:///system\\n' "
                       ">$images/connect; chmod 755 $images/connect"));
    for (gsize i = 0; i < G_N_ELEMENTS(uris); i++) {
        g_autoptr(GString) uri = g_string_new(uris[i][0]);
        struct subject subject = subject_of_domain();
        g_autoptr(GError) error = NULL;

        g_string_replace(uri, "%s", folder, 0);
        subject.ask.connection =
            connection_open(loop, uri->str, CONNECTION_READ_WRITE, NULL, &error);
        ck_assert_msg(subject.ask.connection != NULL, "%s", error ? error->message : "");
        assert_refusals(&subject.ask, uris[i][1], NULL);
        connection_close((struct connection *)subject.ask.connection);
        subject_clear(&subject);
    }
}
END_TEST

/* As in a container: under the path that the daemon knows, we see another file. */
START_TEST(the_daemons_image_has_to_be_ours)
{
    g_autofree char *folder = harness_images();
    g_autofree char *path = g_build_filename(folder, "web.qcow2", NULL);
    g_autofree char *other = g_build_filename(folder, "other", NULL);
    struct subject subject;

    g_free(harness_run(WEB "make_image qcow2 $images/other 8M"));
    ck_assert(private_mounts());
    ck_assert_int_eq(mount(other, path, NULL, MS_BIND, NULL), 0);
    subject = subject_of_domain();
    assert_refusals(&subject.ask, "another-image", NULL);
    subject_clear(&subject);
    ck_assert_int_eq(umount(path), 0);
}
END_TEST

/* ---- Files ----------------------------------------------------------------------------- */

START_TEST(files)
{
    g_autofree char *text = harness_run(QCOW2 "domain_xml other \"$(disk_xml vda virtio qcow2 "
                                        "$images/web.qcow2)\"");
    g_autofree char *twice = harness_run("make_image qcow2 $images/over 4M -b web.qcow2 -F qcow2; "
                                         "domain_xml other \"$(disk_xml vda virtio qcow2 "
                                         "$images/web.qcow2)$(disk_xml vdb virtio qcow2 "
                                         "$images/over)\"");
    struct subject one = { 0 }, two = { 0 };

    subject_of_text(&one, g_steal_pointer(&text));
    subject_of_text(&two, g_steal_pointer(&twice));
    assert_refusals(&one.ask, "", NULL);
    /* The overlay in the same file. */
    assert_refusals(&two.ask, "shared", "disk of vdb");
    one.ask.connection = two.ask.connection = NULL;
    assert_refusals(&one.ask, "", NULL);
    assert_refusals(&two.ask, "shared", "disk of vdb");
    g_free(harness_run(DEFINE("vda", "virtio", "qcow2", "web.qcow2")));
    one.ask.connection = connection;
    assert_refusals(&one.ask, "shared", "dom:web");
    subject_clear(&one);
    subject_clear(&two);
}
END_TEST

int
main(G_GNUC_UNUSED int argc, char **argv)
{
    Suite *suite = suite_create("preflight");
    TCase *tcase = tcase_create("preflight");

    harness_enter(argv);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, refuses, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, new_file_of_ours_is_no_obstacle);
    tcase_add_test(tcase, another_file_under_the_name_is_seen);
    tcase_add_test(tcase, exchanged_names_are_no_obstacle);
    tcase_add_test(tcase, a_vanished_domain_is_said);
    tcase_add_test(tcase, other_hosts_and_test_drivers_are_refused);
    tcase_add_test(tcase, the_daemons_image_has_to_be_ours);
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    return harness_main(suite);
}
