/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-record.c: conversions in the journal. */
#include "apply/convert-record.h"

#include <string.h>

void
convert_record_clear(struct convert_record *record)
{
    g_free(record->id);
    g_free(record->domain);
    g_free(record->uuid);
    g_free(record->file);
    g_free(record->disk);
    g_free(record->path);
    g_free(record->new_path);
    g_free(record->real);
    g_free(record->new_real);
    g_free(record->from);
    g_free(record->to);
    g_free(record->preallocation);
    g_free(record->temporary);
    memset(record, 0, sizeof(*record));
}

void
convert_record_free(struct convert_record *record)
{
    if (!record)
        return;
    convert_record_clear(record);
    g_free(record);
}

const char *
convert_record_kept(const struct convert_record *record)
{
    return record->exchange ? record->new_real : record->real;
}

const char *
convert_record_current(const struct convert_record *record)
{
    return record->exchange ? record->real : record->new_real;
}

/* ---- Writing ---- */

static void
set_string(JsonObject *object, const char *name, const char *value)
{
    if (value)
        json_object_set_string_member(object, name, value);
}

JsonObject *
convert_identity_to_json(const struct file_identity *identity)
{
    JsonObject *object = json_object_new();

    json_object_set_int_member(object, "device", (gint64)identity->device);
    json_object_set_int_member(object, "inode", (gint64)identity->inode);
    json_object_set_int_member(object, "birth_ns", identity->birth_ns);
    json_object_set_int_member(object, "size", (gint64)identity->size);
    json_object_set_int_member(object, "mtime_ns", identity->mtime_ns);
    return object;
}

gboolean
convert_record_begin(const struct convert_record *record, struct journal_run *run, GError **error)
{
    JsonObject *object = json_object_new();

    set_string(object, "domain", record->domain);
    set_string(object, "file", record->file);
    set_string(object, "disk", record->disk);
    set_string(object, "path", record->path);
    set_string(object, "new_path", record->new_path);
    set_string(object, "real", record->real);
    set_string(object, "new_real", record->new_real);
    set_string(object, "from", record->from);
    set_string(object, "to", record->to);
    set_string(object, "preallocation", record->preallocation);
    json_object_set_boolean_member(object, "exchange", record->exchange);
    json_object_set_boolean_member(object, "was_running", record->was_running);
    json_object_set_object_member(object, "original", convert_identity_to_json(&record->original));
    return convert_record_step(record, run, "convert", object, error);
}

gboolean
convert_record_step(const struct convert_record *record, struct journal_run *run, const char *step,
                    JsonObject *members, GError **error)
{
    if (!members)
        members = json_object_new();
    json_object_set_string_member(members, "conversion", record->id);
    /* As in the records of a define: a run's story is told by domain. */
    set_string(members, "uuid", record->uuid);
    return journal_append(run, step, members, error);
}

/* ---- Reading ---- */

static char *
get_string(JsonObject *object, const char *name)
{
    return g_strdup(json_object_get_string_member_with_default(object, name, NULL));
}

static void
read_identity(JsonObject *object, const char *name, struct file_identity *identity)
{
    JsonNode *node = json_object_get_member(object, name);
    JsonObject *from = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;

    if (!from)
        return;
    identity->device = (guint64)json_object_get_int_member_with_default(from, "device", 0);
    identity->inode = (guint64)json_object_get_int_member_with_default(from, "inode", 0);
    identity->birth_ns = json_object_get_int_member_with_default(from, "birth_ns", 0);
    identity->size = (guint64)json_object_get_int_member_with_default(from, "size", 0);
    identity->mtime_ns = json_object_get_int_member_with_default(from, "mtime_ns", 0);
}

static struct convert_record *
read_begin(JsonObject *object)
{
    struct convert_record *record = g_new0(struct convert_record, 1);

    record->id = get_string(object, "conversion");
    record->domain = get_string(object, "domain");
    record->uuid = get_string(object, "uuid");
    record->file = get_string(object, "file");
    record->disk = get_string(object, "disk");
    record->path = get_string(object, "path");
    record->new_path = get_string(object, "new_path");
    record->real = get_string(object, "real");
    record->new_real = get_string(object, "new_real");
    record->from = get_string(object, "from");
    record->to = get_string(object, "to");
    record->preallocation = get_string(object, "preallocation");
    record->exchange = json_object_get_boolean_member_with_default(object, "exchange", FALSE);
    record->was_running = json_object_get_boolean_member_with_default(object, "was_running", FALSE);
    read_identity(object, "original", &record->original);
    return record;
}

static struct convert_record *
find(GPtrArray *conversions, JsonObject *object)
{
    const char *id = json_object_get_string_member_with_default(object, "conversion", NULL);

    for (guint i = 0; id && i < conversions->len; i++) {
        struct convert_record *record = g_ptr_array_index(conversions, i);

        if (g_strcmp0(record->id, id) == 0)
            return record;
    }
    return NULL;
}

static void
read_step(struct convert_record *record, const char *type, JsonObject *object)
{
    static const struct {
        const char *type;
        enum convert_state state;
    } states[] = {
        { "convert-made", CONVERT_STATE_MADE },
        { "convert-checked", CONVERT_STATE_CHECKED },
        { "convert-naming", CONVERT_STATE_NAMING },
        { "convert-defining", CONVERT_STATE_DEFINING },
        { "convert-done", CONVERT_STATE_DONE },
        { "convert-rolled-back", CONVERT_STATE_ROLLED_BACK },
        { "convert-forgotten", CONVERT_STATE_FORGOTTEN },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
        if (g_strcmp0(type, states[i].type) == 0)
            record->state = states[i].state;
    if (json_object_has_member(object, "made"))
        read_identity(object, "made", &record->made);
    if (json_object_has_member(object, "temporary")) {
        g_free(record->temporary);
        record->temporary = get_string(object, "temporary");
    }
}

GPtrArray *
convert_records_read(JsonArray *records)
{
    GPtrArray *conversions =
        g_ptr_array_new_with_free_func((GDestroyNotify)convert_record_free);

    for (guint i = 0; i < json_array_get_length(records); i++) {
        JsonObject *object = json_array_get_object_element(records, i);
        const char *type = json_object_get_string_member_with_default(object, "type", "");
        struct convert_record *record;

        if (g_str_equal(type, "convert")) {
            g_ptr_array_add(conversions, read_begin(object));
            continue;
        }
        record = find(conversions, object);
        if (record)
            read_step(record, type, object);
    }
    return conversions;
}
