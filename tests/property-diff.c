/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property-diff.c: diffs, given to the programs that people give them to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/corpus.h"
#include "tests/expect.h"
#include "tests/property.h"

static void
write_file(const char *folder, const char *name, const char *text, size_t length)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "wb");
    expect(file != NULL, "cannot write %s", path);
    expect(fwrite(text, 1, length, file) == length && fclose(file) == 0, "cannot write %s", path);
}

/* Runs a shell command in @folder and returns its status. */
static int
run(const char *folder, const char *command)
{
    char line[512];

    snprintf(line, sizeof(line), "cd '%s' && { %s; } >log 2>&1", folder, command);
    return system(line);
}

static void
expect_file(const char *folder, const char *name, const char *text, size_t length,
            const char *program)
{
    char path[256];
    size_t found_length;
    char *found;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    found = corpus_read(path, &found_length);
    expect(found_length == length && memcmp(found, text, length) == 0,
           "%s gives another text in %s", program, folder);
    free(found);
}

/* Whether both programs are there. */
static bool
have_programs(void)
{
    return system("command -v patch >/dev/null 2>&1 && command -v git >/dev/null 2>&1") == 0;
}

/* Some changes all over the document. */
static domxml_edits *
make_edits(struct subject *subject, domxml_editor *editor)
{
    const domxml_elem *elem = domxml_doc_root(subject->doc);
    size_t gap = test_random_below(&subject->random, 12);

    expect(domxml_editor_set_attr(editor, elem, "changed", "1", NULL), "cannot set");
    elem = domxml_elem_child(elem, NULL);
    for (; elem; elem = domxml_elem_next(elem, NULL)) {
        if (gap-- > 0)
            continue;
        gap = test_random_below(&subject->random, 12);
        if (test_random_below(&subject->random, 3) == 0)
            expect(domxml_editor_remove(editor, elem, NULL), "cannot remove");
        else
            expect(domxml_editor_insert_child(editor, elem, "inserted", NULL, NULL) != NULL,
                   "cannot insert");
    }
    for (size_t i = 0; i < domxml_disk_count(subject->doc); i++)
        domxml_disk_set_cache(editor, domxml_disk(subject->doc, i), "none", NULL, NULL);
    return property_finish(editor);
}

static void
check_programs(const char *folder, const struct subject *subject, const char *diff,
               size_t diff_length, const char *changed, size_t changed_length)
{
    write_file(folder, "change.diff", diff, diff_length);
    write_file(folder, "vm.xml", subject->text, subject->length);
    expect(run(folder, "patch --binary -p1 -s -F0 <change.diff && test ! -e vm.xml.orig") == 0,
           "patch refuses %s/change.diff", folder);
    expect_file(folder, "vm.xml", changed, changed_length, "patch");
    write_file(folder, "vm.xml", subject->text, subject->length);
    expect(run(folder, "git apply --whitespace=nowarn -C3 change.diff") == 0,
           "git refuses %s/change.diff", folder);
    expect_file(folder, "vm.xml", changed, changed_length, "git apply");
}

void
property_diff(struct subject *subject)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    char folder[] = "/tmp/domxml-diff.XXXXXX";
    domxml_editor *editor = property_editor(subject->doc);
    domxml_edits *edits = make_edits(subject, editor);
    size_t changed_length, diff_length;
    char *changed = property_apply(edits, subject->text, subject->length, &changed_length);
    char *diff = domxml_edits_diff(edits, subject->text, subject->length, "a/vm.xml", "b/vm.xml",
                                   &diff_length, &error);

    expect(diff != NULL, "no diff: %s", error.text);
    if (diff_length > 0 && have_programs()) {
        expect(mkdtemp(folder) != NULL, "no folder");
        check_programs(folder, subject, diff, diff_length, changed, changed_length);
        expect(run(folder, "rm -f change.diff vm.xml log") == 0 && rmdir(folder) == 0,
               "cannot remove %s", folder);
    }
    free(diff);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
}
