/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qcow2.h: reading the metadata of qcow2 images, which guests and others may
 * have written: every value is checked before it is used, and nothing in an image makes
 * this allocate or loop without bound. No lock is taken; QEMU may be using the image.
 */
#pragma once

#include "probe/facts.h"

/* What the header says, in the host's byte order. */
struct qcow2_header {
    guint version;          /* 2 or 3 */
    guint cluster_bits;
    guint64 size;           /* virtual, bytes */
    guint32 crypt_method;   /* 0: not encrypted */
    guint32 l1_size;        /* entries */
    guint64 l1_offset;
    guint32 snapshot_count;
    guint64 snapshots_offset;
    gboolean dirty;
    gboolean corrupt;
    gboolean extended_l2;
    gboolean external_data; /* the guest's clusters are in data_file */
    gboolean bitmaps;
    char *backing_file;     /* as bytes, not necessarily UTF-8; NULL without one */
    char *backing_format;   /* NULL where it is not declared */
    char *data_file;        /* NULL without one */
};

/* The guest's clusters by what their entries in the L2 tables say. */
struct qcow2_clusters {
    guint64 total;
    guint64 examined;    /* how many of them were looked at */
    guint64 mapped;      /* with a host offset of their own: written in place */
    guint64 shared;      /* with a host offset that a snapshot shares: copied when written */
    guint64 compressed;
    guint64 zero;        /* read as zeros, without a host offset: discarded */
    guint64 unallocated;
};

/* Whether @start, the first bytes of a file, says qcow2, version 2 or later. */
gboolean qcow2_is(const guint8 *start, gsize length);

/**
 * qcow2_header_read: reads header and header extensions of the image open as @fd.
 * @header is filled in as far as it was read, also on failure.
 * Returns: FALSE with @reason (to be freed) where the header is malformed or asks for what is not
 * known here.
 */
gboolean qcow2_header_read(int fd, guint64 file_size, struct qcow2_header *header, char **reason);
void qcow2_header_clear(struct qcow2_header *header);

/* The names of the first @max internal snapshots, as far as they can be read; NULL without any. */
GStrv qcow2_snapshot_names(int fd, const struct qcow2_header *header, guint max);

/**
 * qcow2_count: counts the clusters by reading L1 and L2 tables, each once.
 * @deadline: when to stop (g_get_monotonic_time()); examined is then less than total, as it is
 *   for images whose tables are larger than a fixed limit.
 * Returns: FALSE with @reason where the tables are malformed or cannot be read.
 */
gboolean qcow2_count(int fd, guint64 file_size, const struct qcow2_header *header,
                     gint64 deadline, struct qcow2_clusters *clusters, char **reason);

/**
 * qcow2_judge: what the clusters mean. @file_size is the image's own.
 * PREALLOCATION_METADATA stands for "all mapped": whether the host holds blocks for them is for the
 * caller to see. PREALLOCATION_UNKNOWN comes with @reason.
 */
enum preallocation qcow2_judge(const struct qcow2_header *header, guint64 file_size,
                               const struct qcow2_clusters *clusters, char **reason);
