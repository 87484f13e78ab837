/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.c: one document of a run, read and parsed, and what there is to say of it.
 */
#include "cli/document.h"

#include <string.h>

#include "lint/managed.h"
#include "probe/source-file.h"

void
document_message(struct document *document, int line, int column, const char *format, ...)
{
    g_autofree char *text = NULL;
    const char *place;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    place = document->target.path ? document->target.path : document->target.name;
    g_ptr_array_add(document->messages,
                    line > 0 ? g_strdup_printf("%s:%d:%d: %s", place, line, column, text)
                             : g_strdup_printf("%s: %s", place, text));
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
parse(struct document *document, const char *text, gsize length)
{
    struct domxml_error problem = DOMXML_ERROR_INIT;
    struct lint_target *target = &document->target;
    const domxml_elem *domain;

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

        if (!target->uuid)
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

static void
read_file(struct document *document, const struct target *target)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GBytes) bytes = NULL;
    gboolean is_stdin = g_str_equal(target->path, "-");

    document->path = g_strdup(target->path);
    document->target.kind = LINT_TARGET_FILE;
    document->target.path = g_strdup(is_stdin ? "<stdin>" : target->path);
    document->target.name = g_strdup(document->target.path);
    if (target->failure) {
        document_fail(document, 0, 0, target->failure);
        return;
    }
    bytes = source_file_read(target->path, &problem);
    if (bytes) {
        gsize length;
        const char *text = g_bytes_get_data(bytes, &length);

        parse(document, text, length);
    } else {
        fail_to_read(document, problem);
    }
}

static void
read_domain(struct document *document, const struct target *target, struct session *session)
{
    const struct source_domain *domain = target->domain;
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = NULL;

    document->target.kind = LINT_TARGET_DOMAIN;
    document->target.uri = session ? g_strdup(connection_uri(session->connection)) : NULL;
    document->target.name = g_strdup(domain ? domain->name : target->word);
    document->domain = domain;
    document->listed = target->listed;
    if (!domain) {
        document_fail(document, 0, 0, target->failure);
        return;
    }
    document->target.uuid = g_strdup(domain->uuid);
    document->target.state = domain_state_name(domain->state);
    document->target.live = source_domain_text(domain) == SOURCE_TEXT_LIVE;
    document->facts = connection_facts_domain(session->facts, domain);
    document->own_facts = document->facts;
    if (session->ahead)
        text = fetch_ahead_take(session->ahead, domain);
    if (!text)
        text = source_libvirt_xml(session->connection, domain, source_domain_text(domain),
                                  SOURCE_WITHOUT_SECRETS, &problem);
    if (text)
        parse(document, text, strlen(text));
    else if (g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_GONE))
        document->vanished = TRUE;
    else
        document_fail(document, 0, 0, problem->message);
}

static void
read_connection(struct document *document, const struct target *target)
{
    document->target.kind = LINT_TARGET_HOST;
    document->target.uri = g_strdup(target->connection);
    document->target.name = g_strdup(target->connection);
    document_fail(document, 0, 0, target->failure);
}

struct document *
document_read(const struct target *target, struct session *session, struct facts_source *facts)
{
    struct document *document = g_new0(struct document, 1);

    document->messages = g_ptr_array_new_with_free_func(g_free);
    document->facts = facts;
    if (target->connection)
        read_connection(document, target);
    else if (target->word)
        read_domain(document, target, session);
    else
        read_file(document, target);
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
    if (document->target.notes)
        g_ptr_array_unref(document->target.notes);
    g_free(document->path);
    facts_source_free(document->own_facts);
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
document_use_facts(struct document *document, struct facts_source *facts)
{
    document->facts = facts;
}

void
document_require_images(struct document *document)
{
    struct facts_source *facts = document->facts;
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

char *
document_digest(const struct document *document)
{
    gsize length;
    const char *text = domxml_doc_text(document->doc, &length);

    return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
}
