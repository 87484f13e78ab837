/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-doc.h: documents that are a lone <disk>, for tests of what reads disks.
 */
#pragma once

#include "probe/facts.h"

/* The document of a <disk> with this source, both as XML. */
domxml_doc *disk_doc(const char *type, const char *source);

/* The document of a file disk with its image at @path (which holds nothing that XML would
 * escape). */
domxml_doc *disk_doc_for_path(const char *path);
