/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-facts-file.c: facts from a facts file, and back.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "tests/disk-doc.h"
#include "tests/scratch.h"

static struct facts_source *
source_of(const scratch *s, const char *text)
{
    g_autofree char *path = scratch_path(s, "facts.ini");
    g_autoptr(GError) error = NULL;
    struct facts_source *source;

    scratch_write(s, "facts.ini", text, -1);
    source = facts_file_new(path, &error);
    ck_assert_msg(source != NULL, "%s", error ? error->message : "?");
    return source;
}

static const struct image_facts *
image_of(struct facts_source *source, const char *path)
{
    g_autoptr(domxml_doc) doc = disk_doc_for_path(path);

    /* The facts outlive the document. */
    return source->image(source, domxml_disk(doc, 0));
}

static const char all_keys[] =
    "[host]\nkernel=6.1.0-18-amd64\n"
    "[image /vm/a b.qcow2]\nstate=file\nformat=qcow2\nvirtual-size=10737418240\n"
    "file-size=10739318784\nallocated=10739318784\npreallocation=suspended\nmapped=1\n"
    "host-allocated=0.5\nversion=3\ncluster-size=65536\nsnapshots=2\nsnapshot-names=one;two;\n"
    "backing-file=base.qcow2\nbacking-format=raw\ndata-file=d.raw\nchain-missing=/vm/base.qcow2\n"
    "encrypted=true\ndirty=true\ncorrupt=true\nbitmaps=true\ndirect-io=no\n"
    "direct-io-reason=refused\nbtrfs-checksums=yes\n";

static void
assert_all_keys(struct facts_source *source)
{
    const struct image_facts *facts = image_of(source, "/vm/a b.qcow2");

    ck_assert_str_eq(source->host(source)->kernel, "6.1.0-18-amd64");
    ck_assert_str_eq(facts->path, "/vm/a b.qcow2");
    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_ptr_null(facts->unknown);
    ck_assert_str_eq(facts->format, "qcow2");
    ck_assert_uint_eq(facts->virtual_size, 10737418240);
    ck_assert_uint_eq(facts->file_size, 10739318784);
    ck_assert_uint_eq(facts->allocated, 10739318784);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_SUSPENDED);
    ck_assert_double_eq(facts->mapped, 1);
    ck_assert_double_eq(facts->host_allocated, 0.5);
    ck_assert_uint_eq(facts->version, 3);
    ck_assert_uint_eq(facts->cluster_size, 65536);
    ck_assert_uint_eq(facts->snapshots, 2);
    ck_assert_uint_eq(g_strv_length(facts->snapshot_names), 2);
    ck_assert_str_eq(facts->snapshot_names[1], "two");
    ck_assert_str_eq(facts->backing_file, "base.qcow2");
    ck_assert_str_eq(facts->backing_format, "raw");
    ck_assert_str_eq(facts->data_file, "d.raw");
    ck_assert_str_eq(facts->chain_missing, "/vm/base.qcow2");
    ck_assert(facts->encrypted);
    ck_assert(facts->dirty);
    ck_assert(facts->corrupt);
    ck_assert(facts->bitmaps);
    ck_assert_int_eq(facts->direct_io, FACT_NO);
    ck_assert_str_eq(facts->direct_io_reason, "refused");
    ck_assert_int_eq(facts->btrfs_checksums, FACT_YES);
}

START_TEST(every_key)
{
    g_auto(scratch) s = scratch_new();
    struct facts_source *source = source_of(&s, all_keys);

    assert_all_keys(source);
    facts_source_free(source);
}
END_TEST

/* What is written is read as the same facts, and written again as the same text. */
START_TEST(round_trip)
{
    g_auto(scratch) s = scratch_new();
    struct facts_source *source = source_of(&s, all_keys), *again;
    g_autoptr(GPtrArray) images = g_ptr_array_new();
    g_autofree char *text = NULL, *text_again = NULL;

    g_ptr_array_add(images, (void *)image_of(source, "/vm/a b.qcow2"));
    text = facts_file_to_data(images, source->host(source));
    again = source_of(&s, text);
    assert_all_keys(again);
    g_ptr_array_set_size(images, 0);
    g_ptr_array_add(images, (void *)image_of(again, "/vm/a b.qcow2"));
    text_again = facts_file_to_data(images, again->host(again));
    ck_assert_str_eq(text, text_again);
    facts_source_free(source);
    facts_source_free(again);
}
END_TEST

