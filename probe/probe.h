/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h: looking at the real world. Reads only: no lock is taken, no page
 * flushed, no process started.
 */
#pragma once

#include "probe/facts.h"

struct probe_options {
    const char *root;       /* stands for / when /sys, /proc and /etc are read; NULL: / */
    unsigned int timeout_ms; /* how long one path may take before it is given up; 0: 5000 */
};

/**
 * probe_new: the facts source that looks at this host's real images. Each path is probed once,
 * whatever the number of disks and threads that ask.
 */
struct facts_source *probe_new(const struct probe_options *options);

/**
 * facts_file_new: the facts source that reads a facts file (GKeyFile): groups
 * [image PATH] with keys named as the fields of image_facts with '-' for '_', and [host].
 * In PATH, %XX stands for the byte with that hexadecimal number ('[', ']' and '%' need it).
 * Answers are yes, no and unknown; shares are from 0 to 1; the state is file where none is given.
 * An image that it does not name is IMAGE_ELSEWHERE. NULL with @error on a file that cannot be
 * read, an unknown group or key, or a wrong value: each named with its group and key.
 */
struct facts_source *facts_file_new(const char *path, GError **error);

/**
 * facts_file_to_data: the text of a facts file that holds @host (NULL: nothing of it) and the
 * facts of @images (const struct image_facts *; those without a path are left out), to be freed.
 * facts_file_new() reads equal facts from it.
 */
char *facts_file_to_data(GPtrArray *images, const struct host_facts *host);

/**
 * disk_image_path: the path of the image that @disk (a <disk>) names, to be freed; it is absolute.
 * NULL where there is none; @state then says IMAGE_NONE, IMAGE_TEMPLATE or
 * IMAGE_UNKNOWN, and @reason (to be freed; may be NULL) why: "volume a of pool default: known on a
 * connection only".
 */
char *disk_image_path(const domxml_elem *disk, enum image_state *state, char **reason);
