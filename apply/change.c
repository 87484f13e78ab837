/* SPDX-License-Identifier: GPL-2.0-or-later */
/* change.c: differences of definitions by path and value; taking them back. */
#include "apply/change.h"

#include <string.h>

#include "apply/canonical.h"

static void
change_free(gpointer data)
{
    struct change *change = data;

    g_free(change->disk);
    g_free(change->path);
    g_free(change->before);
    g_free(change->after);
    g_free(change);
}

static void
add(GPtrArray *changes, const char *disk, char *path, const char *before, const char *after)
{
    struct change *change;

    if (g_strcmp0(before, after) == 0) {
        g_free(path);
        return;
    }
    change = g_new0(struct change, 1);
    change->disk = g_strdup(disk);
    change->path = path;
    change->before = g_strdup(before);
    change->after = g_strdup(after);
    g_ptr_array_add(changes, change);
}

static const domxml_elem *
find_disk(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return domxml_disk(doc, i);
    return NULL;
}

/* ---- Finding changes ---- */

/* The attributes that either element has, each as "PREFIX@name". */
static void
compare_attrs(GPtrArray *changes, const char *disk, const char *prefix, const domxml_elem *before,
              const domxml_elem *after)
{
    for (size_t i = 0; i < domxml_elem_attr_count(before); i++) {
        const char *name = domxml_elem_attr_name(before, i);
        g_autofree char *at = g_strconcat("@", name, NULL);

        add(changes, disk, g_strconcat(prefix, at, NULL), domxml_elem_attr_value(before, i),
            domxml_get(after, at));
    }
    for (size_t i = 0; i < domxml_elem_attr_count(after); i++) {
        const char *name = domxml_elem_attr_name(after, i);
        g_autofree char *at = g_strconcat("@", name, NULL);

        if (!domxml_get(before, at))
            add(changes, disk, g_strconcat(prefix, at, NULL), NULL,
                domxml_elem_attr_value(after, i));
    }
}

/* An element's content in canonical form: the same for two elements that differ in attributes alone. */
static gboolean
same_content(const domxml_elem *a, const domxml_elem *b)
{
    const domxml_elem *x = domxml_elem_child(a, NULL);
    const domxml_elem *y = domxml_elem_child(b, NULL);

    for (; x && y; x = domxml_elem_next(x, NULL), y = domxml_elem_next(y, NULL)) {
        g_autofree char *cx = canonical_elem(x);
        g_autofree char *cy = canonical_elem(y);

        if (!g_str_equal(cx, cy))
            return FALSE;
    }
    return !x && !y && g_str_equal(domxml_elem_text(a), domxml_elem_text(b));
}

/* An <address> is one value: half of an old one beside half of a new one would be a third. */
static void
compare_child(GPtrArray *changes, const char *disk, const char *name, const domxml_elem *before,
              const domxml_elem *after)
{
    if (before && after && !g_str_equal(name, "address") && same_content(before, after)) {
        compare_attrs(changes, disk, name, before, after);
    } else {
        g_autofree char *old = before ? canonical_elem(before) : NULL;
        g_autofree char *new = after ? canonical_elem(after) : NULL;

        add(changes, disk, g_strdup(name), old, new);
    }
}

static void
compare_disks(GPtrArray *changes, const domxml_elem *before, const domxml_elem *after)
{
    const char *disk = domxml_get(after, "target@dev");
    const domxml_elem *child;

    compare_attrs(changes, disk, "", before, after);
    for (child = domxml_elem_child(before, NULL); child; child = domxml_elem_next(child, NULL)) {
        const char *name = domxml_elem_name(child);

        if (domxml_elem_child(before, name) == child)
            compare_child(changes, disk, name, child, domxml_elem_child(after, name));
    }
    for (child = domxml_elem_child(after, NULL); child; child = domxml_elem_next(child, NULL)) {
        const char *name = domxml_elem_name(child);

        if (domxml_elem_child(after, name) == child && !domxml_elem_child(before, name))
            compare_child(changes, disk, name, NULL, child);
    }
}

/* All <boot> elements of <os>, in order, as one text; NULL without any. */
static char *
boot_text(const domxml_doc *doc)
{
    const domxml_elem *os = domxml_find(domxml_doc_domain(doc), "os");
    GString *text = g_string_new(NULL);

    if (os)
        for (const domxml_elem *boot = domxml_elem_child(os, "boot"); boot;
             boot = domxml_elem_next(boot, "boot")) {
            g_autofree char *one = canonical_elem(boot);

            g_string_append(text, one);
        }
    return g_string_free(text, text->len == 0);
}

