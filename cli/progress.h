/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h: telling on standard error how a long copy goes: on a terminal one line that
 * changes, elsewhere a line for each step.
 */
#pragma once

#include <glib.h>

struct progress;

/* @label: "web, disk hda"; @bytes: what is copied, 0 where it is not known. To be freed. */
struct progress *progress_new(const char *label, guint64 bytes, gboolean quiet);
void progress_free(struct progress *progress);

/* The next step begins: @step is the journal's word. For struct convert_wish. */
void progress_step(const char *step, void *progress);

/* For struct qemu_img_run. */
void progress_percent(double percent, void *progress);

/* "1.2 GiB"; to be freed. */
char *progress_size(guint64 bytes);
