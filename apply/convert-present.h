/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-present.h: which of a conversion's two images is in use now. Asked by what the names
 * lead to, whatever they are.
 */
#pragma once

#include "apply/convert-record.h"
#include "probe/source-libvirt.h"

/* The present text of the domain, without secrets, or without one that of @file; to be freed.
 * NULL with @error. */
char *convert_present_text(struct connection *connection, const struct source_domain *domain,
                           const char *file, GError **error);

/* The disk of @doc whose source leads to the file @identity; NULL where none does. */
const domxml_elem *convert_present_user(const domxml_doc *doc,
                                        const struct file_identity *identity);

/* Whether @path, itself, is the file @identity. */
gboolean convert_present_at(const char *path, const struct file_identity *identity);

/* Whether no domain of the connection names @path, as far as all could be read, and no process
 * has it open. FALSE with @error (CONVERT_REFUSED), a clause. @connection NULL: there is nobody
 * to ask but the processes. */
gboolean convert_present_unused(struct connection *connection, const char *path, GError **error);
