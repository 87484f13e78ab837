/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode-diff.c: showing what --fix would change, as a unified diff that patch and git apply take.
 */
#include <stdlib.h>
#include <string.h>

#include "apply/step-file.h"
#include "cli/diff-label.h"
#include "cli/domain-notes.h"
#include "cli/fix-domain.h"
#include "cli/message.h"
#include "cli/mode.h"
#include "cli/stream.h"
#include "cli/workers.h"
#include "lint/escape.h"
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
    gboolean for_consent;    /* to standard error, and what is shown is remembered */
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
    g_autofree char *name = g_strconcat(document->target.name, ".xml", NULL);
    const char *path = document->path ? document->path : name;
    g_autofree char *old_label = diff_label("a/", path);
    g_autofree char *new_label = diff_label("b/", path);
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
preview_failed(struct preview *preview, const struct domxml_error *problem)
{
    exit_status_raise(&preview->status, STATUS_FAILED);
    document_message(preview->document, problem->line, problem->column, "no diff: %s",
                     problem->text);
}

/* Why --fix will not touch the document, to be freed; NULL where nothing is known to stand in its way. What is to be said
 * of a domain besides goes into the comments. */
static char *
foresee_refusal(const struct run *run, struct preview *preview, const struct lint_fixed *fixed,
                GString *out)
{
    struct document *document = preview->document;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) problem = NULL;
    gsize length;
    const char *text = domxml_doc_text(document->doc, &length);

    if (document->domain) {
        const struct step_define step = fix_domains_step(run, document, fixed);

        if (!step_define_check(&step, notes, &problem))
            return g_strdup(problem->message);
        for (guint i = 0; i < notes->len; i++)
            add_comment(out, "%s: %s", document->target.name,
                        (const char *)g_ptr_array_index(notes, i));
    } else if (!g_str_equal(document->path, "-")) {
        return step_file_refusal(document->path, text, length);
    }
    return NULL;
}

/* What will be refused is not asked about. */
static void
drop_preview(struct preview *preview, GString *out, const char *refusal)
{
    g_string_truncate(out, 0);
    add_comment(out, "%s will be refused: %s", preview->document->target.name, refusal);
    preview->fixes = 0;
}

static void
preview_fixes(const struct previewing *previewing, struct preview *preview)
{
    const struct run *run = previewing->run;
    struct document *document = preview->document;
    struct domxml_error problem = DOMXML_ERROR_INIT;
    enum lint_safety safety = run->options->unsafe_fixes ? LINT_UNSAFE : LINT_SAFE;
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *refusal = NULL;
    struct lint_fixed *fixed =
        lint_fix_document(run->selection, document->doc, document->facts, safety, &problem);

    if (!fixed) {
        preview_failed(preview, &problem);
        return;
    }
    preview->findings = g_ptr_array_ref(fixed->remaining);
    for (guint i = 0; i < fixed->failed->len; i++) {
        exit_status_raise(&preview->status, STATUS_FAILED);
        document_message(document, 0, 0, "%s",
                         (const char *)g_ptr_array_index(fixed->failed, i));
    }
    add_comments(out, document, fixed);
    if (fixed->doc) {
        exit_status_raise(&preview->status, STATUS_FINDINGS);
        preview->fixes = fixed->applied->len;
        refusal = foresee_refusal(run, preview, fixed, out);
        if (!add_diff(out, document, fixed, &problem))
            preview_failed(preview, &problem);
        if (refusal && previewing->for_consent)
            drop_preview(preview, out, refusal);
        else if (refusal)
            document_message(document, 0, 0, "--fix will refuse this %s: %s",
                             document->domain ? "domain" : "file", refusal);
    }
    preview->text = g_string_free(g_steal_pointer(&out), FALSE);
    lint_fixed_free(fixed);
}

