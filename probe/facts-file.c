/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts-file.c: facts from a file instead of the world, for tests and for
 * documents of other hosts; and facts as such a file.
 */
#include "probe/facts-cache.h"
#include "probe/probe.h"

#include <string.h>

#define IMAGE_GROUP "image "
#define HOST_GROUP "host"

enum field_type {
    FIELD_STRING,  /* char * */
    FIELD_STRINGS, /* GStrv */
    FIELD_UINT,    /* guint and guint32 */
    FIELD_UINT64,
    FIELD_SHARE,   /* double from 0 to 1 */
    FIELD_BOOLEAN,
    FIELD_ANSWER,
    FIELD_STATE,
    FIELD_PREALLOCATION,
};

struct field {
    const char *key;
    enum field_type type;
    gsize offset;
};

G_STATIC_ASSERT(sizeof(guint) == sizeof(guint32));
G_STATIC_ASSERT(sizeof(enum image_state) == sizeof(int));
G_STATIC_ASSERT(sizeof(enum preallocation) == sizeof(int));
G_STATIC_ASSERT(sizeof(enum fact_answer) == sizeof(int));

static const struct field image_fields[] = {
    { "state", FIELD_STATE, G_STRUCT_OFFSET(struct image_facts, state) },
    { "unknown", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, unknown) },
    { "format", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, format) },
    { "virtual-size", FIELD_UINT64, G_STRUCT_OFFSET(struct image_facts, virtual_size) },
    { "file-size", FIELD_UINT64, G_STRUCT_OFFSET(struct image_facts, file_size) },
    { "allocated", FIELD_UINT64, G_STRUCT_OFFSET(struct image_facts, allocated) },
    { "preallocation", FIELD_PREALLOCATION, G_STRUCT_OFFSET(struct image_facts, preallocation) },
    { "preallocation-unknown", FIELD_STRING,
      G_STRUCT_OFFSET(struct image_facts, preallocation_unknown) },
    { "mapped", FIELD_SHARE, G_STRUCT_OFFSET(struct image_facts, mapped) },
    { "host-allocated", FIELD_SHARE, G_STRUCT_OFFSET(struct image_facts, host_allocated) },
    { "version", FIELD_UINT, G_STRUCT_OFFSET(struct image_facts, version) },
    { "cluster-size", FIELD_UINT, G_STRUCT_OFFSET(struct image_facts, cluster_size) },
    { "snapshots", FIELD_UINT, G_STRUCT_OFFSET(struct image_facts, snapshots) },
    { "snapshot-names", FIELD_STRINGS, G_STRUCT_OFFSET(struct image_facts, snapshot_names) },
    { "backing-file", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, backing_file) },
    { "backing-format", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, backing_format) },
    { "data-file", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, data_file) },
    { "chain-missing", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, chain_missing) },
    { "encrypted", FIELD_BOOLEAN, G_STRUCT_OFFSET(struct image_facts, encrypted) },
    { "dirty", FIELD_BOOLEAN, G_STRUCT_OFFSET(struct image_facts, dirty) },
    { "corrupt", FIELD_BOOLEAN, G_STRUCT_OFFSET(struct image_facts, corrupt) },
    { "bitmaps", FIELD_BOOLEAN, G_STRUCT_OFFSET(struct image_facts, bitmaps) },
    { "direct-io", FIELD_ANSWER, G_STRUCT_OFFSET(struct image_facts, direct_io) },
    { "direct-io-reason", FIELD_STRING, G_STRUCT_OFFSET(struct image_facts, direct_io_reason) },
    { "btrfs-checksums", FIELD_ANSWER, G_STRUCT_OFFSET(struct image_facts, btrfs_checksums) },
};

static const struct field host_fields[] = {
    { "kernel", FIELD_STRING, G_STRUCT_OFFSET(struct host_facts, kernel) },
};

/* ---- Paths in group names ---------------------------------------------------------------- */

/* GKeyFile knows no escapes in the names of groups, and they cannot hold brackets. */
static char *
path_escape(const char *path)
{
    GString *escaped = g_string_new(NULL);
    gboolean utf8 = g_utf8_validate(path, -1, NULL);

    for (const char *p = path; *p; p++) {
        if (strchr("[]%", *p) || g_ascii_iscntrl(*p) || (!utf8 && (*p & 0x80)))
            g_string_append_printf(escaped, "%%%02X", (unsigned int)(guchar)*p);
        else
            g_string_append_c(escaped, *p);
    }
    return g_string_free(escaped, FALSE);
}

static char *
path_unescape(const char *text)
{
    GString *path = g_string_new(NULL);

    for (const char *p = text; *p; p++) {
        if (*p == '%' && g_ascii_isxdigit(p[1]) && g_ascii_isxdigit(p[2])) {
            g_string_append_c(path, (char)(g_ascii_xdigit_value(p[1]) * 16 +
                                           g_ascii_xdigit_value(p[2])));
            p += 2;
        } else {
            g_string_append_c(path, *p);
        }
    }
    return g_string_free(path, FALSE);
}

