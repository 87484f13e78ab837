/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-memory.c: memory that runs out is an error, at whatever moment it does.
 *
 * The library is built into this program with test_malloc() for malloc() and so on; libxml2 is told
 * to use the same. The one allocation that is counted down to fails, and all behind it too or that
 * one alone.
 */
#include <check.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdomxml/domxml.h"

void *test_malloc(size_t size);
void *test_calloc(size_t count, size_t size);
void *test_realloc(void *pointer, size_t size);
char *test_strdup(const char *text);

/* The allocations that still succeed; an allocator has no argument to find it by. */
static struct {
    bool armed;
    bool once; /* only one fails */
    size_t left;
} shortage;

static bool
is_short(void)
{
    if (!shortage.armed)
        return false;
    if (shortage.left > 0) {
        shortage.left--;
        return false;
    }
    if (shortage.once)
        shortage.armed = false;
    return true;
}

void *
test_malloc(size_t size)
{
    return is_short() ? NULL : malloc(size);
}

void *
test_calloc(size_t count, size_t size)
{
    return is_short() ? NULL : calloc(count, size);
}

void *
test_realloc(void *pointer, size_t size)
{
    return is_short() ? NULL : realloc(pointer, size);
}

char *
test_strdup(const char *text)
{
    return is_short() ? NULL : strdup(text);
}

#define TEXT                                                                                       \
    "<domain type='kvm' xmlns:q='u'>\n  <os><type machine='pc'>hvm</type><boot dev='hd'/>"         \
    "<cmdline>root=/dev/hda1 a=&amp;</cmdline></os>\n  <devices>\n"                                \
    "    <disk type='network' device='disk'>\n      <source protocol='nbd' name='a'>\n"            \
    "        <host name='h'/>\n      </source>\n      <backingStore/>\n"                           \
    "      <target dev='hda' bus='ide'/>\n      <wwn>5</wwn>\n      <address type='drive'/>\n"     \
    "    </disk>\n    <disk type='file'>\n      <target dev='vda' bus='virtio'/>\n    </disk>\n"   \
    "  </devices>\n</domain>\n"

/* What a program does with the library, until something fails; the diff that comes out. */
static char *
work(struct domxml_error *error)
{
    static const struct domxml_attr file = { "file", "/srv/a & b.raw" };
    domxml_doc *doc = domxml_parse(TEXT, strlen(TEXT), error);
    const domxml_elem *disk = doc ? domxml_disk(doc, 0) : NULL;
    domxml_editor *editor = doc ? domxml_editor_new(doc, error) : NULL;
    domxml_edits *edits = NULL, *inverse = NULL, *both = NULL;
    char *changed = NULL, *diff = NULL;
    size_t length;

    if (editor && domxml_disk_set_cache(editor, disk, "none", "native", error) &&
        domxml_disk_set_format(editor, disk, "raw", error) &&
        domxml_disk_set_source(editor, disk, "file", &file, 1, error) &&
        domxml_disk_set_bus(editor, disk, "virtio", error) &&
        domxml_disk_set_bus(editor, domxml_disk(doc, 1), "scsi", error) &&
        domxml_disk_add(editor, "cdrom", "sata", "file", "raw", &file, 1, error) &&
        domxml_disk_set_queues(editor, disk, 4, error) &&
        domxml_metadata_set(editor, "urn:a", "a:b", "c", error) &&
        domxml_metadata_set(editor, "urn:a", "a:b", "d", error) &&
        domxml_disk_remove(editor, domxml_disk(doc, 1), error))
        edits = domxml_editor_finish(editor, error);
    if (edits)
        changed = domxml_edits_apply(edits, TEXT, strlen(TEXT), &length, &inverse, error);
    if (changed)
        both = domxml_edits_compose(edits, inverse, TEXT, strlen(TEXT), error);
    if (both)
        diff = domxml_edits_diff(edits, TEXT, strlen(TEXT), "a", "b", NULL, error);
    free(changed);
    domxml_edits_free(both);
    domxml_edits_free(inverse);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    return diff;
}

/* Each moment in turn, until there is enough for all. */
static void
run_out(bool once)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char *expected = work(&error), *diff = NULL;
    FILE *said = tmpfile();
    int err = dup(STDERR_FILENO);
    size_t failures = 0;

    ck_assert_ptr_nonnull(said);
    ck_assert_int_ge(dup2(fileno(said), STDERR_FILENO), 0);
    ck_assert_msg(expected != NULL, "%s", error.text);
    for (size_t left = 0; !diff; left++) {
        error = (struct domxml_error)DOMXML_ERROR_INIT;
        shortage.once = once;
        shortage.left = left;
        shortage.armed = true;
        diff = work(&error);
        /* A cache that somebody could do without may have gone without. */
        if (diff && (!shortage.armed || shortage.left == 0) && strcmp(diff, expected) == 0) {
            free(diff);
            diff = NULL;
        }
        shortage.armed = false;
        if (!diff && error.code != DOMXML_OK) {
            failures++;
            ck_assert_msg(error.code == DOMXML_ERR_NO_MEMORY, "after %zu: code %d, %s", left,
                          error.code, error.text);
        }
    }
    ck_assert_int_ge(dup2(err, STDERR_FILENO), 0);
    close(err);
    ck_assert_int_eq(fseek(said, 0, SEEK_END), 0);
    ck_assert_msg(ftell(said) == 0, "something was printed");
    fclose(said);
    ck_assert_str_eq(diff, expected);
    ck_assert_uint_gt(failures, 50);
    free(diff);
    free(expected);
}

START_TEST(no_memory_from_some_moment_on)
{
    run_out(false);
}
END_TEST

START_TEST(no_memory_at_one_moment)
{
    run_out(true);
}
END_TEST

/* What an operation that failed leaves behind is what was there before it. */
START_TEST(editor_is_as_it_was)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(TEXT, strlen(TEXT), &error);
    bool done = false;

    ck_assert_ptr_nonnull(doc);
    for (size_t left = 0; !done; left++) {
        domxml_editor *editor = domxml_editor_new(doc, &error);
        domxml_edits *edits;

        ck_assert_ptr_nonnull(editor);
        ck_assert(domxml_editor_set_attr(editor, domxml_disk(doc, 1), "kept", "1", &error));
        shortage.once = true;
        shortage.left = left;
        shortage.armed = true;
        done = domxml_disk_set_bus(editor, domxml_disk(doc, 0), "virtio", &error);
        shortage.armed = false;
        edits = domxml_editor_finish(editor, NULL);
        ck_assert_ptr_nonnull(edits);
        if (!done) {
            ck_assert_int_eq(error.code, DOMXML_ERR_NO_MEMORY);
            ck_assert_uint_eq(domxml_edits_count(edits), 1);
            ck_assert_uint_eq(domxml_editor_note_count(editor), 0);
        }
        error = (struct domxml_error)DOMXML_ERROR_INIT;
        domxml_edits_free(edits);
        domxml_editor_free(editor);
    }
    domxml_doc_free(doc);
}
END_TEST

static Suite *
memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tcase = tcase_create("shortage");

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, no_memory_from_some_moment_on);
    tcase_add_test(tcase, no_memory_at_one_moment);
    tcase_add_test(tcase, editor_is_as_it_was);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(memory_suite());
    int failed;

    if (xmlMemSetup(free, test_malloc, test_realloc, test_strdup) != 0)
        return EXIT_FAILURE;
    xmlInitParser();
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
