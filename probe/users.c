/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * users.c: the index of who uses which image.
 *
 * Three passes. The texts of all domains are read, several at a time, and searched
 * for names of images. Each distinct name is then looked at once, for what it
 * leads to and stands on. At last every use is entered under the key of each
 * file, and under the name.
 */
#include "probe/users.h"

#include <string.h>

#include "probe/deadline.h"
#include "probe/domain-images.h"
#include "probe/image-files.h"

enum { LOOK_TIMEOUT_MS = 5000, DEFAULT_THREADS = 4 };

struct users {
    GPtrArray *all;      /* of struct image_user *: the owner of them */
    GHashTable *by_key;  /* key -> GPtrArray of the uses */
    GHashTable *entered; /* what was entered already: uses and problems, each as one text */
    GPtrArray *problems; /* of char * */
    struct deadline_threads *threads;
};

/* What one name leads to. */
struct look {
    char *path;
    enum image_chain chain;
    struct image_files *files; /* NULL: its file system does not answer */
};

struct build {
    struct connection *connection;
    struct volumes *volumes;
    struct users *users;
};

static void
free_user(void *data)
{
    struct image_user *user = data;

    g_free(user->domain);
    g_free(user->uuid);
    g_free(user->disk);
    g_free(user->past);
    g_free(user->path);
    g_free(user);
}

static void
free_images(void *data)
{
    domain_images_free(data);
}

static void
free_look(void *data)
{
    struct look *look = data;

    g_free(look->path);
    image_files_free(look->files);
    g_free(look);
}

/* Runs @work over all items of an array, in that many threads. */
static void
for_each(GPtrArray *items, GFunc work, void *data, guint threads)
{
    GThreadPool *pool = g_thread_pool_new(work, data, (int)threads, FALSE, NULL);

    for (guint i = 0; i < items->len; i++)
        g_thread_pool_push(pool, g_ptr_array_index(items, i), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
}

static void
read_domain(gpointer item, gpointer data)
{
    struct build *build = data;

    domain_images_read(item, build->connection, build->volumes);
}

/* ---- Second pass: what the names lead to ----------------------------------------------- */

static char *
look_key(const char *path, enum image_chain chain)
{
    return g_strdup_printf("%d %s", (int)chain, path);
}

/* Looks that are overdue free themselves, so the thread has one of its own. */
static void
look_now(void *data)
{
    struct look *look = data;

    look->files = image_files_look(look->path, look->chain);
}

static void
look_at(gpointer item, gpointer data)
{
    struct look *look = item, *own = g_new0(struct look, 1);
    struct build *build = data;

    own->path = g_strdup(look->path);
    own->chain = look->chain;
    if (!deadline_run(build->users->threads, look_now, own, free_look, LOOK_TIMEOUT_MS))
        return;
    look->files = g_steal_pointer(&own->files);
    free_look(own);
}

/* Each distinct name once: key -> struct look. */
static GHashTable *
look_at_all(struct build *build, GPtrArray *all, guint threads)
{
    GHashTable *looks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_look);
    g_autoptr(GPtrArray) items = g_ptr_array_new();

    for (guint i = 0; i < all->len; i++) {
        const struct domain_images *images = g_ptr_array_index(all, i);

        for (guint j = 0; j < images->found->len; j++) {
            const struct named_image *image =
                ((struct domain_image *)g_ptr_array_index(images->found, j))->image;
            g_autofree char *key = look_key(image->path, image->chain);
            struct look *look;

            if (g_hash_table_contains(looks, key))
                continue;
            look = g_new0(struct look, 1);
            look->path = g_strdup(image->path);
            look->chain = image->chain;
            g_hash_table_insert(looks, g_steal_pointer(&key), look);
            g_ptr_array_add(items, look);
        }
    }
    if (connection_place(build->connection) != CONNECTION_REMOTE)
        for_each(items, look_at, build, threads);
    return looks;
}

