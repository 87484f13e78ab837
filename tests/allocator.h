/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * allocator.h: allocation functions that fail when told to and count what is alive.
 *
 * tests/libdomxml-test.la is the library built so that malloc() is allocator_malloc() and so on (by
 * -Dmalloc=allocator_malloc ...); libxml2 takes them by xmlMemSetup(). The rest of the process is
 * left alone. This works under valgrind and the sanitizers, too.
 */
#ifndef TEST_ALLOCATOR_H
#define TEST_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

void *allocator_malloc(size_t size);
void *allocator_calloc(size_t count, size_t size);
void *allocator_realloc(void *pointer, size_t size);
void allocator_free(void *pointer);
char *allocator_strdup(const char *text);

/* Lets the allocation number @countdown from now (0: the next one) fail, and all that follow, too,
 * where @for_good. */
void allocator_arm(long countdown, bool for_good);

/* Lets none fail any more. Returns whether one did since allocator_arm(). */
bool allocator_disarm(void);

/* How many blocks are alive. */
long allocator_live(void);

#endif
