/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-history.c: what was done to domains, and taking it back.
 */
#include <string.h>
#include <sys/stat.h>

#include "apply/step-define.h"
#include "cli/fix-domain.h"
#include "cli/message.h"
#include "cli/consent.h"
#include "cli/mode.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "lint/escape.h"

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

/* What a run's records come to. */
struct run_story {
    const char *time, *command, *uri;
    gboolean ended;
    GPtrArray *uuids;  /* of the domains whose definition was, or may have been, changed; in order */
    GPtrArray *names;
    GPtrArray *conversions; /* of struct convert_record *: all of the run */
};

static void
story_read(struct run_story *story, JsonArray *records)
{
    memset(story, 0, sizeof(*story));
    story->uuids = g_ptr_array_new();
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
                   !g_ptr_array_find_with_equal_func(story->uuids, uuid, g_str_equal, NULL)) {
            g_ptr_array_add(story->uuids, (gpointer)uuid);
            g_ptr_array_add(story->names, (gpointer)member(record, "domain"));
        } else if (is_type(record, "define-failed") && uuid) {
            /* Nothing stands of it, unless putting back failed: then what stands is ours to take back. */
            guint index;

            if (json_object_get_boolean_member_with_default(record, "restored", TRUE) &&
                g_ptr_array_find_with_equal_func(story->uuids, uuid, g_str_equal, &index)) {
                g_ptr_array_remove_index(story->uuids, index);
                g_ptr_array_remove_index(story->names, index);
            }
        }
    }
}

/* Adds the domains and files that conversions changed. A domain whose image was exchanged has no define. */
static void
story_add_conversions(struct run_story *story)
{
    for (guint i = 0; i < story->conversions->len; i++) {
        const struct convert_record *record = g_ptr_array_index(story->conversions, i);
        const char *key = record->uuid ? record->uuid : record->file;

        if (record->state != CONVERT_STATE_DONE ||
            g_ptr_array_find_with_equal_func(story->uuids, key, g_str_equal, NULL))
            continue;
        g_ptr_array_add(story->uuids, (gpointer)key);
        g_ptr_array_add(story->names, record->domain ? record->domain : record->file);
    }
}

static void
story_clear(struct run_story *story)
{
    g_ptr_array_unref(story->uuids);
    g_ptr_array_unref(story->names);
    g_ptr_array_unref(story->conversions);
}

/* The runs that later ones took back. Taking back such a later one brings the first back. */
static GHashTable *
undone_runs(struct journal *journal, GStrv ids)
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

/* The originals that its conversions kept. */
static void
print_kept(const struct run_story *story)
{
    for (guint i = 0; i < story->conversions->len; i++) {
        const struct convert_record *record = g_ptr_array_index(story->conversions, i);
        const char *kept = convert_record_kept(record);
        g_autofree char *path = lint_escape(kept);
        struct stat st;

        if (record->state == CONVERT_STATE_DONE && lstat(kept, &st) == 0 &&
            st.st_ino == record->original.inode) {
            g_autofree char *size = progress_size((guint64)st.st_blocks * 512);

            printf("      keeps %s (%s)\n", path, size);
        } else if (record->state < CONVERT_STATE_DONE) {
            printf("      interrupted: %s; domlint --resume\n", path);
        }
    }
}

static void
print_run(struct journal *journal, const char *id, GHashTable *undone)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(JsonArray) records = journal_read(journal, id, &problem);
    g_autoptr(GDateTime) begun = NULL;
    g_autoptr(GDateTime) local = NULL;
    g_autofree char *when = NULL;
    g_autofree char *names = NULL;
    g_autofree char *escaped = NULL;
    struct run_story story;

    if (!records) {
        message("%s", problem->message);
        return;
    }
    story_read(&story, records);
    story_add_conversions(&story);
    g_ptr_array_add(story.names, NULL);
    names = g_strjoinv(", ", (GStrv)story.names->pdata);
    escaped = lint_escape(names);
    begun = story.time ? g_date_time_new_from_iso8601(story.time, NULL) : NULL;
    local = begun ? g_date_time_to_local(begun) : NULL;
    when = local ? g_date_time_format(local, "%Y-%m-%d %H:%M") : g_strdup("?");
    printf("%4s  %s  %s  %s: %s%s\n", id, when, story.command ? story.command : "?",
           story.uri ? story.uri : "?", *escaped ? escaped : "nothing changed",
           g_hash_table_contains(undone, id) ? "  (taken back)"
           : story.ended                     ? ""
                                             : "  (interrupted)");
    print_kept(&story);
    story_clear(&story);
}

