/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-rules-real.c: the rules over what the real probe finds out of real images, made by qemu-img
 * in a temporary folder. The fixtures cover the rules' decisions; this covers that the facts they
 * rest on are those that the world yields.
 */
#include <check.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lint/fix.h"
#include "probe/probe.h"
#include "rules/rules.h"

#define BTRFS_MAGIC 0x9123683Eu
#define EXIT_SKIP 77

/* A folder for images, a probe and all rules, fresh for each test. */
struct bench {
    char *folder;
    struct facts_source *facts;
    struct lint_selection *selection;
    domxml_doc *doc;
    GPtrArray *findings;
};

static void
bench_open(struct bench *bench)
{
    g_autoptr(GError) error = NULL;

    memset(bench, 0, sizeof(*bench));
    bench->folder = g_dir_make_tmp("domlint-rules-XXXXXX", &error);
    ck_assert_msg(bench->folder != NULL, "%s", error ? error->message : "");
    bench->facts = probe_new(NULL);
    bench->selection = lint_select(lint_rules, NULL, NULL, &error);
    ck_assert_msg(bench->selection != NULL, "%s", error ? error->message : "");
}

static void
bench_close(struct bench *bench)
{
    g_autoptr(GDir) folder = g_dir_open(bench->folder, 0, NULL);
    const char *name;

    g_clear_pointer(&bench->findings, g_ptr_array_unref);
    g_clear_pointer(&bench->doc, domxml_doc_free);
    lint_selection_free(bench->selection);
    facts_source_free(bench->facts);
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename(bench->folder, name, NULL);

        g_unlink(path);
    }
    g_rmdir(bench->folder);
    g_free(bench->folder);
}

static char *
bench_path(const struct bench *bench, const char *name)
{
    return g_build_filename(bench->folder, name, NULL);
}

/* Runs a program whose words are given, the last one NULL; it must succeed. */
static void
run(const char *program, ...)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autofree char *errors = NULL;
    g_autoptr(GError) error = NULL;
    const char *word = program;
    va_list more;
    int status;

    va_start(more, program);
    for (; word; word = va_arg(more, const char *))
        g_ptr_array_add(words, (char *)word);
    va_end(more);
    g_ptr_array_add(words, NULL);
    ck_assert_msg(g_spawn_sync(NULL, (char **)words->pdata, NULL,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &errors, &status, &error), "%s", error ? error->message : "");
    ck_assert_msg(g_spawn_check_wait_status(status, NULL), "%s: %s", program, errors);
}

/* A domain with one disk; @driver is all of <driver>'s attributes but the name. */
static void
lint(struct bench *bench, const char *path, const char *driver, const char *target)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    g_autofree char *text = g_strdup_printf(
        "<domain type='kvm'>\n  <name>real</name>\n  <os>\n"
        "    <type arch='x86_64' machine='pc'>hvm</type>\n  </os>\n  <devices>\n"
        "    <disk type='file' device='disk'>\n      <driver name='qemu' %s/>\n"
        "      <source file='%s'/>\n      <target %s/>\n    </disk>\n  </devices>\n</domain>\n",
        driver, path, target);

    bench->doc = domxml_parse(text, strlen(text), &error);
    ck_assert_msg(bench->doc != NULL, "%s", error.text);
    bench->findings = lint_run(bench->selection, bench->doc, bench->facts);
}

static const struct lint_finding *
only_finding(const struct bench *bench, const char *rule)
{
    const struct lint_finding *finding;

    ck_assert_uint_eq(bench->findings->len, 1);
    finding = g_ptr_array_index(bench->findings, 0);
    ck_assert_str_eq(finding->rule->id, rule);
    ck_assert_str_eq(finding->subject, "vda");
    return finding;
}

