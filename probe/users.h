/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * users.h: the index of who uses which image, over all domains of a connection: live and
 * inactive definitions, snapshots, checkpoints, managed saves, with all that these images stand
 * on. It tells what is named, not what is open, and is as old as the list that it was made
 * from: who acts on it makes a new one before.
 */
#pragma once

#include "probe/named-images.h"
#include "probe/source-libvirt.h"
#include "probe/volumes.h"

/* One use of an image. */
struct image_user {
    char *domain;
    char *uuid;
    char *disk;           /* the target name of the disk, or NULL */
    enum image_role role;
    char *past;           /* the name of the snapshot or checkpoint, or NULL */
    char *path;           /* the name that it is used by */
};

struct users;

/**
 * users_new:
 * @domains: of struct source_domain *: all domains of @connection
 * @threads: how many domains are read at a time; 0: 4
 *
 * A domain that has vanished uses nothing. One that cannot be read, and an image whose chain
 * cannot be followed, make the index incomplete.
 * Returns: the index, to be freed; NULL with @error set where the connection is lost.
 */
struct users *users_new(struct connection *connection, struct volumes *volumes,
                        GPtrArray *domains, guint threads, GError **error);
void users_free(struct users *users);

/**
 * users_of: who uses the file or block device that @path (absolute) leads to, by whatever name;
 * or, where nothing is there, by that name.
 * Returns: an array of const struct image_user *, by domain, disk and role; to be unreferenced,
 * valid as long as the index. NULL with @error set where it cannot be told what @path leads to.
 */
GPtrArray *users_of(struct users *users, const char *path, GError **error);

/* Whether there is nothing that is not known: otherwise an image that seems unused may be used. */
gboolean users_complete(const struct users *users);

/* What is not known: an array of char *, each a clause that names the domain, in a fixed order;
 * the index's. */
const GPtrArray *users_problems(const struct users *users);