void
mode_history(struct run *run)
{
    g_autoptr(GError) problem = NULL;
    struct journal *journal = journal_open(run->options->state_dir, FALSE, &problem);
    g_auto(GStrv) ids = journal ? journal_list(journal, &problem) : NULL;

    if (!ids) {
        message("%s", problem->message);
        fix_domains_account(problem, &run->status);
    } else {
        g_autoptr(GHashTable) undone = undone_runs(journal, ids);

        for (guint i = 0; ids[i]; i++)
            print_run(journal, ids[i], undone);
        if (!ids[0] && !run->options->quiet)
            message("%s: nothing was done yet", run->options->state_dir);
    }
    if (journal)
        journal_close(journal);
}

/* ---- Taking back ---- */

/* The run to take back without an ID: the last that changed something and was not taken back; to be freed. */
static char *
last_run(struct journal *journal, GError **error)
{
    g_auto(GStrv) ids = journal_list(journal, error);
    g_autoptr(GHashTable) undone = NULL;

    if (!ids)
        return NULL;
    undone = undone_runs(journal, ids);
    for (guint i = g_strv_length(ids); i-- > 0;) {
        g_autoptr(JsonArray) records = journal_read(journal, ids[i], error);
        struct run_story story;
        gboolean candidate;

        if (!records)
            return NULL;
        story_read(&story, records);
        story_add_conversions(&story);
        candidate = story.uuids->len > 0 && g_strcmp0(story.command, "fix") == 0 &&
                    !g_hash_table_contains(undone, ids[i]);
        story_clear(&story);
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
    struct journal *journal;
    const char *of;   /* the run that is taken back */
    struct journal_run *record;
    GPtrArray *notes, *left;
};

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
    struct journal_run *first = journal_continue(part->journal, part->of, error);
    gboolean told = first != NULL;

    for (guint i = 0; told && i < story->conversions->len; i++) {
        struct convert_record *conversion = g_ptr_array_index(story->conversions, i);

        if (conversion->state != CONVERT_STATE_DONE ||
            g_strcmp0(conversion->uuid ? conversion->uuid : conversion->file, part->key) != 0)
            continue;
        conversion->state = CONVERT_STATE_ROLLED_BACK;
        told = convert_record_step(conversion, first, "convert-rolled-back", NULL, error);
    }
    journal_run_free(first);
    return told;
}

/* Whether the run changed the domain's definition. */
static gboolean
has_define(JsonArray *records, const char *uuid)
{
    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *record = json_array_get_object_element(records, i);

        if (is_type(record, "define") && g_strcmp0(member(record, "uuid"), uuid) == 0)
            return TRUE;
    }
    return FALSE;
}

static gboolean
undo_xml(struct run *run, JsonArray *records, const struct run_story *story,
         const struct undo_part *part, const struct convert_past *past, GError **error)
{
    if (part->domain)
        return !has_define(records, part->key) ||
               step_define_undo(run->session->connection, part->domain, records, part->record,
                                part->notes, part->left, error);
    for (guint i = 0; i < story->conversions->len; i++) {
        const struct convert_record *conversion = g_ptr_array_index(story->conversions, i);

        if (g_strcmp0(conversion->file, part->key) == 0 &&
            !convert_undo_file(past, conversion, records, error))
            return FALSE;
    }
    return TRUE;
}

