/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conversion.h: one conversion under way, as convert.c and what finishes interrupted ones share it.
 */
#pragma once

#include "apply/convert.h"
#include "apply/image-name.h"
#include "apply/new-file.h"

struct conversion {
    const struct convert_wish *wish;
    struct journal_run *run;     /* NULL while only looking */
    GPtrArray *notes;
    domxml_doc *doc;             /* of the wish's text */
    const domxml_elem *disk;     /* in it */
    struct convert_record record;
    struct guard *guard;
    GError *guard_error;
    struct new_file *file;       /* until it has its name */
};

/* Reads the wish's text, guards the image, and fills in the record. Whatever cannot be had is
 * left out: the preflight says so. To be cleared with conversion_clear(). */
void conversion_begin(struct conversion *conversion, const struct convert_wish *wish,
                      const char *id, gboolean guard);
void conversion_clear(struct conversion *conversion);

/* What stands against it now; see preflight_run(). */
GPtrArray *conversion_preflight(const struct conversion *conversion, enum preflight_time time);

/* The refusals as one text, to be freed. */
char *conversion_refusals_text(GPtrArray *refusals);

/**
 * conversion_define: makes the new image the domain's, or the file's. The new file has its name.
 * @error: CONVERT_ERROR, DEFINITION_ERROR, STEP_FILE_ERROR, JOURNAL_ERROR, CONNECTION_ERROR. Of
 *   these DEFINITION_UNKNOWN and STEP_FILE_FAILED leave open whether it was
 */
gboolean conversion_define(struct conversion *conversion, GError **error);

/* Takes back what is on the disk of a conversion whose XML was not changed, by what the record
 * tells: the new file goes, whatever it holds. FALSE with @error where something is left. */
gboolean conversion_roll_back(const struct convert_record *record, GError **error);

/* Tells the pool that the new file lies in about it. What fails is a note. */
void conversion_refresh_pool(struct connection *connection, const char *path, GPtrArray *notes);
