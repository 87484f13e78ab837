/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named-images.c: all images that a domain's XML names.
 *
 * The whole tree is walked, without knowing the schema: any attribute or text
 * that is an absolute path counts, but for metadata. What is known of
 * disks only says what role it has there.
 */
#include "probe/named-images.h"

#include <string.h>

struct search {
    enum image_role role;
    GPtrArray *found;    /* of struct named_image */
    GPtrArray *problems; /* of char * */
};

const char *
image_role_name(enum image_role role)
{
    static const char *const names[] = {
        [IMAGE_ROLE_DISK] = "disk",
        [IMAGE_ROLE_BACKING] = "backing file",
        [IMAGE_ROLE_MIRROR] = "target of a block job",
        [IMAGE_ROLE_SNAPSHOT] = "snapshot",
        [IMAGE_ROLE_CHECKPOINT] = "checkpoint",
        [IMAGE_ROLE_SAVED] = "managed save",
        [IMAGE_ROLE_COMMANDLINE] = "QEMU's command line",
        [IMAGE_ROLE_OTHER] = "another part of the definition",
    };

    return (guint)role < G_N_ELEMENTS(names) ? names[role] : NULL;
}

void
named_image_free(struct named_image *image)
{
    if (!image)
        return;
    g_free(image->path);
    g_free(image->pool);
    g_free(image->volume);
    g_free(image->disk);
    g_free(image);
}

static void
free_image(void *data)
{
    named_image_free(data);
}

static enum image_chain
chain_of(const char *format)
{
    if (!format)
        return IMAGE_CHAIN_PROBE;
    if (g_str_equal(format, "raw"))
        return IMAGE_CHAIN_NONE;
    return g_str_equal(format, "qcow2") ? IMAGE_CHAIN_QCOW2 : IMAGE_CHAIN_OTHER;
}

/* ---- Where an element stands ----------------------------------------------------------- */

/* The nearest element of that name, @elem itself or around it; NULL without one. */
static const domxml_elem *
around(const domxml_elem *elem, const char *name)
{
    while (elem && !g_str_equal(domxml_elem_name(elem), name))
        elem = domxml_elem_parent(elem);
    return elem;
}

/* Whether @elem is an argument that is passed through to the hypervisor. */
static gboolean
is_argument(const domxml_elem *elem)
{
    const domxml_elem *parent = domxml_elem_parent(elem);

    return parent && g_str_equal(domxml_elem_local_name(parent), "commandline");
}

/* The role of what @elem, which is in @disk (or NULL: in none), names in a domain's own
 * definition. */
static enum image_role
role_of(const domxml_elem *elem, const domxml_elem *disk)
{
    if (is_argument(elem))
        return IMAGE_ROLE_COMMANDLINE;
    if (!disk)
        return IMAGE_ROLE_OTHER;
    if (around(elem, "mirror"))
        return IMAGE_ROLE_MIRROR;
    return around(elem, "backingStore") || around(elem, "dataStore") ? IMAGE_ROLE_BACKING
                                                                    : IMAGE_ROLE_DISK;
}

/* Whether the header of what @elem names may be followed: as declared beside it. */
static enum image_chain
chain_at(const domxml_elem *elem, const domxml_elem *disk, enum image_role role)
{
    const domxml_elem *layer;
    const char *format;

    if (role == IMAGE_ROLE_COMMANDLINE)
        return IMAGE_CHAIN_PROBE;
    if (!disk)
        return IMAGE_CHAIN_NONE;
    if (around(elem, "dataStore"))
        return IMAGE_CHAIN_NONE;
    layer = around(elem, "backingStore");
    if (!layer)
        layer = around(elem, "mirror");
    if (layer)
        return chain_of(domxml_get(layer, "format@type"));
    format = domxml_get(disk, "driver@type");
    /* A disk of a domain without a format is raw, to libvirt; one of a snapshot's list is just
     * not told. */
    if (!format && around(disk, "devices"))
        return IMAGE_CHAIN_NONE;
    return chain_of(format);
}

/* ---- What it names --------------------------------------------------------------------- */

static struct named_image *
add(struct search *search, const domxml_elem *elem)
{
    const domxml_elem *disk = around(elem, "disk");
    enum image_role role = role_of(elem, disk);
    struct named_image *image = g_new0(struct named_image, 1);

    if (disk)
        image->disk = g_strdup(domxml_get(disk, "target@dev") ? domxml_get(disk, "target@dev")
                                                              : domxml_get(disk, "@name"));
    image->chain = chain_at(elem, disk, role);
    image->role = search->role == IMAGE_ROLE_DISK || role == IMAGE_ROLE_COMMANDLINE
                      ? role : search->role;
    g_ptr_array_add(search->found, image);
    return image;
}

