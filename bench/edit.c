/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit.c: times one edit by libdomxml (parse, change a cache mode, print) against libxml2's bare parsing of
 * the same text, in turns, and prints a line "nanoseconds-of-ours nanoseconds-of-libxml2" for each turn.
 *
 * Usage: edit FILE TURNS REPEATS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <glib.h>
#include <libxml/parser.h>

#include "libdomxml/domxml.h"

static int64_t
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static gboolean
edit_once(const char *text, gsize length)
{
    domxml_doc *doc = domxml_parse(text, length, NULL);
    domxml_editor *editor = doc ? domxml_editor_new(doc, NULL) : NULL;
    domxml_edits *edits = NULL;
    char *changed = NULL;
    gsize changed_length = 0;
    gboolean ok;

    if (editor && domxml_disk_set_cache(editor, domxml_disk(doc, 0), "none", NULL, NULL))
        edits = domxml_editor_finish(editor, NULL);
    if (edits)
        changed = domxml_edits_apply(edits, text, length, &changed_length, NULL, NULL);
    ok = changed && changed_length != length;
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(editor);
    domxml_doc_free(doc);
    return ok;
}

static gboolean
parse_once(const char *text, gsize length)
{
    xmlDoc *doc = xmlReadMemory(text, (int)length, NULL, NULL, XML_PARSE_NONET);
    gboolean ok = doc != NULL;

    xmlFreeDoc(doc);
    return ok;
}

/* The time of @repeats calls, or -1 where one failed. */
static int64_t
time_of(gboolean (*work)(const char *, gsize), const char *text, gsize length, long repeats)
{
    int64_t start = now();

    for (long i = 0; i < repeats; i++) {
        if (!work(text, length))
            return -1;
    }
    return now() - start;
}

int
main(int argc, char **argv)
{
    g_autofree char *text = NULL;
    gsize length;
    long turns, repeats;

    if (argc != 4 || (turns = atol(argv[2])) < 1 || (repeats = atol(argv[3])) < 1) {
        fprintf(stderr, "usage: %s FILE TURNS REPEATS\n", argv[0]);
        return 2;
    }
    if (!g_file_get_contents(argv[1], &text, &length, NULL)) {
        fprintf(stderr, "%s: cannot read it\n", argv[1]);
        return 1;
    }
    for (long turn = 0; turn < turns; turn++) {
        int64_t ours = time_of(edit_once, text, length, repeats);
        int64_t theirs = time_of(parse_once, text, length, repeats);

        if (ours < 0 || theirs < 0) {
            fprintf(stderr, "%s: %s failed on it\n", argv[1], ours < 0 ? "the edit" : "libxml2");
            return 1;
        }
        printf("%lld %lld\n", (long long)(ours / repeats), (long long)(theirs / repeats));
    }
    return 0;
}
