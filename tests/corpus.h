/* SPDX-License-Identifier: GPL-2.0-or-later */
/* corpus.h: the domain XML of libvirt's own tests, kept outside of the source tree. */
#ifndef TEST_CORPUS_H
#define TEST_CORPUS_H

#include <stddef.h>

/* The files, by name. */
struct corpus {
    char **paths;
    size_t count;
};

/* Finds all *.xml below $DOMLINT_CORPUS, or below ../shared/corpus beside the source tree. None
 * where there is no such folder. */
void corpus_find(struct corpus *corpus);
void corpus_free(struct corpus *corpus);

/* The folder that corpus_find() looks into. */
const char *corpus_folder(void);

/* One file in how many is to be tried: $DOMLINT_CORPUS_STEP, else 1. Under valgrind 20 will do. */
size_t corpus_step(void);

/* A file's bytes, and a NUL behind them, to be freed with free(). */
char *corpus_read(const char *path, size_t *length);

#endif
