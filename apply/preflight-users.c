/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight-users.c: who else names the image, or the new name. */
#include <string.h>

#include "apply/preflight-checks.h"
#include "probe/image-files.h"
#include "probe/users.h"
#include "probe/volumes.h"

/* The disk itself. What its own domain's past names was spoken of with the domain. */
static gboolean
is_ours(const struct preflight_state *state, const struct image_user *user)
{
    const struct source_domain *domain = state->ask->domain;

    return domain && g_str_equal(user->uuid, domain->uuid) &&
           (user->past || user->role == IMAGE_ROLE_SAVED ||
            (user->role == IMAGE_ROLE_DISK && g_strcmp0(user->disk, state->target) == 0));
}

static void
refuse_user(struct preflight_state *state, const struct image_user *user)
{
    const char *domain = user->domain, *disk = user->disk ? user->disk : "?";

    switch (user->role) {
    case IMAGE_ROLE_DISK:
        if (!state->ask->domain)
            preflight_refuse(state, PREFLIGHT_SHARED,
                             "domain %s uses the image (%s): convert it there, with 'domlint --fix "
                             "--convert dom:%s'",
                             domain, disk, domain);
        else
            preflight_refuse(state, PREFLIGHT_SHARED,
                             "domain %s uses the image too (%s): only one may, or both have to be "
                             "changed by hand",
                             domain, disk);
        break;
    case IMAGE_ROLE_BACKING:
        preflight_refuse(state, PREFLIGHT_SHARED,
                         "%s of domain %s stands on the image and would lose its base: commit or "
                         "flatten that overlay first",
                         disk, domain);
        break;
    case IMAGE_ROLE_COMMANDLINE:
        preflight_refuse(state, PREFLIGHT_COMMANDLINE,
                         "domain %s names the image in the arguments that it passes to QEMU "
                         "(<qemu:commandline>), which domlint does not change: make it a disk "
                         "first",
                         domain);
        break;
    case IMAGE_ROLE_MIRROR:
    case IMAGE_ROLE_SNAPSHOT:
    case IMAGE_ROLE_CHECKPOINT:
    case IMAGE_ROLE_SAVED:
    case IMAGE_ROLE_OTHER:
    default:
        preflight_refuse(state, PREFLIGHT_SHARED, "domain %s names the image too, as %s%s%s: end "
                         "that first",
                         domain, image_role_name(user->role), user->past ? " " : "",
                         user->past ? user->past : "");
        break;
    }
}

static void
check_uses_of(struct preflight_state *state, struct users *users, const char *path,
              gboolean new_name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) found = users_of(users, path, &error);

    if (!found) {
        preflight_refuse(state, PREFLIGHT_USERS_UNKNOWN, "it cannot be told who uses %s: %s", path,
                         error->message);
        return;
    }
    for (guint i = 0; i < found->len; i++) {
        const struct image_user *user = g_ptr_array_index(found, i);

        if (new_name)
            preflight_refuse(state, PREFLIGHT_NAME_USED,
                             "domain %s names %s, where the %s image would be: change that first",
                             user->domain, path, state->ask->exchange ? "old" : "new");
        else if (!is_ours(state, user))
            refuse_user(state, user);
    }
}

static void
check_problems(struct preflight_state *state, const GPtrArray *problems)
{
    enum { PROBLEMS_MAX = 3 };

    for (guint i = 0; i < problems->len && i < PROBLEMS_MAX; i++) {
        gboolean more = i + 1 == PROBLEMS_MAX && problems->len > PROBLEMS_MAX;

        preflight_refuse(state, PREFLIGHT_USERS_UNKNOWN,
                         "not all users of images on this connection are known: %s%s: mend that "
                         "first",
                         (char *)g_ptr_array_index(problems, i), more ? " (and more)" : "");
    }
}

static void
check_connection(struct preflight_state *state)
{
    struct connection *connection = state->ask->connection;
    struct volumes *volumes = volumes_new(connection);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) domains = source_libvirt_list(connection, &error);
    struct users *users = domains ? users_new(connection, volumes, domains, 0, &error) : NULL;

    if (!users) {
        preflight_refuse(state, PREFLIGHT_USERS_UNKNOWN,
                         "it cannot be told who uses the image: %s", error->message);
    } else {
        check_uses_of(state, users, state->path, FALSE);
        if (state->ask->new_path)
            check_uses_of(state, users, state->ask->new_path, TRUE);
        check_problems(state, users_problems(users));
    }
    users_free(users);
    volumes_free(volumes);
}

/* ---- The same file --------------------------------------------------------------------- */

static gboolean
is_same_file(const struct named_image *image, const char *key)
{
    g_autofree char *other = image->path ? image_file_key(image->path, NULL) : NULL;

    return other && g_str_equal(other, key);
}

/* Whether what the image @image names stands on the file @key. */
static gboolean
stands_on(const struct named_image *image, const char *key)
{
    struct image_files *files = image_files_look(image->path, image->chain);
    gboolean stands = FALSE;

    for (guint i = 0; i < files->below->len && !stands; i++) {
        const struct image_file *file = g_ptr_array_index(files->below, i);

        stands = g_strcmp0(file->key, key) == 0;
    }
    image_files_free(files);
    return stands;
}

/* A definition in a file, which no connection knows. */
static void
check_document(struct preflight_state *state)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) images = named_images(state->ask->doc, IMAGE_ROLE_DISK, problems);
    g_autofree char *key = image_file_key(state->path, NULL);

    for (guint i = 0; key && i < images->len; i++) {
        const struct named_image *image = g_ptr_array_index(images, i);

        if (!image->path ||
            (image->role == IMAGE_ROLE_DISK && g_strcmp0(image->disk, state->target) == 0))
            continue;
        if (is_same_file(image, key) || stands_on(image, key))
            preflight_refuse(state,
                             image->role == IMAGE_ROLE_COMMANDLINE ? PREFLIGHT_COMMANDLINE
                                                                   : PREFLIGHT_SHARED,
                             "the definition names the image in another place, too (%s%s%s): only "
                             "one may use it",
                             image_role_name(image->role), image->disk ? " of " : "",
                             image->disk ? image->disk : "");
    }
    for (guint i = 0; i < problems->len; i++)
        preflight_refuse(state, PREFLIGHT_USERS_UNKNOWN,
                         "the definition may name the image in another place, too: %s",
                         (char *)g_ptr_array_index(problems, i));
}

void
preflight_check_users(struct preflight_state *state)
{
    if (state->ask->connection)
        check_connection(state);
    if (!state->ask->domain && state->ask->doc)
        check_document(state);
}
