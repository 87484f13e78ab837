/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c: the reports of a run, one for each --format, fed alike.
 */
#include "cli/message.h"
#include "cli/report.h"
#include "cli/stream.h"

struct part {
    struct stream stream;
    enum report_format format;
    struct lint_output *output;
};

struct report {
    GArray *parts; /* of struct part */
    struct lint_summary summary;
};

static void
part_clear(gpointer data)
{
    struct part *part = data;

    if (part->output)
        part->output->free(part->output);
    stream_close(&part->stream);
}

static struct lint_output *
output_new(enum report_format format, FILE *file, const struct lint_output_options *options)
{
    switch (format) {
    case REPORT_TEXT:
        return lint_output_text_new(file, options);
    case REPORT_JSON:
        break;
    }
    return lint_output_json_new(file, options);
}

struct report *
report_new(const struct options *options, FILE *standard, gboolean fixed, GError **error)
{
    struct report *report = g_new0(struct report, 1);

    report->parts = g_array_new(FALSE, TRUE, sizeof(struct part));
    g_array_set_clear_func(report->parts, part_clear);
    for (guint i = 0; i < options->reports->len; i++) {
        const struct report_choice *choice = g_ptr_array_index(options->reports, i);
        struct lint_output_options output_options = {
            .min_severity = options->min_severity,
            .quiet = options->quiet,
            .fixed = fixed,
        };
        struct part part = {.format = choice->format};

        if (!stream_open(&part.stream, choice->path, standard, error)) {
            report_free(report);
            return NULL;
        }
        output_options.color = stream_has_color(&part.stream, options->color);
        part.output = output_new(choice->format, part.stream.file, &output_options);
        g_array_append_val(report->parts, part);
    }
    return report;
}

gboolean
report_target(struct report *report, const struct lint_target *target, GPtrArray *applied,
              GPtrArray *findings)
{
    gboolean good = TRUE;

    lint_summary_add(&report->summary, target, applied, findings);
    for (guint i = 0; i < report->parts->len; i++) {
        struct part *part = &g_array_index(report->parts, struct part, i);

        /* Nothing more is sent after what could not be written. */
        if (!part->stream.error)
            part->output->target(part->output, target, applied, findings);
        good &= stream_check(&part->stream);
    }
    return good;
}

enum report_end
report_end(struct report *report, gboolean worked)
{
    enum report_end end = REPORT_WRITTEN;

    for (guint i = 0; i < report->parts->len; i++) {
        struct part *part = &g_array_index(report->parts, struct part, i);
        g_autofree char *where = NULL;

        if (!part->stream.error && (worked || part->format != REPORT_TEXT))
            part->output->end(part->output, &report->summary);
        stream_check(&part->stream);
        where = g_strdup(part->stream.path ? part->stream.path : "standard output");
        if (stream_close(&part->stream))
            continue;
        if (stream_reader_is_gone(&part->stream)) {
            end = MAX(end, REPORT_READER_GONE);
            continue;
        }
        message("cannot write the report to %s: %s", where, g_strerror(part->stream.error));
        end = REPORT_FAILED;
    }
    return end;
}

void
report_free(struct report *report)
{
    if (!report)
        return;
    g_array_unref(report->parts);
    g_free(report);
}
