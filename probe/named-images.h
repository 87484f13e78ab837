/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named-images.h: all images that a domain's XML names, in whatever place, and
 * not those of its disks alone. Better one too many than one too few: what is
 * found here keeps an image from being replaced under someone who uses it.
 */
#pragma once

#include "probe/facts.h"

enum image_role {
    IMAGE_ROLE_DISK,        /* a disk of a domain */
    IMAGE_ROLE_BACKING,     /* what a disk's image stands on: backing or external data file */
    IMAGE_ROLE_MIRROR,      /* what a block job copies to */
    IMAGE_ROLE_SNAPSHOT,    /* named by a snapshot, as a disk of its time or otherwise */
    IMAGE_ROLE_CHECKPOINT,  /* the same, of a checkpoint */
    IMAGE_ROLE_SAVED,       /* the same, of a managed save */
    IMAGE_ROLE_COMMANDLINE, /* in the arguments that are passed to QEMU */
    IMAGE_ROLE_OTHER,       /* elsewhere in the definition: firmware, NVDIMM, a console */
};

/* "disk", "backing file", ...; static. */
const char *image_role_name(enum image_role role);

/* Whether an image's header may be followed to further images. */
enum image_chain {
    IMAGE_CHAIN_NONE,  /* declared raw: whatever is in it, the guest wrote */
    IMAGE_CHAIN_QCOW2, /* declared qcow2 */
    IMAGE_CHAIN_PROBE, /* not declared: as its content says */
    IMAGE_CHAIN_OTHER, /* declared to be of a format whose header is not read here */
};

struct named_image {
    char *path;   /* absolute; or NULL, and these two: */
    char *pool;
    char *volume;
    char *disk;   /* the target name of the disk that names it, or NULL */
    enum image_role role;
    enum image_chain chain;
};

void named_image_free(struct named_image *image);

/**
 * named_images: what @doc, a domain, snapshot or checkpoint, names.
 * @role: what to say of a disk's image and of other places: IMAGE_ROLE_DISK for a domain's
 *   definition; IMAGE_ROLE_SNAPSHOT, _CHECKPOINT or _SAVED then stand for every role but the
 *   command line's
 * @problems: gets a clause (char *) for each place that names an image in a way that is not
 *   understood
 * Returns: an array of struct named_image *, in document order, to be unreferenced (frees them).
 */
GPtrArray *named_images(const domxml_doc *doc, enum image_role role, GPtrArray *problems);

/**
 * paths_in_argument: the absolute paths in a text of QEMU's, such as "file=/a,,b.raw,if=none"
 * or json:{...}, as far as they can be told; added to @paths (of char *). A file that is named
 * by a relative path is a clause in @problems.
 */
void paths_in_argument(const char *text, GPtrArray *paths, GPtrArray *problems);
