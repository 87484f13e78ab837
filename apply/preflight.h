/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preflight.h: everything that forbids converting an image now. It is asked twice: before the copy,
 * and before the new file is made the domain's. It changes nothing.
 */
#pragma once

#include "apply/guard.h"
#include "probe/source-libvirt.h"

/* Why not; in the order of reports. The names (preflight_name()) are stable. */
enum preflight_code {
    PREFLIGHT_REMOTE,          /* the connection is to another host */
    PREFLIGHT_TEST,            /* the connection is to libvirt's test driver */
    PREFLIGHT_GONE,            /* the domain is not there any more */
    PREFLIGHT_TRANSIENT,       /* the domain has no definition to change */
    PREFLIGHT_RUNNING,
    PREFLIGHT_PAUSED,
    PREFLIGHT_STATE,           /* in another state than shut off, or in an unknown one */
    PREFLIGHT_MANAGED_SAVE,
    PREFLIGHT_JOB,             /* a block job, mirror or backup is under way */
    PREFLIGHT_SNAPSHOTS,       /* the domain has libvirt snapshots */
    PREFLIGHT_CHECKPOINTS,
    PREFLIGHT_NOT_LOCAL,       /* the source is no file: a network, a folder, vhost-user, ... */
    PREFLIGHT_NOT_DISK,        /* a CD-ROM, floppy or lun; an empty drive */
    PREFLIGHT_VOLUME,          /* the source is a volume of a pool */
    PREFLIGHT_RELATIVE,        /* the source is a relative path */
    PREFLIGHT_SOURCE,          /* part of a file, a handed-over descriptor, a template, ... */
    PREFLIGHT_LINK,            /* the source is a link into another folder */
    PREFLIGHT_BLOCK,           /* a block device */
    PREFLIGHT_UNREADABLE,      /* the image is not there, or cannot be read or looked into */
    PREFLIGHT_ANOTHER_IMAGE,   /* the daemon sees another image there, or does not say */
    PREFLIGHT_GUARD,           /* the guard is not to be had: in use, or no locks */
    PREFLIGHT_CHANGED,         /* the name means another file now, or the image was written to */
    PREFLIGHT_OPEN,            /* a process, loop device or swap has it */
    PREFLIGHT_SHAREABLE,
    PREFLIGHT_TRANSIENT_DISK,
    PREFLIGHT_ENCRYPTED,
    PREFLIGHT_FORMAT,          /* declared unlike the real one, or one that is not converted */
    PREFLIGHT_SNAPSHOTS_IN_IMAGE,
    PREFLIGHT_BITMAPS,
    PREFLIGHT_BACKING,         /* it stands on a backing file */
    PREFLIGHT_DATA_FILE,
    PREFLIGHT_CORRUPT,
    PREFLIGHT_DIRTY,
    PREFLIGHT_HARD_LINKS,
    PREFLIGHT_COMMANDLINE,     /* named in arguments for QEMU */
    PREFLIGHT_SHARED,          /* another domain, disk, snapshot or overlay uses it */
    PREFLIGHT_USERS_UNKNOWN,   /* not all of the connection's domains could be read */
    PREFLIGHT_NAME_TAKEN,      /* something has the new name */
    PREFLIGHT_NAME_USED,       /* a domain names the new name, or the file there */
    PREFLIGHT_SPACE,           /* for the caller: space.h tells */
};

/* "running", "managed-save", ...; static. */
const char *preflight_name(enum preflight_code code);

struct preflight_refusal {
    enum preflight_code code;
    char *text; /* one sentence without a full stop, which names the reason and the way out */
};

enum preflight_time {
    PREFLIGHT_BEFORE_COPY,
    /* The new file is there, and the old image as it was when it was guarded: what its header
     * says is not looked at again. */
    PREFLIGHT_BEFORE_DEFINE,
};

struct preflight {
    enum preflight_time time;
    struct connection *connection;       /* NULL: nobody answers who uses the image */
    const struct source_domain *domain;  /* NULL: a file's disk */
    const domxml_doc *doc;               /* the text that the plan was made from */
    const domxml_elem *disk;             /* in it */
    const struct guard *guard;           /* NULL where it could not be taken */
    const GError *guard_error;           /* why; NULL: it was not tried, nothing is said of it */
    const char *new_path;                /* the name that must be free: image_name's new_real;
                                          * NULL: not looked at */
    gboolean exchange;                   /* image_name's */
    /* Before the define: the new file, which is at @new_path; or, with @exchange, at the disk's
     * own path, and the old image at @new_path. */
    const struct file_identity *new_file;
    GCancellable *cancellable;           /* for qemu-img check; NULL: none */
};

/**
 * preflight_run: all that stands against it. What cannot be told is a refusal, too.
 *
 * Reads all domains of the connection anew each time, since anybody may have defined one meanwhile.
 * Returns: an array of struct preflight_refusal *, by code, to be unreferenced; empty where nothing
 * stands against it.
 */
GPtrArray *preflight_run(const struct preflight *preflight);
