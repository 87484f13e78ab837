/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * allocator.c: allocation functions that fail when told to and count what is alive.
 */
#undef malloc
#undef calloc
#undef realloc
#undef free

#include "tests/allocator.h"

#include <stdlib.h>
#include <string.h>

/* A state of the process, since allocation functions have no argument to carry one. */
static struct {
    long countdown; /* allocations until one fails; negative: none does */
    bool for_good;
    bool failed;
    long live;
} memory = { -1, false, false, 0 };

static bool
fails(void)
{
    if (memory.countdown < 0)
        return false;
    if (memory.countdown > 0) {
        memory.countdown--;
        return false;
    }
    if (!memory.for_good)
        memory.countdown = -1;
    memory.failed = true;
    return true;
}

void *
allocator_malloc(size_t size)
{
    void *pointer = fails() ? NULL : malloc(size);

    memory.live += pointer != NULL;
    return pointer;
}

void *
allocator_calloc(size_t count, size_t size)
{
    void *pointer = fails() ? NULL : calloc(count, size);

    memory.live += pointer != NULL;
    return pointer;
}

void *
allocator_realloc(void *pointer, size_t size)
{
    bool is_new = !pointer;
    void *moved = fails() ? NULL : realloc(pointer, size);

    memory.live += moved && is_new;
    return moved;
}

void
allocator_free(void *pointer)
{
    memory.live -= pointer != NULL;
    free(pointer);
}

char *
allocator_strdup(const char *text)
{
    char *copy = allocator_malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

void
allocator_arm(long countdown, bool for_good)
{
    memory.countdown = countdown;
    memory.for_good = for_good;
    memory.failed = false;
}

bool
allocator_disarm(void)
{
    memory.countdown = -1;
    return memory.failed;
}

long
allocator_live(void)
{
    return memory.live;
}