/* The images first, as far as nothing is lost by it; then the XML; then the copies go. */
static gboolean
undo_part(struct run *run, JsonArray *records, const struct run_story *story,
          const struct undo_part *part, GError **error)
{
    const struct convert_past past =
        past_run_conversion(run, part->domain, part->record, part->notes);
    g_autoptr(GPtrArray) undos = g_ptr_array_new();
    gboolean done;

    for (guint i = story->conversions->len; i-- > 0;) {
        const struct convert_record *conversion = g_ptr_array_index(story->conversions, i);
        struct convert_undo *undo;

        if (conversion->state != CONVERT_STATE_DONE ||
            g_strcmp0(conversion->uuid ? conversion->uuid : conversion->file, part->key) != 0)
            continue;
        undo = convert_undo_begin(&past, conversion, error);
        if (!undo) {
            undo_end_all(undos, FALSE, NULL);
            return FALSE;
        }
        g_ptr_array_add(undos, undo);
    }
    done = undo_xml(run, records, story, part, &past, error);
    undo_end_all(undos, done, error);
    return done && !(error && *error) && tell_taken_back(story, part, error);
}

/* Takes one part back, as far as it is still ours. Whether that is done. */
static gboolean
undo_domain(struct run *run, JsonArray *records, const struct run_story *story, guint index,
            struct journal *journal, const char *of, struct journal_run *record)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct undo_part part = {
        .key = g_ptr_array_index(story->uuids, index),
        .name = g_ptr_array_index(story->names, index),
        .journal = journal,
        .of = of,
        .record = record,
        .notes = notes,
        .left = left,
    };
    gboolean is_file = *part.key == '/' || !g_uuid_string_is_valid(part.key);
    struct source_domain *domain =
        is_file ? NULL : source_libvirt_lookup(run->session->connection, part.key, &problem);
    gboolean done = FALSE;

    part.domain = domain;
    interrupt_enter_long(run->interrupt);
    if (domain || is_file)
        done = undo_part(run, records, story, &part, &problem);
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
    struct journal_run *record;
    JsonObject *of = json_object_new();
    gboolean all = TRUE;

    json_object_set_string_member(of, "run", id);
    record = journal_begin(journal, command, story->uri, error);
    if (!record || !journal_append(record, "undo-of", of, error)) {
        if (!record)
            json_object_unref(of);
        journal_run_free(record);
        return;
    }
    /* In the opposite order of how it was done. */
    for (guint i = story->uuids->len; i-- > 0;)
        all &= undo_domain(run, records, story, i, journal, id, record);
    if (!all || journal_append(record, "undone", NULL, error))
        journal_append(record, "end", NULL, error);
    journal_run_free(record);
}

/* Whether the run can be taken back; what it did is read into @story. */
static gboolean
check_run(struct journal *journal, const char *id, JsonArray *records, struct run_story *story,
          GError **error)
{
    g_auto(GStrv) ids = journal_list(journal, error);
    g_autoptr(GHashTable) undone = ids ? undone_runs(journal, ids) : NULL;

    story_read(story, records);
    story_add_conversions(story);
    if (!undone)
        return FALSE;
    if (story->uuids->len == 0)
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE, "run %s changed nothing", id);
    else if (g_hash_table_contains(undone, id))
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE, "run %s was taken back already", id);
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

        if (record->state != CONVERT_STATE_DONE)
            continue;
        count++;
        message("%s, disk %s: goes back to %s, if the guest wrote nothing since; the copy is removed",
                record->domain ? record->domain : record->file, record->disk, record->path);
    }
    if (!count)
        return TRUE;
    switch (consent_ask(run->options, "Do it?")) {
    case CONSENT_GIVEN:
        return TRUE;
    case CONSENT_REFUSED:
        message("nothing was changed");
        exit_status_raise(&run->status, STATUS_REFUSED);
        break;
    case CONSENT_NOBODY:
        message("there is no terminal to ask on: say --yes to carry it out");
        exit_status_raise(&run->status, STATUS_USAGE);
        break;
    }
    return FALSE;
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
    story_clear(&story);
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
