/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domxml-check.h: helpers for tests of changes to a document, compared byte for byte. */
#ifndef DOMXML_CHECK_H
#define DOMXML_CHECK_H

#include "libdomxml/domxml.h"

/* A change to one disk, with its arguments in @data. */
typedef bool (*check_change)(domxml_editor *editor, const domxml_elem *disk, const void *data,
                             struct domxml_error *error);

/* Parses @text, which must be read. */
domxml_doc *check_parse(const char *text);

/* Makes the change to disk @index of @text, and expects @expected. Also expects that making it
 * again changes nothing, and that the inverse restores @text. */
void check_changes(const char *text, size_t index, check_change change, const void *data,
                   const char *expected);

/* Expects that the change to disk @index leaves the remark @note. */
void check_notes(const char *text, size_t index, check_change change, const void *data,
                 const char *note);

/* Expects no remark that contains @part. */
void check_no_note(const char *text, size_t index, check_change change, const void *data,
                   const char *part);

/* Expects that the change is refused with @code, says where, and changes nothing,
 * also not what the editor held before. */
void check_refuses(const char *text, size_t index, check_change change, const void *data,
                   enum domxml_code code);

/* @before, @between and @after joined, to be freed with free(). */
char *check_join(const char *before, const char *between, const char *after);

#endif
