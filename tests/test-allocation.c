/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-allocation.c: each allocation fails once: that is an error, never an abort, a leak, a
 * shorter document or a half-done operation.
 */
#include "libdomxml/internal.h"
#include "tests/allocator.h"

#include <check.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <string.h>

static const char text[] =
    "<?xml version='1.0'?>\n"
    "<!-- a comment -->\n"
    "<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
    "  <name>a&lt;b &amp; c<![CDATA[ d ]]></name>\n"
    "  <devices>\n"
    "    <disk type='file' device='disk'>\n"
    "      <driver name='qemu' type='qcow2' cache='writethrough'/>\n"
    "      <source file='/srv/a&amp;b.qcow2&#10;' x='&lt;a rather long value, so that buffers "
    "grow: "
    "0123456789012345678901234567890123456789012345678901234567890123456789&gt;'/>\n"
    "      <target dev='hda' bus='ide'/>\n"
    "      <address type='drive'/>\n"
    "    </disk>\n"
    "  </devices>\n"
    "  <qemu:commandline><qemu:arg value='-x'/></qemu:commandline>\n"
    "</domain>\n";

static const char changed_text[] =
    "<?xml version='1.0'?>\n"
    "<!-- a comment -->\n"
    "<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
    "  <name>new &amp; name</name>\n"
    "  <devices>\n"
    "    <disk type='file' device='disk'>\n"
    "      <driver name='qemu' type='qcow2' cache='none' io='native'/>\n"
    "      <source file='/srv/a&amp;b.qcow2&#10;' x='&lt;a rather long value, so that buffers "
    "grow: "
    "0123456789012345678901234567890123456789012345678901234567890123456789&gt;'/>\n"
    "      <target dev='hda'/>\n"
    "      <new>\n"
    "        <inner/>\n"
    "      </new>\n"
    "    </disk>\n"
    "  </devices>\n"
    "  <qemu:commandline><qemu:arg value='-x'/></qemu:commandline>\n"
    "</domain>\n";

/* ---- Parsing ------------------------------------------------------------------------------ */

/* Parses with the allocation number @countdown failing; whether it was reached. */
static bool
parse_failing(const char *source, enum domxml_code otherwise, long countdown, bool for_good)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    long live = allocator_live();
    domxml_doc *doc;
    bool failed;

    allocator_arm(countdown, for_good);
    doc = domxml_parse(source, strlen(source), &error);
    failed = allocator_disarm();
    ck_assert((doc != NULL) == (error.code == DOMXML_OK));
    ck_assert_msg(error.code == otherwise ||
                      (failed && error.code == DOMXML_ERR_NO_MEMORY),
                  "allocation %ld: code %d: %s", countdown, error.code, error.text);
    if (doc)
        ck_assert_uint_eq(domxml_disk_count(doc), 1);
    domxml_doc_free(doc);
    xmlResetLastError(); /* libxml2 keeps its own message for who may ask for it */
    ck_assert_msg(allocator_live() == live, "allocation %ld: %ld leaked", countdown,
                  allocator_live() - live);
    return failed;
}

static void
ignore(void *data, const char *format, ...)
{
    (void)data;
    (void)format;
}

/* What libxml2 allocates once for a process is not ours; nor is what it tells the process's handler
 * when memory runs out in functions that know no parser (it has no other way to tell it). */
static void
warm_up(void)
{
    xmlSetGenericErrorFunc(NULL, ignore);
    domxml_doc_free(domxml_parse(text, strlen(text), NULL));
    domxml_doc_free(domxml_parse("<domain>&x;<a></b>", 18, NULL));
    xmlResetLastError();
}

START_TEST(test_parse)
{
    bool for_good = _i % 2;

    warm_up();
    for (long i = 0; parse_failing(text, DOMXML_OK, i, for_good); i++)
        ck_assert_int_lt(i, 10000);
}
END_TEST

START_TEST(test_parse_what_is_not_well_formed)
{
    static const char *const sources[] = {"<domain><a></b></domain>", "<domain>&x;</domain>",
                                          "<domain a='1' a='1'/>"};

    warm_up();
    for (size_t i = 0; i < 3; i++)
        for (long k = 0; parse_failing(sources[i], DOMXML_ERR_NOT_WELL_FORMED, k, _i % 2); k++)
            ck_assert_int_lt(k, 10000);
}
END_TEST

/* ---- Editing ------------------------------------------------------------------------------ */

