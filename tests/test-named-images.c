/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-named-images.c: which images a domain's XML names, in which role; and which
 * files these are and stand on, as qemu-img made them.
 */
#include <check.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "probe/image-files.h"

/* ---- Names in XML ---------------------------------------------------------------------- */

/* All that is found, one line each: "ROLE CHAIN DISK PATH"; then the problems. */
static char *
search(const char *xml, enum image_role role)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    g_autoptr(domxml_doc) doc = domxml_parse(xml, strlen(xml), &error);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) images = NULL;
    GString *text = g_string_new(NULL);
    static const char *const chains[] = { "none", "qcow2", "probe", "other" };

    ck_assert_msg(doc != NULL, "%s", error.text);
    images = named_images(doc, role, problems);
    for (guint i = 0; i < images->len; i++) {
        const struct named_image *image = g_ptr_array_index(images, i);

        g_string_append_printf(text, "%s, %s, %s, %s%s%s\n", image_role_name(image->role),
                               chains[image->chain], image->disk ? image->disk : "-",
                               image->path ? image->path : image->pool,
                               image->path ? "" : "/", image->path ? "" : image->volume);
    }
    for (guint i = 0; i < problems->len; i++)
        g_string_append_printf(text, "! %s\n", (char *)g_ptr_array_index(problems, i));
    return g_string_free(text, FALSE);
}

#define DOMAIN(inside) \
    "<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>" inside "</domain>"
#define DEVICES(inside) DOMAIN("<devices>" inside "</devices>")
#define DISK(inside) DEVICES("<disk type='file'>" inside "<target dev='vda'/></disk>")

