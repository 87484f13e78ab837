/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight.c: everything that forbids converting an image now, put together. */
#include "apply/preflight.h"

#include <stdlib.h>
#include <unistd.h>

#include "apply/preflight-checks.h"

const char *
preflight_name(enum preflight_code code)
{
    static const char *const names[] = {
        [PREFLIGHT_REMOTE] = "remote",
        [PREFLIGHT_TEST] = "test-driver",
        [PREFLIGHT_GONE] = "gone",
        [PREFLIGHT_TRANSIENT] = "transient",
        [PREFLIGHT_RUNNING] = "running",
        [PREFLIGHT_PAUSED] = "paused",
        [PREFLIGHT_STATE] = "state",
        [PREFLIGHT_MANAGED_SAVE] = "managed-save",
        [PREFLIGHT_JOB] = "job",
        [PREFLIGHT_SNAPSHOTS] = "snapshots",
        [PREFLIGHT_CHECKPOINTS] = "checkpoints",
        [PREFLIGHT_NOT_LOCAL] = "not-local",
        [PREFLIGHT_NOT_DISK] = "not-disk",
        [PREFLIGHT_VOLUME] = "volume",
        [PREFLIGHT_RELATIVE] = "relative-path",
        [PREFLIGHT_SOURCE] = "source",
        [PREFLIGHT_LINK] = "link",
        [PREFLIGHT_BLOCK] = "block-device",
        [PREFLIGHT_UNREADABLE] = "unreadable",
        [PREFLIGHT_ANOTHER_IMAGE] = "another-image",
        [PREFLIGHT_GUARD] = "guard",
        [PREFLIGHT_CHANGED] = "changed",
        [PREFLIGHT_OPEN] = "open",
        [PREFLIGHT_SHAREABLE] = "shareable",
        [PREFLIGHT_TRANSIENT_DISK] = "transient-disk",
        [PREFLIGHT_ENCRYPTED] = "encrypted",
        [PREFLIGHT_FORMAT] = "format",
        [PREFLIGHT_SNAPSHOTS_IN_IMAGE] = "internal-snapshots",
        [PREFLIGHT_BITMAPS] = "bitmaps",
        [PREFLIGHT_BACKING] = "backing-file",
        [PREFLIGHT_DATA_FILE] = "data-file",
        [PREFLIGHT_CORRUPT] = "corrupt",
        [PREFLIGHT_DIRTY] = "dirty",
        [PREFLIGHT_HARD_LINKS] = "hard-links",
        [PREFLIGHT_COMMANDLINE] = "qemu-commandline",
        [PREFLIGHT_SHARED] = "shared",
        [PREFLIGHT_USERS_UNKNOWN] = "users-unknown",
        [PREFLIGHT_NAME_TAKEN] = "name-taken",
        [PREFLIGHT_NAME_USED] = "name-used",
        [PREFLIGHT_SPACE] = "space",
    };

    return (guint)code < G_N_ELEMENTS(names) ? names[code] : NULL;
}

static void
free_refusal(void *data)
{
    struct preflight_refusal *refusal = data;

    g_free(refusal->text);
    g_free(refusal);
}

/* What there can be several of, each with another way out; other things are said once, however
 * they are found out. */
static gboolean
is_repeatable(enum preflight_code code)
{
    return code == PREFLIGHT_STATE || code == PREFLIGHT_OPEN || code == PREFLIGHT_COMMANDLINE ||
           code == PREFLIGHT_SHARED || code == PREFLIGHT_USERS_UNKNOWN ||
           code == PREFLIGHT_NAME_USED;
}

gboolean
preflight_is_refused(const struct preflight_state *state, enum preflight_code code)
{
    for (guint i = 0; i < state->refusals->len; i++) {
        const struct preflight_refusal *refusal = state->refusals->pdata[i];

        if (refusal->code == code)
            return TRUE;
    }
    return FALSE;
}

void
preflight_refuse(struct preflight_state *state, enum preflight_code code, const char *format, ...)
{
    struct preflight_refusal *refusal;
    va_list args;

    if (!is_repeatable(code) && preflight_is_refused(state, code))
        return;
    refusal = g_new0(struct preflight_refusal, 1);
    va_start(args, format);
    refusal->code = code;
    refusal->text = g_strdup_vprintf(format, args);
    va_end(args);
    g_ptr_array_add(state->refusals, refusal);
}

/* By code; what has one code stays in the order it was found in. */
static void
sort_by_code(GPtrArray *refusals)
{
    for (guint i = 1; i < refusals->len; i++) {
        struct preflight_refusal *moved = refusals->pdata[i];
        guint at = i;

        for (; at > 0; at--) {
            struct preflight_refusal *before = refusals->pdata[at - 1];

            if (before->code <= moved->code)
                break;
            refusals->pdata[at] = before;
        }
        refusals->pdata[at] = moved;
    }
}

GPtrArray *
preflight_run(const struct preflight *preflight)
{
    const char *target = domxml_get(preflight->disk, "target@dev");
    struct preflight_state state = {
        .ask = preflight,
        .refusals = g_ptr_array_new_with_free_func(free_refusal),
        .domain = preflight->domain ? preflight->domain->name : NULL,
        .target = target ? target : "?",
        .fd = -1,
    };

    if (preflight_check_domain(&state)) {
        preflight_check_disk(&state);
        if (state.path) {
            preflight_check_image(&state);
            preflight_check_files(&state);
            preflight_check_users(&state);
        }
    }
    sort_by_code(state.refusals);
    if (state.fd >= 0)
        close(state.fd);
    g_free(state.path);
    return state.refusals;
}