/* Operation number @index; whether there is one. */
static bool
operate(domxml_editor *editor, int index, bool *done, struct domxml_error *error)
{
    const domxml_elem *root = domxml_doc_root(dx_editor_doc(editor));
    const domxml_elem *disk = domxml_disk(dx_editor_doc(editor), 0);
    const domxml_elem *driver = domxml_find(disk, "driver");

    switch (index) {
    case 0:
        *done = domxml_editor_set_attr(editor, driver, "cache", "none", error);
        return true;
    case 1:
        *done = domxml_editor_set_attr(editor, driver, "io", "native", error);
        return true;
    case 2:
        *done = domxml_editor_remove(editor, domxml_find(disk, "address"), error);
        return true;
    case 3:
        *done = domxml_editor_insert_child(editor, disk, "new", NULL, error) != NULL;
        return true;
    case 4:
        *done = domxml_editor_insert_child(editor, domxml_editor_find(editor, disk, "new"), "inner",
                                           NULL, error) != NULL;
        return true;
    case 5:
        *done = domxml_editor_set_text(editor, domxml_find(root, "name"), "new & name", error);
        return true;
    case 6:
        *done = dx_editor_note(editor, error, "a note about %s", "hda");
        return true;
    case 7:
        *done = domxml_editor_set_attr(editor, domxml_find(disk, "target"), "bus", NULL, error);
        return true;
    default:
        return false;
    }
}

/* All operations; one that fails is tried again and must then hold. Which allocation failed: */
static bool
edit_failing(const domxml_doc *doc, long countdown)
{
    long live = allocator_live();
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_edits *edits, *inverse = NULL, *both = NULL;
    domxml_editor *editor;
    char *changed, *diff;
    size_t length;
    bool done, failed;

    allocator_arm(countdown, false);
    editor = domxml_editor_new(doc, &error);
    if (!editor)
        editor = domxml_editor_new(doc, NULL);
    for (int i = 0; operate(editor, i, &done, &error); i++) {
        if (!done) {
            ck_assert_int_eq(error.code, DOMXML_ERR_NO_MEMORY);
            error.code = DOMXML_OK;
            ck_assert(operate(editor, i, &done, &error) && done);
        }
    }
    ck_assert_uint_eq(domxml_editor_note_count(editor), 1);
    edits = domxml_editor_finish(editor, &error);
    if (!edits)
        edits = domxml_editor_finish(editor, NULL);
    changed = domxml_edits_apply(edits, text, strlen(text), &length, &inverse, &error);
    if (!changed) {
        ck_assert_ptr_null(inverse);
        changed = domxml_edits_apply(edits, text, strlen(text), &length, &inverse, NULL);
    }
    ck_assert_str_eq(changed, changed_text);
    both = domxml_edits_compose(edits, inverse, text, strlen(text), &error);
    if (!both)
        both = domxml_edits_compose(edits, inverse, text, strlen(text), NULL);
    ck_assert_uint_eq(domxml_edits_count(both), 0);
    if (!domxml_edits_merge(both, edits, &error))
        ck_assert(domxml_edits_merge(both, edits, NULL));
    ck_assert_uint_eq(domxml_edits_count(both), domxml_edits_count(edits));
    diff = domxml_edits_diff(both, text, strlen(text), "a", "b", NULL, &error);
    if (!diff)
        diff = domxml_edits_diff(both, text, strlen(text), "a", "b", NULL, NULL);
    ck_assert_ptr_nonnull(strstr(diff, "+        <inner/>\n"));
    failed = allocator_disarm();
    ck_assert(error.code == DOMXML_OK || error.code == DOMXML_ERR_NO_MEMORY);
    free(changed);
    free(diff);
    domxml_edits_free(edits);
    domxml_edits_free(inverse);
    domxml_edits_free(both);
    domxml_editor_free(editor);
    ck_assert_msg(allocator_live() == live, "allocation %ld: %ld leaked", countdown,
                  allocator_live() - live);
    return failed;
}

START_TEST(test_edit)
{
    domxml_doc *doc;

    warm_up();
    doc = domxml_parse(text, strlen(text), NULL);
    for (long i = 0; edit_failing(doc, i); i++)
        ck_assert_int_lt(i, 10000);
    domxml_doc_free(doc);
}
END_TEST

START_TEST(test_rollback)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), NULL);
    domxml_editor *editor = domxml_editor_new(doc, NULL);
    domxml_edits *edits;
    size_t mark;
    bool done;

    ck_assert(operate(editor, 0, &done, &error));
    mark = dx_editor_mark(editor);
    for (int i = 1; operate(editor, i, &done, &error); i++)
        ck_assert(done);
    dx_editor_rollback(editor, mark);
    ck_assert_uint_eq(domxml_editor_note_count(editor), 0);
    ck_assert_ptr_null(domxml_editor_find(editor, domxml_disk(doc, 0), "new"));
    ck_assert_ptr_nonnull(domxml_editor_find(editor, domxml_disk(doc, 0), "address"));
    ck_assert_str_eq(domxml_editor_get(editor, domxml_doc_root(doc), "name"), "a<b & c d ");
    edits = domxml_editor_finish(editor, NULL);
    ck_assert_uint_eq(domxml_edits_count(edits), 1);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("allocation");
    TCase *tcase = tcase_create("allocation");
    SRunner *runner;
    int failed;

    if (xmlMemSetup(allocator_free, allocator_malloc, allocator_realloc, allocator_strdup) != 0)
        return EXIT_FAILURE;
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_parse, 0, 2);
    tcase_add_loop_test(tcase, test_parse_what_is_not_well_formed, 0, 2);
    tcase_add_test(tcase, test_edit);
    tcase_add_test(tcase, test_rollback);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
