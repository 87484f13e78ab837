/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c: what a rule sees: the document, its facts, and the questions that many rules ask of
 * them. */
#include <string.h>

#include "lint/ctx.h"

#define LIBOSINFO_NAMESPACE "http://libosinfo.org/xmlns/libvirt/domain/1.0"

const domxml_doc *
lint_doc(const struct lint_ctx *ctx)
{
    return ctx->doc;
}

const struct image_facts *
lint_image(struct lint_ctx *ctx, const domxml_elem *disk)
{
    return ctx->facts->image(ctx->facts, disk);
}

const struct host_facts *
lint_host(struct lint_ctx *ctx)
{
    return ctx->facts->host(ctx->facts);
}

const char *
lint_value(const domxml_elem *elem, const char *path)
{
    const char *value = domxml_get(elem, path);

    return domxml_is_template(value) ? NULL : value;
}

const char *
lint_disk_name(const domxml_elem *disk)
{
    const char *name = domxml_get(disk, "target@dev");

    return name && name[0] ? name : "?";
}

/* A template's device is no value yet: it is not taken for the default. */
gboolean
lint_disk_is_disk(const domxml_elem *disk)
{
    const char *device = domxml_get(disk, "@device");

    return !device || g_str_equal(device, "disk");
}

gboolean
lint_disk_is_read_only(const domxml_elem *disk)
{
    return domxml_find(disk, "readonly") != NULL;
}

gboolean
lint_disk_is_transient(const domxml_elem *disk)
{
    return domxml_find(disk, "transient") != NULL;
}

gboolean
lint_is_q35(struct lint_ctx *ctx)
{
    const domxml_elem *domain = domxml_doc_domain(ctx->doc);
    const char *machine = domain ? lint_value(domain, "os/type@machine") : NULL;

    return machine && (g_str_equal(machine, "q35") || g_str_has_prefix(machine, "pc-q35-"));
}

gboolean
lint_guest_is_windows(struct lint_ctx *ctx)
{
    const domxml_elem *domain = domxml_doc_domain(ctx->doc);
    const domxml_elem *elem = domain ? domxml_find(domain, "metadata") : NULL;
    const char *id;

    if (elem)
        elem = domxml_elem_child_ns(elem, LIBOSINFO_NAMESPACE, "libosinfo");
    if (elem)
        elem = domxml_elem_child_ns(elem, LIBOSINFO_NAMESPACE, "os");
    id = elem ? lint_value(elem, "@id") : NULL;
    return id && (g_str_has_prefix(id, "http://microsoft.com/") ||
                  g_str_has_prefix(id, "https://microsoft.com/"));
}