/* ---- Reading ----------------------------------------------------------------------------- */

static gboolean
read_name(GKeyFile *file, const char *group, const struct field *field,
          int (*from_name)(const char *name), int *value, GError **error)
{
    g_autofree char *name = g_key_file_get_string(file, group, field->key, error);

    if (!name)
        return FALSE;
    *value = from_name(name);
    if (*value >= 0)
        return TRUE;
    g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "unknown value '%s'",
                name);
    return FALSE;
}

static gboolean
read_number(GKeyFile *file, const char *group, const struct field *field, void *place,
            GError **error)
{
    g_autofree char *text = g_key_file_get_string(file, group, field->key, error);
    guint64 max = field->type == FIELD_UINT ? G_MAXUINT32 : G_MAXUINT64;
    guint64 number;

    if (!text || !g_ascii_string_to_unsigned(text, 10, 0, max, &number, error))
        return FALSE;
    if (field->type == FIELD_UINT)
        *(guint *)place = (guint)number;
    else
        *(guint64 *)place = number;
    return TRUE;
}

static gboolean
read_share(GKeyFile *file, const char *group, const struct field *field, double *share,
           GError **error)
{
    g_autoptr(GError) failure = NULL;

    *share = g_key_file_get_double(file, group, field->key, &failure);
    if (failure) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    if (*share >= 0 && *share <= 1)
        return TRUE;
    g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
                "%g is not a share from 0 to 1", *share);
    return FALSE;
}

static gboolean
read_field(GKeyFile *file, const char *group, const struct field *field, void *facts,
           GError **error)
{
    void *place = (char *)facts + field->offset;
    g_autoptr(GError) failure = NULL;

    switch (field->type) {
    case FIELD_STRING:
        g_free(*(char **)place);
        *(char **)place = g_key_file_get_string(file, group, field->key, error);
        return *(char **)place != NULL;
    case FIELD_STRINGS:
        g_strfreev(*(GStrv *)place);
        *(GStrv *)place = g_key_file_get_string_list(file, group, field->key, NULL, error);
        return *(GStrv *)place != NULL;
    case FIELD_UINT:
    case FIELD_UINT64:
        return read_number(file, group, field, place, error);
    case FIELD_SHARE:
        return read_share(file, group, field, place, error);
    case FIELD_BOOLEAN:
        *(gboolean *)place = g_key_file_get_boolean(file, group, field->key, &failure);
        if (!failure)
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    case FIELD_ANSWER:
        return read_name(file, group, field, fact_answer_from_name, place, error);
    case FIELD_STATE:
        return read_name(file, group, field, image_state_from_name, place, error);
    case FIELD_PREALLOCATION:
        return read_name(file, group, field, preallocation_from_name, place, error);
    }
    g_assert_not_reached();
}

static gboolean
read_group(GKeyFile *file, const char *group, const struct field *fields, gsize n_fields,
           void *facts, GError **error)
{
    g_auto(GStrv) keys = g_key_file_get_keys(file, group, NULL, error);

    for (GStrv key = keys; key && *key; key++) {
        const struct field *field = NULL;

        for (gsize i = 0; i < n_fields; i++) {
            if (g_str_equal(fields[i].key, *key))
                field = &fields[i];
        }
        if (!field) {
            g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_KEY_NOT_FOUND,
                        "group [%s]: unknown key '%s'", group, *key);
            return FALSE;
        }
        if (!read_field(file, group, field, facts, error)) {
            g_prefix_error(error, "group [%s], key '%s': ", group, *key);
            return FALSE;
        }
    }
    return keys != NULL;
}

static void
set_default(char **text, gboolean wanted, const char *value)
{
    if (wanted && !*text)
        *text = g_strdup(value);
}

/* What is unknown has a reason, whoever wrote the file; and what follows from what it says
 * holds. */
static void
complete(struct image_facts *facts, gboolean mapped_given, gboolean allocated_given)
{
    const char *unsaid = "the facts file does not say";
    gboolean here = facts->state == IMAGE_FILE || facts->state == IMAGE_BLOCK;
    gboolean filled = facts->preallocation == PREALLOCATION_FALLOC ||
                      facts->preallocation == PREALLOCATION_FULL;

    set_default(&facts->unknown, facts->state == IMAGE_UNKNOWN, unsaid);
    set_default(&facts->unknown, facts->state == IMAGE_ELSEWHERE, "no such file on this host");
    set_default(&facts->preallocation_unknown,
                here && facts->preallocation == PREALLOCATION_UNKNOWN, unsaid);
    set_default(&facts->direct_io_reason, here && facts->direct_io == FACT_UNKNOWN, unsaid);
    set_default(&facts->direct_io_reason, here && facts->direct_io == FACT_NO,
                "the facts file says so");
    if (!mapped_given && (filled || facts->preallocation == PREALLOCATION_METADATA ||
                          facts->preallocation == PREALLOCATION_SUSPENDED))
        facts->mapped = 1;
    if (!allocated_given && filled)
        facts->host_allocated = 1;
}

