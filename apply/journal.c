/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.c: the state folder: its lock, its runs, their records. */
#include "apply/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct journal {
    char *dir;
    int lock_fd; /* holds the writer's lock; -1 when only reading */
};

struct journal_run {
    char *id;
    int fd; /* of the run's `journal`, append-only; -1: nothing more can be written to it */
};

GQuark
journal_error_quark(void)
{
    return g_quark_from_static_string("domlint-journal");
}

static gboolean
fail(GError **error, const char *what, const char *path)
{
    int saved = errno;

    g_set_error(error, JOURNAL_ERROR, JOURNAL_FAILED, "%s %s: %s", what, path, g_strerror(saved));
    return FALSE;
}

char *
journal_default_dir(void)
{
    const char *state_home = g_getenv("XDG_STATE_HOME");

    if (geteuid() == 0)
        return g_strdup("/var/lib/domlint");
    if (state_home && g_path_is_absolute(state_home))
        return g_build_filename(state_home, "domlint", NULL);
    return g_build_filename(g_get_home_dir(), ".local", "state", "domlint", NULL);
}

/* Flushes a folder, so that a name made in it survives a power loss. */
static gboolean
sync_dir(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    gboolean ok;

    if (fd < 0)
        return fail(error, "cannot open", path);
    ok = fsync(fd) == 0;
    if (!ok)
        fail(error, "cannot flush", path);
    close(fd);
    return ok;
}

/* A journal that others can write to could make us "take back" what they like. */
static gboolean
check_dir(const char *dir, GError **error)
{
    struct stat st;

    if (lstat(dir, &st) < 0)
        return fail(error, "cannot look at", dir);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022)) {
        g_set_error(error, JOURNAL_ERROR, JOURNAL_UNSAFE,
                    "%s is not a folder of ours alone: give it to us with mode 0700, "
                    "or name another with --state-dir", dir);
        return FALSE;
    }
    return TRUE;
}

static gboolean
take_lock(struct journal *journal, GError **error)
{
    g_autofree char *path = g_build_filename(journal->dir, "lock", NULL);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    char holder[32] = "";

    journal->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (journal->lock_fd < 0)
        return fail(error, "cannot open", path);
    if (fcntl(journal->lock_fd, F_OFD_SETLK, &lock) < 0) {
        if (errno != EAGAIN && errno != EACCES)
            return fail(error, "cannot lock", path);
        /* The holder wrote its pid: an OFD lock does not tell. */
        if (pread(journal->lock_fd, holder, sizeof(holder) - 1, 0) < 0)
            holder[0] = '\0';
        g_set_error(error, JOURNAL_ERROR, JOURNAL_BUSY,
                    "another domlint (pid %s) is at work with %s: try again when it is done",
                    holder[0] ? g_strchomp(holder) : "unknown", journal->dir);
        return FALSE;
    }
    g_snprintf(holder, sizeof(holder), "%ld\n", (long)getpid());
    if (ftruncate(journal->lock_fd, 0) < 0 ||
        pwrite(journal->lock_fd, holder, strlen(holder), 0) < 0)
        return fail(error, "cannot write", path);
    return TRUE;
}

struct journal *
journal_open(const char *dir, gboolean write, GError **error)
{
    struct journal *journal;
    g_autofree char *runs = g_build_filename(dir, "runs", NULL);

    if (write) {
        if (g_mkdir_with_parents(runs, 0700) < 0) {
            fail(error, "cannot make", runs);
            return NULL;
        }
    } else if (!g_file_test(dir, G_FILE_TEST_EXISTS)) {
        journal = g_new0(struct journal, 1);
        journal->dir = g_strdup(dir);
        journal->lock_fd = -1;
        return journal;
    }
    if (!check_dir(dir, error))
        return NULL;
    journal = g_new0(struct journal, 1);
    journal->dir = g_strdup(dir);
    journal->lock_fd = -1;
    if (write && (!take_lock(journal, error) || !sync_dir(dir, error))) {
        journal_close(journal);
        return NULL;
    }
    return journal;
}

void
journal_close(struct journal *journal)
{
    if (!journal)
        return;
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    g_free(journal->dir);
    g_free(journal);
}

/* An ID comes from the command line: it must not lead out of the folder. */
static gboolean
is_id(const char *id)
{
    return id[0] >= '1' && id[0] <= '9' && id[strspn(id, "0123456789")] == '\0' && strlen(id) < 19;
}

static int
compare_ids(gconstpointer a, gconstpointer b)
{
    const char *x = *(const char *const *)a;
    const char *y = *(const char *const *)b;
    size_t lx = strlen(x), ly = strlen(y);

    return lx == ly ? strcmp(x, y) : lx < ly ? -1 : 1;
}

/* Cuts the end of a line off that was torn by a kill. */
static gboolean
end_line(const char *path, int fd, GError **error)
{
    g_autofree char *text = NULL;
    gsize length;
    const char *last;

    if (!g_file_get_contents(path, &text, &length, error))
        return FALSE;
    last = memrchr(text, '\n', length);
    if (length == 0 || (last && last + 1 == text + length))
        return TRUE;
    if (ftruncate(fd, last ? last + 1 - text : 0) < 0)
        return fail(error, "cannot mend", path);
    return TRUE;
}

/* The ID after the last; to be freed. Numbers keep the order of runs where the clock does not. */
static char *
next_id(struct journal *journal, GError **error)
{
    g_auto(GStrv) ids = journal_list(journal, error);
    guint count = ids ? g_strv_length(ids) : 0;

    if (!ids)
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT,
                           count ? g_ascii_strtoull(ids[count - 1], NULL, 10) + 1 : 1);
}

