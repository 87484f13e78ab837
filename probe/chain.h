/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h: the files that an image stands on: backing files, their backing
 * files, external data files.
 */
#pragma once

#include <sys/stat.h>

#include "probe/qcow2.h"

enum chain_problem {
    CHAIN_MISSING, /* a file is not there */
    CHAIN_UNKNOWN, /* it cannot be looked at, or is no local file */
};

struct chain_visitor {
    /* Another file, open as @path_fd (O_PATH, closed afterwards); never twice the same. */
    void (*file)(const char *path, int path_fd, const struct stat *st, void *data);
    /* The chain goes on, but not for us; @reason names the file. */
    void (*problem)(enum chain_problem problem, const char *path, const char *reason, void *data);
    void *data;
};

/**
 * chain_walk: visits what the image at @path, with status @st and @header, stands on, itself left
 * out. Headers are read, nothing else; a format that a header declares is believed, so that a
 * guest that writes a header into its raw disk gets nothing visited. Loops and overlong chains
 * are problems.
 */
void chain_walk(const char *path, const struct stat *st, const struct qcow2_header *header,
                const struct chain_visitor *visitor);

/**
 * chain_resolve: the path that @name, in the header of the image at @path, means: relative to that
 * image's folder. NULL for what is no local file ("nbd://...", "json:{...}"). To be freed.
 */
char *chain_resolve(const char *path, const char *name);