static gboolean
read_image(GKeyFile *file, const char *group, struct facts_cache *cache, GError **error)
{
    g_autofree char *path = path_unescape(group + strlen(IMAGE_GROUP));
    struct image_facts *facts = image_facts_new(path, IMAGE_FILE);

    if (!read_group(file, group, image_fields, G_N_ELEMENTS(image_fields), facts, error)) {
        image_facts_free(facts);
        return FALSE;
    }
    complete(facts, g_key_file_has_key(file, group, "mapped", NULL),
             g_key_file_has_key(file, group, "host-allocated", NULL));
    facts_cache_add(cache, facts);
    return TRUE;
}

/* ---- The source -------------------------------------------------------------------------- */

struct facts_file {
    struct facts_source base;
    struct facts_cache *images;
    struct host_facts host;
};

static const struct image_facts *
facts_file_image(struct facts_source *source, const domxml_elem *disk)
{
    return facts_cache_image(((struct facts_file *)source)->images, disk);
}

static const struct host_facts *
facts_file_host(struct facts_source *source)
{
    return &((struct facts_file *)source)->host;
}

static void
facts_file_free(struct facts_source *source)
{
    struct facts_file *facts = (struct facts_file *)source;

    facts_cache_free(facts->images);
    g_free(facts->host.kernel);
    g_free(facts);
}

static struct image_facts *
image_not_named(const char *path, G_GNUC_UNUSED void *data)
{
    struct image_facts *facts = image_facts_new(path, IMAGE_ELSEWHERE);

    facts->unknown = g_strdup("no such file on this host");
    return facts;
}

static gboolean
read_groups(struct facts_file *facts, GKeyFile *file, GError **error)
{
    g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);

    for (GStrv group = groups; *group; group++) {
        gboolean ok;

        if (g_str_has_prefix(*group, IMAGE_GROUP)) {
            ok = read_image(file, *group, facts->images, error);
        } else if (g_str_equal(*group, HOST_GROUP)) {
            ok = read_group(file, *group, host_fields, G_N_ELEMENTS(host_fields), &facts->host,
                            error);
        } else {
            g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_GROUP_NOT_FOUND,
                        "unknown group [%s]", *group);
            ok = FALSE;
        }
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

struct facts_source *
facts_file_new(const char *path, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    struct facts_file *facts;

    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, error)) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    facts = g_new0(struct facts_file, 1);
    facts->base.image = facts_file_image;
    facts->base.host = facts_file_host;
    facts->base.free = facts_file_free;
    facts->images = facts_cache_new(image_not_named, NULL);
    if (read_groups(facts, file, error))
        return &facts->base;
    g_prefix_error(error, "%s: ", path);
    facts_file_free(&facts->base);
    return NULL;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static void
write_field(GKeyFile *file, const char *group, const struct field *field, const void *facts)
{
    const void *place = (const char *)facts + field->offset;
    const char *string = NULL;

    switch (field->type) {
    case FIELD_STRING:
        string = *(char *const *)place;
        break;
    case FIELD_STRINGS: {
        const char *const *strings = *(const char *const *const *)place;

        if (strings)
            g_key_file_set_string_list(file, group, field->key, strings,
                                       g_strv_length((char **)strings));
        break;
    }
    case FIELD_UINT:
        g_key_file_set_uint64(file, group, field->key, *(const guint *)place);
        break;
    case FIELD_UINT64:
        g_key_file_set_uint64(file, group, field->key, *(const guint64 *)place);
        break;
    case FIELD_SHARE:
        g_key_file_set_double(file, group, field->key, *(const double *)place);
        break;
    case FIELD_BOOLEAN:
        g_key_file_set_boolean(file, group, field->key, *(const gboolean *)place);
        break;
    case FIELD_ANSWER:
        string = fact_answer_name(*(const enum fact_answer *)place);
        break;
    case FIELD_STATE:
        string = image_state_name(*(const enum image_state *)place);
        break;
    case FIELD_PREALLOCATION:
        string = preallocation_name(*(const enum preallocation *)place);
        break;
    }
    if (string)
        g_key_file_set_string(file, group, field->key, string);
}

static void
write_group(GKeyFile *file, const char *group, const struct field *fields, gsize n_fields,
            const void *facts)
{
    for (gsize i = 0; i < n_fields; i++)
        write_field(file, group, &fields[i], facts);
}

char *
facts_file_to_data(GPtrArray *images, const struct host_facts *host)
{
    g_autoptr(GKeyFile) file = g_key_file_new();

    if (host)
        write_group(file, HOST_GROUP, host_fields, G_N_ELEMENTS(host_fields), host);
    for (guint i = 0; i < images->len; i++) {
        const struct image_facts *facts = g_ptr_array_index(images, i);
        g_autofree char *path = facts->path ? path_escape(facts->path) : NULL;
        g_autofree char *group = path ? g_strconcat(IMAGE_GROUP, path, NULL) : NULL;

        if (group)
            write_group(file, group, image_fields, G_N_ELEMENTS(image_fields), facts);
    }
    return g_key_file_to_data(file, NULL, NULL);
}
