/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canonical.c: elements as comparable text; whole definitions compared as multisets. */
#include "apply/canonical.h"

#include <string.h>

/* Whether a child of an element being written is left out. */
typedef gboolean (*skip_fn)(const domxml_elem *elem);

static int
compare_attrs(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
write_start(GString *out, const domxml_elem *elem)
{
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *text = g_strstrip(g_strdup(domxml_elem_text(elem)));

    for (size_t i = 0; i < domxml_elem_attr_count(elem); i++) {
        g_autofree char *value = g_markup_escape_text(domxml_elem_attr_value(elem, i), -1);

        g_ptr_array_add(attrs, g_strdup_printf(" %s=\"%s\"", domxml_elem_attr_name(elem, i), value));
    }
    g_ptr_array_sort(attrs, compare_attrs);
    g_string_append_printf(out, "<%s", domxml_elem_name(elem));
    for (guint i = 0; i < attrs->len; i++)
        g_string_append(out, attrs->pdata[i]);
    g_string_append_c(out, '>');
    if (*text) {
        g_autofree char *escaped = g_markup_escape_text(text, -1);

        g_string_append(out, escaped);
    }
}

static const domxml_elem *
first_kept(const domxml_elem *elem, skip_fn skip)
{
    while (elem && skip && skip(elem))
        elem = domxml_elem_next(elem, NULL);
    return elem;
}

/* Walks without recursion: a document may be thousands of levels deep. */
static char *
canonical_without(const domxml_elem *root, skip_fn skip)
{
    GString *out = g_string_new(NULL);
    const domxml_elem *elem = root;

    for (;;) {
        const domxml_elem *next;

        write_start(out, elem);
        next = first_kept(domxml_elem_child(elem, NULL), skip);
        while (!next) {
            g_string_append_printf(out, "</%s>", domxml_elem_name(elem));
            if (elem == root)
                return g_string_free(out, FALSE);
            next = first_kept(domxml_elem_next(elem, NULL), skip);
            if (!next)
                elem = domxml_elem_parent(elem);
        }
        elem = next;
    }
}

char *
canonical_elem(const domxml_elem *elem)
{
    return canonical_without(elem, NULL);
}

static gboolean
is_named(const domxml_elem *elem, const char *name)
{
    return g_str_equal(domxml_elem_name(elem), name);
}

static gboolean
skip_boot(const domxml_elem *elem)
{
    return is_named(elem, "boot") || is_named(elem, "cmdline");
}

static gboolean
skip_port(const domxml_elem *elem)
{
    return is_named(elem, "target") || is_named(elem, "address");
}

static gboolean
is_edited(const domxml_elem *disk, const char *const *edited)
{
    const char *target = domxml_get(disk, "target@dev");

    return target && g_strv_contains(edited, target);
}

static void
count(GHashTable *counts, char *key, int step)
{
    int n = GPOINTER_TO_INT(g_hash_table_lookup(counts, key)) + step;

    g_hash_table_insert(counts, key, GINT_TO_POINTER(n));
}

/* Adds all that must stay as it is of one definition to @counts, by @step. */
static void
count_domain(GHashTable *counts, const domxml_doc *doc, const char *const *edited, gboolean boot,
             int step)
{
    const domxml_elem *domain = domxml_doc_domain(doc);
    const domxml_elem *elem;

    for (elem = domxml_elem_child(domain, NULL); elem; elem = domxml_elem_next(elem, NULL)) {
        const domxml_elem *device;

        if (!is_named(elem, "devices")) {
            count(counts,
                  canonical_without(elem, boot && is_named(elem, "os") ? skip_boot : NULL), step);
            continue;
        }
        for (device = domxml_elem_child(elem, NULL); device;
             device = domxml_elem_next(device, NULL)) {
            if (is_named(device, "disk") && is_edited(device, edited))
                continue;
            count(counts,
                  canonical_without(device, is_named(device, "controller") ? skip_port : NULL),
                  step);
        }
    }
}

GPtrArray *
canonical_compare(const domxml_doc *before, const domxml_doc *after, const char *const *edited,
                  gboolean boot)
{
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *differences = g_ptr_array_new_with_free_func(g_free);
    GHashTableIter iter;
    gpointer key, value;

    count_domain(counts, before, edited, boot, -1);
    count_domain(counts, after, edited, boot, 1);
    g_hash_table_iter_init(&iter, counts);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        int n = GPOINTER_TO_INT(value);
        const char *text = key;

        /* libvirt adds controllers as they are needed, and a <console> for the first <serial>. */
        if (n == 0 || (n > 0 && (g_str_has_prefix(text, "<controller ") ||
                                 g_str_has_prefix(text, "<console "))))
            continue;
        /* The name alone: attributes may hold a password. */
        g_ptr_array_add(differences,
                        g_strdup_printf(n < 0 ? "<%.*s> was there before and is not now"
                                              : "<%.*s> is there now and was not before",
                                        (int)strcspn(text + 1, " >"), text + 1));
    }
    g_ptr_array_sort(differences, compare_attrs);
    return differences;
}
