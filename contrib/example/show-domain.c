/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * show-domain.c: an example of libdomxml: prints what a domain is besides its disks, each with its
 * place in the file. There is no function for these: a path, or a walk over elements, reads any.
 *
 *     cc -o show-domain show-domain.c $(pkg-config --cflags --libs domxml)
 *     ./show-domain <web.xml
 *
 * It is C11 and C++17 alike.
 */
#include <domxml.h>

#include <stdio.h>
#include <stdlib.h>

#define QEMU_NAMESPACE "http://libvirt.org/schemas/domain/qemu/1.0"

/* Prints LINE:COLUMN: WHAT: VALUE for a path that is there. */
static void
show(const domxml_doc *doc, const domxml_elem *elem, const char *path, const char *what)
{
    const char *value = elem ? domxml_get(elem, path) : NULL;
    struct domxml_span span;
    int line, column;

    if (!value || !domxml_get_span(elem, path, &span))
        return;
    domxml_doc_position(doc, span.offset, &line, &column);
    printf("%d:%d: %s: %s\n", line, column, what, value);
}

/* The same for each child of that name. */
static void
show_each(const domxml_doc *doc, const domxml_elem *parent, const char *name, const char *path,
          const char *what)
{
    const domxml_elem *child = parent ? domxml_elem_child(parent, name) : NULL;

    for (; child; child = domxml_elem_next(child, name))
        show(doc, child, path, what);
}

/* The arguments for QEMU, whatever prefix the document gives their namespace. */
static void
show_arguments(const domxml_doc *doc, const domxml_elem *domain)
{
    const domxml_elem *list = domxml_elem_child_ns(domain, QEMU_NAMESPACE, "commandline");
    const domxml_elem *arg = list ? domxml_elem_child_ns(list, QEMU_NAMESPACE, "arg") : NULL;

    if (arg)
        show_each(doc, list, domxml_elem_name(arg), "@value", "QEMU argument");
}

/* Who keeps something in <metadata>. */
static void
show_metadata(const domxml_doc *doc, const domxml_elem *domain)
{
    const domxml_elem *metadata = domxml_find(domain, "metadata");
    const domxml_elem *child = metadata ? domxml_elem_child(metadata, NULL) : NULL;

    for (; child; child = domxml_elem_next(child, NULL)) {
        const char *uri = domxml_elem_namespace(child);
        int line, column;

        domxml_doc_position(doc, domxml_elem_span(child).offset, &line, &column);
        printf("%d:%d: metadata of: %s\n", line, column, uri ? uri : "no namespace");
    }
}

static void
show_domain(const domxml_doc *doc, const domxml_elem *domain)
{
    show(doc, domain, "@type", "type");
    show(doc, domain, "name", "name");
    show(doc, domain, "uuid", "uuid");
    show(doc, domain, "os/type@arch", "architecture");
    show(doc, domain, "os/type@machine", "machine");
    show_each(doc, domxml_find(domain, "os"), "boot", "@dev", "boots");
    show(doc, domain, "iothreads", "I/O threads");
    show_each(doc, domxml_find(domain, "iothreadids"), "iothread", "@id", "I/O thread");
    show_each(doc, domxml_find(domain, "devices"), "controller", "@type", "controller");
    show_metadata(doc, domain);
    show_arguments(doc, domain);
}

int
main(void)
{
    static char text[1024 * 1024];
    size_t length = fread(text, 1, sizeof(text), stdin);
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, length, &error);

    if (!doc) {
        fprintf(stderr, "%d:%d: %s\n", error.line, error.column, error.text);
        return EXIT_FAILURE;
    }
    if (domxml_doc_domain(doc))
        show_domain(doc, domxml_doc_domain(doc));
    domxml_doc_free(doc);
    return EXIT_SUCCESS;
}