/* ---- Third pass: the index ------------------------------------------------------------- */

static void
enter_key(struct users *users, const char *key, struct image_user *user)
{
    GPtrArray *found = g_hash_table_lookup(users->by_key, key);

    if (!found) {
        found = g_ptr_array_new();
        g_hash_table_insert(users->by_key, g_strdup(key), found);
    }
    g_ptr_array_add(found, user);
}

/* Enters a use of the file that @path names under the name and, where the file is there, under
 * its @key. */
static void
enter(struct users *users, const struct source_domain *domain, const struct domain_image *named,
      enum image_role role, const char *path, const char *key)
{
    const char *disk = named->image->disk;
    g_autofree char *path_key = image_path_key(path);
    g_autofree char *whole = g_strjoin("\n", domain->uuid, disk ? disk : "",
                                       image_role_name(role), named->past ? named->past : "", path,
                                       NULL);
    struct image_user *user;

    /* The live and the inactive definition name the same images, as a rule. */
    if (!g_hash_table_add(users->entered, g_steal_pointer(&whole)))
        return;
    user = g_new0(struct image_user, 1);
    user->domain = g_strdup(domain->name);
    user->uuid = g_strdup(domain->uuid);
    user->disk = g_strdup(disk);
    user->role = role;
    user->past = g_strdup(named->past);
    user->path = g_strdup(path);
    g_ptr_array_add(users->all, user);
    enter_key(users, path_key, user);
    if (key)
        enter_key(users, key, user);
}

static enum image_role
role_below(enum image_role role)
{
    return role == IMAGE_ROLE_DISK || role == IMAGE_ROLE_MIRROR ? IMAGE_ROLE_BACKING : role;
}

static void
add_problem(struct users *users, const struct source_domain *domain, const char *disk,
            const char *clause)
{
    char *problem = g_strdup_printf("domain %s: %s%s%s", domain->name, disk ? disk : "",
                                    disk ? ": " : "", clause);

    if (g_hash_table_add(users->entered, problem))
        g_ptr_array_add(users->problems, g_strdup(problem));
}

static void
enter_name(struct users *users, const struct source_domain *domain,
           const struct domain_image *named, const struct look *look)
{
    const struct named_image *image = named->image;
    const struct image_files *files = look->files;

    enter(users, domain, named, image->role, image->path, files ? files->key : NULL);
    if (!files) {
        g_autofree char *clause = g_strdup_printf("%s: its file system does not answer",
                                                  image->path);

        add_problem(users, domain, image->disk, clause);
        return;
    }
    for (guint i = 0; i < files->below->len; i++) {
        const struct image_file *file = g_ptr_array_index(files->below, i);

        enter(users, domain, named, role_below(image->role), file->path, file->key);
    }
    for (guint i = 0; i < files->problems->len; i++)
        add_problem(users, domain, image->disk, g_ptr_array_index(files->problems, i));
}

static void
enter_all(struct build *build, GPtrArray *all, GHashTable *looks)
{
    struct users *users = build->users;
    gboolean remote = connection_place(build->connection) == CONNECTION_REMOTE;

    for (guint i = 0; i < all->len; i++) {
        const struct domain_images *images = g_ptr_array_index(all, i);

        for (guint j = 0; j < images->problems->len; j++)
            add_problem(users, images->domain, NULL, g_ptr_array_index(images->problems, j));
        for (guint j = 0; j < images->found->len; j++) {
            const struct domain_image *named = g_ptr_array_index(images->found, j);
            g_autofree char *key = look_key(named->image->path, named->image->chain);

            if (remote)
                enter(users, images->domain, named, named->image->role, named->image->path, NULL);
            else
                enter_name(users, images->domain, named, g_hash_table_lookup(looks, key));
        }
    }
    if (remote)
        g_ptr_array_add(users->problems,
                        g_strdup_printf("the images are on the host of %s: links and backing "
                                        "files are known there only",
                                        connection_uri(build->connection)));
}

