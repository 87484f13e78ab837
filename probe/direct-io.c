/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct-io.c: whether O_DIRECT works on an image and on every file of its chain.
 */
#include "probe/direct-io.h"

#include <fcntl.h>
#include <unistd.h>

#include "probe/chain.h"
#include "probe/file.h"
#include "probe/statx-word.h"

static void
set_answer(struct image_facts *facts, enum fact_answer answer, const char *path, const char *what)
{
    /* The first no is the answer; without one, the first thing that is not known. */
    if (facts->direct_io == FACT_NO ||
        (facts->direct_io == FACT_UNKNOWN && facts->direct_io_reason && answer != FACT_NO))
        return;
    facts->direct_io = answer;
    g_free(facts->direct_io_reason);
    facts->direct_io_reason =
        path ? g_strdup_printf("%s: %s", path, what) : g_strdup(what);
}

/* ext4 with data=journal opens with O_DIRECT and yet goes through the page cache; statx says so. */
static gboolean
opens_but_does_not(int fd)
{
    guint64 memory, offset;

    return statx_word(fd, STATX_WORD_DIO_MEM_ALIGN, &memory) &&
           statx_word(fd, STATX_WORD_DIO_OFFSET_ALIGN, &offset) && (memory == 0 || offset == 0);
}

static void
try_file(const char *path, int path_fd, const struct stat *st, void *data)
{
    struct image_facts *facts = data;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_utf8_make_valid(path, -1);
    int fd = file_reopen(path_fd, st, O_DIRECT, &error);

    if (fd >= 0) {
        if (opens_but_does_not(fd))
            set_answer(facts, FACT_NO, name,
                       "opens with O_DIRECT, but its file system does not do it there");
        close(fd);
    } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT) ||
               g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED)) {
        set_answer(facts, FACT_NO, name, "its file system refuses O_DIRECT");
    } else {
        g_autofree char *what = g_strdup_printf("not known to work with O_DIRECT: %s",
                                                error->message);

        set_answer(facts, FACT_UNKNOWN, name, what);
    }
}

static void
note_problem(enum chain_problem problem, const char *path, const char *reason, void *data)
{
    struct image_facts *facts = data;

    if (problem == CHAIN_MISSING && !facts->chain_missing)
        facts->chain_missing = g_strdup(path);
    set_answer(facts, FACT_UNKNOWN, NULL, reason);
}

void
direct_io_probe(struct image_facts *facts, int path_fd, const struct stat *st,
                const struct qcow2_header *header)
{
    struct chain_visitor visitor = {
        .file = try_file,
        .problem = note_problem,
        .data = facts,
    };

    try_file(facts->path, path_fd, st, facts);
    if (header)
        chain_walk(facts->path, st, header, &visitor);
    /* Nothing spoke against it. */
    if (facts->direct_io == FACT_UNKNOWN && !facts->direct_io_reason)
        facts->direct_io = FACT_YES;
}

void
direct_io_unknown(struct image_facts *facts, const char *reason)
{
    if (facts->direct_io == FACT_YES)
        facts->direct_io = FACT_UNKNOWN;
    set_answer(facts, FACT_UNKNOWN, NULL, reason);
}
