/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-images.h: the images that one domain names in all its texts: live and
 * inactive definition, snapshots, checkpoints, managed save.
 */
#pragma once

#include "probe/named-images.h"
#include "probe/source-libvirt.h"
#include "probe/volumes.h"

struct domain_image {
    struct named_image *image; /* its path is set: volumes are resolved */
    char *past;                /* the name of the snapshot or checkpoint that names it, or NULL */
};

struct domain_images {
    const struct source_domain *domain;
    GPtrArray *found;    /* of struct domain_image *, in the texts' order; one may be there twice */
    GPtrArray *problems; /* of char *: clauses that say what could not be read */
    GError *lost;        /* not NULL: why the connection is lost */
};

/**
 * domain_images_new: nothing yet; domain_images_read() fills it in, within a thread of its own
 * where that is wanted. @domain must outlive it. A domain that has vanished names nothing.
 */
struct domain_images *domain_images_new(const struct source_domain *domain);
void domain_images_read(struct domain_images *images, struct connection *connection,
                        struct volumes *volumes);
void domain_images_free(struct domain_images *images);
