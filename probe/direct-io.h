/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct-io.h: whether O_DIRECT works on an image and on every file of its chain.
 */
#pragma once

#include <sys/stat.h>

#include "probe/qcow2.h"

/**
 * direct_io_probe: tries the image open (O_PATH) as @path_fd with status @st, then the files that
 * @header (NULL: none) puts below it. Nothing is read or written with O_DIRECT.
 * Fills in direct_io, direct_io_reason and chain_missing of @facts, whose path is set.
 */
void direct_io_probe(struct image_facts *facts, int path_fd, const struct stat *st,
                     const struct qcow2_header *header);

/* The chain, and so the answer for it, is not known: @reason. A no stays a no. */
void direct_io_unknown(struct image_facts *facts, const char *reason);