/* Paths that a group's name cannot hold as they are. */
START_TEST(odd_paths)
{
    static const char *const paths[] = { "/vm/[a].img", "/vm/100%25.img", "/vm/%41%", "/vm/ä b",
                                         "/vm/a\tb" };
    g_auto(scratch) s = scratch_new();
    g_autoptr(GPtrArray) images =
        g_ptr_array_new_with_free_func((GDestroyNotify)image_facts_free);
    g_autofree char *text = NULL;
    struct facts_source *source;

    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        struct image_facts *facts = image_facts_new(paths[i], IMAGE_FILE);

        facts->virtual_size = i + 1;
        g_ptr_array_add(images, facts);
    }
    text = facts_file_to_data(images, NULL);
    source = source_of(&s, text);
    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *escaped = g_markup_escape_text(paths[i], -1);
        const struct image_facts *facts;

        /* A tab in an attribute is a space, unless it is a character reference. */
        if (strchr(paths[i], '\t')) {
            g_free(escaped);
            escaped = g_strdup("/vm/a&#9;b");
        }
        facts = image_of(source, escaped);
        ck_assert_msg(facts->virtual_size == i + 1, "%s", paths[i]);
        ck_assert_str_eq(facts->path, paths[i]);
    }
    facts_source_free(source);
}
END_TEST

START_TEST(defaults)
{
    g_auto(scratch) s = scratch_new();
    struct facts_source *source =
        source_of(&s, "[image /vm/a]\n[image /vm/m]\npreallocation=metadata\n"
                      "[image /vm/f]\npreallocation=full\ndirect-io=no\n"
                      "[image /vm/p]\npreallocation=off\nmapped=0.25\ndirect-io=yes\n"
                      "[image /vm/u]\nstate=unknown\n[image /vm/e]\nstate=elsewhere\n");
    const struct image_facts *facts = image_of(source, "/vm/a");

    ck_assert_int_eq(facts->state, IMAGE_FILE);
    ck_assert_int_eq(facts->preallocation, PREALLOCATION_UNKNOWN);
    ck_assert_str_eq(facts->preallocation_unknown, "the facts file does not say");
    ck_assert_int_eq(facts->direct_io, FACT_UNKNOWN);
    ck_assert_str_eq(facts->direct_io_reason, "the facts file does not say");
    facts = image_of(source, "/vm/m");
    ck_assert_double_eq(facts->mapped, 1);
    ck_assert_double_eq(facts->host_allocated, 0);
    ck_assert_ptr_null(facts->preallocation_unknown);
    facts = image_of(source, "/vm/f");
    ck_assert_double_eq(facts->host_allocated, 1);
    ck_assert_ptr_nonnull(facts->direct_io_reason);
    facts = image_of(source, "/vm/p");
    ck_assert_double_eq(facts->mapped, 0.25);
    ck_assert_ptr_null(facts->direct_io_reason);
    ck_assert_str_eq(image_of(source, "/vm/u")->unknown, "the facts file does not say");
    ck_assert_str_eq(image_of(source, "/vm/e")->unknown, "no such file on this host");
    /* Not named at all. */
    facts = image_of(source, "/vm/nowhere");
    ck_assert_int_eq(facts->state, IMAGE_ELSEWHERE);
    ck_assert_str_eq(facts->unknown, "no such file on this host");
    ck_assert_str_eq(facts->path, "/vm/nowhere");
    ck_assert_ptr_eq(facts, image_of(source, "/vm/nowhere"));
    ck_assert_ptr_null(source->host(source)->kernel);
    facts_source_free(source);
}
END_TEST

