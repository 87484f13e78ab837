/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-change.c: changes of a definition by path, taken back one by one; definitions compared as multisets. */
#include "apply/change.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "apply/canonical.h"

#define DOMAIN(os, devices) \
    "<domain type='qemu'>\n  <os>\n" os "  </os>\n  <devices>\n" devices "  </devices>\n</domain>\n"
#define IDE_DISK \
    "    <disk type='file' device='disk'>\n" \
    "      <driver name='qemu' type='qcow2' cache='writethrough'/>\n" \
    "      <source file='/srv/a.qcow2'/>\n" \
    "      <target dev='hda' bus='ide'/>\n" \
    "      <address type='drive' controller='0' bus='0' target='0' unit='0'/>\n" \
    "    </disk>\n"
#define VIRTIO_DISK \
    "    <disk type='file' device='disk'>\n" \
    "      <driver name='qemu' type='qcow2' cache='none' io='native'/>\n" \
    "      <source file='/srv/a.qcow2'/>\n" \
    "      <target dev='vda' bus='virtio'/>\n" \
    "      <address type='pci' domain='0x0000' bus='0x04' slot='0x00' function='0x0'/>\n" \
    "    </disk>\n"
#define BOOT_HD "    <boot dev='hd'/>\n"

static domxml_doc *
parse(const char *text)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "%s", error.text);
    return doc;
}

static const char *const renamed[] = { "hda", "vda", NULL };

static GPtrArray *
changes_between(const char *before, const char *after, const char *const *names)
{
    g_autoptr(domxml_doc) old = parse(before);
    g_autoptr(domxml_doc) new = parse(after);
    g_autoptr(GPtrArray) changes = change_list(old, new, names);
    g_autoptr(JsonArray) json = change_to_json(changes);

    /* Through JSON, as the journal keeps them. */
    return change_from_json(json, NULL);
}

static GPtrArray *
changes_of(const char *before, const char *after)
{
    return changes_between(before, after, renamed);
}

/* Takes @changes back in @text; returns the result and how many were left. */
static char *
revert(const char *text, GPtrArray *changes, guint *left_count)
{
    g_autoptr(domxml_doc) doc = parse(text);
    struct domxml_error error = DOMXML_ERROR_INIT;
    g_autoptr(domxml_editor) editor = domxml_editor_new(doc, &error);
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(domxml_edits) edits = NULL;
    char *result;

    ck_assert_msg(change_revert(editor, doc, changes, left, &error), "%s", error.text);
    edits = domxml_editor_finish(editor, &error);
    ck_assert_ptr_nonnull(edits);
    result = domxml_edits_apply(edits, text, strlen(text), NULL, NULL, &error);
    ck_assert_ptr_nonnull(result);
    *left_count = left->len;
    return result;
}

/* Equal in meaning. */
static void
assert_same(const char *text, const char *expected)
{
    g_autoptr(domxml_doc) a = parse(text);
    g_autoptr(domxml_doc) b = parse(expected);
    g_autofree char *canonical_a = canonical_elem(domxml_disk(a, 0));
    g_autofree char *canonical_b = canonical_elem(domxml_disk(b, 0));

    ck_assert_str_eq(canonical_a, canonical_b);
}

START_TEST(a_bus_change_is_taken_back)
{
    const char *before = DOMAIN(BOOT_HD, IDE_DISK);
    const char *after = DOMAIN("", VIRTIO_DISK);
    g_autoptr(GPtrArray) changes = changes_of(before, after);
    guint left;
    char *text = revert(after, changes, &left);

    assert_same(text, before);
    ck_assert_ptr_nonnull(strstr(text, "<boot dev='hd'/>"));
    ck_assert_uint_eq(left, 0);
    free(text);
}
END_TEST

START_TEST(the_same_again_is_no_change)
{
    const char *before = DOMAIN(BOOT_HD, IDE_DISK);
    g_autoptr(GPtrArray) changes = changes_of(before, DOMAIN(BOOT_HD, VIRTIO_DISK));
    g_autoptr(GPtrArray) none = changes_of(before, before);
    g_autoptr(GPtrArray) cache = changes_between(
        DOMAIN("", VIRTIO_DISK), "<domain><os/><devices><disk type='file' device='disk'>"
        "<driver type='qcow2' io='native' cache='writeback' name='qemu'/><source file='/srv/a.qcow2'/>"
        "<target bus='virtio' dev='vda'/><address type='pci' domain='0x0000' bus='0x04' slot='0x00' "
        "function='0x0'/></disk></devices></domain>", NULL);
    guint left;
    char *text;

    ck_assert_uint_eq(none->len, 0);
    ck_assert_uint_eq(cache->len, 1);
    /* Undone already by someone else: the values are the old ones. */
    for (guint i = 0; i < changes->len; i++) {
        struct change *change = changes->pdata[i];

        if (g_strcmp0(change->disk, "vda") == 0) {
            g_free(change->disk);
            change->disk = g_strdup("hda");
        }
    }
    text = revert(before, changes, &left);
    ck_assert_str_eq(text, before);
    ck_assert_uint_eq(left, 0);
    free(text);
}
END_TEST

