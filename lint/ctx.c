/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctx.c: what a rule reports: findings, notes, fixes and their steps. */
#include "lint/ctx.h"

int
lint_ctx_disk_index(const struct lint_ctx *ctx, const domxml_elem *disk)
{
    size_t count;

    if (!disk)
        return -1;
    if (disk == ctx->disk)
        return ctx->disk_index;
    count = domxml_disk_count(ctx->doc);
    for (size_t i = 0; i < count; i++) {
        if (domxml_disk(ctx->doc, i) == disk)
            return (int)i;
    }
    return -1;
}

static struct lint_finding *
add_finding(struct lint_ctx *ctx, const domxml_elem *disk, const char *path,
            enum lint_result result, char *message)
{
    struct lint_finding *finding = lint_finding_new(ctx->rule, result, ctx->doc);
    const domxml_elem *elem = disk ? disk : domxml_doc_domain(ctx->doc);
    size_t end;

    if (!elem)
        elem = domxml_doc_root(ctx->doc);
    finding->message = message;
    finding->disk = lint_ctx_disk_index(ctx, disk);
    if (disk)
        finding->subject = g_strdup(lint_disk_name(disk));

    domxml_get_span(elem, path ? path : "", &finding->span);
    finding->located = TRUE;
    end = finding->span.offset + finding->span.length;
    domxml_doc_position(ctx->doc, finding->span.offset, &finding->line, &finding->column);
    domxml_doc_position(ctx->doc, end, &finding->end_line, &finding->end_column);

    g_ptr_array_add(ctx->findings, finding);
    return finding;
}

struct lint_finding *
lint_fail(struct lint_ctx *ctx, const domxml_elem *disk, const char *path, const char *format, ...)
{
    va_list args;
    char *message;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    return add_finding(ctx, disk, path, LINT_RESULT_FAIL, message);
}

struct lint_finding *
lint_unknown(struct lint_ctx *ctx, const domxml_elem *disk, const char *path, const char *reason,
             const char *format, ...)
{
    struct lint_finding *finding;
    va_list args;
    char *message;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    finding = add_finding(ctx, disk, path, LINT_RESULT_UNKNOWN, message);
    finding->reason = g_strdup(reason ? reason : "no reason given");
    return finding;
}

void
lint_set_severity(struct lint_finding *finding, enum lint_severity severity)
{
    finding->severity = severity;
}

void
lint_note(struct lint_finding *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(finding->notes, g_strdup_vprintf(format, args));
    va_end(args);
}

struct lint_fix *
lint_fix(struct lint_finding *finding, enum lint_safety safety, enum lint_effect effect,
         const char *format, ...)
{
    struct lint_fix *fix = lint_fix_new(safety, effect, finding->doc);
    va_list args;

    va_start(args, format);
    fix->title = g_strdup_vprintf(format, args);
    va_end(args);
    g_ptr_array_add(finding->fixes, fix);
    return fix;
}

domxml_editor *
lint_fix_editor(struct lint_fix *fix)
{
    struct domxml_error error = DOMXML_ERROR_INIT;

    if (!fix->editor) {
        fix->editor = domxml_editor_new(fix->doc, &error);
        if (!fix->editor)
            g_error("cannot edit: %s", error.text); /* memory ran out: as GLib does */
    }
    return fix->editor;
}

void
lint_fix_done(struct lint_fix *fix, gboolean ok, const struct domxml_error *error)
{
    if (ok || fix->refused)
        return;
    fix->refused = TRUE;
    fix->safety = LINT_MANUAL;
    lint_fix_note(fix, "cannot be done automatically: %s",
                  error && error->text[0] ? error->text : "the change was refused");
}

void
lint_fix_note(struct lint_fix *fix, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(fix->notes, g_strdup_vprintf(format, args));
    va_end(args);
}

void
lint_fix_convert(struct lint_fix *fix, const char *path, const char *from_format,
                 const char *new_path, const char *to_format, const char *preallocation)
{
    struct lint_step *step = g_new0(struct lint_step, 1);

    step->kind = LINT_STEP_CONVERT;
    step->path = g_strdup(path);
    step->from_format = g_strdup(from_format);
    step->new_path = g_strdup(new_path);
    step->to_format = g_strdup(to_format);
    step->preallocation = g_strdup(preallocation);
    g_ptr_array_add(fix->steps, step);
}
