/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root-name.h: a cheap look at a text's root element, so that folders can be
 * searched without parsing every XML file in them.
 */
#pragma once

#include <glib.h>

enum root_name {
    ROOT_OURS,      /* one that libdomxml reads, or is sure to have a clear word on */
    ROOT_OTHER,     /* another root, or no XML at all */
    ROOT_UNDECIDED, /* the text ends before the root element's name does */
};

/* What the root element of the text that starts with @text is. */
enum root_name root_name_look(const char *text, gsize length);
