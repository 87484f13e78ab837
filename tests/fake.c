/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake.c: small rules and facts for the tests of the engine, the fix loop and the reports. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "tests/fake.h"

static const struct image_facts *
no_image(struct facts_source *source, const domxml_elem *disk)
{
    static const struct image_facts none = {
        .state = IMAGE_NONE,
    };

    (void)source;
    (void)disk;
    return &none;
}

static const struct host_facts *
no_host(struct facts_source *source)
{
    static const struct host_facts none = {
        .kernel = NULL,
    };

    (void)source;
    return &none;
}

static void
free_facts(struct facts_source *source)
{
    g_free(source);
}

struct facts_source *
fake_facts(void)
{
    struct facts_source *source = g_new0(struct facts_source, 1);

    source->image = no_image;
    source->host = no_host;
    source->free = free_facts;
    return source;
}

domxml_doc *
fake_parse(const char *text)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "%s: %s", error.text, text);
    return doc;
}

struct lint_selection *
fake_selection(const struct lint_rule *first, ...)
{
    struct lint_selection *selection = g_new0(struct lint_selection, 1);
    va_list args;

    selection->rules = g_ptr_array_new();
    va_start(args, first);
    for (const struct lint_rule *rule = first; rule; rule = va_arg(args, const struct lint_rule *))
        g_ptr_array_add(selection->rules, (gpointer)rule);
    va_end(args);
    return selection;
}

char *
fake_list(GPtrArray *findings)
{
    GString *list = g_string_new(NULL);

    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = findings->pdata[i];

        g_string_append_printf(list, "%d:%d %s %s %s\n", finding->line, finding->column,
                               finding->rule->id, finding->subject ? finding->subject : "-",
                               lint_result_name(finding->result));
    }
    return g_string_free(list, FALSE);
}

static gboolean
has_value(const domxml_elem *disk, const char *path, const char *value)
{
    return g_strcmp0(lint_value(disk, path), value) == 0;
}

/* A fix that sets or removes an attribute of <driver>. */
static struct lint_fix *
set_driver(struct lint_finding *finding, enum lint_safety safety, const domxml_elem *disk,
           const char *name, const char *value)
{
    struct lint_fix *fix =
        lint_fix(finding, safety, LINT_EFFECT_XML, "set %s='%s'", name, value ? value : "");
    struct domxml_error error = DOMXML_ERROR_INIT;
    const domxml_elem *driver =
        domxml_editor_ensure_child(lint_fix_editor(fix), disk, "driver", NULL, &error);

    lint_fix_done(fix,
                  driver && domxml_editor_set_attr(lint_fix_editor(fix), driver, name, value,
                                                   &error),
                  &error);
    return fix;
}

static void
check_cache(struct lint_ctx *ctx, const domxml_elem *disk)
{
    struct lint_finding *finding;

    if (!has_value(disk, "driver@cache", "writethrough"))
        return;
    finding = lint_fail(ctx, disk, "driver@cache", "the cache is slow");
    lint_note(finding, "the image is %s", domxml_get(disk, "source@file"));
    set_driver(finding, LINT_SAFE, disk, "cache", "none");
    lint_fix_note(set_driver(finding, LINT_UNSAFE, disk, "cache", "writeback"),
                  "the host's cache is used");
}

const struct lint_rule fake_cache = {
    .id = "fake-cache",
    .severity = LINT_WARNING,
    .check_disk = check_cache,
};

static void
check_io(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (!domxml_get(disk, "driver@io"))
        set_driver(lint_fail(ctx, disk, "driver@io", "no io mode"), LINT_SAFE, disk, "io",
                   "threads");
}

const struct lint_rule fake_io = {
    .id = "fake-io",
    .severity = LINT_INFO,
    .check_disk = check_io,
};

static void
check_discard(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (!domxml_get(disk, "driver@discard"))
        set_driver(lint_fail(ctx, disk, "driver@discard", "no discard"), LINT_SAFE, disk,
                   "discard", "unmap");
}

const struct lint_rule fake_discard = {
    .id = "fake-discard",
    .severity = LINT_INFO,
    .check_disk = check_discard,
};

static gboolean
name_taken(const domxml_doc *doc, const char *name)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++) {
        if (has_value(domxml_disk(doc, i), "target@dev", name))
            return TRUE;
    }
    return FALSE;
}

static void
check_bus(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const domxml_elem *target = domxml_find(disk, "target");
    char name[] = "vda";
    struct lint_finding *finding;
    struct lint_fix *fix;

    if (!has_value(disk, "target@bus", "ide"))
        return;
    while (name_taken(lint_doc(ctx), name))
        name[2]++;
    finding = lint_fail(ctx, disk, "target@bus", "the bus is slow");
    fix = lint_fix(finding, LINT_UNSAFE, LINT_EFFECT_XML, "move to virtio as %s", name);
    ck_assert(domxml_editor_set_attr(lint_fix_editor(fix), target, "bus", "virtio", NULL));
    ck_assert(domxml_editor_set_attr(lint_fix_editor(fix), target, "dev", name, NULL));
}

const struct lint_rule fake_bus = {
    .id = "fake-bus",
    .severity = LINT_WARNING,
    .check_disk = check_bus,
};

