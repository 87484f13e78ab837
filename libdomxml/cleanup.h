/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cleanup.h: variables that free what they hold when they go out of scope.
 */
#ifndef DX_CLEANUP_H
#define DX_CLEANUP_H

#include <stdlib.h>

#include "libdomxml/domxml.h"

static inline void
dx_cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void
dx_cleanup_doc(domxml_doc **doc)
{
    domxml_doc_free(*doc);
}

static inline void
dx_cleanup_editor(domxml_editor **editor)
{
    domxml_editor_free(*editor);
}

static inline void
dx_cleanup_edits(domxml_edits **edits)
{
    domxml_edits_free(*edits);
}

#define dx_autofree __attribute__((cleanup(dx_cleanup_free)))
#define dx_autodoc __attribute__((cleanup(dx_cleanup_doc)))
#define dx_autoeditor __attribute__((cleanup(dx_cleanup_editor)))
#define dx_autoedits __attribute__((cleanup(dx_cleanup_edits)))

#endif
