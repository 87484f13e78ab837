/* SPDX-License-Identifier: GPL-2.0-or-later */
/* space.c: whether a whole plan fits on the disks. */
#include "apply/space.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/stat.h>

#include "probe/file.h"
#include "probe/mounts.h"

enum { RESERVE_PERCENT = 5 };

/* A file system and all copies on it. */
struct file_system {
    char *key;
    char *folder;
    GPtrArray *needs; /* of struct space_need * */
};

struct space {
    GPtrArray *file_systems; /* of struct file_system * */
};

static void
free_need(void *data)
{
    struct space_need *need = data;

    g_free((char *)need->folder);
    g_free((char *)need->name);
    g_free((char *)need->least);
    g_free(need);
}

static void
free_file_system(void *data)
{
    struct file_system *file_system = data;

    g_free(file_system->key);
    g_free(file_system->folder);
    g_ptr_array_unref(file_system->needs);
    g_free(file_system);
}

static void
free_left(void *data)
{
    struct space_left *left = data;

    g_free(left->folder);
    g_free(left);
}

struct space *
space_new(void)
{
    struct space *space = g_new0(struct space, 1);

    space->file_systems = g_ptr_array_new_with_free_func(free_file_system);
    return space;
}

void
space_free(struct space *space)
{
    if (!space)
        return;
    g_ptr_array_unref(space->file_systems);
    g_free(space);
}

/* What tells the file systems apart: the device number. On btrfs each subvolume has one of its
 * own, but all share the space of what is mounted. */
static char *
key_of(const char *folder, GError **error)
{
    g_autoptr(GPtrArray) mounts = NULL;
    const struct mount *mount = NULL;
    struct statfs fs;
    struct stat st;

    if (stat(folder, &st) < 0 || statfs(folder, &fs) < 0) {
        GError *reason = NULL;

        file_set_error(&reason, errno);
        g_propagate_prefixed_error(error, reason, "%s: ", folder);
        return NULL;
    }
    if ((guint32)fs.f_type == BTRFS_SUPER_MAGIC)
        mounts = mounts_read(NULL, NULL);
    if (mounts)
        mount = mounts_by_path(mounts, folder);
    return mount ? g_strconcat("source ", mount->source, NULL)
                 : g_strdup_printf("device %" G_GUINT64_FORMAT, (guint64)st.st_dev);
}

static struct file_system *
find(const struct space *space, const char *key)
{
    for (guint i = 0; i < space->file_systems->len; i++) {
        struct file_system *file_system = g_ptr_array_index(space->file_systems, i);

        if (g_str_equal(file_system->key, key))
            return file_system;
    }
    return NULL;
}

int
space_place(const struct space *space, const char *folder)
{
    g_autofree char *key = key_of(folder, NULL);
    guint place;

    return key && g_ptr_array_find(space->file_systems, find(space, key), &place) ? (int)place
                                                                                   : -1;
}

gboolean
space_add(struct space *space, const struct space_need *need, GError **error)
{
    g_autofree char *key = key_of(need->folder, error);
    struct file_system *file_system = key ? find(space, key) : NULL;
    struct space_need *copy;

    if (!key)
        return FALSE;
    if (!file_system) {
        file_system = g_new0(struct file_system, 1);
        file_system->key = g_steal_pointer(&key);
        file_system->folder = g_strdup(need->folder);
        file_system->needs = g_ptr_array_new_with_free_func(free_need);
        g_ptr_array_add(space->file_systems, file_system);
    }
    copy = g_memdup2(need, sizeof *need);
    copy->folder = g_strdup(need->folder);
    copy->name = g_strdup(need->name);
    copy->least = g_strdup(need->least);
    g_ptr_array_add(file_system->needs, copy);
    return TRUE;
}

static guint64
add(guint64 a, guint64 b)
{
    return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

static guint64
sum(const struct file_system *file_system, gboolean least)
{
    guint64 total = 0;

    for (guint i = 0; i < file_system->needs->len; i++) {
        const struct space_need *need = g_ptr_array_index(file_system->needs, i);

        total = add(total, least && need->least ? need->bytes_least : need->bytes);
    }
    return total;
}

GPtrArray *
space_measure(const struct space *space, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_left);

    for (guint i = 0; i < space->file_systems->len; i++) {
        const struct file_system *file_system = g_ptr_array_index(space->file_systems, i);
        struct space_left *left;
        struct statvfs fs;

        if (statvfs(file_system->folder, &fs) < 0) {
            GError *reason = NULL;

            file_set_error(&reason, errno);
            g_propagate_prefixed_error(error, reason, "%s: ", file_system->folder);
            return NULL;
        }
        left = g_new0(struct space_left, 1);
        left->folder = g_strdup(file_system->folder);
        left->needed = sum(file_system, FALSE);
        left->available = (guint64)fs.f_bavail * fs.f_frsize;
        left->reserve = (guint64)fs.f_blocks / 100 * RESERVE_PERCENT * fs.f_frsize;
        left->fits = add(left->needed, left->reserve) <= left->available;
        g_ptr_array_add(all, left);
    }
    return g_steal_pointer(&all);
}

/* ---- Saying it ------------------------------------------------------------------------- */

/* "web, vda and db, vda", to be freed. */
static char *
names_of(const struct file_system *file_system)
{
    enum { NAMES_MAX = 5 };
    GString *names = g_string_new(NULL);
    guint count = file_system->needs->len;

    for (guint i = 0; i < count && i < NAMES_MAX; i++) {
        const struct space_need *need = g_ptr_array_index(file_system->needs, i);

        g_string_append_printf(names, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : "; ",
                               need->name);
    }
    if (count > NAMES_MAX)
        g_string_append_printf(names, " and %u more", count - NAMES_MAX);
    return g_string_free(names, FALSE);
}

/* What would help, as the end of the sentence; to be freed. */
static char *
way_out(const struct file_system *file_system, const struct space_left *left)
{
    guint64 least = sum(file_system, TRUE);
    g_autofree char *size = g_format_size_full(least, G_FORMAT_SIZE_IEC_UNITS);
    const char *option = NULL;

    for (guint i = 0; i < file_system->needs->len && !option; i++)
        option = ((const struct space_need *)g_ptr_array_index(file_system->needs, i))->least;
    if (option && least < left->needed && add(least, left->reserve) <= left->available)
        return g_strdup_printf("with %s it would take %s and fit", option, size);
    if (file_system->needs->len > 1)
        return g_strdup("free some, or convert fewer images at a time and give up the kept "
                        "originals (--forget) in between");
    return g_strdup("free some");
}

GPtrArray *
space_shortage(const struct space *space, GPtrArray *left)
{
    GPtrArray *sentences = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < left->len; i++) {
        const struct space_left *here = g_ptr_array_index(left, i);
        const struct file_system *file_system = g_ptr_array_index(space->file_systems, i);
        guint64 missing = add(here->needed, here->reserve) - here->available;
        g_autofree char *needed = g_format_size_full(here->needed, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *available = g_format_size_full(here->available, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *reserve = g_format_size_full(here->reserve, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *missing_text = g_format_size_full(missing, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *names = NULL, *help = NULL;

        if (here->fits)
            continue;
        names = names_of(file_system);
        help = way_out(file_system, here);
        g_ptr_array_add(sentences,
                        g_strdup_printf("%s: the new images of %s take %s; %s is free, of which "
                                        "%d %% of the file system (%s) stays free: %s short; %s",
                                        here->folder, names, needed, available, RESERVE_PERCENT,
                                        reserve, missing_text, help));
    }
    return sentences;
}
