/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-preview.h: what a document will be once the planned conversions are carried out,
 * without carrying any out.
 */
#pragma once

#include "cli/convert-plan.h"

struct convert_preview {
    GPtrArray *items;           /* of struct planned *: those that will be carried out */
    domxml_edits *edits;        /* of the document's text; NULL where there is no conversion */
    domxml_doc *doc;            /* the text after them; NULL likewise */
    struct facts_source *facts; /* that hold then; NULL likewise */
};

/* Target @index's. FALSE with @error. To be cleared in any case. */
gboolean convert_preview_make(struct convert_preview *preview, const struct run *run, guint index,
                              const struct document *document, struct domxml_error *error);
void convert_preview_clear(struct convert_preview *preview);