struct journal_run *
journal_begin(struct journal *journal, const char *command, const char *uri, GError **error)
{
    g_autofree char *id = next_id(journal, error);
    g_autofree char *runs = g_build_filename(journal->dir, "runs", NULL);
    g_autofree char *dir = NULL;
    g_autofree char *path = NULL;
    struct journal_run *run;
    JsonObject *members;

    g_return_val_if_fail(journal->lock_fd >= 0, NULL);
    if (!id)
        return NULL;
    dir = g_build_filename(runs, id, NULL);
    path = g_build_filename(dir, "journal", NULL);
    if (mkdir(dir, 0700) < 0) {
        fail(error, "cannot make", dir);
        return NULL;
    }
    run = g_new0(struct journal_run, 1);
    run->id = g_steal_pointer(&id);
    run->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (run->fd < 0) {
        fail(error, "cannot make", path);
        journal_run_free(run);
        return NULL;
    }
    members = json_object_new();
    json_object_set_int_member(members, "version", 1);
    json_object_set_string_member(members, "command", command);
    json_object_set_string_member(members, "uri", uri);
    if (!journal_append(run, "begin", members, error) || !sync_dir(dir, error) ||
        !sync_dir(runs, error)) {
        journal_run_free(run);
        return NULL;
    }
    return run;
}

struct journal_run *
journal_continue(struct journal *journal, const char *id, GError **error)
{
    g_autofree char *path = g_build_filename(journal->dir, "runs", id, "journal", NULL);
    struct journal_run *run;
    int fd;

    g_return_val_if_fail(journal->lock_fd >= 0, NULL);
    fd = is_id(id) ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0) {
        fail(error, "cannot open", path);
        return NULL;
    }
    run = g_new0(struct journal_run, 1);
    run->id = g_strdup(id);
    run->fd = fd;
    /* A torn line, whose step did not begin, is ended: what follows is whole. */
    if (!end_line(path, fd, error)) {
        journal_run_free(run);
        return NULL;
    }
    return run;
}

const char *
journal_run_id(const struct journal_run *run)
{
    return run->id;
}

static gboolean
write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FALSE;
        data += n;
        length -= (size_t)n;
    }
    return TRUE;
}

gboolean
journal_append(struct journal_run *run, const char *type, JsonObject *members, GError **error)
{
    g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *time = g_date_time_format_iso8601(now);
    g_autofree char *text = NULL;
    g_autofree char *line = NULL;
    off_t end = lseek(run->fd, 0, SEEK_END);

    if (!members)
        members = json_object_new();
    json_object_set_string_member(members, "type", type);
    json_object_set_string_member(members, "time", time);
    json_node_take_object(node, members);
    text = json_to_string(node, FALSE);
    line = g_strconcat(text, "\n", NULL);
    if (write_all(run->fd, line, strlen(line)) && fdatasync(run->fd) == 0)
        return TRUE;
    fail(error, "cannot write the journal of run", run->id);
    /* Half a line (a full disk) would make damage of whatever follows it; and what could not be
     * flushed must not be taken for announced. */
    if (end < 0 || ftruncate(run->fd, end) < 0) {
        close(run->fd);
        run->fd = -1;
    }
    return FALSE;
}

void
journal_run_free(struct journal_run *run)
{
    if (!run)
        return;
    if (run->fd >= 0)
        close(run->fd);
    g_free(run->id);
    g_free(run);
}

GStrv
journal_list(struct journal *journal, GError **error)
{
    g_autofree char *runs = g_build_filename(journal->dir, "runs", NULL);
    g_autoptr(GDir) dir = NULL;
    GPtrArray *ids = g_ptr_array_new();
    const char *name;

    if (g_file_test(runs, G_FILE_TEST_EXISTS)) {
        dir = g_dir_open(runs, 0, error);
        if (!dir) {
            g_ptr_array_unref(ids);
            return NULL;
        }
        while ((name = g_dir_read_name(dir)))
            if (is_id(name))
                g_ptr_array_add(ids, g_strdup(name));
    }
    g_ptr_array_sort(ids, compare_ids);
    g_ptr_array_add(ids, NULL);
    return (GStrv)g_ptr_array_free(ids, FALSE);
}

JsonArray *
journal_read(struct journal *journal, const char *id, GError **error)
{
    g_autofree char *path = g_build_filename(journal->dir, "runs", id, "journal", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    JsonArray *records;

    if (!is_id(id) || !g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_set_error(error, JOURNAL_ERROR, JOURNAL_NONE,
                    "there is no run '%s' in %s: domlint --history lists them", id, journal->dir);
        return NULL;
    }
    if (!g_file_get_contents(path, &text, NULL, error))
        return NULL;
    lines = g_strsplit(text, "\n", -1);
    records = json_array_new();
    for (guint i = 0; lines[i]; i++) {
        g_autoptr(JsonNode) node = NULL;

        if (!lines[i][0])
            continue;
        node = json_from_string(lines[i], NULL);
        if (node && JSON_NODE_HOLDS_OBJECT(node)) {
            json_array_add_element(records, g_steal_pointer(&node));
        } else if (lines[i + 1]) {
            /* Only the last line can be torn; anything else is damage that must be seen. */
            g_set_error(error, JOURNAL_ERROR, JOURNAL_FAILED, "%s: line %u is damaged", path,
                        i + 1);
            json_array_unref(records);
            return NULL;
        }
    }
    return records;
}
