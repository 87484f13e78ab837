/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff.c: a unified diff straight from edits, without comparing the texts as a whole.
 *
 * Each edit is widened to whole lines, a block: these lines of the old text give way to those of
 * the new one. Blocks are then made as small as `diff -u` makes them: lines that a block begins or
 * ends with on both sides are no change, and lines that are only added or only removed slide down
 * as far as they can. Lines end with LF; CR is a byte like others.
 */
#include "libdomxml/internal.h"

#include <stdio.h>
#include <string.h>

enum { CONTEXT = 3 };

/* A text, by offsets of line starts. */
struct side {
    const char *text;
    size_t length;
};

/* Lines of the old text, and what they become in the new one. */
struct block {
    size_t old_start, old_end;
    size_t new_start, new_end;
};

struct differ {
    struct side old, new;
    struct block *blocks;
    size_t count;
    struct dx_buffer out;
    size_t old_at, old_line; /* an offset, and the number of the line that starts there */
    size_t new_at, new_line;
};

/* The start of the line behind the one that @at is in, or the end of the text. */
static size_t
line_end(const struct side *side, size_t at)
{
    const char *found = at < side->length ? memchr(side->text + at, '\n', side->length - at) : NULL;

    return found ? (size_t)(found - side->text) + 1 : side->length;
}

/* The start of the line that @at is in. */
static size_t
line_start(const struct side *side, size_t at)
{
    const char *found = at > 0 ? memrchr(side->text, '\n', at) : NULL;

    return found ? (size_t)(found - side->text) + 1 : 0;
}

static size_t
line_before(const struct side *side, size_t at)
{
    return at > 0 ? line_start(side, at - 1) : 0;
}

static bool
at_line_start(const struct side *side, size_t at)
{
    return at == 0 || side->text[at - 1] == '\n';
}

