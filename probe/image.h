/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h: all the facts of one image.
 */
#pragma once

#include "probe/facts.h"

/**
 * image_probe: looks at the image at the absolute @path. May take as long as its file system
 * does; what is long by itself ends at @deadline (g_get_monotonic_time()) and is then unknown.
 * @root: folder that stands for / when /proc is read; NULL: /
 */
struct image_facts *image_probe(const char *path, const char *root, gint64 deadline);
