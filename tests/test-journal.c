/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-journal.c: the state folder: one writer, records that survive, a torn end, hostile IDs. */
#include "apply/journal.h"

#include <check.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *dir;

static void
setup(void)
{
    g_autofree char *top = g_dir_make_tmp("domlint-journal-XXXXXX", NULL);

    dir = g_build_filename(top, "state", NULL);
}

static void
teardown(void)
{
    g_autofree char *top = g_path_get_dirname(dir);
    const char *argv[] = { "rm", "-rf", top, NULL };

    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
    g_free(dir);
}

static struct journal *
open_writer(void)
{
    g_autoptr(GError) error = NULL;
    struct journal *journal = journal_open(dir, TRUE, &error);

    ck_assert_msg(journal != NULL, "%s", error ? error->message : "");
    return journal;
}

/* Begins a run with one record; returns its ID and the journal's path. */
static char *
make_run(struct journal *journal, char **path)
{
    struct journal_run *run = journal_begin(journal, "fix", "qemu:///system", NULL);
    JsonObject *members = json_object_new();
    char *id;

    ck_assert_ptr_nonnull(run);
    json_object_set_string_member(members, "domain", "web\n1");
    ck_assert(journal_append(run, "define", members, NULL));
    id = g_strdup(journal_run_id(run));
    journal_run_free(run);
    if (path)
        *path = g_build_filename(dir, "runs", id, "journal", NULL);
    return id;
}

START_TEST(records_read_back)
{
    struct journal *journal = open_writer();
    g_autofree char *id = make_run(journal, NULL);
    g_autoptr(JsonArray) records = journal_read(journal, id, NULL);
    g_auto(GStrv) ids = journal_list(journal, NULL);

    ck_assert_uint_eq(json_array_get_length(records), 2);
    ck_assert_str_eq(json_object_get_string_member(json_array_get_object_element(records, 0), "type"),
                     "begin");
    ck_assert_str_eq(json_object_get_string_member(json_array_get_object_element(records, 1),
                                                   "domain"), "web\n1");
    ck_assert_uint_eq(g_strv_length(ids), 1);
    ck_assert_str_eq(ids[0], id);
    journal_close(journal);
}
END_TEST

START_TEST(runs_are_numbered_in_order)
{
    struct journal *journal = open_writer();
    g_auto(GStrv) ids = NULL;

    for (int i = 1; i <= 12; i++) {
        g_autofree char *id = make_run(journal, NULL);

        ck_assert_int_eq(atoi(id), i);
    }
    ids = journal_list(journal, NULL);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(atoi(ids[i]), i + 1);
    journal_close(journal);
}
END_TEST

START_TEST(only_we_can_read_it)
{
    struct journal *journal = open_writer();
    g_autofree char *path = NULL;
    g_autofree char *id = make_run(journal, &path);
    struct stat st;

    ck_assert_int_eq(stat(dir, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    journal_close(journal);
}
END_TEST

START_TEST(one_writer_at_a_time)
{
    struct journal *first = open_writer();
    g_autoptr(GError) error = NULL;
    g_autofree char *pid = g_strdup_printf("pid %ld", (long)getpid());
    struct journal *reader;

    ck_assert_ptr_null(journal_open(dir, TRUE, &error));
    ck_assert(g_error_matches(error, JOURNAL_ERROR, JOURNAL_BUSY));
    ck_assert_msg(strstr(error->message, pid) != NULL, "%s", error->message);
    reader = journal_open(dir, FALSE, NULL);
    ck_assert_ptr_nonnull(reader);
    journal_close(reader);
    journal_close(first);
    journal_close(open_writer());
}
END_TEST

START_TEST(a_folder_that_others_write_is_refused)
{
    g_autoptr(GError) error = NULL;

    journal_close(open_writer());
    ck_assert_int_eq(chmod(dir, 0777), 0);
    ck_assert_ptr_null(journal_open(dir, TRUE, &error));
    ck_assert(g_error_matches(error, JOURNAL_ERROR, JOURNAL_UNSAFE));
}
END_TEST

START_TEST(a_torn_last_line_is_ignored)
{
    struct journal *journal = open_writer();
    g_autofree char *path = NULL;
    g_autofree char *id = make_run(journal, &path);
    g_autoptr(JsonArray) records = NULL;
    int fd = open(path, O_WRONLY | O_APPEND);

    ck_assert_int_eq(write(fd, "{\"type\":\"def", 12), 12);
    close(fd);
    records = journal_read(journal, id, NULL);
    ck_assert_ptr_nonnull(records);
    ck_assert_uint_eq(json_array_get_length(records), 2);
    journal_close(journal);
}
END_TEST

START_TEST(damage_is_seen)
{
    struct journal *journal = open_writer();
    g_autofree char *path = NULL;
    g_autofree char *id = make_run(journal, &path);
    g_autoptr(GError) error = NULL;
    int fd = open(path, O_WRONLY);

    ck_assert_int_eq(write(fd, "XXXX", 4), 4);
    close(fd);
    ck_assert_ptr_null(journal_read(journal, id, &error));
    ck_assert(g_error_matches(error, JOURNAL_ERROR, JOURNAL_FAILED));
    ck_assert_ptr_nonnull(strstr(error->message, "line 1"));
    journal_close(journal);
}
END_TEST

START_TEST(an_id_cannot_lead_out)
{
    static const char *const ids[] = { "../../etc", "", "1/../1", ".", "-1", "1x", "17" };
    struct journal *journal = open_writer();

    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autoptr(GError) error = NULL;

        ck_assert_ptr_null(journal_read(journal, ids[i], &error));
        ck_assert(g_error_matches(error, JOURNAL_ERROR, JOURNAL_NONE));
    }
    journal_close(journal);
}
END_TEST

START_TEST(an_absent_folder_is_an_empty_journal)
{
    struct journal *journal = journal_open(dir, FALSE, NULL);
    g_auto(GStrv) ids = NULL;

    ck_assert_ptr_nonnull(journal);
    ids = journal_list(journal, NULL);
    ck_assert_ptr_nonnull(ids);
    ck_assert_uint_eq(g_strv_length(ids), 0);
    ck_assert(!g_file_test(dir, G_FILE_TEST_EXISTS));
    journal_close(journal);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("journal");
    TCase *tcase = tcase_create("journal");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, records_read_back);
    tcase_add_test(tcase, runs_are_numbered_in_order);
    tcase_add_test(tcase, only_we_can_read_it);
    tcase_add_test(tcase, one_writer_at_a_time);
    tcase_add_test(tcase, a_folder_that_others_write_is_refused);
    tcase_add_test(tcase, a_torn_last_line_is_ignored);
    tcase_add_test(tcase, damage_is_seen);
    tcase_add_test(tcase, an_id_cannot_lead_out);
    tcase_add_test(tcase, an_absent_folder_is_an_empty_journal);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
