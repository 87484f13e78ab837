/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.c: what the TARGETs of the command line stand for.
 */
#include <string.h>
#include <sys/stat.h>

#include "cli/targets.h"
#include "probe/source-file.h"

enum word_kind {
    WORD_PATH,
    WORD_STDIN,
    WORD_DOMAIN, /* a name or UUID on a connection, or nothing that we know */
};

/* What @word stands for; *@rest is it without the prefix that forces a kind. */
static enum word_kind
word_kind(const char *word, const char **rest)
{
    *rest = word;
    if (g_str_equal(word, "-"))
        return WORD_STDIN;
    if (g_str_has_prefix(word, "file:")) {
        *rest = word + strlen("file:");
        return WORD_PATH;
    }
    if (g_str_has_prefix(word, "dom:")) {
        *rest = word + strlen("dom:");
        return WORD_DOMAIN;
    }
    if (strchr(word, '/') || g_str_has_suffix(word, ".xml") || g_str_has_suffix(word, ".xml.j2") ||
        g_file_test(word, G_FILE_TEST_IS_DIR))
        return WORD_PATH;
    return WORD_DOMAIN;
}

/* The targets so far. */
struct listing {
    GPtrArray *targets;
    GHashTable *seen; /* "DEVICE:INODE" of the files among them */
    gboolean has_stdin;
};

static void
target_free(gpointer data)
{
    struct target *target = data;

    g_free(target->path);
    g_free(target->word);
    g_free(target->failure);
    g_free(target->shown);
    g_free(target->connection);
    if (target->domain)
        source_domain_free(target->domain);
    g_free(target);
}

static void
add(GPtrArray *targets, const char *path, const char *failure)
{
    struct target *target = g_new0(struct target, 1);

    target->path = g_strdup(path);
    target->failure = g_strdup(failure);
    g_ptr_array_add(targets, target);
}

static void
add_problem(const char *path, const GError *error, void *data)
{
    add(data, path, error->message);
}

static gint
compare_paths(gconstpointer a, gconstpointer b)
{
    const struct target *const *one = a;
    const struct target *const *other = b;

    return strcmp((*one)->path, (*other)->path);
}

/* Whether the file at @path is not among the targets yet. */
static gboolean
is_new(struct listing *listing, const char *path)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return TRUE;
    return g_hash_table_add(listing->seen,
                            g_strdup_printf("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                            (guint64)status.st_dev, (guint64)status.st_ino));
}

static gboolean
add_path(struct listing *listing, const char *path, GError **error)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(target_free);
    g_autoptr(GPtrArray) files = NULL;

    /* "-" alone would be standard input below. */
    files = source_file_list(g_str_equal(path, "-") ? "./-" : path, add_problem, found);
    for (guint i = 0; i < files->len; i++)
        add(found, g_ptr_array_index(files, i), NULL);
    g_ptr_array_sort(found, compare_paths);
    if (!found->len) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "no *.xml or *.xml.j2 with a domain or disk in folder '%s'", path);
        return FALSE;
    }
    for (guint i = 0; i < found->len; i++) {
        const struct target *target = g_ptr_array_index(found, i);

        if (target->failure || is_new(listing, target->path))
            add(listing->targets, target->path, target->failure);
    }
    return TRUE;
}

static void
add_domain(GPtrArray *targets, const char *word, gboolean could_be_file)
{
    struct target *target = g_new0(struct target, 1);

    target->word = g_strdup(word);
    target->could_be_file = could_be_file && g_file_test(word, G_FILE_TEST_EXISTS);
    g_ptr_array_add(targets, target);
}

static gboolean
add_word(struct listing *listing, const char *word, GError **error)
{
    const char *rest;

    switch (word_kind(word, &rest)) {
    case WORD_PATH:
        return add_path(listing, rest, error);
    case WORD_STDIN:
        if (listing->has_stdin) {
            g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                                "standard input (-) is given twice");
            return FALSE;
        }
        listing->has_stdin = TRUE;
        add(listing->targets, "-", NULL);
        return TRUE;
    case WORD_DOMAIN:
        add_domain(listing->targets, rest, rest == word);
        return TRUE;
    }
    return FALSE;
}

