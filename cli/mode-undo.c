/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-undo.c: taking a run back.
 */
#include "apply/file-change.h"
#include "apply/step-define.h"
#include "apply/step-file.h"
#include "cli/consent.h"
#include "cli/fix-domain.h"
#include "cli/message.h"
#include "cli/past.h"
#include "cli/run-story.h"

/* The run to take back without an ID: the last that changed something and was not taken back; to
 * be freed. */
static char *
last_run(struct journal *journal, GError **error)
{
    g_auto(GStrv) ids = journal_list(journal, error);
    g_autoptr(GHashTable) undone = NULL;

    if (!ids)
        return NULL;
    undone = run_story_undone(journal, ids);
    for (guint i = g_strv_length(ids); i-- > 0;) {
        g_autoptr(JsonArray) records = journal_read(journal, ids[i], error);
        struct run_story story;
        gboolean candidate;

        if (!records)
            return NULL;
        run_story_read(&story, records);
        candidate = story.keys->len > 0 && g_strcmp0(story.command, "fix") == 0 &&
                    !g_hash_table_contains(undone, ids[i]);
        run_story_clear(&story);
        if (candidate)
            return g_strdup(ids[i]);
    }
    g_set_error_literal(error, JOURNAL_ERROR, JOURNAL_NONE, "there is nothing to take back");
    return NULL;
}

/* One domain or file, with its conversions. */
struct undo_part {
    const char *key;  /* UUID, or the file's path */
    const char *name;
    const struct source_domain *domain; /* NULL for a file */
    struct journal_run *first;  /* the run that is taken back, to be gone on with */
    struct journal_run *record; /* the one that takes it back */
    GPtrArray *notes, *left;
};

static gboolean
is_of(const struct convert_record *conversion, const struct undo_part *part)
{
    return g_strcmp0(run_story_key(conversion), part->key) == 0;
}

/* Conversions that were interrupted come to their end first: rolled back, or done and to be
 * taken back as such. One whose original was given up leads nowhere back. */
static gboolean
settle(struct run *run, const struct run_story *story, const struct undo_part *part, GError **error)
{
    const struct convert_past past =
        past_run_conversion(run, part->domain, part->first, part->notes);

    for (guint i = 0; i < story->conversions->len; i++) {
        struct convert_record *conversion = g_ptr_array_index(story->conversions, i);

        if (!is_of(conversion, part))
            continue;
        if (conversion->state == CONVERT_STATE_FORGOTTEN) {
            g_set_error(error, CONVERT_ERROR, CONVERT_REFUSED,
                        "the original of disk %s was given up (--forget); a way back is a "
                        "conversion of the present image to %s: domlint --fix --convert --to=%s",
                        conversion->disk, conversion->from, conversion->from);
            return FALSE;
        }
        if (conversion->state < CONVERT_STATE_DONE && !convert_settle(&past, conversion, error))
            return FALSE;
    }
    return TRUE;
}

static void
undo_end_all(GPtrArray *undos, gboolean defined, GError **error)
{
    for (guint i = undos->len; i-- > 0;)
        convert_undo_end(g_ptr_array_index(undos, i), defined, error && !*error ? error : NULL);
    g_ptr_array_set_size(undos, 0);
}

/* In the run that made them: they keep nothing any more. */
static gboolean
tell_taken_back(const struct run_story *story, const struct undo_part *part, GError **error)
{
    gboolean told = TRUE;

    for (guint i = 0; told && i < story->conversions->len; i++) {
        struct convert_record *conversion = g_ptr_array_index(story->conversions, i);

        if (conversion->state != CONVERT_STATE_DONE || !is_of(conversion, part))
            continue;
        conversion->state = CONVERT_STATE_ROLLED_BACK;
        told = convert_record_step(conversion, part->first, "convert-rolled-back", NULL, error);
    }
    return told;
}

static gboolean
undo_xml(struct run *run, JsonArray *records, const struct undo_part *part, GError **error)
{
    if (!part->domain)
        return file_change_revert(records, part->key, error);
    return !run_story_has_define(records, part->key) ||
           step_define_undo(run->session->connection, part->domain, records, part->record,
                            part->notes, part->left, error);
}

