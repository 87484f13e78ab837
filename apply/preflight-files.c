/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight-files.c: whether the guard holds, and names mean the files that they should. */
#include "apply/file-users.h"
#include "apply/preflight-checks.h"

static void
check_guard(struct preflight_state *state)
{
    const struct preflight *ask = state->ask;
    g_autoptr(GError) error = NULL;

    if (!ask->guard) {
        /* That it is not there, or is no file, has been said. */
        if (ask->guard_error && state->fd >= 0 &&
            !g_error_matches(ask->guard_error, GUARD_ERROR, GUARD_ERROR_NOT_REGULAR))
            preflight_refuse(state, PREFLIGHT_GUARD, "the image cannot be guarded: %s",
                             ask->guard_error->message);
        return;
    }
    if (!guard_check(ask->guard, &error))
        preflight_refuse(state, PREFLIGHT_GUARD, "the image is not guarded any more: %s",
                         error->message);
    if (!guard_unchanged(ask->guard))
        preflight_refuse(state, PREFLIGHT_CHANGED,
                         "the image was written to since it was looked at, by a program that heeds "
                         "no lock: find out which, and run domlint again");
}

static void
check_open(struct preflight_state *state)
{
    g_autoptr(GPtrArray) users = NULL;

    /* Where it is in use by QEMU, the guard has said so. */
    if (!state->ask->guard)
        return;
    users = file_users_writing(guard_fd(state->ask->guard));
    for (guint i = 0; i < users->len; i++)
        preflight_refuse(state, PREFLIGHT_OPEN, "%s: let it go first",
                         (char *)g_ptr_array_index(users, i));
}

/* Whether @path, or the file that it links to, is the file @wanted. */
static gboolean
leads_to(int fd, const struct file_identity *wanted)
{
    struct file_identity here;

    return fd >= 0 && file_identity_of(fd, &here, NULL) && file_identity_same(&here, wanted);
}

/* Returns: whether the two names have been exchanged. */
static gboolean
is_exchanged(const struct preflight_state *state)
{
    const struct preflight *ask = state->ask;

    return ask->time == PREFLIGHT_BEFORE_DEFINE && ask->exchange && ask->new_file &&
           leads_to(state->fd, ask->new_file);
}

static void
check_old_name(struct preflight_state *state)
{
    const struct guard *guard = state->ask->guard;

    if (guard && state->fd >= 0 && !leads_to(state->fd, guard_identity(guard)))
        preflight_refuse(state, PREFLIGHT_CHANGED,
                         "%s is another file than it was when domlint began: run it again",
                         state->path);
}

/* The new name is free or, once the copy is made, ours; after an exchange it is the old image's. */
static void
check_new_name(struct preflight_state *state, const struct file_identity *must_be)
{
    const char *path = state->ask->new_path;
    g_autoptr(GError) error = NULL;
    struct file_identity here;

    if (file_identity_at(path, &here, &error)) {
        if (!must_be || !file_identity_same(&here, must_be))
            preflight_refuse(state, PREFLIGHT_NAME_TAKEN,
                             "%s is there already, and is not overwritten: move it away, or remove "
                             "it if it is of no use",
                             path);
    } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) {
        preflight_refuse(state, PREFLIGHT_NAME_TAKEN, "it cannot be told whether %s is there: %s",
                         path, error->message);
    } else if (must_be) {
        preflight_refuse(state, PREFLIGHT_CHANGED,
                         "%s is not there any more: somebody removed what domlint made", path);
    }
}

void
preflight_check_files(struct preflight_state *state)
{
    const struct preflight *ask = state->ask;
    gboolean exchanged = is_exchanged(state);

    check_guard(state);
    check_open(state);
    if (!exchanged)
        check_old_name(state);
    if (!ask->new_path)
        return;
    if (ask->exchange && ask->new_file && !exchanged)
        preflight_refuse(state, PREFLIGHT_CHANGED,
                         "%s is not what domlint put there any more", state->path);
    if (exchanged)
        check_new_name(state, ask->guard ? guard_identity(ask->guard) : NULL);
    else
        check_new_name(state, ask->time == PREFLIGHT_BEFORE_DEFINE ? ask->new_file : NULL);
}