static void
look_at_value(struct search *search, const domxml_elem *elem, const char *name, const char *value)
{
    gboolean names_image = g_str_equal(domxml_elem_name(elem), "source")
                           && (g_strcmp0(name, "file") == 0 || g_strcmp0(name, "dev") == 0);

    if (*value == '/')
        add(search, elem)->path = g_strdup(value);
    else if (names_image && around(elem, "disk") && *value)
        g_ptr_array_add(search->problems, g_strdup_printf("'%s' is a relative path", value));
}

static void
look_at_argument(struct search *search, const domxml_elem *elem)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

    paths_in_argument(domxml_get(elem, "@value") ? domxml_get(elem, "@value") : "", paths,
                      search->problems);
    for (guint i = 0; i < paths->len; i++)
        add(search, elem)->path = g_strdup(g_ptr_array_index(paths, i));
}

static void
look_at(struct search *search, const domxml_elem *elem)
{
    const char *pool = domxml_get(elem, "@pool"), *volume = domxml_get(elem, "@volume");

    if (is_argument(elem)) {
        look_at_argument(search, elem);
        return;
    }
    for (gsize i = 0; i < domxml_elem_attr_count(elem); i++)
        look_at_value(search, elem, domxml_elem_attr_name(elem, i),
                      domxml_elem_attr_value(elem, i));
    if (!domxml_elem_child(elem, NULL)) {
        g_autofree char *text = g_strstrip(g_strdup(domxml_elem_text(elem)));

        look_at_value(search, elem, NULL, text);
    }
    if (pool && volume) {
        struct named_image *image = add(search, elem);

        image->pool = g_strdup(pool);
        image->volume = g_strdup(volume);
    }
}

/* What comes after @elem in document order, within @root; without what is in it, where that is
 * so wished. */
static const domxml_elem *
step(const domxml_elem *elem, const domxml_elem *root, gboolean into)
{
    const domxml_elem *next = into ? domxml_elem_child(elem, NULL) : NULL;

    while (!next && elem != root) {
        next = domxml_elem_next(elem, NULL);
        if (!next)
            elem = domxml_elem_parent(elem);
    }
    return next;
}

GPtrArray *
named_images(const domxml_doc *doc, enum image_role role, GPtrArray *problems)
{
    const domxml_elem *root = domxml_doc_root(doc);
    struct search search = {
        .role = role,
        .found = g_ptr_array_new_with_free_func(free_image),
        .problems = problems,
    };

    for (const domxml_elem *elem = root; elem;) {
        gboolean metadata = g_str_equal(domxml_elem_name(elem), "metadata");

        if (!metadata)
            look_at(&search, elem);
        elem = step(elem, root, !metadata);
    }
    return search.found;
}

/* ---- Arguments of QEMU ----------------------------------------------------------------- */

/* The path that starts at @start: up to a quote or a single comma; two stand for one, as QEMU
 * has it. */
static char *
take_path(const char *start)
{
    GString *path = g_string_new(NULL);

    for (const char *c = start; *c && *c != '"' && *c != '\''; c++) {
        if (*c == ',' && c[1] != ',')
            break;
        if (*c == ',' || (*c == '\\' && c[1] == '/'))
            c++;
        g_string_append_c(path, *c);
    }
    return g_string_free(path, FALSE);
}

/* Whether @at is where the value of "file=" or "filename=", or of the JSON member "filename",
 * begins. */
static gboolean
begins_file_name(const char *text, const char *at)
{
    static const char *const before[] = { "file=", "filename=", "\"filename\":\"" };
    gsize length = (gsize)(at - text);

    for (gsize i = 0; i < G_N_ELEMENTS(before); i++) {
        gsize wanted = strlen(before[i]);

        if (length >= wanted && strncmp(at - wanted, before[i], wanted) == 0)
            return TRUE;
    }
    return FALSE;
}

/* JSON without the white space around its colons, and '\/' for '/' undone. */
static char *
tidy(const char *text)
{
    GString *tidied = g_string_new(text);

    g_string_replace(tidied, "\\/", "/", 0);
    g_string_replace(tidied, "\": \"", "\":\"", 0);
    return g_string_free(tidied, FALSE);
}

void
paths_in_argument(const char *raw, GPtrArray *paths, GPtrArray *problems)
{
    g_autofree char *text = tidy(raw);

    for (const char *c = text; *c; c++) {
        if (*c == '/' && (c == text || strchr("=,:\"' ", c[-1]))) {
            g_ptr_array_add(paths, take_path(c));
        } else if (begins_file_name(text, c) && *c != '/') {
            g_autofree char *name = take_path(c);

            /* "fd:3", "nbd:unix:/sock", "json:{...}": no name of a file; paths in them are
             * found anyway. */
            if (*name && !strchr(name, ':'))
                g_ptr_array_add(problems,
                                g_strdup_printf("'%s' on QEMU's command line is a relative path",
                                                name));
        }
    }
}