/* The images first, as far as nothing is lost by it; then the XML; then the copies go. */
static gboolean
undo_part(struct run *run, JsonArray *records, const struct run_story *story,
          const struct undo_part *part, GError **error)
{
    const struct convert_past past =
        past_run_conversion(run, part->domain, part->record, part->notes);
    g_autoptr(GPtrArray) undos = g_ptr_array_new();
    g_autoptr(GError) problem = NULL;
    gboolean done;

    if (!settle(run, story, part, error))
        return FALSE;
    for (guint i = story->conversions->len; i-- > 0;) {
        const struct convert_record *conversion = g_ptr_array_index(story->conversions, i);
        struct convert_undo *undo;

        if (conversion->state != CONVERT_STATE_DONE || !is_of(conversion, part))
            continue;
        undo = convert_undo_begin(&past, conversion, error);
        if (!undo) {
            undo_end_all(undos, FALSE, NULL);
            return FALSE;
        }
        g_ptr_array_add(undos, undo);
    }
    done = undo_xml(run, records, part, &problem);
    undo_end_all(undos, done, &problem);
    if (!problem && done && tell_taken_back(story, part, &problem))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

/* Takes one part back, as far as it is still ours. Whether that is done. */
static gboolean
undo_domain(struct run *run, JsonArray *records, const struct run_story *story, guint index,
            struct journal_run *first, struct journal_run *record)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct undo_part part = {
        .key = g_ptr_array_index(story->keys, index),
        .name = g_ptr_array_index(story->names, index),
        .first = first,
        .record = record,
        .notes = notes,
        .left = left,
    };
    gboolean is_file = *part.key == '/';
    struct source_domain *domain =
        is_file ? NULL : source_libvirt_lookup(run->session->connection, part.key, &problem);
    gboolean done = FALSE;

    part.domain = domain;
    interrupt_enter_long(run->interrupt);
    if (domain || is_file)
        done = undo_part(run, records, story, &part, &problem);
    else if (g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE))
        /* Copies of its images may be left all the same. */
        settle(run, story, &part, NULL);
    interrupt_leave_long(run->interrupt);
    for (guint i = 0; i < notes->len; i++)
        message("%s: %s", part.name, (const char *)g_ptr_array_index(notes, i));
    for (guint i = 0; i < left->len; i++)
        message("%s: %s", part.name, (const char *)g_ptr_array_index(left, i));
    if (done && left->len == 0) {
        message("%s: taken back", part.name);
    } else if (done) {
        message("%s: taken back but for that", part.name);
        exit_status_raise(&run->status, STATUS_REFUSED);
    } else if (g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE)) {
        message("%s: it is not there any more: there is nothing to take back", part.name);
        exit_status_raise(&run->status, STATUS_REFUSED);
        done = TRUE;
    } else {
        message("%s: not taken back: %s", part.name, problem->message);
        past_account(problem, &run->status);
    }
    if (domain)
        source_domain_free(domain);
    return done;
}

static void
undo_story(struct run *run, struct journal *journal, const char *id, JsonArray *records,
           const struct run_story *story, GError **error)
{
    g_autofree char *command = g_strconcat("undo ", id, NULL);
    struct journal_run *first = journal_continue(journal, id, error);
    struct journal_run *record =
        first ? journal_begin(journal, command, story->uri, error) : NULL;
    JsonObject *of = json_object_new();
    gboolean all = TRUE;

    json_object_set_string_member(of, "run", id);
    if (!record) {
        json_object_unref(of);
    } else if (journal_append(record, "undo-of", of, error)) {
        /* In the opposite order of how it was done. */
        for (guint i = story->keys->len; i-- > 0;)
            all &= undo_domain(run, records, story, i, first, record);
        if (!all || journal_append(record, "undone", NULL, error))
            journal_append(record, "end", NULL, error);
    }
    journal_run_free(record);
    journal_run_free(first);
}

/* Whether the run took back conversions: the copies are gone, and no XML may name them again. */
static gboolean
removed_copies(struct journal *journal, JsonArray *records)
{
    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *record = json_array_get_object_element(records, i);
        const char *of = json_object_get_string_member_with_default(record, "run", NULL);
        g_autoptr(JsonArray) first = of ? journal_read(journal, of, NULL) : NULL;
        g_autoptr(GPtrArray) conversions = first ? convert_records_read(first) : NULL;

        if (conversions && conversions->len)
            return TRUE;
    }
    return FALSE;
}

/* Whether the run can be taken back; what it did is read into @story. */
static gboolean
check_run(struct journal *journal, const char *id, JsonArray *records, struct run_story *story,
          GError **error)
{
    g_auto(GStrv) ids = journal_list(journal, error);
    g_autoptr(GHashTable) undone = ids ? run_story_undone(journal, ids) : NULL;

    run_story_read(story, records);
    if (!undone)
        return FALSE;
    if (story->keys->len == 0)
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE, "run %s changed nothing", id);
    else if (g_hash_table_contains(undone, id))
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE, "run %s was taken back already", id);
    else if (removed_copies(journal, records))
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE, "run %s took conversions back, whose "
                    "images are gone: domlint --fix --convert makes new ones", id);
    else
        return TRUE;
    return FALSE;
}

/* Taking a conversion back removes the copy: that is shown, and asked. */
static gboolean
have_consent(struct run *run, const struct run_story *story)
{
    guint count = 0;

    for (guint i = 0; i < story->conversions->len; i++) {
        const struct convert_record *record = g_ptr_array_index(story->conversions, i);

        if (record->state > CONVERT_STATE_DONE)
            continue;
        count++;
        message("%s, disk %s: goes back to %s, if the guest wrote nothing since; the copy is "
                "removed", record->domain ? record->domain : record->file, record->disk,
                record->path);
    }
    if (!count)
        return TRUE;
    return consent_have(run->options, "Do it?", &run->status);
}

static void
undo(struct run *run, struct journal *journal, GError **error)
{
    g_autofree char *id =
        *run->options->run ? g_strdup(run->options->run) : last_run(journal, error);
    g_autoptr(JsonArray) records = id ? journal_read(journal, id, error) : NULL;
    struct run_story story;

    if (!records)
        return;
    if (check_run(journal, id, records, &story, error) && have_consent(run, &story)) {
        const struct past_run past = { .uri = story.uri ? story.uri : "" };

        if (past_run_connect(&past, run, error))
            undo_story(run, journal, id, records, &story, error);
    }
    run_story_clear(&story);
}

void
mode_undo(struct run *run)
{
    g_autoptr(GError) problem = NULL;
    struct journal *journal = journal_open(run->options->state_dir, TRUE, &problem);

    if (journal) {
        undo(run, journal, &problem);
        journal_close(journal);
    }
    if (problem) {
        message("%s", problem->message);
        fix_domains_account(problem, &run->status);
    }
}
