/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.c: memory that is freed all at once, and texts that grow.
 *
 * libxml2's xmlBuffer would do for the latter, but tells the process's error handler, and by
 * default standard error, when memory runs out.
 */
#include "libdomxml/internal.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

/* Blocks are linked from the newest, the one that is filled, to the oldest. */
struct dx_block {
    struct dx_block *older;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

enum { BLOCK_SIZE = 4000 };

void *
dx_arena_alloc(struct dx_arena *arena, size_t size)
{
    struct dx_block *block = arena->blocks;
    void *bytes;

    if (size > SIZE_MAX - sizeof(*block) - alignof(max_align_t))
        return NULL;
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

        block = malloc(sizeof(*block) + room);
        if (!block)
            return NULL;
        block->older = arena->blocks;
        block->used = 0;
        block->size = room;
        arena->blocks = block;
    }
    bytes = block->bytes + block->used;
    block->used += size;
    return bytes;
}

char *
dx_arena_copy(struct dx_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? dx_arena_alloc(arena, length + 1) : NULL;

    if (!copy)
        return NULL;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void
dx_arena_free(struct dx_arena *arena)
{
    while (arena->blocks) {
        struct dx_block *block = arena->blocks;

        arena->blocks = block->older;
        free(block);
    }
}

char *
dx_vformat(const char *format, va_list args)
{
    va_list again;
    int length;
    char *text;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    text = malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *
dx_format(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = dx_vformat(format, args);
    va_end(args);
    return text;
}

void
dx_buffer_add(struct dx_buffer *buffer, const char *text, size_t length)
{
    if (buffer->failed)
        return;
    if (length >= buffer->size - buffer->length) {
        size_t size = buffer->size;
        char *grown = NULL;

        if (length < SIZE_MAX / 4 && buffer->length < SIZE_MAX / 4) {
            while (size - buffer->length <= length)
                size = size ? size * 2 : 64;
            grown = realloc(buffer->text, size);
        }
        if (!grown) {
            buffer->failed = true;
            return;
        }
        buffer->text = grown;
        buffer->size = size;
    }
    if (length > 0)
        memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void
dx_buffer_add_string(struct dx_buffer *buffer, const char *text)
{
    dx_buffer_add(buffer, text, strlen(text));
}