GPtrArray *
targets_list(GStrv words, GError **error)
{
    struct listing listing = {
        .targets = g_ptr_array_new_with_free_func(target_free),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    gboolean good = TRUE;

    for (gsize i = 0; good && words[i]; i++)
        good = add_word(&listing, words[i], error);
    g_hash_table_unref(listing.seen);
    if (!good)
        g_clear_pointer(&listing.targets, g_ptr_array_unref);
    return listing.targets;
}

gboolean
targets_have_domains(GPtrArray *targets)
{
    for (guint i = 0; i < targets->len; i++) {
        if (((const struct target *)g_ptr_array_index(targets, i))->word)
            return TRUE;
    }
    return FALSE;
}

/* Finds the domain that @target names. FALSE with @error where a file has that name too. */
static gboolean
find_domain(struct target *target, struct session *session, GError **error)
{
    g_autoptr(GError) problem = NULL;

    target->domain = source_libvirt_lookup(session->connection, target->word, &problem);
    if (target->domain && target->could_be_file) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "'%s' is a file and a domain: write ./%s or dom:%s", target->word, target->word,
                    target->word);
        return FALSE;
    }
    if (target->domain)
        return TRUE;
    target->failure =
        target->could_be_file
            ? g_strdup_printf("%s; for the file write ./%s", problem->message, target->word)
            : g_strdup(problem->message);
    return TRUE;
}

gboolean
targets_find_domains(GPtrArray *targets, struct session *session, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < targets->len;) {
        struct target *target = g_ptr_array_index(targets, i);

        if (target->word && !target->domain && !target->failure &&
            !find_domain(target, session, error))
            return FALSE;
        if (target->domain && !g_hash_table_add(seen, target->domain->uuid))
            g_ptr_array_remove_index(targets, i);
        else
            i++;
    }
    return TRUE;
}

gboolean
targets_add_all(GPtrArray *targets, struct session *session, GError **error)
{
    g_autoptr(GPtrArray) domains = source_libvirt_list(session->connection, error);
    g_autofree gpointer *array = NULL;
    gsize count;

    if (!domains)
        return FALSE;
    array = g_ptr_array_steal(domains, &count);
    for (gsize i = 0; i < count; i++) {
        struct target *target = g_new0(struct target, 1);

        target->domain = array[i];
        target->word = g_strdup(target->domain->name);
        target->listed = TRUE;
        g_ptr_array_add(targets, target);
    }
    return TRUE;
}

void
targets_fail_domains(GPtrArray *targets, const char *uri, const char *why)
{
    if (!targets_have_domains(targets)) {
        struct target *target = g_new0(struct target, 1);

        target->connection = g_strdup(uri);
        target->failure = g_strdup(why);
        g_ptr_array_add(targets, target);
        return;
    }
    for (guint i = 0; i < targets->len; i++) {
        struct target *target = g_ptr_array_index(targets, i);

        if (target->word && !target->failure)
            target->failure = target->could_be_file
                                  ? g_strdup_printf("%s; for the file write ./%s", why, target->word)
                                  : g_strdup(why);
    }
}

const struct target *
targets_find(GPtrArray *targets, const char *path)
{
    struct stat wanted, status;

    if (stat(path, &wanted) < 0)
        return NULL;
    for (guint i = 0; i < targets->len; i++) {
        const struct target *target = g_ptr_array_index(targets, i);

        if (target->path && stat(target->path, &status) == 0 && status.st_dev == wanted.st_dev &&
            status.st_ino == wanted.st_ino)
            return target;
    }
    return NULL;
}

gboolean
targets_have_stdin(GPtrArray *targets)
{
    for (guint i = 0; i < targets->len; i++) {
        if (g_strcmp0(((const struct target *)g_ptr_array_index(targets, i))->path, "-") == 0)
            return TRUE;
    }
    return FALSE;
}