static const struct {
    const char *what;
    const char *xml;
    const char *expected;
} texts[] = {
    { "a raw disk is not looked into",
      DISK("<driver type='raw'/><source file='/a.raw'/>"), "disk, none, vda, /a.raw\n" },
    { "a disk without a format is raw",
      DISK("<source file='/a'/>"), "disk, none, vda, /a\n" },
    { "a qcow2 disk has a chain",
      DISK("<driver type='qcow2'/><source file='/a.qcow2'/>"), "disk, qcow2, vda, /a.qcow2\n" },
    { "a block device",
      DISK("<driver type='qcow2'/><source dev='/dev/vg/a'/>"), "disk, qcow2, vda, /dev/vg/a\n" },
    { "another format",
      DISK("<driver type='vmdk'/><source file='/a'/>"), "disk, other, vda, /a\n" },
    { "an empty drive", DISK("<driver type='raw'/>"), "" },
    { "a volume",
      DISK("<driver type='qcow2'/><source pool='p' volume='v'/>"), "disk, qcow2, vda, p/v\n" },
    { "the chain that is written out",
      DISK("<driver type='qcow2'/><source file='/top'/><backingStore type='file'>"
           "<format type='qcow2'/><source file='/middle'/><backingStore type='block'>"
           "<format type='raw'/><source dev='/base'/><backingStore/></backingStore>"
           "</backingStore>"),
      "disk, qcow2, vda, /top\nbacking file, qcow2, vda, /middle\n"
      "backing file, none, vda, /base\n" },
    { "an external data file",
      DISK("<driver type='qcow2'/><source file='/top'><dataStore type='file'><format type='raw'/>"
           "<source file='/data'/></dataStore></source>"),
      "disk, qcow2, vda, /top\nbacking file, none, vda, /data\n" },
    { "a copy under way",
      DISK("<driver type='raw'/><source file='/a'/><mirror type='file' file='/b' job='copy'>"
           "<format type='qcow2'/><source file='/b'/></mirror>"),
      "disk, none, vda, /a\ntarget of a block job, qcow2, vda, /b\n"
      "target of a block job, qcow2, vda, /b\n" },
    { "a relative path", DISK("<source file='a.raw'/>"), "! 'a.raw' is a relative path\n" },
    { "a network disk",
      DEVICES("<disk type='network'><source protocol='nbd' name='x'><host name='h'/></source>"
              "<target dev='vda'/></disk>"), "" },
    { "what is no disk",
      DOMAIN("<os><loader readonly='yes'>/fw/code.fd</loader><nvram>\n /fw/vars.fd\n</nvram></os>"
             "<devices><emulator>/bin/q</emulator><filesystem type='file'><source file='/fs'/>"
             "</filesystem><memory model='nvdimm'><source><path>/nv</path></source></memory>"
             "</devices>"),
      "another part of the definition, none, -, /fw/code.fd\n"
      "another part of the definition, none, -, /fw/vars.fd\n"
      "another part of the definition, none, -, /bin/q\n"
      "another part of the definition, none, -, /fs\n"
      "another part of the definition, none, -, /nv\n" },
    { "metadata is nobody's image",
      DOMAIN("<metadata><disk xmlns='urn:x'><source file='/a'/></disk></metadata><name>/n</name>"),
      "another part of the definition, none, -, /n\n" },
    { "drives of QEMU's own",
      DOMAIN("<qemu:commandline><qemu:arg value='-drive'/>"
             "<qemu:arg value='file=/srv/a,,b.qcow2,if=none,id=x'/>"
             "<qemu:arg value='{\"driver\": \"qcow2\", \"file\": {\"driver\": \"file\", "
             "\"filename\": \"\\/srv\\/c.qcow2\"}}'/><qemu:arg value='/srv/d e.raw'/>"
             "<qemu:arg value='driver=raw,file.filename=/srv/f'/>"
             "<qemu:env name='X' value='/srv/g'/></qemu:commandline>"),
      "QEMU's command line, probe, -, /srv/a,b.qcow2\n"
      "QEMU's command line, probe, -, /srv/c.qcow2\n"
      "QEMU's command line, probe, -, /srv/d e.raw\n"
      "QEMU's command line, probe, -, /srv/f\n"
      "QEMU's command line, probe, -, /srv/g\n" },
    { "another prefix for QEMU's namespace",
      "<domain><q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>"
      "<q:arg value='file=/a'/></q:commandline></domain>", "QEMU's command line, probe, -, /a\n" },
    { "relative files of QEMU's own",
      DOMAIN("<qemu:commandline><qemu:arg value='file=a.raw,if=none'/>"
             "<qemu:arg value='file=nbd:unix:/sock'/></qemu:commandline>"),
      "QEMU's command line, probe, -, /sock\n"
      "! 'a.raw' on QEMU's command line is a relative path\n" },
};

START_TEST(test_text)
{
    g_autofree char *found = search(texts[_i].xml, IMAGE_ROLE_DISK);

    ck_assert_msg(g_str_equal(found, texts[_i].expected), "%s: found\n%s", texts[_i].what, found);
}
END_TEST

/* A snapshot's images are its own, those of its own list of disks and of both definitions in it. */
START_TEST(test_snapshot)
{
    g_autofree char *found = search(
        "<domainsnapshot><name>s</name><memory snapshot='external' file='/mem'/><disks>"
        "<disk name='vda' snapshot='external'><driver type='qcow2'/><source file='/over'/></disk>"
        "<disk name='vdb' snapshot='external'><source file='/untold'/></disk></disks>"
        "<domain><devices><disk type='file'><driver type='qcow2'/><source file='/a'/>"
        "<target dev='vda'/></disk></devices></domain>"
        "<inactiveDomain><devices><disk type='file'><driver type='raw'/><source file='/b'/>"
        "<target dev='vda'/></disk></devices></inactiveDomain></domainsnapshot>",
        IMAGE_ROLE_SNAPSHOT);

    ck_assert_str_eq(found, "snapshot, none, -, /mem\nsnapshot, qcow2, vda, /over\n"
                            "snapshot, probe, vdb, /untold\nsnapshot, qcow2, vda, /a\n"
                            "snapshot, none, vda, /b\n");
}
END_TEST