/* Disks without an image that could be looked at. */
START_TEST(without_path)
{
    static const struct {
        const char *type, *source;
        enum image_state state;
        gboolean reason;
    } disks[] = {
        { "type='file'", "", IMAGE_NONE, FALSE },
        { "type='network'", "<source protocol='rbd' name='a/b'/>", IMAGE_NONE, FALSE },
        { "type='file'", "<source file='{{ x }}'/>", IMAGE_TEMPLATE, FALSE },
        { "type='file'", "<source file='a'/>", IMAGE_UNKNOWN, TRUE },
        { "type='volume'", "<source pool='p' volume='v'/>", IMAGE_UNKNOWN, TRUE },
    };
    g_auto(scratch) s = scratch_new();
    struct facts_source *source = source_of(&s, "");

    for (gsize i = 0; i < G_N_ELEMENTS(disks); i++) {
        g_autoptr(domxml_doc) doc = disk_doc(disks[i].type, disks[i].source);
        const struct image_facts *facts = source->image(source, domxml_disk(doc, 0));

        ck_assert_int_eq(facts->state, disks[i].state);
        ck_assert_int_eq(facts->unknown != NULL, disks[i].reason);
        ck_assert_ptr_null(facts->path);
        ck_assert_ptr_eq(facts, source->image(source, domxml_disk(doc, 0)));
    }
    facts_source_free(source);
}
END_TEST

static const struct {
    const char *text;
    const char *group, *key; /* that the message must name */
} wrong[] = {
    { "[imagine /a]\nformat=raw\n", "[imagine /a]", "" },
    { "[image]\nformat=raw\n", "[image]", "" },
    { "[image /a]\nformaat=raw\n", "[image /a]", "'formaat'" },
    { "[image /a]\npath=/b\n", "[image /a]", "'path'" },
    { "[image /a]\nvirtual_size=1\n", "[image /a]", "'virtual_size'" },
    { "[image /a]\nstate=here\n", "[image /a]", "'state'" },
    { "[image /a]\npreallocation=partly\n", "[image /a]", "'preallocation'" },
    { "[image /a]\ndirect-io=maybe\n", "[image /a]", "'direct-io'" },
    { "[image /a]\ndirect-io=true\n", "[image /a]", "'direct-io'" },
    { "[image /a]\nvirtual-size=10G\n", "[image /a]", "'virtual-size'" },
    { "[image /a]\nvirtual-size=-1\n", "[image /a]", "'virtual-size'" },
    { "[image /a]\nvirtual-size=\n", "[image /a]", "'virtual-size'" },
    { "[image /a]\ncluster-size=4294967296\n", "[image /a]", "'cluster-size'" },
    { "[image /a]\nmapped=1.5\n", "[image /a]", "'mapped'" },
    { "[image /a]\nmapped=nan\n", "[image /a]", "'mapped'" },
    { "[image /a]\nmapped=much\n", "[image /a]", "'mapped'" },
    { "[image /a]\ncorrupt=perhaps\n", "[image /a]", "'corrupt'" },
    { "[host]\nkernal=6\n", "[host]", "'kernal'" },
    { "format=raw\n", "", "" },
};

START_TEST(wrong_file)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "facts.ini");
    g_autoptr(GError) error = NULL;

    scratch_write(&s, "facts.ini", wrong[_i].text, -1);
    ck_assert_ptr_null(facts_file_new(path, &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error->message, "facts.ini") && strstr(error->message, wrong[_i].group) &&
                      strstr(error->message, wrong[_i].key),
                  "%s", error->message);
}
END_TEST

START_TEST(missing_file)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(facts_file_new("/nowhere/facts.ini", &error));
    ck_assert_ptr_nonnull(error);
    ck_assert_ptr_nonnull(strstr(error->message, "/nowhere/facts.ini"));
}
END_TEST

START_TEST(names)
{
    for (int i = 0; preallocation_name(i); i++)
        ck_assert_int_eq(preallocation_from_name(preallocation_name(i)), i);
    for (int i = 0; image_state_name(i); i++)
        ck_assert_int_eq(image_state_from_name(image_state_name(i)), i);
    for (int i = 0; fact_answer_name(i); i++)
        ck_assert_int_eq(fact_answer_from_name(fact_answer_name(i)), i);
    ck_assert_str_eq(preallocation_name(PREALLOCATION_HOST), "host");
    ck_assert_str_eq(image_state_name(IMAGE_BLOCK), "block");
    ck_assert_int_eq(preallocation_from_name("Off"), -1);
    ck_assert_int_eq(preallocation_from_name(NULL), -1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("facts-file");
    TCase *tcase = tcase_create("facts-file");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, every_key);
    tcase_add_test(tcase, round_trip);
    tcase_add_test(tcase, odd_paths);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, without_path);
    tcase_add_loop_test(tcase, wrong_file, 0, G_N_ELEMENTS(wrong));
    tcase_add_test(tcase, missing_file);
    tcase_add_test(tcase, names);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
