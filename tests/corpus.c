/* SPDX-License-Identifier: GPL-2.0-or-later */
/* corpus.c: the domain XML of libvirt's own tests, kept outside of the source tree. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/corpus.h"

const char *
corpus_folder(void)
{
    const char *folder = getenv("DOMLINT_CORPUS");

    return folder ? folder : SRCDIR "/../shared/corpus";
}

size_t
corpus_step(void)
{
    const char *step = getenv("DOMLINT_CORPUS_STEP");
    size_t number = step ? strtoul(step, NULL, 10) : 1;

    return number > 0 ? number : 1;
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add(struct corpus *corpus, const char *path)
{
    char **paths = realloc(corpus->paths, (corpus->count + 1) * sizeof(*paths));

    expect(paths != NULL, "no memory");
    corpus->paths = paths;
    corpus->paths[corpus->count] = strdup(path);
    expect(corpus->paths[corpus->count] != NULL, "no memory");
    corpus->count++;
}

void
corpus_find(struct corpus *corpus)
{
    char *folders[] = { strdup(corpus_folder()), NULL };
    FTS *fts = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;

    corpus->paths = NULL;
    corpus->count = 0;
    expect(fts != NULL, "cannot walk %s", folders[0]);
    while ((entry = fts_read(fts))) {
        if (entry->fts_info == FTS_F && entry->fts_pathlen > 4 &&
            strcmp(entry->fts_path + entry->fts_pathlen - 4, ".xml") == 0)
            add(corpus, entry->fts_path);
    }
    fts_close(fts);
    free(folders[0]);
    if (corpus->count > 0)
        qsort(corpus->paths, corpus->count, sizeof(*corpus->paths), by_path);
}

void
corpus_free(struct corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++)
        free(corpus->paths[i]);
    free(corpus->paths);
}

char *
corpus_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long size;

    expect(file != NULL, "cannot open %s", path);
    expect(fseek(file, 0, SEEK_END) == 0, "reading or writing failed");
    size = ftell(file);
    expect(size >= 0, "no size of %s", path);
    rewind(file);
    text = malloc((size_t)size + 1);
    expect(text != NULL, "no memory");
    expect(fread(text, 1, (size_t)size, file) == (size_t)size, "reading or writing failed");
    text[size] = '\0';
    fclose(file);
    *length = (size_t)size;
    return text;
}
