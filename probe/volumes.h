/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volumes.h: the images that volumes of storage pools are, which only the
 * connection knows. Each pool and volume is asked for once.
 */
#pragma once

#include "probe/connection.h"

struct volumes;

/* @connection must outlive it. */
struct volumes *volumes_new(struct connection *connection);
void volumes_free(struct volumes *volumes);

/**
 * volumes_path: the path of a volume on the daemon's host. Thread-safe.
 * @reason: where there is none: why, in a clause; both live as long as @volumes
 */
const char *volumes_path(struct volumes *volumes, const char *pool, const char *volume,
                         const char **reason);