static gpointer
preview(gsize index, gpointer data)
{
    const struct previewing *previewing = data;
    struct run *run = previewing->run;
    struct preview *made = g_new0(struct preview, 1);

    made->document =
        document_read(g_ptr_array_index(run->targets, index), run->session, run->facts);
    if (made->document->doc) {
        preview_fixes(previewing, made);
        if (previewing->for_consent) {
            ((struct target *)g_ptr_array_index(run->targets, index))->shown =
                document_digest(made->document);
        } else if (run->options->reports->len) {
            made->present =
                lint_run(run->selection, made->document->doc, made->document->facts);
            domain_notes_add(run, made->document, made->present);
        }
        if (run->options->host)
            document_require_images(made->document);
    }
    if (!made->findings)
        made->findings = g_ptr_array_new();
    return made;
}

/* A line of a diff for a terminal: harmless, and coloured. */
static void
show_line(FILE *file, const char *line, gsize length, gboolean color)
{
    static const struct {
        const char *start, *color;
    } colors[] = {
        {"---", "\033[1m"}, {"+++", "\033[1m"}, {"@@", "\033[36m"},
        {"-", "\033[31m"},  {"+", "\033[32m"},  {"#", "\033[2m"},
    };
    g_autoptr(GString) out = g_string_new(NULL);
    const char *end = line + length;
    gsize kind = 0;

    while (line < end) {
        if (*line == '\t')
            g_string_append_c(out, *line++);
        else
            line = lint_escape_next(out, line, end);
    }
    while (kind < G_N_ELEMENTS(colors) && !g_str_has_prefix(out->str, colors[kind].start))
        kind++;
    if (color && kind < G_N_ELEMENTS(colors))
        fprintf(file, "%s%s\033[0m\n", colors[kind].color, out->str);
    else
        fprintf(file, "%s\n", out->str);
}

/* Elsewhere than on a terminal the bytes are exact, for patch to read. */
static void
show(struct previewing *previewing, const char *text)
{
    FILE *file = previewing->output.file;

    if (!stream_is_terminal(&previewing->output)) {
        fputs(text, file);
    } else {
        gboolean color = stream_has_color(&previewing->output, previewing->run->options->color);

        while (*text) {
            gsize length = strcspn(text, "\n");

            show_line(file, text, length, color);
            text += length + (text[length] == '\n');
        }
    }
}

static gboolean
deliver(gsize index G_GNUC_UNUSED, gpointer result, gpointer data)
{
    struct preview *preview = result;
    struct previewing *previewing = data;
    struct run *run = previewing->run;
    gboolean more = TRUE;

    if (preview->text)
        show(previewing, preview->text);
    previewing->fixes += preview->fixes;
    previewing->files += preview->fixes > 0;
    for (guint i = 0; i < preview->findings->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(preview->findings, i);

        previewing->left += finding->result == LINT_RESULT_FAIL;
    }
    if (previewing->for_consent) {
        preview_free(preview);
        return stream_check(&previewing->output);
    }
    run_account(run, preview->document, preview->findings);
    exit_status_raise(&run->status, preview->status);
    if (run->options->reports->len && !preview->document->vanished)
        more = report_target(run->report, &preview->document->target, NULL,
                             preview->present ? preview->present : preview->findings);
    preview_free(preview);
    return stream_check(&previewing->output) && more;
}

static void
preview_all(struct previewing *previewing, FILE *file)
{
    const struct workers_job job = {
        .count = previewing->run->targets->len,
        .work = preview,
        .deliver = deliver,
        .discard = preview_free,
        .data = previewing,
    };

    stream_open(&previewing->output, NULL, file, NULL);
    workers_run(&job, previewing->run->options->jobs);
}

guint
mode_diff_for_consent(struct run *run)
{
    struct previewing previewing = {.run = run, .for_consent = TRUE};

    preview_all(&previewing, stderr);
    return previewing.fixes;
}

void
mode_diff(struct run *run)
{
    struct previewing previewing = {.run = run};

    preview_all(&previewing, stdout);
    run_close_output(run, &previewing.output, "diff");
    if (!run->options->quiet && !run->reader_gone)
        message("--fix%s would clear %u finding%s in %u %s%s; %u would be left",
                run->options->unsafe_fixes ? " --unsafe-fixes" : "", previewing.fixes,
                previewing.fixes == 1 ? "" : "s", previewing.files,
                run->session ? "target" : "file", previewing.files == 1 ? "" : "s",
                previewing.left);
}