GPtrArray *
change_list(const domxml_doc *before, const domxml_doc *after, const char *const *renamed)
{
    GPtrArray *changes = g_ptr_array_new_with_free_func(change_free);
    g_autofree char *old_boot = boot_text(before);
    g_autofree char *new_boot = boot_text(after);

    for (size_t i = 0; i < domxml_disk_count(after); i++) {
        const domxml_elem *disk = domxml_disk(after, i);
        const char *name = domxml_get(disk, "target@dev");
        const domxml_elem *old;

        for (guint r = 0; renamed && renamed[r]; r += 2)
            if (g_strcmp0(renamed[r + 1], name) == 0) {
                name = renamed[r];
                break;
            }
        old = name ? find_disk(before, name) : NULL;
        if (old)
            compare_disks(changes, old, disk);
    }
    add(changes, NULL, g_strdup("os/boot"), old_boot, new_boot);
    add(changes, NULL, g_strdup("os/cmdline"), domxml_get(domxml_doc_domain(before), "os/cmdline"),
        domxml_get(domxml_doc_domain(after), "os/cmdline"));
    return changes;
}

/* ---- Taking them back ---- */

/* Copies the children of @from, parsed from a record, to the end of @parent; without recursion. */
static gboolean
copy_children(domxml_editor *editor, const domxml_elem *parent, const domxml_elem *from,
              struct domxml_error *error)
{
    g_autoptr(GPtrArray) sources = g_ptr_array_new();
    g_autoptr(GPtrArray) parents = g_ptr_array_new();

    g_ptr_array_add(sources, (gpointer)from);
    g_ptr_array_add(parents, (gpointer)parent);
    for (guint i = 0; i < sources->len; i++) {
        const domxml_elem *source = sources->pdata[i];

        for (const domxml_elem *child = domxml_elem_child(source, NULL); child;
             child = domxml_elem_next(child, NULL)) {
            const domxml_elem *copy = domxml_editor_insert_child(
                editor, parents->pdata[i], domxml_elem_name(child), NULL, error);

            if (!copy)
                return FALSE;
            for (size_t a = 0; a < domxml_elem_attr_count(child); a++)
                if (!domxml_editor_set_attr(editor, copy, domxml_elem_attr_name(child, a),
                                            domxml_elem_attr_value(child, a), error))
                    return FALSE;
            if (!domxml_elem_child(child, NULL) && *domxml_elem_text(child) &&
                !domxml_editor_set_text(editor, copy, domxml_elem_text(child), error))
                return FALSE;
            g_ptr_array_add(sources, (gpointer)child);
            g_ptr_array_add(parents, (gpointer)copy);
        }
    }
    return TRUE;
}

/* Inserts the elements that the record's text holds at the end of @parent. */
static gboolean
insert_text(domxml_editor *editor, const domxml_elem *parent, const char *text,
            struct domxml_error *error)
{
    g_autofree char *wrapped = g_strconcat("<disk>", text, "</disk>", NULL);
    g_autoptr(domxml_doc) doc = domxml_parse(wrapped, strlen(wrapped), error);

    return doc && copy_children(editor, parent, domxml_doc_root(doc), error);
}

static gboolean
remove_all(domxml_editor *editor, const domxml_elem *parent, const char *name,
           struct domxml_error *error)
{
    for (const domxml_elem *child = domxml_elem_child(parent, name); child;
         child = domxml_elem_next(child, name))
        if (!domxml_editor_remove(editor, child, error))
            return FALSE;
    return TRUE;
}

static gboolean
replace_elements(domxml_editor *editor, const domxml_elem *parent, const char *name,
                 const char *text, struct domxml_error *error)
{
    return remove_all(editor, parent, name, error) &&
           (!text || insert_text(editor, parent, text, error));
}

/* What a disk's bus is, as far as we changed it: the disk's name, its address and what the old bus had besides can
 * go back only with it. */
enum bus_now {
    BUS_SAME,    /* we did not change it, or it is back already */
    BUS_OURS,    /* as we left it */
    BUS_FOREIGN, /* changed by someone else since */
};

static enum bus_now
look_at_bus(const domxml_elem *disk, const char *target, GPtrArray *changes)
{
    const char *present = domxml_get(disk, "target@bus");

    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (g_strcmp0(change->disk, target) != 0 || !g_str_equal(change->path, "target@bus") ||
            g_strcmp0(present, change->before) == 0)
            continue;
        return g_strcmp0(present, change->after) == 0 ? BUS_OURS : BUS_FOREIGN;
    }
    return BUS_SAME;
}

/* Whether the value has to do with the disk's bus. */
static gboolean
depends_on_bus(const char *path)
{
    return !g_str_equal(path, "driver@cache") && !g_str_equal(path, "driver@io") &&
           !g_str_equal(path, "target@bus");
}