/* What is made of an image, and what the rule must make of that. */
static const struct {
    const char *make;        /* qemu-img's -o of create; NULL: another way, below */
    const char *name;
    enum lint_severity severity;
    enum lint_result result;
    const char *text;        /* found in the message or the reason; NULL: no finding */
} images[] = {
    { "preallocation=off", "off.qcow2", LINT_WARNING, LINT_RESULT_FAIL, "0.0 % of its clusters" },
    { "preallocation=off,compat=0.10", "v2.qcow2", LINT_WARNING, LINT_RESULT_FAIL, "0.0 %" },
    { "preallocation=metadata", "metadata.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { "preallocation=falloc", "falloc.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { "preallocation=full", "full.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { NULL, "half.qcow2", LINT_WARNING, LINT_RESULT_FAIL, "50.0 % of its clusters" },
    { NULL, "overlay.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { NULL, "compressed.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { NULL, "discarded.qcow2", LINT_WARNING, LINT_RESULT_FAIL, NULL },
    { NULL, "snapshot.qcow2", LINT_INFO, LINT_RESULT_FAIL, "before-upgrade" },
    { NULL, "raw-inside.qcow2", LINT_WARNING, LINT_RESULT_UNKNOWN, "declared qcow2, is raw" },
    { NULL, "missing.qcow2", LINT_WARNING, LINT_RESULT_UNKNOWN, "not on this host" },
    { NULL, "cut.qcow2", LINT_WARNING, LINT_RESULT_UNKNOWN, "" },
};

static void
create(const char *path, const char *options)
{
    run("qemu-img", "create", "-q", "-f", "qcow2", "-o", options, path, "16M", NULL);
}

static void
make_image(const struct bench *bench, const char *name, const char *path)
{
    g_autofree char *other = bench_path(bench, "other");

    if (g_str_equal(name, "half.qcow2")) {
        create(path, "preallocation=off");
        run("qemu-io", "-f", "qcow2", "-c", "write -P 7 0 8M", path, NULL);
    } else if (g_str_equal(name, "overlay.qcow2")) {
        create(other, "preallocation=off");
        run("qemu-img", "create", "-q", "-f", "qcow2", "-b", other, "-F", "qcow2", path, NULL);
    } else if (g_str_equal(name, "compressed.qcow2")) {
        create(other, "preallocation=off");
        run("qemu-io", "-f", "qcow2", "-c", "write -P 7 0 16M", other, NULL);
        run("qemu-img", "convert", "-c", "-f", "qcow2", "-O", "qcow2", other, path, NULL);
    } else if (g_str_equal(name, "discarded.qcow2")) {
        create(path, "preallocation=falloc");
        run("qemu-io", "-d", "unmap", "-f", "qcow2", "-c", "discard 4M 8M", path, NULL);
    } else if (g_str_equal(name, "snapshot.qcow2")) {
        create(path, "preallocation=falloc");
        run("qemu-img", "snapshot", "-c", "before-upgrade", path, NULL);
    } else if (g_str_equal(name, "raw-inside.qcow2")) {
        run("qemu-img", "create", "-q", "-f", "raw", path, "16M", NULL);
    } else if (g_str_equal(name, "cut.qcow2")) {
        create(path, "preallocation=off");
        ck_assert_int_eq(truncate(path, 300), 0);
    }
}

START_TEST(qcow2_images)
{
    g_autofree char *path = NULL;
    const struct lint_finding *finding;
    struct bench bench;

    bench_open(&bench);
    path = bench_path(&bench, images[_i].name);
    if (images[_i].make)
        create(path, images[_i].make);
    else
        make_image(&bench, images[_i].name, path);
    lint(&bench, path, "type='qcow2' cache='none'", "dev='vda' bus='virtio'");

    if (!images[_i].text) {
        ck_assert_msg(bench.findings->len == 0, "%s: %s", images[_i].name,
                      bench.findings->len ? ((struct lint_finding *)
                                             bench.findings->pdata[0])->message : "");
    } else {
        finding = only_finding(&bench, "qcow2-without-preallocation");
        ck_assert_int_eq(finding->severity, images[_i].severity);
        ck_assert_int_eq(finding->result, images[_i].result);
        ck_assert_ptr_nonnull(strstr(finding->reason ? finding->reason : finding->message,
                                     images[_i].text));
    }
    bench_close(&bench);
}
END_TEST

/* The first fix of a growing image: what is to be converted to what, and the document after it. */
START_TEST(conversion)
{
    g_autofree char *path = NULL, *raw = NULL, *source = NULL;
    struct domxml_error error = DOMXML_ERROR_INIT;
    const struct lint_finding *finding;
    const struct lint_step *step;
    const struct lint_fix *fix;
    struct bench bench;
    const char *text;
    size_t length;
    char *changed;

    bench_open(&bench);
    path = bench_path(&bench, "grow.qcow2");
    raw = bench_path(&bench, "grow.raw");
    create(path, "preallocation=off");
    lint(&bench, path, "type='qcow2' cache='none' discard='unmap'", "dev='vda' bus='virtio'");

    finding = only_finding(&bench, "qcow2-without-preallocation");
    ck_assert_uint_eq(finding->fixes->len, 2);
    fix = finding->fixes->pdata[0];
    ck_assert_int_eq(fix->effect, LINT_EFFECT_IMAGE);
    ck_assert_int_eq(fix->safety, LINT_SAFE);
    ck_assert_uint_eq(fix->steps->len, 1);
    step = fix->steps->pdata[0];
    ck_assert_str_eq(step->path, path);
    ck_assert_str_eq(step->new_path, raw);
    ck_assert_str_eq(step->to_format, "raw");
    ck_assert_str_eq(step->preallocation, "falloc");

    text = domxml_doc_text(bench.doc, &length);
    changed = domxml_edits_apply(fix->edits, text, length, NULL, NULL, &error);
    ck_assert_msg(changed != NULL, "%s", error.text);
    source = g_strdup_printf("<source file='%s'/>", raw);
    ck_assert_ptr_nonnull(strstr(changed, source));
    ck_assert_ptr_nonnull(strstr(changed, "<driver name='qemu' type='raw' cache='none'/>"));
    free(changed);
    bench_close(&bench);
}
END_TEST

/* Whether the file can be read past the host's cache: seen here, without the probe. */
static gboolean
opens_direct(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
#ifdef STATX_DIOALIGN
    struct statx attributes = { 0 };

    if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &attributes) == 0
        && (attributes.stx_mask & STATX_DIOALIGN) && attributes.stx_dio_offset_align == 0) {
        close(fd);
        return FALSE;
    }
#endif
    if (fd < 0)
        return FALSE;
    close(fd);
    return TRUE;
}

static const struct {
    const char *preallocation;
    const char *direct;        /* the first fix where O_DIRECT works */
} raw_images[] = {
    { "preallocation=off", "set cache='none'" },
    { "preallocation=falloc", "set cache='none' and io='native'" },
    { "preallocation=full", "set cache='none' and io='native'" },
};

START_TEST(writethrough)
{
    g_autofree char *path = NULL;
    const struct lint_finding *finding;
    const struct lint_fix *fix;
    struct statfs storage;
    struct bench bench;

    bench_open(&bench);
    path = bench_path(&bench, "disk.raw");
    run("qemu-img", "create", "-q", "-f", "raw", "-o", raw_images[_i].preallocation, path, "16M",
        NULL);
    ck_assert_int_eq(statfs(path, &storage), 0);
    lint(&bench, path, "type='raw' cache='writethrough'", "dev='vda' bus='virtio'");

    finding = only_finding(&bench, "cache-writethrough");
    fix = finding->fixes->pdata[0];
    ck_assert_int_eq(fix->safety, LINT_SAFE);
    if (!opens_direct(path))
        ck_assert_str_eq(fix->title, "set cache='writeback'");
    else if ((guint32)storage.f_type != BTRFS_MAGIC) /* there the kernel's version decides too */
        ck_assert_str_eq(fix->title, raw_images[_i].direct);
    bench_close(&bench);
}
END_TEST

static gboolean
has_note(const struct lint_fix *fix, const char *text)
{
    for (guint i = 0; i < fix->notes->len; i++) {
        if (strstr(fix->notes->pdata[i], text))
            return TRUE;
    }
    return FALSE;
}

START_TEST(ide)
{
    g_autofree char *path = NULL;
    const struct lint_finding *finding;
    const struct lint_fix *fix;
    struct lint_fixed *fixed;
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct bench bench;

    bench_open(&bench);
    path = bench_path(&bench, "old.qcow2");
    make_image(&bench, "snapshot.qcow2", path);
    lint(&bench, path, "type='qcow2' cache='none'", "dev='hda'");

    ck_assert_uint_eq(bench.findings->len, 2);
    finding = bench.findings->pdata[1];
    ck_assert_str_eq(finding->rule->id, "ide-bus");
    fix = finding->fixes->pdata[0];
    ck_assert_int_eq(fix->safety, LINT_UNSAFE);
    ck_assert(has_note(fix, "the image has snapshots"));

    fixed = lint_fix_document(bench.selection, bench.doc, bench.facts, LINT_UNSAFE, &error);
    ck_assert_msg(fixed != NULL, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(fixed->text, "<target dev='vda' bus='virtio'/>"));
    ck_assert_uint_eq(fixed->remaining->len, 1);
    lint_fixed_free(fixed);
    bench_close(&bench);
}
END_TEST

/* More disks than libvirt could have on ide: each move looks at all of them. */
START_TEST(very_many_disks)
{
    g_autoptr(GString) text = g_string_new("<domain type='kvm'><devices>\n");
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct bench bench;

    bench_open(&bench);
    for (guint i = 0; i < 5000; i++)
        g_string_append_printf(text, "<disk><target dev='hd%c%c%c' bus='ide'/></disk>\n",
                               'a' + i / 676, 'a' + i / 26 % 26, 'a' + i % 26);
    g_string_append(text, "</devices></domain>\n");
    bench.doc = domxml_parse(text->str, text->len, &error);
    ck_assert_msg(bench.doc != NULL, "%s", error.text);
    bench.findings = lint_run(bench.selection, bench.doc, bench.facts);
    ck_assert_uint_eq(bench.findings->len, 5000);
    for (guint i = 0; i < bench.findings->len; i++) {
        const struct lint_finding *finding = bench.findings->pdata[i];
        const struct lint_fix *fix = finding->fixes->pdata[0];

        ck_assert_int_eq(fix->safety, LINT_MANUAL);
        ck_assert(has_note(fix, "more than 128 disks"));
    }
    bench_close(&bench);
}
END_TEST

int
main(void)
{
    g_autofree char *qemu_img = g_find_program_in_path("qemu-img");
    g_autofree char *qemu_io = g_find_program_in_path("qemu-io");
    Suite *suite = suite_create("rules on real images");
    TCase *tcase = tcase_create("rules");
    SRunner *runner;
    int failed;

    if (!qemu_img || !qemu_io) {
        g_printerr("skipped: qemu-img and qemu-io, which make the images, are not installed\n");
        suite_add_tcase(suite, tcase);
        srunner_free(srunner_create(suite));
        return EXIT_SKIP;
    }
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, qcow2_images, 0, (int)G_N_ELEMENTS(images));
    tcase_add_test(tcase, conversion);
    tcase_add_loop_test(tcase, writethrough, 0, (int)G_N_ELEMENTS(raw_images));
    tcase_add_test(tcase, ide);
    tcase_add_test(tcase, very_many_disks);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
