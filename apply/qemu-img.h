/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu-img.h: what is asked of qemu-img. Images are given as open descriptors, not by name: no
 * name, whatever it holds, is read by QEMU as a protocol or an option, and none can come to mean
 * another file meanwhile. No shell, never -U, the format always said.
 *
 * A descriptor stays the caller's and is only the way to the inode: qemu-img opens it anew, and
 * takes QEMU's own locks.
 */
#pragma once

#include <gio/gio.h>

#define QEMU_IMG_ERROR qemu_img_error_quark()
GQuark qemu_img_error_quark(void);
enum qemu_img_error {
    QEMU_IMG_ERROR_ABSENT,   /* there is no qemu-img to run */
    QEMU_IMG_ERROR_LOCKED,   /* another process has the image */
    QEMU_IMG_ERROR_NO_SPACE, /* the disk is full */
    QEMU_IMG_ERROR_FAILED,   /* it said why, or was killed */
    QEMU_IMG_ERROR_ANSWER,   /* its answer is not understood */
};

/* How it runs. All zeros will do. */
struct qemu_img_run {
    GCancellable *cancellable; /* NULL: none; G_IO_ERROR_CANCELLED once it is gone */
    /* Called in the caller's thread, only when the value grows; NULL: not told. */
    void (*progress)(double percent, void *data);
    void *data;
    gboolean idle;             /* I/O only when nobody else wants any */
    guint rate_limit_mib;      /* MiB a second that are written; 0: no limit */
    GPtrArray *notes;          /* remarks for the user are added (char *); NULL: none */
};

/* An image of that format. */
struct qemu_img_image {
    int fd;
    const char *format; /* "raw", "qcow2": as declared, never guessed */
};

/* What the header of a qcow2 image says that a copy would otherwise lose; other formats: all
 * zeros. */
struct qemu_img_layout {
    guint64 cluster_size; /* 0: QEMU's default, as for all of them */
    const char *compat;   /* "0.10", "1.1"; static */
    gboolean extended_l2;
    gboolean lazy_refcounts;
    guint refcount_bits;
    gboolean zstd;        /* the compression type */
};

/**
 * qemu_img_layout: reads the layout of @image.
 */
gboolean qemu_img_layout(const struct qemu_img_run *run, const struct qemu_img_image *image,
                         struct qemu_img_layout *layout, GError **error);

/**
 * qemu_img_convert:
 * @to: an empty file open for writing, whose owner and mode stay; no guard may be on it yet
 * @preallocation: "off", "metadata", "falloc", "full"
 * @layout: of a qcow2 target; NULL: QEMU's defaults
 *
 * Copies the content, with O_DIRECT on either side that has it; where one has not, that is a note.
 * A file that was written is not yet flushed to the disk. After a failure @to holds anything, of
 * any size.
 */
gboolean qemu_img_convert(const struct qemu_img_run *run, const struct qemu_img_image *from,
                          const struct qemu_img_image *to, const char *preallocation,
                          const struct qemu_img_layout *layout, GError **error);

enum qemu_img_comparison {
    QEMU_IMG_SAME,      /* what a guest reads is the same; one may be longer by zeros */
    QEMU_IMG_DIFFERENT,
    QEMU_IMG_UNKNOWN,   /* with the error set */
};

/**
 * qemu_img_compare: compares what guests read, from the disk rather than from memory where O_DIRECT
 * works.
 */
enum qemu_img_comparison qemu_img_compare(const struct qemu_img_run *run,
                                          const struct qemu_img_image *a,
                                          const struct qemu_img_image *b, GError **error);

enum qemu_img_health {
    QEMU_IMG_CLEAN,
    QEMU_IMG_LEAKS,     /* space is lost, no data */
    QEMU_IMG_CORRUPT,
    QEMU_IMG_UNCHECKED, /* the format has no check (raw): nothing is wrong by that */
    QEMU_IMG_FAILED,    /* with the error set */
};

/**
 * qemu_img_check: `qemu-img check`, which repairs nothing.
 */
enum qemu_img_health qemu_img_check(const struct qemu_img_run *run,
                                    const struct qemu_img_image *image, GError **error);

/* The space that a copy takes, in bytes. */
struct qemu_img_size {
    guint64 required;        /* with the content of today and the preallocation asked for */
    guint64 fully_allocated; /* when the guest has written everywhere */
};

/**
 * qemu_img_measure: what a copy of @image as @format will take. For preallocated metadata the space
 * of all tables is in required, which qemu-img itself leaves out.
 */
gboolean qemu_img_measure(const struct qemu_img_run *run, const struct qemu_img_image *image,
                          const char *format, const char *preallocation,
                          const struct qemu_img_layout *layout, struct qemu_img_size *size,
                          GError **error);
