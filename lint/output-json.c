/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output-json.c: the report for programs, version 1.
 *
 * Findings are written as they come, one on a line; what is said of targets is short, and is kept
 * until the findings are all written. Keys may be added, none removed or renamed.
 */
#include <string.h>

#include <json-glib/json-glib.h>

#include "lint/output.h"

struct json_output {
    struct lint_output base; /* first, so that one is the other */
    FILE *stream;
    struct lint_output_options options;
    JsonGenerator *generator;
    GString *targets;    /* their objects, one on a line */
    guint target_count;
    guint finding_count; /* written so far */
};

static void
add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    if (!value) {
        json_builder_add_null_value(builder);
    } else if (g_utf8_validate(value, -1, NULL)) {
        json_builder_add_string_value(builder, value);
    } else {
        g_autofree char *valid = g_utf8_make_valid(value, -1);

        json_builder_add_string_value(builder, valid);
    }
}

static void
add_int(JsonBuilder *builder, const char *name, gint64 value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_int_value(builder, value);
}

/* A position; null where it is 0. */
static void
add_position(JsonBuilder *builder, const char *name, int value)
{
    json_builder_set_member_name(builder, name);
    if (value > 0)
        json_builder_add_int_value(builder, value);
    else
        json_builder_add_null_value(builder);
}

static void
add_element(JsonBuilder *builder, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);

    json_builder_add_string_value(builder, valid);
}

static void
add_strings(JsonBuilder *builder, const char *name, GPtrArray *strings)
{
    json_builder_set_member_name(builder, name);
    json_builder_begin_array(builder);
    for (guint i = 0; i < strings->len; i++)
        add_element(builder, strings->pdata[i]);
    json_builder_end_array(builder);
}

static void
add_location(JsonBuilder *builder, const struct lint_target *target,
             const struct lint_finding *finding)
{
    json_builder_set_member_name(builder, "location");
    if (!finding->located) {
        json_builder_add_null_value(builder);
        return;
    }
    json_builder_begin_object(builder);
    add_string(builder, "file", target->kind == LINT_TARGET_FILE ? target->path : NULL);
    add_int(builder, "line", finding->line);
    add_int(builder, "column", finding->column);
    add_int(builder, "end_line", finding->end_line);
    add_int(builder, "end_column", finding->end_column);
    add_int(builder, "byte_offset", (gint64)finding->span.offset);
    add_int(builder, "byte_length", (gint64)finding->span.length);
    add_string(builder, "text", target->kind != LINT_TARGET_DOMAIN ? NULL
                                : target->live                    ? "live"
                                                                  : "inactive");
    json_builder_end_object(builder);
}