/* ---- Files ----------------------------------------------------------------------------- */

static char *folder;

static void
run(const char *format, ...) G_GNUC_PRINTF(1, 2);

static void
run(const char *format, ...)
{
    g_autofree char *script = NULL, *errors = NULL;
    g_autoptr(GError) error = NULL;
    int status;
    va_list args;

    va_start(args, format);
    script = g_strdup_vprintf(format, args);
    va_end(args);
    {
        const char *argv[] = { "sh", "-ec", script, NULL };

        ck_assert(g_spawn_sync(folder, (char **)argv, NULL,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &errors, &status, NULL));
    }
    ck_assert_msg(g_spawn_check_wait_status(status, &error), "%s: %s", script, errors);
}

static void
make_folder(void)
{
    folder = g_dir_make_tmp("domlint-XXXXXX", NULL);
}

static void
remove_folder(void)
{
    run("rm -rf '%s'", folder);
    g_clear_pointer(&folder, g_free);
}

static char *
in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static char *
key_of(const char *name)
{
    g_autofree char *path = in_folder(name);
    g_autoptr(GError) error = NULL;
    char *key = image_file_key(path, &error);

    ck_assert_msg(error == NULL, "%s", error ? error->message : "");
    return key;
}

/* What is below an image: names within the folder, "(gone)" behind those that are not there;
 * then "!" for each problem. */
static char *
below(const char *name, enum image_chain chain)
{
    g_autofree char *path = in_folder(name);
    struct image_files *files = image_files_look(path, chain);
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < files->below->len; i++) {
        const struct image_file *file = g_ptr_array_index(files->below, i);
        const char *shown = g_str_has_prefix(file->path, folder) ? file->path + strlen(folder) + 1
                                                                 : file->path;

        g_string_append_printf(text, "%s%s%s", i ? " " : "", shown, file->key ? "" : "(gone)");
        if (file->key) {
            g_autofree char *key = image_file_key(file->path, NULL);

            ck_assert_str_eq(file->key, key);
        }
    }
    for (guint i = 0; i < files->problems->len; i++)
        g_string_append(text, "!");
    image_files_free(files);
    return g_string_free(text, FALSE);
}

static void
assert_below(const char *name, enum image_chain chain, const char *expected)
{
    g_autofree char *found = below(name, chain);

    ck_assert_msg(g_str_equal(found, expected), "%s: below it '%s', expected '%s'", name, found,
                  expected);
}

START_TEST(test_one_file_one_key)
{
    g_autofree char *a = NULL, *hard = NULL, *soft = NULL, *far = NULL, *b = NULL, *gone = NULL;

    run("echo a >a; echo a >b; ln a hard; ln -s a soft; mkdir d; ln -s d link; ln -s ../a d/far");
    a = key_of("a");
    hard = key_of("hard");
    soft = key_of("soft");
    far = key_of("link/far");
    b = key_of("b");
    gone = key_of("gone");
    ck_assert_str_eq(hard, a);
    ck_assert_str_eq(soft, a);
    ck_assert_str_eq(far, a);
    ck_assert_str_ne(b, a);
    ck_assert_ptr_null(gone);
}
END_TEST

START_TEST(test_chain)
{
    run("qemu-img create -q -f raw base 1M; mkdir sub\n"
        "qemu-img create -q -f qcow2 -b base -F raw middle\n"
        "qemu-img create -q -f qcow2 -b ../middle -F qcow2 sub/top\n"
        "qemu-img create -q -f qcow2 -b \"$PWD/middle\" -F qcow2 other\n"
        "ln -s sub/top link\n");
    assert_below("base", IMAGE_CHAIN_NONE, "");
    assert_below("middle", IMAGE_CHAIN_QCOW2, "base");
    assert_below("sub/top", IMAGE_CHAIN_QCOW2, "sub/../middle sub/../base");
    assert_below("sub/top", IMAGE_CHAIN_PROBE, "sub/../middle sub/../base");
    assert_below("other", IMAGE_CHAIN_QCOW2, "middle base");
    /* What a guest wrote into its raw disk is no header. */
    assert_below("sub/top", IMAGE_CHAIN_NONE, "");
    /* QEMU takes a relative name from the folder that the link is in, and so finds nothing; nor
     * do we, who say so. */
    assert_below("link", IMAGE_CHAIN_QCOW2, "../middle(gone)");
}
END_TEST

