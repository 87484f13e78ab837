/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-history.c: listing what was done to domains and files.
 */
#include <sys/stat.h>

#include "cli/fix-domain.h"
#include "cli/message.h"
#include "cli/mode.h"
#include "cli/progress.h"
#include "cli/run-story.h"
#include "lint/escape.h"

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
    run_story_read(&story, records);
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
    run_story_clear(&story);
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
        g_autoptr(GHashTable) undone = run_story_undone(journal, ids);

        for (guint i = 0; ids[i]; i++)
            print_run(journal, ids[i], undone);
        if (!ids[0] && !run->options->quiet)
            message("%s: nothing was done yet", run->options->state_dir);
    }
    if (journal)
        journal_close(journal);
}