static void
add_edits(JsonBuilder *builder, const domxml_edits *edits)
{
    const struct domxml_edit *edit;

    json_builder_set_member_name(builder, "edits");
    json_builder_begin_array(builder);
    for (size_t i = 0; (edit = domxml_edits_get(edits, i)); i++) {
        json_builder_begin_object(builder);
        add_int(builder, "byte_offset", (gint64)edit->offset);
        add_int(builder, "byte_length", (gint64)edit->length);
        add_string(builder, "text", edit->text);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void
add_fix(JsonBuilder *builder, const struct lint_fix *fix)
{
    json_builder_begin_object(builder);
    add_string(builder, "title", fix->title);
    add_string(builder, "safety", lint_safety_name(fix->safety));
    add_string(builder, "effect", lint_effect_name(fix->effect));
    add_edits(builder, fix->edits);
    json_builder_set_member_name(builder, "steps");
    json_builder_begin_array(builder);
    for (guint i = 0; i < fix->steps->len; i++) {
        g_autofree char *step = lint_step_text(fix->steps->pdata[i]);

        add_element(builder, step);
    }
    json_builder_end_array(builder);
    add_strings(builder, "notes", fix->notes);
    /* Of such fixes of one document only one may be applied before it is linted again. */
    json_builder_set_member_name(builder, "exclusive");
    json_builder_add_boolean_value(builder, fix->wide);
    json_builder_end_object(builder);
}

static void
add_finding(JsonBuilder *builder, guint target_id, const struct lint_target *target,
            const struct lint_finding *finding)
{
    char id[16];

    g_snprintf(id, sizeof(id), "%u", target_id);
    json_builder_begin_object(builder);
    add_string(builder, "rule", finding->rule->id);
    add_string(builder, "severity", lint_severity_name(finding->severity));
    add_string(builder, "result", lint_result_name(finding->result));
    add_string(builder, "reason", finding->reason);
    add_string(builder, "target_id", id);
    add_string(builder, "target", target->name);
    add_string(builder, "subject", finding->subject);
    add_string(builder, "message", finding->message);
    add_location(builder, target, finding);
    json_builder_set_member_name(builder, "fixes");
    json_builder_begin_array(builder);
    for (guint i = 0; i < finding->fixes->len; i++)
        add_fix(builder, finding->fixes->pdata[i]);
    json_builder_end_array(builder);
    add_strings(builder, "notes", finding->notes);
    add_string(builder, "suppressed", NULL);
    json_builder_end_object(builder);
}

/* What --fix did about a finding; its place is that in the text before. */
static void
add_applied(JsonBuilder *builder, const struct lint_finding *finding)
{
    const struct lint_fix *fix = finding->fixes->pdata[0];

    json_builder_begin_object(builder);
    add_string(builder, "rule", finding->rule->id);
    add_string(builder, "subject", finding->subject);
    add_position(builder, "line", finding->line);
    add_position(builder, "column", finding->column);
    add_string(builder, "title", fix->title);
    add_string(builder, "safety", lint_safety_name(fix->safety));
    json_builder_end_object(builder);
}

static void
add_target(JsonBuilder *builder, guint target_id, const struct lint_target *target,
           GPtrArray *applied)
{
    static const char *const kinds[] = { "file", "domain", "host" };
    char id[16];

    g_snprintf(id, sizeof(id), "%u", target_id);
    json_builder_begin_object(builder);
    add_string(builder, "id", id);
    add_string(builder, "name", target->name);
    add_string(builder, "kind", kinds[target->kind]);
    add_string(builder, "uuid", target->uuid);
    add_string(builder, "uri", target->uri);
    add_string(builder, "path", target->path);
    add_string(builder, "status", target->failure ? "failed" : "checked");
    add_string(builder, "message", target->failure);
    add_position(builder, "line", target->failure_line);
    add_position(builder, "column", target->failure_column);
    add_string(builder, "managed_by", target->managed_by);
    add_string(builder, "state", target->state);
    json_builder_set_member_name(builder, "notes");
    json_builder_begin_array(builder);
    for (guint i = 0; target->notes && i < target->notes->len; i++)
        add_element(builder, target->notes->pdata[i]);
    json_builder_end_array(builder);
    json_builder_set_member_name(builder, "applied");
    json_builder_begin_array(builder);
    for (guint i = 0; applied && i < applied->len; i++)
        add_applied(builder, applied->pdata[i]);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static char *
generate(struct json_output *json, JsonBuilder *builder, gsize *length)
{
    g_autoptr(JsonNode) root = json_builder_get_root(builder);

    json_generator_set_root(json->generator, root);
    return json_generator_to_data(json->generator, length);
}

static void
write_finding(struct json_output *json, const struct lint_target *target,
              const struct lint_finding *finding)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autofree char *object = NULL;
    gsize length;

    add_finding(builder, json->target_count, target, finding);
    object = generate(json, builder, &length);
    fputs(json->finding_count++ > 0 ? ",\n" : "\n", json->stream);
    fwrite(object, 1, length, json->stream);
}

static void
json_target(struct lint_output *output, const struct lint_target *target, GPtrArray *applied,
            GPtrArray *findings)
{
    struct json_output *json = (struct json_output *)output;
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autofree char *object = NULL;
    gsize length;

    json->target_count++;
    add_target(builder, json->target_count, target, applied);
    object = generate(json, builder, &length);
    g_string_append(json->targets, json->target_count > 1 ? ",\n" : "\n");
    g_string_append_len(json->targets, object, (gssize)length);

    for (guint i = 0; findings && i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        if (finding->severity >= json->options.min_severity)
            write_finding(json, target, finding);
    }
}

static void
add_summary(JsonBuilder *builder, const struct lint_summary *summary)
{
    json_builder_begin_object(builder);
    add_int(builder, "targets", summary->targets);
    add_int(builder, "failed", summary->failed);
    add_int(builder, "error", summary->severity[LINT_ERROR]);
    add_int(builder, "warning", summary->severity[LINT_WARNING]);
    add_int(builder, "info", summary->severity[LINT_INFO]);
    add_int(builder, "unknown", summary->unknown);
    add_int(builder, "suppressed", summary->suppressed);
    add_int(builder, "applied", summary->applied);
    json_builder_set_member_name(builder, "fixable");
    json_builder_begin_object(builder);
    add_int(builder, "safe", summary->fixable_safe);
    add_int(builder, "unsafe", summary->fixable_unsafe);
    add_int(builder, "image", summary->fixable_image);
    add_int(builder, "manual", summary->fixable_manual);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void
json_end(struct lint_output *output, const struct lint_summary *summary)
{
    struct json_output *json = (struct json_output *)output;
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autofree char *object = NULL;
    gsize length;

    add_summary(builder, summary);
    object = generate(json, builder, &length);
    fprintf(json->stream, "\n],\n\"targets\":[");
    fwrite(json->targets->str, 1, json->targets->len, json->stream);
    fprintf(json->stream, "\n],\n\"summary\":%s}\n", object);
    fflush(json->stream);
}

static void
json_free(struct lint_output *output)
{
    struct json_output *json = (struct json_output *)output;

    g_object_unref(json->generator);
    g_string_free(json->targets, TRUE);
    g_free(json);
}

struct lint_output *
lint_output_json_new(FILE *stream, const struct lint_output_options *options)
{
    struct json_output *json = g_new0(struct json_output, 1);

    json->base.target = json_target;
    json->base.end = json_end;
    json->base.free = json_free;
    json->stream = stream;
    json->options = *options;
    json->generator = json_generator_new();
    json->targets = g_string_new(NULL);
    fprintf(stream,
            "{\"format\":\"domlint-report\",\"version\":1,\n"
            "\"tool\":{\"name\":\"domlint\",\"version\":\"%s\"},\n\"findings\":[",
            PACKAGE_VERSION);
    return &json->base;
}