START_TEST(what_is_not_ours_any_more_is_left)
{
    const char *before = DOMAIN(BOOT_HD, IDE_DISK);
    g_autoptr(GPtrArray) changes = changes_of(before, DOMAIN(BOOT_HD, VIRTIO_DISK));
    g_autofree char *theirs = g_strdup(DOMAIN(BOOT_HD, VIRTIO_DISK));
    char *cache = strstr(theirs, "'none'");
    guint left;
    char *text;

    memcpy(cache, "'zero'", 6);
    text = revert(theirs, changes, &left);
    ck_assert_uint_eq(left, 1);
    ck_assert_ptr_nonnull(strstr(text, "cache='zero'"));
    ck_assert_ptr_nonnull(strstr(text, "bus='ide'"));
    ck_assert_ptr_null(strstr(text, "io='native'"));
    free(text);
}
END_TEST

START_TEST(a_disk_that_is_gone_is_left)
{
    g_autoptr(GPtrArray) changes =
        changes_of(DOMAIN(BOOT_HD, IDE_DISK), DOMAIN(BOOT_HD, VIRTIO_DISK));
    const char *now = DOMAIN(BOOT_HD, "");
    guint left;
    char *text = revert(now, changes, &left);

    ck_assert_str_eq(text, now);
    ck_assert_uint_eq(left, changes->len);
    free(text);
}
END_TEST

static guint
differences(const char *before, const char *after, gboolean boot)
{
    static const char *const edited[] = { "hda", "vda", NULL };
    g_autoptr(domxml_doc) old = parse(before);
    g_autoptr(domxml_doc) new = parse(after);
    g_autoptr(GPtrArray) list = canonical_compare(old, new, edited, boot);

    return list->len;
}

#define NIC "    <interface type='network'><source network='a'/></interface>\n"
#define CDROM "    <disk type='file' device='cdrom'><target dev='hdc' bus='ide'/></disk>\n"
#define ROOT_PORT(index, port) "    <controller type='pci' index='" index \
    "' model='pcie-root-port'><target chassis='" index "' port='" port "'/></controller>\n"

START_TEST(only_what_was_edited_may_differ)
{
    const char *before = DOMAIN(BOOT_HD, IDE_DISK NIC CDROM ROOT_PORT("1", "0x8"));

    ck_assert_uint_eq(differences(before, DOMAIN(BOOT_HD, VIRTIO_DISK NIC CDROM ROOT_PORT("1", "0x8")),
                                  FALSE), 0);
    /* libvirt's own doing: order, ports, new controllers. */
    ck_assert_uint_eq(differences(before, DOMAIN(BOOT_HD, ROOT_PORT("2", "0x9") ROOT_PORT("1", "0x10")
                                                 CDROM NIC VIRTIO_DISK), FALSE), 0);
    /* A device lost, another disk changed, <os> changed unasked. */
    ck_assert_uint_eq(differences(before, DOMAIN(BOOT_HD, VIRTIO_DISK CDROM ROOT_PORT("1", "0x8")),
                                  FALSE), 1);
    ck_assert_uint_eq(differences(before, DOMAIN(BOOT_HD, VIRTIO_DISK NIC ROOT_PORT("1", "0x8")),
                                  FALSE), 1);
    ck_assert_uint_eq(differences(before, DOMAIN(BOOT_HD, VIRTIO_DISK NIC CDROM), FALSE), 1);
    ck_assert_uint_eq(differences(before, DOMAIN("", VIRTIO_DISK NIC CDROM ROOT_PORT("1", "0x8")),
                                  FALSE), 2);
    ck_assert_uint_eq(differences(before, DOMAIN("", VIRTIO_DISK NIC CDROM ROOT_PORT("1", "0x8")),
                                  TRUE), 0);
}
END_TEST

START_TEST(a_difference_tells_no_secret)
{
    static const char *const none[] = { NULL };
    g_autoptr(domxml_doc) old = parse(DOMAIN("", "<graphics type='vnc' passwd='sekret'/>"));
    g_autoptr(domxml_doc) new = parse(DOMAIN("", "<graphics type='vnc'/>"));
    g_autoptr(GPtrArray) list = canonical_compare(old, new, none, FALSE);

    ck_assert_uint_eq(list->len, 2);
    for (guint i = 0; i < list->len; i++)
        ck_assert_ptr_null(strstr(list->pdata[i], "sekret"));
}
END_TEST

START_TEST(canonical_forms)
{
    g_autoptr(domxml_doc) doc = parse("<disk b='2' a='&lt;\"'><!-- x --><c/>\n  <d>\n t<![CDATA[&]]></d></disk>");
    g_autofree char *text = canonical_elem(domxml_doc_root(doc));

    ck_assert_str_eq(text, "<disk a=\"&lt;&quot;\" b=\"2\"><c></c><d>t&amp;</d></disk>");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("change");
    TCase *tcase = tcase_create("change");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, a_bus_change_is_taken_back);
    tcase_add_test(tcase, the_same_again_is_no_change);
    tcase_add_test(tcase, what_is_not_ours_any_more_is_left);
    tcase_add_test(tcase, a_disk_that_is_gone_is_left);
    tcase_add_test(tcase, only_what_was_edited_may_differ);
    tcase_add_test(tcase, a_difference_tells_no_secret);
    tcase_add_test(tcase, canonical_forms);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
