/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run-story.c: reading what a run came to out of its records. */
#include "cli/run-story.h"

#include <string.h>

static const char *
member(JsonObject *record, const char *name)
{
    return json_object_get_string_member_with_default(record, name, NULL);
}

static gboolean
is_type(JsonObject *record, const char *type)
{
    return g_strcmp0(member(record, "type"), type) == 0;
}

const char *
run_story_key(const struct convert_record *record)
{
    return record->uuid ? record->uuid : record->file;
}

/* Adds the domains and files that conversions changed, or may have changed. A domain whose image
 * was exchanged has no define. */
static void
add_conversions(struct run_story *story)
{
    for (guint i = 0; i < story->conversions->len; i++) {
        const struct convert_record *record = g_ptr_array_index(story->conversions, i);
        const char *key = run_story_key(record);

        if (record->state > CONVERT_STATE_DONE ||
            g_ptr_array_find_with_equal_func(story->keys, key, g_str_equal, NULL))
            continue;
        g_ptr_array_add(story->keys, (gpointer)key);
        g_ptr_array_add(story->names, record->domain ? record->domain : record->file);
    }
}

void
run_story_read(struct run_story *story, JsonArray *records)
{
    memset(story, 0, sizeof(*story));
    story->keys = g_ptr_array_new();
    story->names = g_ptr_array_new();
    story->conversions = convert_records_read(records);
    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *record = json_array_get_object_element(records, i);
        const char *uuid = member(record, "uuid");

        if (is_type(record, "begin")) {
            story->time = member(record, "time");
            story->command = member(record, "command");
            story->uri = member(record, "uri");
        } else if (is_type(record, "end")) {
            story->ended = TRUE;
        } else if (is_type(record, "define") && uuid &&
                   !g_ptr_array_find_with_equal_func(story->keys, uuid, g_str_equal, NULL)) {
            g_ptr_array_add(story->keys, (gpointer)uuid);
            g_ptr_array_add(story->names, (gpointer)member(record, "domain"));
        } else if (is_type(record, "define-failed") && uuid) {
            /* Nothing stands of it, unless putting back failed: then what stands is ours to take
             * back. */
            guint index;

            if (json_object_get_boolean_member_with_default(record, "restored", TRUE) &&
                g_ptr_array_find_with_equal_func(story->keys, uuid, g_str_equal, &index)) {
                g_ptr_array_remove_index(story->keys, index);
                g_ptr_array_remove_index(story->names, index);
            }
        }
    }
    add_conversions(story);
}

void
run_story_clear(struct run_story *story)
{
    g_ptr_array_unref(story->keys);
    g_ptr_array_unref(story->names);
    g_ptr_array_unref(story->conversions);
}

gboolean
run_story_has_define(JsonArray *records, const char *uuid)
{
    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *record = json_array_get_object_element(records, i);

        if (is_type(record, "define") && g_strcmp0(member(record, "uuid"), uuid) == 0)
            return TRUE;
    }
    return FALSE;
}

GHashTable *
run_story_undone(struct journal *journal, GStrv ids)
{
    GHashTable *undone = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) taken_back_by =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

    for (guint i = 0; ids[i]; i++) {
        g_autoptr(JsonArray) records = journal_read(journal, ids[i], NULL);
        const char *of = NULL, *first;

        for (guint r = 0; records && r < json_array_get_length(records); r++) {
            JsonObject *record = json_array_get_object_element(records, r);

            if (is_type(record, "undo-of"))
                of = member(record, "run");
            else if (is_type(record, "undone") && of) {
                g_hash_table_add(undone, g_strdup(of));
                first = g_hash_table_lookup(taken_back_by, of);
                if (first)
                    g_hash_table_remove(undone, first);
                g_hash_table_insert(taken_back_by, g_strdup(ids[i]), g_strdup(of));
            }
        }
    }
    return undone;
}
