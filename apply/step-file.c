/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step-file.c: writing a changed document back into its file, whole or not at all.
 *
 * The content never passes through the file itself: a new one is made beside it and takes its
 * name in one step, so that no moment exists at which a reader, or a machine that lost power,
 * finds half of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply/file-attributes.h"
#include "apply/file-owner.h"
#include "apply/step-file.h"

G_DEFINE_QUARK(step-file-error-quark, step_file_error)

/* How often a random name is drawn before it is given up. */
#define NAME_ATTEMPTS 100

/* A file that is about to give way to a new one. */
struct replacement {
    char *folder_path;  /* of the real file, symlinks resolved */
    char *name;         /* of the real file, in its folder */
    int folder;         /* descriptors; -1 where not open */
    int old;
    int new;
    struct stat old_stat;
    char *temporary;    /* the new file's name while it has its own; NULL otherwise */
};

static int
close_once(int *descriptor)
{
    int result = *descriptor < 0 ? 0 : close(*descriptor);

    *descriptor = -1;
    return result;
}

static void
replacement_clear(struct replacement *replacement)
{
    if (replacement->temporary)
        unlinkat(replacement->folder, replacement->temporary, 0);
    close_once(&replacement->new);
    close_once(&replacement->old);
    close_once(&replacement->folder);
    g_free(replacement->temporary);
    g_free(replacement->folder_path);
    g_free(replacement->name);
}

static gboolean G_GNUC_PRINTF(3, 4)
fail(GError **error, enum step_file_error code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (error)
        *error = g_error_new_valist(STEP_FILE_ERROR, code, format, arguments);
    va_end(arguments);
    return FALSE;
}

/* Why a file that looks like this must not be replaced; NULL where it may be. */
static char *
refusal_of_kind(const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return g_strdup("it is not a regular file");
    if (status->st_nlink > 1)
        return g_strdup_printf("it has %ju hard links, and would part from the others; make it a "
                               "file of its own first (cp, then mv over it)",
                               (uintmax_t)status->st_nlink);
    return NULL;
}

char *
step_file_refusal(const char *path, const char *text, gsize length)
{
    char *real_path = realpath(path, NULL);
    char *refusal = NULL;
    struct stat status;

    if (!real_path || stat(real_path, &status) < 0)
        refusal = g_strdup(g_strerror(errno));
    if (!refusal)
        refusal = refusal_of_kind(&status);
    if (!refusal)
        refusal = file_owned_by_libvirtd(real_path, text, length);
    if (!refusal && faccessat(AT_FDCWD, real_path, W_OK, AT_EACCESS) < 0 &&
        (errno == EACCES || errno == EPERM))
        refusal = g_strdup("it is write-protected");
    free(real_path);
    return refusal;
}

/* Opens the folder of the real file behind @path, and the file, whose kind is looked at before
 * it is opened for reading: opening a device or FIFO has effects. */