START_TEST(test_missing_base)
{
    run("qemu-img create -q -f raw base 1M; qemu-img create -q -f qcow2 -b base -F raw top\n"
        "rm base");
    assert_below("top", IMAGE_CHAIN_QCOW2, "base(gone)");
    assert_below("nothing", IMAGE_CHAIN_QCOW2, "");
}
END_TEST

START_TEST(test_data_file)
{
    run("qemu-img create -q -f qcow2 -o data_file=data,data_file_raw=on top 1M");
    assert_below("top", IMAGE_CHAIN_QCOW2, "data");
}
END_TEST

START_TEST(test_json_backing)
{
    run("qemu-img create -q -f raw base 1M\n"
        "qemu-img create -q -f qcow2 -F raw top -b "
        "\"json:{\\\"driver\\\":\\\"raw\\\",\\\"file\\\":{\\\"driver\\\":\\\"file\\\","
        "\\\"filename\\\":\\\"$PWD/base\\\"}}\"");
    /* Found, yet what else it may mean is not known. */
    assert_below("top", IMAGE_CHAIN_QCOW2, "base!");
}
END_TEST

START_TEST(test_network_backing)
{
    run("qemu-img create -q -u -f qcow2 -F raw -b nbd://host/x top 1M");
    assert_below("top", IMAGE_CHAIN_QCOW2, "");
}
END_TEST

START_TEST(test_not_what_is_declared)
{
    run("echo text >a; qemu-img create -q -f vmdk b 1M; mkfifo pipe; mkdir d");
    assert_below("a", IMAGE_CHAIN_QCOW2, "!");
    assert_below("a", IMAGE_CHAIN_PROBE, "");
    assert_below("b", IMAGE_CHAIN_OTHER, "!");
    assert_below("b", IMAGE_CHAIN_PROBE, "!");
    assert_below("pipe", IMAGE_CHAIN_QCOW2, "");
    assert_below("d", IMAGE_CHAIN_QCOW2, "");
}
END_TEST

START_TEST(test_unreadable)
{
    uid_t user = geteuid();

    run("qemu-img create -q -f qcow2 a 1M; mkdir d; echo >d/b; chmod 755 .; chmod 0 a d");
    /* Root may read all of it. */
    ck_assert_int_eq(seteuid(user == 0 ? 65534 : user), 0);
    assert_below("a", IMAGE_CHAIN_QCOW2, "!");
    assert_below("a", IMAGE_CHAIN_NONE, "");
    assert_below("d/b", IMAGE_CHAIN_NONE, "!");
    ck_assert_int_eq(seteuid(user), 0);
    run("chmod 700 d");
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("named-images");
    TCase *names = tcase_create("names"), *files = tcase_create("files");

    tcase_add_loop_test(names, test_text, 0, G_N_ELEMENTS(texts));
    tcase_add_test(names, test_snapshot);
    suite_add_tcase(s, names);
    tcase_set_timeout(files, 60);
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_test(files, test_one_file_one_key);
    tcase_add_test(files, test_chain);
    tcase_add_test(files, test_missing_base);
    tcase_add_test(files, test_data_file);
    tcase_add_test(files, test_json_backing);
    tcase_add_test(files, test_network_backing);
    tcase_add_test(files, test_not_what_is_declared);
    tcase_add_test(files, test_unreadable);
    suite_add_tcase(s, files);
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
