/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h: what a definition changed, as data that outlives the text: by path and value instead
 * of by byte. libvirt writes a definition anew, so byte offsets do not survive a define; these do,
 * and can be taken back one by one, each only where its value is still what we wrote.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "probe/facts.h"

/* One change: an attribute or a whole child element, of a disk or of <os>. */
struct change {
    char *disk;   /* the disk's target name after the change; NULL: the domain's <os> */
    char *path;   /* "driver@cache", "@type": an attribute; "address", "backingStore": an element */
    char *before; /* the value, or the element's text; NULL where it was absent */
    char *after;  /* the same, as libvirt keeps it now */
};

/**
 * change_list: what differs between two texts of one domain in the disks and <os><boot>,
 * <os><cmdline>. Disks are matched by target name, renamed ones by @renamed (old name, new name,
 * ..., NULL).
 * Returns: an array of struct change *, to be unreferenced.
 */
GPtrArray *change_list(const domxml_doc *before, const domxml_doc *after,
                       const char *const *renamed);

/**
 * change_merge: two lists of one domain, the second made after the first, as one list of what both
 * changed together.
 * Returns: to be unreferenced.
 */
GPtrArray *change_merge(GPtrArray *first, GPtrArray *second);

/**
 * change_revert: notes in @editor what takes @changes back in @doc, each only where the present
 * value is still @after.
 * @left: one sentence for each that is not ours any more and so is left, is added here (array of
 *   char *)
 * Returns: FALSE with @error where the editor refuses.
 */
gboolean change_revert(domxml_editor *editor, const domxml_doc *doc, GPtrArray *changes,
                       GPtrArray *left, struct domxml_error *error);

JsonArray *change_to_json(GPtrArray *changes);
GPtrArray *change_from_json(JsonArray *array, GError **error);
