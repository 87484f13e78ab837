/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-history.c: what was done to domains, and taking it back.
 */
#include <string.h>

#include "apply/step-define.h"
#include "cli/fix-domain.h"
#include "cli/message.h"
#include "cli/mode.h"
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
};

static void
story_read(struct run_story *story, JsonArray *records)
{
    memset(story, 0, sizeof(*story));
    story->uuids = g_ptr_array_new();
    story->names = g_ptr_array_new();
    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *record = json_array_get_object_element(records, i);
        const char *uuid = member(record, "uuid");

        if (is_type(record, "begin")) {
            story->time = member(record, "time");
            story->command = member(record, "command");
            story->uri = member(record, "uri");
        } else if (is_type(record, "end")) {
            story->ended = TRUE;
        } else if (is_type(record, "define") && uuid) {
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

static void
story_clear(struct run_story *story)
{
    g_ptr_array_unref(story->uuids);
    g_ptr_array_unref(story->names);
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
        candidate = story.uuids->len > 0 && g_strcmp0(story.command, "fix") == 0 &&
                    !g_hash_table_contains(undone, ids[i]);
        story_clear(&story);
        if (candidate)
            return g_strdup(ids[i]);
    }
    g_set_error_literal(error, JOURNAL_ERROR, JOURNAL_NONE, "there is nothing to take back");
    return NULL;
}

/* Takes one domain's part back, as far as it is still ours. Whether that is done. */
static gboolean
undo_domain(struct run *run, JsonArray *records, const char *uuid, const char *name,
            struct journal_run *record)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    struct source_domain *domain =
        source_libvirt_lookup(run->session->connection, uuid, &problem);
    gboolean done = FALSE;

    interrupt_enter(run->interrupt);
    if (domain)
        done = step_define_undo(run->session->connection, domain, records, record, notes, left,
                                &problem);
    interrupt_leave(run->interrupt);
    for (guint i = 0; i < notes->len; i++)
        message("%s: %s", name, (const char *)g_ptr_array_index(notes, i));
    for (guint i = 0; i < left->len; i++)
        message("%s: %s", name, (const char *)g_ptr_array_index(left, i));
    if (done && left->len == 0) {
        message("%s: taken back", name);
    } else if (done) {
        message("%s: taken back but for that", name);
        exit_status_raise(&run->status, STATUS_REFUSED);
    } else if (g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE)) {
        message("%s: it is not there any more: there is nothing to take back", name);
        exit_status_raise(&run->status, STATUS_REFUSED);
        done = TRUE;
    } else {
        message("%s: not taken back: %s", name, problem->message);
        fix_domains_account(problem, &run->status);
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
        all &= undo_domain(run, records, g_ptr_array_index(story->uuids, i),
                           g_ptr_array_index(story->names, i), record);
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

static void
undo(struct run *run, struct journal *journal, GError **error)
{
    g_autofree char *id =
        *run->options->undo ? g_strdup(run->options->undo) : last_run(journal, error);
    g_autoptr(JsonArray) records = id ? journal_read(journal, id, error) : NULL;
    struct run_story story;

    if (!records)
        return;
    if (check_run(journal, id, records, &story, error)) {
        run->session = session_open(run->options->connect ? run->options->connect : story.uri,
                                    CONNECTION_READ_WRITE, run->facts, error);
        if (run->session)
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