static gboolean
open_old(struct replacement *replacement, const char *path, GError **error)
{
    g_autofree char *refusal = NULL;
    g_autofree char *reopened = NULL;
    char *real_path = realpath(path, NULL);
    int found;

    if (!real_path)
        return fail(error, STEP_FILE_REFUSED, "%s", g_strerror(errno));
    replacement->folder_path = g_path_get_dirname(real_path);
    replacement->name = g_path_get_basename(real_path);
    free(real_path);

    replacement->folder = open(replacement->folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (replacement->folder < 0)
        return fail(error, STEP_FILE_FAILED, "cannot open its folder %s: %s",
                    replacement->folder_path, g_strerror(errno));
    found = openat(replacement->folder, replacement->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (found < 0)
        return fail(error, STEP_FILE_REFUSED, "%s", g_strerror(errno));
    if (fstat(found, &replacement->old_stat) == 0 &&
        !(refusal = refusal_of_kind(&replacement->old_stat))) {
        reopened = g_strdup_printf("/proc/self/fd/%d", found);
        replacement->old = open(reopened, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (!refusal && replacement->old < 0)
        refusal = g_strdup(g_strerror(errno));
    close(found);
    return !refusal || fail(error, STEP_FILE_REFUSED, "%s", refusal);
}

/* Creates the new file beside the old one, for nobody else to read before it has the old one's
 * mode. */
static gboolean
create_new(struct replacement *replacement, GError **error)
{
    for (guint i = 0; i < NAME_ATTEMPTS && replacement->new < 0; i++) {
        g_autofree char *name = NULL;
        guint64 random;

        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
            continue;
        name = g_strdup_printf(".domlint-%016" G_GINT64_MODIFIER "x.tmp", random);
        replacement->new = openat(replacement->folder, name,
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (replacement->new >= 0)
            replacement->temporary = g_steal_pointer(&name);
        else if (errno != EEXIST && errno != EINTR)
            break;
    }
    if (replacement->new < 0)
        return fail(error, STEP_FILE_FAILED, "cannot create a file in its folder %s: %s",
                    replacement->folder_path, g_strerror(errno));
    return TRUE;
}

static gboolean
write_new(struct replacement *replacement, const char *text, gsize length, GError **error)
{
    while (length) {
        gssize written = write(replacement->new, text, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail(error, STEP_FILE_FAILED, "cannot write beside it in %s: %s",
                        replacement->folder_path, g_strerror(errno));
        text += written;
        length -= written;
    }
    return TRUE;
}

/* Flushes what a signal, or a network file system, may interrupt. */
static int
flush(int file)
{
    int result;

    do {
        result = fsync(file);
    } while (result < 0 && errno == EINTR);
    return result;
}

/* Whether the old file holds @text, exactly; -1 with errno set where it cannot be read. */
static int
holds(int file, const char *text, gsize length)
{
    g_autofree char *buffer = g_malloc(64 * 1024);
    gsize at = 0;

    for (;;) {
        gssize got = pread(file, buffer, 64 * 1024, at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -1 : at == length;
        if ((gsize)got > length - at || memcmp(buffer, text + at, got) != 0)
            return 0;
        at += got;
    }
}

/* Whether the name still stands for the file that was opened, with the text that the change was
 * made for. */
static gboolean
check_drift(struct replacement *replacement, const char *text, gsize length, GError **error)
{
    int same = holds(replacement->old, text, length);
    struct stat now;

    if (same < 0)
        return fail(error, STEP_FILE_FAILED, "it cannot be read again: %s", g_strerror(errno));
    if (fstatat(replacement->folder, replacement->name, &now, AT_SYMLINK_NOFOLLOW) < 0)
        return fail(error, STEP_FILE_REFUSED, "it is gone: %s", g_strerror(errno));
    if (now.st_dev != replacement->old_stat.st_dev || now.st_ino != replacement->old_stat.st_ino ||
        now.st_nlink != 1 || !same)
        return fail(error, STEP_FILE_REFUSED,
                    "it was changed by someone else since it was read; run domlint again");
    return TRUE;
}

/* The steps with a temporary file about. */
static gboolean
replace(struct replacement *replacement, const char *old_text, gsize old_length,
        const char *new_text, gsize new_length, GError **error)
{
    if (!create_new(replacement, error) || !write_new(replacement, new_text, new_length, error) ||
        !file_attributes_copy(replacement->old, &replacement->old_stat, replacement->new, error))
        return FALSE;
    /* close() too: network file systems report there what a write could not. */
    if (flush(replacement->new) < 0 || close_once(&replacement->new) < 0)
        return fail(error, STEP_FILE_FAILED, "cannot flush what was written beside it in %s: %s",
                    replacement->folder_path, g_strerror(errno));
    /* Last, so that the time in which a change by others could be lost is as short as it can be. */
    if (!check_drift(replacement, old_text, old_length, error))
        return FALSE;
    if (renameat(replacement->folder, replacement->temporary, replacement->folder,
                 replacement->name) < 0)
        return fail(error, STEP_FILE_FAILED, "it cannot be replaced: %s", g_strerror(errno));
    g_clear_pointer(&replacement->temporary, g_free);
    /* EINVAL: the file system has no such thing as flushing a folder. */
    if (flush(replacement->folder) < 0 && errno != EINVAL)
        return fail(error, STEP_FILE_FAILED,
                    "it was replaced, but its folder %s could not be flushed: %s",
                    replacement->folder_path, g_strerror(errno));
    return TRUE;
}

/* All signals but those that a fault of the program itself raises. */
static void
block_signals(sigset_t *before)
{
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t blocked;

    sigfillset(&blocked);
    for (gsize i = 0; i < G_N_ELEMENTS(faults); i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

gboolean
step_file_write(const char *path, const char *old_text, gsize old_length, const char *new_text,
                gsize new_length, GError **error)
{
    g_autofree char *refusal = step_file_refusal(path, old_text, old_length);
    struct replacement replacement = {.folder = -1, .old = -1, .new = -1};
    sigset_t before;
    gboolean done;

    if (refusal)
        return fail(error, STEP_FILE_REFUSED, "%s", refusal);

    block_signals(&before);
    done = open_old(&replacement, path, error) &&
           replace(&replacement, old_text, old_length, new_text, new_length, error);
    replacement_clear(&replacement);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}
