/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run-story.h: what a run of the journal came to: who was changed, what was converted, whether
 * it was taken back.
 */
#pragma once

#include "apply/convert-record.h"

/* Its strings are the records'. */
struct run_story {
    const char *time, *command, *uri;
    gboolean ended;
    GPtrArray *keys;        /* of what was, or may have been, changed, in order: UUIDs and paths */
    GPtrArray *names;       /* what to call them */
    GPtrArray *conversions; /* of struct convert_record *: all of the run */
};

/* @records must outlive the story. To be cleared. */
void run_story_read(struct run_story *story, JsonArray *records);
void run_story_clear(struct run_story *story);

/* The UUID or path that tells whose the conversion is. */
const char *run_story_key(const struct convert_record *record);

/* Whether the run changed, or began to change, the domain's definition. */
gboolean run_story_has_define(JsonArray *records, const char *uuid);

/* A set of the IDs of the runs that later ones took back; taking back such a later one brings
 * the first back. */
GHashTable *run_story_undone(struct journal *journal, GStrv ids);
