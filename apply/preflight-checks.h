/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preflight-checks.h: the parts of a preflight, each about one thing that is looked at. For
 * preflight.c alone.
 */
#pragma once

#include "apply/preflight.h"

/* What the parts share, and find. */
struct preflight_state {
    const struct preflight *ask;
    GPtrArray *refusals; /* of struct preflight_refusal * */
    const char *domain;  /* its name; NULL for a file */
    const char *target;  /* the disk's target name, or "?" */
    char *path;          /* the image as the XML names it, absolute; NULL where it names none */
    int fd;              /* the image, open for reading without a lock, or as O_PATH; -1 */
};

void preflight_refuse(struct preflight_state *state, enum preflight_code code, const char *format,
                      ...) G_GNUC_PRINTF(3, 4);

/* Whether it was refused for that already. */
gboolean preflight_is_refused(const struct preflight_state *state, enum preflight_code code);

/**
 * preflight_check_domain: where the connection leads, what the domain does, what hangs on it.
 * Returns: FALSE where nothing else is worth looking at, since it is all on another host.
 */
gboolean preflight_check_domain(struct preflight_state *state);

/* What the <disk> element says. Fills in the path. */
void preflight_check_disk(struct preflight_state *state);

/* What the image is, from its header, the file system and qemu-img check. */
void preflight_check_image(struct preflight_state *state);

/* Whether the guard holds, and the names still mean the files that they should. */
void preflight_check_files(struct preflight_state *state);

/* Who else names the image or the new name: on the connection, in the same file. */
void preflight_check_users(struct preflight_state *state);
