/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canonical.h: elements as text that is equal where they mean the same to libvirt, and whole domains compared so.
 */
#pragma once

#include <glib.h>

#include "probe/facts.h"

/* @elem with its attributes sorted, double quotes, no comments, no white space between elements; to be freed. */
char *canonical_elem(const domxml_elem *elem);

/**
 * canonical_compare: what differs between two definitions of one domain beyond the disks named in @edited (target names, in
 * either document; NULL-terminated) and the elements <os><boot> and <os><cmdline> where @boot is set.
 *
 * Devices are compared as a multiset: their order, the order of controllers, added controllers and consoles, and the port numbers that
 * libvirt gives to PCIe root ports do not count: libvirt itself changes those on a redefine of an unedited text.
 * Returns: one sentence a difference, to be unreferenced; empty where there is none.
 */
GPtrArray *canonical_compare(const domxml_doc *before, const domxml_doc *after,
                             const char *const *edited, gboolean boot);
