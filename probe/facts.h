/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h: what domlint knows of the world outside the XML, as plain data.
 *
 * A fact is known, or unknown with a reason: each group of facts has a string
 * that is NULL where they are known and says in one clause why where they are
 * not ("permission denied", "no such file on this host"). Nothing here does
 * I/O: the structs are filled in by the rest of probe/, or read from a facts
 * file (facts-file.c), and looked at by rules.
 */
#pragma once

#include <glib.h>

#include "libdomxml/domxml.h"

/* A yes or no that may be unknown. */
enum fact_answer {
    FACT_UNKNOWN,
    FACT_NO,
    FACT_YES,
};

/* What the source of a disk turned out to be. */
enum image_state {
    IMAGE_NONE,      /* no local image: an empty drive, a network source, a directory, vhost-user */
    IMAGE_TEMPLATE,  /* the source is a template placeholder, no value yet */
    IMAGE_UNKNOWN,   /* could not be looked at; image_facts.unknown says why */
    IMAGE_ELSEWHERE, /* there is no such file on this host */
    IMAGE_FILE,      /* a regular file */
    IMAGE_BLOCK,     /* a block device */
};

/* How an image's clusters (qcow2) or bytes (raw) are allocated; decided from the
 * image's own metadata and the file's extents, never from its apparent size. */
enum preallocation {
    PREALLOCATION_UNKNOWN,    /* image_facts.preallocation_unknown says why */
    PREALLOCATION_OFF,        /* qcow2 grows as the guest writes; raw is sparse */
    PREALLOCATION_METADATA,   /* qcow2: all clusters mapped, the file is sparse */
    PREALLOCATION_FALLOC,     /* all mapped and reserved, not yet written */
    PREALLOCATION_FULL,       /* all mapped and allocated: full, or filled by the guest */
    PREALLOCATION_SUSPENDED,  /* qcow2: all mapped, but shared with internal snapshots */
    PREALLOCATION_DECAYED,    /* qcow2: was preallocated, partly given back by discard */
    PREALLOCATION_OVERLAY,    /* qcow2 with a backing file: holes are by design */
    PREALLOCATION_COMPRESSED, /* qcow2 with compressed clusters: each rewrite allocates */
    PREALLOCATION_HOST,       /* block device: allocation is the host's storage's matter */
};

/* What is known of one image, by the path that the XML names. */
struct image_facts {
    char *path;             /* as the XML names it; NULL without one */
    enum image_state state;
    char *unknown;          /* IMAGE_UNKNOWN, IMAGE_ELSEWHERE: why; NULL otherwise */

    char *format;           /* by content: "qcow2", or "raw" for anything without a known magic;
                             * NULL where unknown */
    guint64 virtual_size;   /* bytes the guest sees; 0 where unknown */
    guint64 file_size;      /* st_size, bytes */
    guint64 allocated;      /* st_blocks * 512, bytes */

    enum preallocation preallocation;
    char *preallocation_unknown;
    double mapped;          /* qcow2: share of guest clusters with a host offset, 0 to 1 */
    double host_allocated;  /* share of the data area that the file system holds blocks for */

    /* From the qcow2 header. */
    guint version;          /* 2 or 3; 0 where not qcow2 */
    guint32 cluster_size;   /* bytes */
    guint32 snapshots;      /* internal snapshots */
    GStrv snapshot_names;   /* their names, at most 32 of them; NULL without any */
    char *backing_file;     /* as the header names it; NULL without one */
    char *backing_format;   /* declared in the header; NULL without */
    char *data_file;        /* external data file; NULL without one */
    char *chain_missing;    /* the backing or data file of its chain that is not there though this
                             * image is; NULL where none is missing, or where it is not known */
    gboolean encrypted;
    gboolean dirty;
    gboolean corrupt;
    gboolean bitmaps;       /* persistent bitmaps are there */

    enum fact_answer direct_io; /* O_DIRECT works on the image and every file of its chain */
    char *direct_io_reason;     /* no, unknown: which file, and what was seen */

    enum fact_answer btrfs_checksums; /* on btrfs, with checksums (not NOCOW) */
};

/* What is known of this host. */
struct host_facts {
    char *kernel;           /* release as uname says it, "6.1.0-18-amd64"; NULL where unknown */
};

/* Where rules get facts from: the real probe, or a facts file. Thread-safe; what it returns lives
 * as long as the source, and is never NULL. */
struct facts_source {
    const struct image_facts *(*image)(struct facts_source *source, const domxml_elem *disk);
    const struct host_facts *(*host)(struct facts_source *source);
    void (*free)(struct facts_source *source);
};

struct image_facts *image_facts_new(const char *path, enum image_state state);
void image_facts_free(struct image_facts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(domxml_doc, domxml_doc_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(domxml_editor, domxml_editor_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(domxml_edits, domxml_edits_free)

static inline void
facts_source_free(struct facts_source *source)
{
    if (source)
        source->free(source);
}

/* Names of the enums in facts files and reports ("falloc", "suspended", ...); NULL, or -1, for
 * none. */
const char *preallocation_name(enum preallocation preallocation);
int preallocation_from_name(const char *name);
const char *image_state_name(enum image_state state);
int image_state_from_name(const char *name);
const char *fact_answer_name(enum fact_answer answer);
int fact_answer_from_name(const char *name);
