/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-change.h: changes of a document's file that the journal tells, so that they can be taken
 * back byte for byte.
 */
#pragma once

#include "apply/journal.h"
#include "libdomxml/domxml.h"

/**
 * file_change_write: tells the journal, then makes @edits, of @text, in the file. No edits are
 * nothing to do.
 * @path: absolute
 * @text: what the file holds
 * Returns: FALSE with @error: JOURNAL_ERROR; STEP_FILE_ERROR, of which STEP_FILE_FAILED may come
 * after the change.
 */
gboolean file_change_write(struct journal_run *run, const char *path, const char *text,
                           size_t length, const domxml_edits *edits, GError **error);

/**
 * file_change_revert: gives the file the text back that it had before the run's changes; one that
 * has it already is fine.
 * @records: the run's
 * Returns: FALSE with @error: STEP_FILE_ERROR, STEP_FILE_REFUSED where it was edited since.
 */
gboolean file_change_revert(JsonArray *records, const char *path, GError **error);
