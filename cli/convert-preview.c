/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-preview.c: documents as conversions will leave them.
 */
#include "cli/convert-preview.h"

#include <stdlib.h>
#include <string.h>

#include "cli/converted-facts.h"

/* Notes in @editor what the conversion means for its disk. */
static gboolean
add_conversion(domxml_editor *editor, const domxml_doc *doc, const struct planned *planned,
               struct domxml_error *error)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);

    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        const domxml_elem *disk = domxml_disk(doc, i);

        if (g_strcmp0(domxml_get(disk, "target@dev"), planned->disk) == 0)
            return lint_convert_edits(editor, disk, planned->record.new_path, planned->to,
                                      planned->preallocation, notes, error);
    }
    return TRUE;
}

gboolean
convert_preview_make(struct convert_preview *preview, const struct run *run, guint index,
                     const struct document *document, struct domxml_error *error)
{
    g_autoptr(GPtrArray) all = convert_plan_of(run->plan, index);
    g_autoptr(domxml_editor) editor = NULL;
    gsize length;
    const char *text = domxml_doc_text(document->doc, &length);
    size_t new_length;
    char *changed;
    gboolean good = TRUE;

    memset(preview, 0, sizeof(*preview));
    preview->items = g_ptr_array_new();
    for (guint i = 0; i < all->len; i++)
        if (!((const struct planned *)g_ptr_array_index(all, i))->refused)
            g_ptr_array_add(preview->items, g_ptr_array_index(all, i));
    if (!preview->items->len)
        return TRUE;
    preview->facts = converted_facts_new(document->facts);
    editor = domxml_editor_new(document->doc, error);
    for (guint i = 0; editor && good && i < preview->items->len; i++) {
        const struct planned *planned = g_ptr_array_index(preview->items, i);

        good = add_conversion(editor, document->doc, planned, error);
        converted_facts_add(preview->facts, planned->elem, planned->record.new_path, planned->to,
                            planned->preallocation);
    }
    if (editor && good)
        preview->edits = domxml_editor_finish(editor, error);
    if (!preview->edits)
        return FALSE;
    changed = domxml_edits_apply(preview->edits, text, length, &new_length, NULL, error);
    if (changed)
        preview->doc = domxml_parse(changed, new_length, error);
    free(changed);
    return preview->doc != NULL;
}

void
convert_preview_clear(struct convert_preview *preview)
{
    if (preview->items)
        g_ptr_array_unref(preview->items);
    domxml_edits_free(preview->edits);
    domxml_doc_free(preview->doc);
    facts_source_free(preview->facts);
}
