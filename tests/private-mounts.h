/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private-mounts.h: mounts of a test's own, which go away with its process, however it ends.
 */
#pragma once

#include <glib.h>

/* From now on this process mounts for itself and its children alone. FALSE where it may not
 * mount. */
gboolean private_mounts(void);
