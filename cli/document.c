/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.c: one document of a run, read and parsed, and what there is to say of it.
 */
#include "cli/document.h"

#include "lint/managed.h"
#include "probe/source-file.h"

void
document_message(struct document *document, int line, int column, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_ptr_array_add(document->messages,
                    line > 0 ? g_strdup_printf("%s:%d:%d: %s", document->target.path, line, column,
                                               text)
                             : g_strdup_printf("%s: %s", document->target.path, text));
}

/* Notes why the document cannot be checked. */
static void
document_fail(struct document *document, int line, int column, const char *why)
{
    document->target.failure = g_strdup(why);
    document->target.failure_line = line;
    document->target.failure_column = column;
}

static void
parse(struct document *document, GBytes *bytes)
{
    struct domxml_error problem = DOMXML_ERROR_INIT;
    struct lint_target *target = &document->target;
    const domxml_elem *domain;
    gsize length;
    const char *text = g_bytes_get_data(bytes, &length);

    document->doc = domxml_parse(text ? text : "", length, &problem);
    if (!document->doc) {
        document_fail(document, problem.line, problem.column, problem.text);
        return;
    }
    target->doc = document->doc;
    target->managed_by = g_strdup(lint_managed_by(document->doc));
    domain = domxml_doc_domain(document->doc);
    if (domain) {
        const char *name = domxml_get(domain, "name");

        target->uuid = g_strdup(domxml_get(domain, "uuid"));
        if (name && *name) {
            g_free(target->name);
            target->name = g_strdup(name);
        }
    }
}

static void
fail_to_read(struct document *document, const GError *problem)
{
    /* Of an image one says that it is on another host; of a document, that it is nowhere. */
    gboolean is_missing = g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
    g_autofree char *why = g_strdup_printf("cannot be read: %s",
                                           is_missing ? "no such file" : problem->message);

    document_fail(document, 0, 0, why);
}

struct document *
document_read(const struct target *target)
{
    struct document *document = g_new0(struct document, 1);
    g_autoptr(GError) problem = NULL;
    g_autoptr(GBytes) text = NULL;
    gboolean is_stdin = g_str_equal(target->path, "-");

    document->messages = g_ptr_array_new_with_free_func(g_free);
    document->path = g_strdup(target->path);
    document->target.kind = LINT_TARGET_FILE;
    document->target.path = g_strdup(is_stdin ? "<stdin>" : target->path);
    document->target.name = g_strdup(document->target.path);

    if (!target->failure)
        text = source_file_read(target->path, &problem);
    if (text)
        parse(document, text);
    else if (target->failure)
        document_fail(document, 0, 0, target->failure);
    else
        fail_to_read(document, problem);
    return document;
}

void
document_free(struct document *document)
{
    if (!document)
        return;
    g_free(document->target.name);
    g_free(document->target.uuid);
    g_free(document->target.uri);
    g_free(document->target.path);
    g_free(document->target.managed_by);
    g_free(document->target.failure);
    g_free(document->path);
    domxml_doc_free(document->doc);
    g_ptr_array_unref(document->messages);
    g_free(document);
}

/* Whether @image must be there for the domain to start: libvirt itself drops an optional one. */
static gboolean
is_missing(const domxml_elem *disk, const struct image_facts *image)
{
    return image->state == IMAGE_ELSEWHERE &&
           g_strcmp0(domxml_get(disk, "source@startupPolicy"), "optional") != 0;
}

void
document_require_images(struct document *document, struct facts_source *facts)
{
    g_autoptr(GString) why = g_string_new(NULL);
    int first_line = 0, first_column = 0;

    for (size_t i = 0; i < domxml_disk_count(document->doc); i++) {
        const domxml_elem *disk = domxml_disk(document->doc, i);
        const struct image_facts *image = facts->image(facts, disk);
        const char *name = domxml_get(disk, "target@dev");
        struct domxml_span span;
        int line, column;

        if (!is_missing(disk, image))
            continue;
        if (!domxml_get_span(disk, "source@file", &span))
            domxml_get_span(disk, "source@dev", &span);
        domxml_doc_position(document->doc, span.offset, &line, &column);
        if (!why->len) {
            first_line = line;
            first_column = column;
        }
        g_string_append_printf(why, "%s %s (disk '%s', line %d)", why->len ? "," : "", image->path,
                               name ? name : "?", line);
    }
    if (why->len) {
        g_autofree char *text = g_strdup_printf("missing on this host:%s", why->str);

        document_fail(document, first_line, first_column, text);
    }
}
