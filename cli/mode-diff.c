/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-diff.c: showing what --fix would change, as a unified diff that patch and git apply take.
 */
#include <string.h>

#include "apply/step-file.h"
#include "cli/diff-label.h"
#include "cli/message.h"
#include "cli/mode.h"
#include "cli/stream.h"
#include "cli/workers.h"
#include "lint/fix.h"

/* What came of one document. */
struct preview {
    struct document *document;
    GPtrArray *findings;     /* what --fix would leave */
    GPtrArray *present;      /* what there is now, for the reports; NULL where none is written */
    char *text;              /* comment lines and diff; NULL where there is none */
    guint fixes;             /* how many findings --fix would clear */
    enum exit_status status; /* by the fixing itself, not by what is left */
};

struct previewing {
    struct run *run;
    struct stream output;
    guint fixes, files, left;
};

static void
preview_free(gpointer data)
{
    struct preview *preview = data;

    g_ptr_array_unref(preview->findings);
    if (preview->present)
        g_ptr_array_unref(preview->present);
    g_free(preview->text);
    document_free(preview->document);
    g_free(preview);
}

static void G_GNUC_PRINTF(2, 3)
add_comment(GString *out, const char *format, ...)
{
    g_autofree char *text = NULL;
    g_autofree char *escaped = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    escaped = lint_escape(text);
    g_string_append_printf(out, "# domlint: %s\n", escaped);
}

/* What the diff holds, and the steps that it cannot hold. */
static void
add_comments(GString *out, const struct document *document, const struct lint_fixed *fixed)
{
    for (guint i = 0; i < fixed->remaining->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(fixed->remaining, i);
        const struct lint_fix *fix = finding->fixes->len ? finding->fixes->pdata[0] : NULL;

        for (guint j = 0; fix && fix->effect == LINT_EFFECT_IMAGE && j < fix->steps->len; j++) {
            g_autofree char *step = lint_step_text(g_ptr_array_index(fix->steps, j));

            add_comment(out, "%s: %s (%s, disk %s; not by this version)", finding->rule->id, step,
                        document->target.name, finding->subject ? finding->subject : "?");
        }
    }
    for (guint i = 0; i < fixed->applied->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(fixed->applied, i);
        const struct lint_fix *fix = g_ptr_array_index(finding->fixes, 0);

        add_comment(out, "%s: %s (%s, disk %s; %s)", finding->rule->id, fix->title,
                    document->target.name, finding->subject ? finding->subject : "?",
                    lint_safety_name(fix->safety));
    }
}

/* The diff itself, after the comments. Whether it could be made. */
static gboolean
add_diff(GString *out, const struct document *document, const struct lint_fixed *fixed,
         struct domxml_error *problem)
{
    g_autofree char *old_label = diff_label("a/", document->path);
    g_autofree char *new_label = diff_label("b/", document->path);
    gsize length, diff_length;
    const char *text = domxml_doc_text(document->doc, &length);
    char *diff = domxml_edits_diff(fixed->edits, text, length, old_label, new_label, &diff_length,
                                   problem);

    if (!diff)
        return FALSE;
    g_string_append_len(out, diff, diff_length);
    free(diff);
    return TRUE;
}

static void
fix_failed(struct preview *preview, const struct domxml_error *problem)
{
    exit_status_raise(&preview->status, STATUS_FAILED);
    document_message(preview->document, problem->line, problem->column, "no diff: %s",
                     problem->text);
}
