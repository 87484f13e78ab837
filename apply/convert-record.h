/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-record.h: a conversion as the journal tells it, and how far it came.
 */
#pragma once

#include "apply/file-identity.h"
#include "apply/journal.h"

/* How far a conversion came: what was announced last. */
enum convert_state {
    CONVERT_STATE_BEGUN,   /* nothing of it is on the disk, or a file without its name */
    CONVERT_STATE_MADE,    /* the new file is there, not yet whole */
    CONVERT_STATE_CHECKED, /* it is whole and was compared */
    CONVERT_STATE_NAMING,  /* it is getting, or has, its name */
    CONVERT_STATE_DEFINING,/* the XML is being, or was, changed */
    CONVERT_STATE_DONE,
    CONVERT_STATE_ROLLED_BACK,
    CONVERT_STATE_FORGOTTEN, /* done, and the original was given up */
};

struct convert_record {
    char *id;            /* of its own in all runs: "RUN-NUMBER" */
    char *domain, *uuid; /* NULL for a file */
    char *file;          /* absolute; NULL for a domain */
    char *disk;          /* target name */
    char *path, *new_path; /* as the XML names the image, before and after */
    /* Without symlinks; with @exchange new_real is the original's name afterwards. */
    char *real, *new_real;
    gboolean exchange;
    char *from, *to, *preallocation;
    struct file_identity original;
    struct file_identity made;   /* zeros until it is */
    char *temporary;             /* its name until it gets its own; NULL where it has none */
    enum convert_state state;
    gboolean was_running;        /* shut down by us: to be started again */
};

void convert_record_clear(struct convert_record *record);
void convert_record_free(struct convert_record *record);

/* Where the original is, and where the copy, once the conversion is done. */
const char *convert_record_kept(const struct convert_record *record);
const char *convert_record_current(const struct convert_record *record);

/* Writes the announcement that begins a conversion ("convert"), and that of a later step;
 * @members may be NULL. */
gboolean convert_record_begin(const struct convert_record *record, struct journal_run *run,
                              GError **error);
gboolean convert_record_step(const struct convert_record *record, struct journal_run *run,
                             const char *step, JsonObject *members, GError **error);

JsonObject *convert_identity_to_json(const struct file_identity *identity);

/**
 * convert_records_read: the conversions that a run's records tell of, each in the state it came to.
 * Returns: an array of struct convert_record *, to be unreferenced (frees them).
 */
GPtrArray *convert_records_read(JsonArray *records);