static void
free_array(void *data)
{
    g_ptr_array_unref(data);
}

struct users *
users_new(struct connection *connection, struct volumes *volumes, GPtrArray *domains,
          guint threads, GError **error)
{
    struct users *users = g_new0(struct users, 1);
    struct build build = { .connection = connection, .volumes = volumes, .users = users };
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_images);
    g_autoptr(GHashTable) looks = NULL;

    users->all = g_ptr_array_new_with_free_func(free_user);
    users->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_array);
    users->entered = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    users->problems = g_ptr_array_new_with_free_func(g_free);
    users->threads = deadline_threads_new();
    threads = threads ? threads : DEFAULT_THREADS;

    for (guint i = 0; i < domains->len; i++)
        g_ptr_array_add(all, domain_images_new(g_ptr_array_index(domains, i)));
    for_each(all, read_domain, &build, threads);
    for (guint i = 0; i < all->len; i++) {
        struct domain_images *images = g_ptr_array_index(all, i);

        if (images->lost) {
            g_propagate_error(error, g_steal_pointer(&images->lost));
            users_free(users);
            return NULL;
        }
    }
    looks = look_at_all(&build, all, threads);
    enter_all(&build, all, looks);
    return users;
}

void
users_free(struct users *users)
{
    if (!users)
        return;
    deadline_threads_free(users->threads);
    g_hash_table_unref(users->by_key);
    g_hash_table_unref(users->entered);
    g_ptr_array_unref(users->problems);
    g_ptr_array_unref(users->all);
    g_free(users);
}

/* ---- Asking ---------------------------------------------------------------------------- */

struct question {
    char *path;
    char *key;
    GError *error;
};

static void
free_question(void *data)
{
    struct question *question = data;

    g_free(question->path);
    g_free(question->key);
    g_clear_error(&question->error);
    g_free(question);
}

static void
ask(void *data)
{
    struct question *question = data;

    question->key = image_file_key(question->path, &question->error);
}

static int
compare_users(const void *a, const void *b)
{
    const struct image_user *left = *(const struct image_user *const *)a;
    const struct image_user *right = *(const struct image_user *const *)b;
    int order = strcmp(left->domain, right->domain);

    if (order == 0)
        order = strcmp(left->uuid, right->uuid);
    if (order == 0)
        order = g_strcmp0(left->disk, right->disk);
    if (order == 0)
        order = (int)left->role - (int)right->role;
    if (order == 0)
        order = g_strcmp0(left->past, right->past);
    return order != 0 ? order : strcmp(left->path, right->path);
}

static void
add_found(struct users *users, GPtrArray *found, const char *key)
{
    const GPtrArray *here = key ? g_hash_table_lookup(users->by_key, key) : NULL;

    for (guint i = 0; here && i < here->len; i++) {
        if (!g_ptr_array_find(found, g_ptr_array_index(here, i), NULL))
            g_ptr_array_add(found, g_ptr_array_index(here, i));
    }
}

GPtrArray *
users_of(struct users *users, const char *path, GError **error)
{
    struct question *question = g_new0(struct question, 1);
    g_autofree char *path_key = image_path_key(path);
    GPtrArray *found;

    question->path = g_strdup(path);
    if (!deadline_run(users->threads, ask, question, free_question, LOOK_TIMEOUT_MS)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "%s: its file system does not answer",
                    path);
        return NULL;
    }
    if (question->error) {
        g_propagate_prefixed_error(error, g_steal_pointer(&question->error), "%s: ", path);
        free_question(question);
        return NULL;
    }
    found = g_ptr_array_new();
    add_found(users, found, question->key);
    add_found(users, found, path_key);
    free_question(question);
    g_ptr_array_sort(found, compare_users);
    return found;
}

gboolean
users_complete(const struct users *users)
{
    return users->problems->len == 0;
}

const GPtrArray *
users_problems(const struct users *users)
{
    return users->problems;
}