/* Whether the lines that start at these offsets are equal. */
static bool
same_line(const struct side *one, size_t one_at, const struct side *two, size_t two_at)
{
    size_t one_length = line_end(one, one_at) - one_at, two_length = line_end(two, two_at) - two_at;

    return one_length == two_length &&
        memcmp(one->text + one_at, two->text + two_at, one_length) == 0;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Widens each edit to whole lines; edits on one line, and on lines that touch, are one block. */
static void
find_blocks(struct differ *diff, const domxml_edits *edits)
{
    size_t grown = 0;    /* by how much the new text is ahead of the old one; wraps below 0 */
    size_t line_stop = 0; /* the end of the line that the last edit ends on */

    for (size_t i = 0; i < edits->count; i++) {
        const struct domxml_edit *edit = &edits->items[i];
        struct block *last = diff->count > 0 ? &diff->blocks[diff->count - 1] : NULL;
        size_t end = edit->offset + edit->length;
        struct block block = { .old_end = end, .new_end = end + grown };

        block.new_end += edit->text_length - edit->length;
        if (!at_line_start(&diff->old, end) || !at_line_start(&diff->new, block.new_end)) {
            if (end >= line_stop)
                line_stop = line_end(&diff->old, end);
            block.old_end = line_stop;
            block.new_end += line_stop - end;
        }
        if (!last || edit->offset > last->old_end) {
            block.old_start = line_start(&diff->old, edit->offset);
            block.new_start = block.old_start + grown;
        }
        if (last && (edit->offset <= last->old_end || block.old_start <= last->old_end)) {
            block.old_start = last->old_start;
            block.new_start = last->new_start;
            diff->count--;
        }
        diff->blocks[diff->count++] = block;
        grown += edit->text_length - edit->length;
    }
}

/* Takes lines off a block that are equal on both sides, from the front and from the back. */
static void
shrink(const struct differ *diff, struct block *block)
{
    while (block->old_start < block->old_end && block->new_start < block->new_end &&
           same_line(&diff->old, block->old_start, &diff->new, block->new_start)) {
        block->old_start = line_end(&diff->old, block->old_start);
        block->new_start = line_end(&diff->new, block->new_start);
    }
    while (block->old_start < block->old_end && block->new_start < block->new_end) {
        size_t old_line = line_before(&diff->old, block->old_end);
        size_t new_line = line_before(&diff->new, block->new_end);

        if (!same_line(&diff->old, old_line, &diff->new, new_line))
            return;
        block->old_end = old_line;
        block->new_end = new_line;
    }
}

/* Slides the lines of one side down over lines that do not change, at most to @limit. */
static void
slide(const struct side *side, size_t *start, size_t *end, const struct side *other, size_t *at,
      size_t limit)
{
    while (*at < limit && same_line(side, *start, other, *at)) {
        *start = line_end(side, *start);
        *end = line_end(side, *end);
        *at = line_end(other, *at);
    }
}

/* Makes the blocks small; drops those of which nothing is left, joins those that touch now. */
static void
tidy_blocks(struct differ *diff)
{
    size_t count = 0;

    for (size_t i = 0; i < diff->count; i++)
        shrink(diff, &diff->blocks[i]);
    for (size_t i = 0; i < diff->count; i++) {
        struct block block = diff->blocks[i];
        bool last = i + 1 == diff->count;

        if (block.old_start == block.old_end && block.new_start == block.new_end)
            continue;
        if (block.old_start == block.old_end) {
            slide(&diff->new, &block.new_start, &block.new_end, &diff->old, &block.old_end,
                  last ? diff->old.length : diff->blocks[i + 1].old_start);
            block.old_start = block.old_end;
        } else if (block.new_start == block.new_end) {
            slide(&diff->old, &block.old_start, &block.old_end, &diff->new, &block.new_end,
                  last ? diff->new.length : diff->blocks[i + 1].new_start);
            block.new_start = block.new_end;
        }
        if (count > 0 && diff->blocks[count - 1].old_end == block.old_start) {
            diff->blocks[count - 1].old_end = block.old_end;
            diff->blocks[count - 1].new_end = block.new_end;
        } else {
            diff->blocks[count++] = block;
        }
    }
    diff->count = count;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void
put_lines(struct differ *diff, char mark, const struct side *side, size_t at, size_t end)
{
    while (at < end) {
        size_t next = line_end(side, at);

        dx_buffer_add(&diff->out, &mark, 1);
        dx_buffer_add(&diff->out, side->text + at, next - at);
        if (side->text[next - 1] != '\n')
            dx_buffer_add_string(&diff->out, "\n\\ No newline at end of file\n");
        at = next;
    }
}

static size_t
count_lines(const struct side *side, size_t at, size_t end)
{
    size_t count = 0;

    for (; at < end; at = line_end(side, at))
        count++;
    return count;
}

/* "7", "7,3", or "6,0": the numbers of lines; of none, that of the line before. */
static void
put_range(struct differ *diff, size_t line, size_t count)
{
    char range[64];

    if (count == 1)
        snprintf(range, sizeof(range), "%zu", line);
    else
        snprintf(range, sizeof(range), "%zu,%zu", count > 0 ? line : line - 1, count);
    dx_buffer_add_string(&diff->out, range);
}

/* The start of the line @count lines before @at, or behind @at, as far as there are any. */
static size_t
lines_back(const struct side *side, size_t at, int count)
{
    while (count-- > 0)
        at = line_before(side, at);
    return at;
}

static size_t
lines_on(const struct side *side, size_t at, int count)
{
    while (count-- > 0)
        at = line_end(side, at);
    return at;
}

/* Writes blocks that share context as one hunk. */
static void
put_hunk(struct differ *diff, const struct block *blocks, size_t count)
{
    const struct block *last = &blocks[count - 1];
    size_t start = lines_back(&diff->old, blocks[0].old_start, CONTEXT);
    size_t new_start = blocks[0].new_start - (blocks[0].old_start - start);
    size_t end = lines_on(&diff->old, last->old_end, CONTEXT);
    size_t new_end = last->new_end + (end - last->old_end);

    diff->old_line += count_lines(&diff->old, diff->old_at, start);
    diff->new_line += count_lines(&diff->new, diff->new_at, new_start);
    diff->old_at = start;
    diff->new_at = new_start;
    dx_buffer_add_string(&diff->out, "@@ -");
    put_range(diff, diff->old_line, count_lines(&diff->old, start, end));
    dx_buffer_add_string(&diff->out, " +");
    put_range(diff, diff->new_line, count_lines(&diff->new, new_start, new_end));
    dx_buffer_add_string(&diff->out, " @@\n");
    for (size_t i = 0; i < count; i++) {
        put_lines(diff, ' ', &diff->old, start, blocks[i].old_start);
        put_lines(diff, '-', &diff->old, blocks[i].old_start, blocks[i].old_end);
        put_lines(diff, '+', &diff->new, blocks[i].new_start, blocks[i].new_end);
        start = blocks[i].old_end;
    }
    put_lines(diff, ' ', &diff->old, start, end);
}

/* A file's name as git and GNU patch read it: quoted like a C string where it holds quotes or
 * control characters, and closed by a tab where it holds a blank. */
static void
put_label(struct differ *diff, const char *mark, const char *label)
{
    bool quoted = false;

    for (const char *at = label; *at; at++)
        quoted |= (unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7F;
    dx_buffer_add_string(&diff->out, mark);
    if (!quoted) {
        dx_buffer_add_string(&diff->out, label);
        if (strchr(label, ' '))
            dx_buffer_add_string(&diff->out, "\t");
    } else {
        dx_buffer_add_string(&diff->out, "\"");
        for (; *label; label++) {
            char escaped[8];

            if ((unsigned char)*label < ' ' || *label == 0x7F)
                snprintf(escaped, sizeof(escaped), "\\%03o", (unsigned char)*label);
            else if (*label == '"' || *label == '\\')
                snprintf(escaped, sizeof(escaped), "\\%c", *label);
            else
                snprintf(escaped, sizeof(escaped), "%c", *label);
            dx_buffer_add_string(&diff->out, escaped);
        }
        dx_buffer_add_string(&diff->out, "\"");
    }
    dx_buffer_add_string(&diff->out, "\n");
}

static void
put_diff(struct differ *diff, const char *old_label, const char *new_label)
{
    size_t end;

    put_label(diff, "--- ", old_label);
    put_label(diff, "+++ ", new_label);
    for (size_t i = 0; i < diff->count; i = end) {
        for (end = i + 1; end < diff->count; end++) {
            size_t reach = lines_on(&diff->old, diff->blocks[end - 1].old_end, 2 * CONTEXT);

            if (reach < diff->blocks[end].old_start)
                break;
        }
        put_hunk(diff, diff->blocks + i, end - i);
    }
}

char *
domxml_edits_diff(const domxml_edits *edits, const char *text, size_t length,
                  const char *old_label, const char *new_label, size_t *diff_length,
                  struct domxml_error *error)
{
    struct differ diff = { .old_line = 1, .new_line = 1 };
    dx_autofree char *changed = NULL;
    size_t changed_length;

    if (!text && length == 0)
        text = "";
    changed = domxml_edits_apply(edits, text, length, &changed_length, NULL, error);
    if (!changed)
        return NULL;
    diff.old = (struct side){ text, length };
    diff.new = (struct side){ changed, changed_length };
    diff.blocks = malloc((domxml_edits_count(edits) + 1) * sizeof(*diff.blocks));
    dx_buffer_add(&diff.out, "", 0);
    if (diff.blocks) {
        find_blocks(&diff, edits);
        tidy_blocks(&diff);
        if (diff.count > 0)
            put_diff(&diff, old_label, new_label);
    }
    if (!diff.blocks || diff.out.failed) {
        free(diff.blocks);
        free(diff.out.text);
        dx_error_no_memory(error);
        return NULL;
    }
    free(diff.blocks);
    if (diff_length)
        *diff_length = diff.out.length;
    return diff.out.text;
}
