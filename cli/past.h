/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past.h: a run that the journal tells of, with what acts on its conversions: --undo, --resume,
 * --forget.
 */
#pragma once

#include "apply/convert-past.h"
#include "cli/mode.h"

struct past_run {
    struct journal *journal;
    char *id;
    JsonArray *records;
    const char *uri;        /* "" for files */
    GPtrArray *conversions; /* of struct convert_record * */
};

/* Opens the journal for writing and reads run @id, which is given. FALSE with @error. */
gboolean past_run_open(struct past_run *past, const char *state_dir, const char *id,
                       GError **error);
void past_run_clear(struct past_run *past);

/* Opens the connection that the run was on, or that is given; for a run on files a connection
 * that cannot be had is fine. */
gboolean past_run_connect(const struct past_run *past, struct run *run, GError **error);

/* What one of its conversions is acted on with. @domain: looked up by the caller. */
struct convert_past past_run_conversion(struct run *run, const struct source_domain *domain,
                                        struct journal_run *record_in, GPtrArray *notes);

/* Raises *@status by what @problem, of a conversion, says. */
void past_account(const GError *problem, enum exit_status *status);