static void
check_stubborn(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const char *serial = domxml_get(disk, "driver@serial");

    if (serial && g_str_has_prefix(serial, "bad"))
        set_driver(lint_fail(ctx, disk, "driver@serial", "the serial is bad"), LINT_SAFE, disk,
                   "serial", "bad too");
}

const struct lint_rule fake_stubborn = {
    .id = "fake-stubborn",
    .severity = LINT_WARNING,
    .check_disk = check_stubborn,
};

static void
check_none(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (has_value(disk, "driver@cache", "none"))
        set_driver(lint_fail(ctx, disk, "driver@cache", "none is bad"), LINT_SAFE, disk, "cache",
                   "writeback");
}

const struct lint_rule fake_none = {
    .id = "fake-none",
    .severity = LINT_WARNING,
    .check_disk = check_none,
};

static void
check_writeback(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (has_value(disk, "driver@cache", "writeback"))
        set_driver(lint_fail(ctx, disk, "driver@cache", "writeback is bad"), LINT_SAFE, disk,
                   "cache", "none");
}

const struct lint_rule fake_writeback = {
    .id = "fake-writeback",
    .severity = LINT_WARNING,
    .check_disk = check_writeback,
};

static void
check_native(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (has_value(disk, "driver@io", "native"))
        set_driver(lint_fail(ctx, disk, "driver@io", "native"), LINT_SAFE, disk, "io", "threads");
}

const struct lint_rule fake_native = {
    .id = "fake-native",
    .severity = LINT_INFO,
    .check_disk = check_native,
};

static void
check_threads(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (has_value(disk, "driver@io", "threads"))
        set_driver(lint_fail(ctx, disk, "driver@io", "threads"), LINT_SAFE, disk, "io", "native");
}

const struct lint_rule fake_threads = {
    .id = "fake-threads",
    .severity = LINT_INFO,
    .check_disk = check_threads,
};

static void
check_source(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const domxml_elem *source = domxml_find(disk, "source");
    struct lint_fix *fix;

    if (!source) {
        lint_unknown(ctx, disk, "source", "the image is not on this host", "is it good?");
    } else if (has_value(disk, "driver@cache", "unsafe")) {
        fix = lint_fix(lint_fail(ctx, disk, "driver@cache", "unsafe"), LINT_SAFE, LINT_EFFECT_XML,
                       "remove the source");
        ck_assert(domxml_editor_remove(lint_fix_editor(fix), source, NULL));
    }
}

const struct lint_rule fake_source = {
    .id = "fake-source",
    .severity = LINT_WARNING,
    .check_disk = check_source,
};

static void
check_title(struct lint_ctx *ctx, const domxml_elem *domain)
{
    struct lint_fix *fix;
    const domxml_elem *title;

    if (!domain || domxml_find(domain, "title"))
        return;
    fix = lint_fix(lint_fail(ctx, NULL, "title", "no title"), LINT_SAFE, LINT_EFFECT_XML,
                   "add a title");
    title = domxml_editor_insert_child(lint_fix_editor(fix), domain, "title",
                                       domxml_find(domain, "devices"), NULL);
    ck_assert(title && domxml_editor_set_text(lint_fix_editor(fix), title, "a guest", NULL));
}

const struct lint_rule fake_title = {
    .id = "fake-title",
    .severity = LINT_WARNING,
    .check_domain = check_title,
};

static void
check_image(struct lint_ctx *ctx, const domxml_elem *disk)
{
    struct lint_finding *finding = lint_fail(ctx, disk, "source@file", "the image grows");
    struct lint_fix *fix = lint_fix(finding, LINT_SAFE, LINT_EFFECT_IMAGE, "convert to raw");

    lint_set_severity(finding, LINT_ERROR);
    lint_fix_convert(fix, "/srv/a.qcow2", "qcow2", "/srv/a.raw", "raw", "falloc");
    lint_fix(finding, LINT_MANUAL, LINT_EFFECT_XML, "think again");
}

const struct lint_rule fake_image = {
    .id = "fake-image",
    .severity = LINT_WARNING,
    .check_disk = check_image,
};

static void
check_refused(struct lint_ctx *ctx, const domxml_elem *disk)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    struct lint_finding *finding = lint_fail(ctx, disk, "", "cannot be fixed");
    struct lint_fix *fix = lint_fix(finding, LINT_SAFE, LINT_EFFECT_XML, "rename it");
    domxml_editor *editor = lint_fix_editor(fix);
    gboolean ok = domxml_editor_set_attr(editor, disk, "device", "lun", &error);

    lint_fix_done(fix, ok && domxml_editor_set_attr(editor, disk, "a b", "c", &error), &error);
}

const struct lint_rule fake_refused = {
    .id = "fake-refused",
    .severity = LINT_WARNING,
    .check_disk = check_refused,
};

static void
check_empty(struct lint_ctx *ctx, const domxml_elem *disk)
{
    if (has_value(disk, "driver@cache", "writethrough"))
        set_driver(lint_fail(ctx, disk, "driver@cache", "the cache is slow"), LINT_SAFE, disk,
                   "cache", "writethrough");
}

const struct lint_rule fake_empty = {
    .id = "fake-empty",
    .severity = LINT_WARNING,
    .check_disk = check_empty,
};