static gboolean
revert_disk(domxml_editor *editor, const domxml_elem *disk, const struct change *change,
            enum bus_now bus, GPtrArray *left, struct domxml_error *error)
{
    const char *at = strchr(change->path, '@');
    g_autofree char *element = g_strndup(change->path, at ? (gsize)(at - change->path)
                                                          : strlen(change->path));
    const domxml_elem *child = domxml_find(disk, element);
    g_autofree char *present = at ? g_strdup(domxml_get(disk, change->path))
                                  : child ? canonical_elem(child) : NULL;

    if (g_strcmp0(present, change->before) == 0)
        return TRUE;
    if (bus == BUS_FOREIGN && depends_on_bus(change->path)) {
        g_ptr_array_add(left, g_strdup_printf("disk %s: %s is left as it is, since it goes with "
                                              "the bus", change->disk, change->path));
        return TRUE;
    }
    if (bus == BUS_OURS && g_str_equal(change->path, "address") &&
        g_strcmp0(present, change->after) != 0) {
        g_ptr_array_add(left, g_strdup_printf("disk %s: its address was changed by someone else "
                                              "since; on its old bus it gets a new one",
                                              change->disk));
        return remove_all(editor, disk, "address", error);
    }
    if (g_strcmp0(present, change->after) != 0) {
        g_ptr_array_add(left, g_strdup_printf("disk %s: %s was changed by someone else since and "
                                              "is left as it is", change->disk, change->path));
        return TRUE;
    }
    if (!at)
        return replace_elements(editor, disk, element, change->before, error);
    if (!child)
        child = domxml_editor_ensure_child(editor, disk, element, NULL, error);
    return child && domxml_editor_set_attr(editor, child, at + 1, change->before, error);
}

static gboolean
revert_os(domxml_editor *editor, const domxml_doc *doc, const struct change *change,
          GPtrArray *left, struct domxml_error *error)
{
    const domxml_elem *os = domxml_find(domxml_doc_domain(doc), "os");
    gboolean boot = g_str_equal(change->path, "os/boot");
    g_autofree char *present = boot ? boot_text(doc)
                                    : g_strdup(domxml_get(domxml_doc_domain(doc), change->path));

    if (!os || g_strcmp0(present, change->before) == 0)
        return TRUE;
    if (g_strcmp0(present, change->after) != 0) {
        g_ptr_array_add(left, g_strdup_printf("%s was changed by someone else since and is left as "
                                              "it is", change->path));
        return TRUE;
    }
    if (boot)
        return replace_elements(editor, os, "boot", change->before, error);
    if (!change->before)
        return domxml_editor_remove(editor, domxml_elem_child(os, "cmdline"), error);
    return domxml_editor_set_text(editor,
                                  domxml_editor_ensure_child(editor, os, "cmdline", NULL, error),
                                  change->before, error);
}

gboolean
change_revert(domxml_editor *editor, const domxml_doc *doc, GPtrArray *changes, GPtrArray *left,
              struct domxml_error *error)
{
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];
        const domxml_elem *disk;

        if (!change->disk) {
            if (!revert_os(editor, doc, change, left, error))
                return FALSE;
            continue;
        }
        disk = find_disk(doc, change->disk);
        if (!disk)
            g_ptr_array_add(left, g_strdup_printf("disk %s is not there any more: its %s is left",
                                                  change->disk, change->path));
        else if (!revert_disk(editor, disk, change, look_at_bus(disk, change->disk, changes), left,
                              error))
            return FALSE;
    }
    return TRUE;
}

/* ---- As JSON ---- */

static void
set_string(JsonObject *object, const char *name, const char *value)
{
    if (value)
        json_object_set_string_member(object, name, value);
    else
        json_object_set_null_member(object, name);
}

JsonArray *
change_to_json(GPtrArray *changes)
{
    JsonArray *array = json_array_sized_new(changes->len);

    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];
        JsonObject *object = json_object_new();

        set_string(object, "disk", change->disk);
        set_string(object, "path", change->path);
        set_string(object, "before", change->before);
        set_string(object, "after", change->after);
        json_array_add_object_element(array, object);
    }
    return array;
}

GPtrArray *
change_from_json(JsonArray *array, GError **error)
{
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(change_free);

    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonNode *node = json_array_get_element(array, i);
        JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
        const char *path =
            object ? json_object_get_string_member_with_default(object, "path", NULL) : NULL;
        struct change *change;

        if (!path) {
            g_set_error(error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_INVALID_DATA,
                        "change %u of the journal has no path", i);
            return NULL;
        }
        change = g_new0(struct change, 1);
        change->path = g_strdup(path);
        change->disk =
            g_strdup(json_object_get_string_member_with_default(object, "disk", NULL));
        change->before =
            g_strdup(json_object_get_string_member_with_default(object, "before", NULL));
        change->after =
            g_strdup(json_object_get_string_member_with_default(object, "after", NULL));
        g_ptr_array_add(changes, change);
    }
    return g_steal_pointer(&changes);
}
