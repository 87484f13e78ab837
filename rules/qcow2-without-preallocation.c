/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qcow2-without-preallocation.c: qcow2 images that grow as the guest writes. */
#include "lint/lint.h"

/* Why the image tells nothing of its preallocation, to be freed; NULL where it does. */
static char *
why_unknown(const struct image_facts *image)
{
    if (image->state == IMAGE_NONE || image->state == IMAGE_TEMPLATE)
        return NULL;
    if (image->state == IMAGE_ELSEWHERE)
        return g_strdup("the image is not on this host");
    if (image->state == IMAGE_UNKNOWN)
        return g_strdup(image->unknown);
    if (image->format && !g_str_equal(image->format, "qcow2"))
        return g_strdup_printf("declared qcow2, is %s", image->format);
    if (image->corrupt)
        return g_strdup("the image is marked corrupt");
    return image->preallocation == PREALLOCATION_UNKNOWN ? g_strdup(image->preallocation_unknown)
                                                         : NULL;
}

/* Why the conversion is only described; NULL where it is offered. */
static const char *
why_manual(struct lint_ctx *ctx, const domxml_elem *disk, const struct image_facts *image)
{
    enum domxml_kind kind = domxml_doc_kind(lint_doc(ctx));
    const char *type = lint_value(disk, "@type");

    if (kind == DOMXML_KIND_SNAPSHOT || kind == DOMXML_KIND_CHECKPOINT)
        return "a snapshot or checkpoint needs the image as it is";
    if (!g_str_equal(type ? type : "file", "file"))
        return "the source is no plain file";
    if (image->snapshots > 0)
        return "the image has internal snapshots, which would be lost";
    if (image->bitmaps)
        return "the image has persistent bitmaps for incremental backup, which would be lost";
    if (image->encrypted || domxml_find(disk, "encryption")
        || domxml_find(disk, "source/encryption"))
        return "the image is encrypted, and would be written in clear";
    if (image->data_file)
        return "the image keeps its data in another file";
    if (domxml_find(disk, "backingStore/source")) /* the image has none: it would be an overlay */
        return "<backingStore> names an image that this one is no overlay of";
    return domxml_find(disk, "shareable") ? "other domains may use the shareable image" : NULL;
}

static void
offer(struct lint_finding *finding, const domxml_elem *disk, const struct image_facts *image,
      const char *format, const char *preallocation)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    guint64 unit = image->virtual_size >> 30 < 10 ? 1 << 20 : 1 << 30;
    gboolean raw = g_str_equal(format, "raw");
    g_autofree char *path = raw ? lint_converted_name(image->path, format) : g_strdup(image->path);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    struct lint_fix *fix = lint_fix(finding, LINT_SAFE, LINT_EFFECT_IMAGE,
                                    "convert to %s, preallocated (%s)", format, preallocation);

    lint_fix_convert(fix, image->path, "qcow2", path, format, preallocation);
    lint_fix_done(fix, lint_convert_edits(lint_fix_editor(fix), disk, path, format, preallocation,
                                          notes, &error), &error);
    for (guint i = 0; i < notes->len; i++)
        lint_fix_note(fix, "%s", (const char *)notes->pdata[i]);
    lint_fix_note(fix, "takes %" G_GUINT64_FORMAT " %s of space %s; the original is kept",
                  (image->virtual_size + unit - 1) / unit, unit == 1 << 20 ? "MiB" : "GiB",
                  raw ? "at once" : "as the guest writes");
    if (raw)
        lint_fix_note(fix, "raw ends internal snapshots and incremental backup by bitmaps");
}

static void
report_growing(struct lint_ctx *ctx, const domxml_elem *disk, const struct image_facts *image)
{
    const char *manual = why_manual(ctx, disk, image);
    unsigned int mapped = (unsigned int)(image->mapped * 1000 + 0.5);
    struct lint_finding *finding;

    finding = lint_fail(ctx, disk, "driver@type",
                        "the image grows as the guest writes: %u.%u %% of its clusters are mapped",
                        mapped / 10, mapped % 10);
    if (manual) {
        lint_fix_note(lint_fix(finding, LINT_MANUAL, LINT_EFFECT_IMAGE,
                               "convert to raw or qcow2, preallocated"), "%s", manual);
        return;
    }
    offer(finding, disk, image, "raw", "falloc");
    offer(finding, disk, image, "qcow2", "metadata");
}

static void
report_suspended(struct lint_ctx *ctx, const domxml_elem *disk, const struct image_facts *image)
{
    g_autofree char *names = image->snapshot_names ? g_strjoinv(", ", image->snapshot_names) : NULL;
    struct lint_finding *finding;

    finding = lint_fail(ctx, disk, "driver@type",
                        "internal snapshots suspend the preallocation: %s",
                        names ? names : "their names are not known");
    lint_set_severity(finding, LINT_INFO);
    lint_note(finding, "the first write to a cluster since the last snapshot allocates a new one");
    lint_fix_note(lint_fix(finding, LINT_MANUAL, LINT_EFFECT_IMAGE,
                           "delete the snapshots that nobody needs"),
                  "virsh snapshot-delete; what libvirt does not know: qemu-img snapshot -d");
}

static void
check_disk(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const struct image_facts *image;
    g_autofree char *unknown = NULL;

    if (g_strcmp0(lint_value(disk, "driver@type"), "qcow2") != 0 || !lint_disk_is_disk(disk)
        || lint_disk_is_read_only(disk) || lint_disk_is_transient(disk))
        return;
    image = lint_image(ctx, disk);
    unknown = why_unknown(image);
    if (unknown)
        lint_unknown(ctx, disk, "driver@type", unknown, "whether it is preallocated is not known");
    else if (image->preallocation == PREALLOCATION_OFF)
        report_growing(ctx, disk, image);
    else if (image->preallocation == PREALLOCATION_SUSPENDED)
        report_suspended(ctx, disk, image);
}

static const char *const references[] = {
    "https://www.qemu.org/docs/master/tools/qemu-img.html",
    "https://www.qemu.org/docs/master/interop/qcow2.html",
    "https://www.ilsistemista.net/index.php/virtualization/11-kvm-io-slowness-on-rhel-6.html",
    NULL,
};

const struct lint_rule rule_qcow2_without_preallocation = {
    .id = "qcow2-without-preallocation",
    .severity = LINT_WARNING,
    .summary = "the qcow2 image grows as the guest writes",
    .why = "The first write to each cluster allocates it and updates the image's tables, and "
           "waits for the host's disk meanwhile. In one published measurement a guest went from "
           "1.6 to 78.7 MB/s when its growing qcow2 became raw. The image's own tables decide, "
           "never its size.",
    .fix = "Converts the image to raw, preallocated (falloc), or to qcow2 with preallocated "
           "metadata under its old name. discard='unmap' and detect_zeroes='unmap' go, since they "
           "would undo the preallocation. Raw takes the disk's whole size at once, and ends "
           "internal snapshots and incremental backup by bitmaps. The original is kept.",
    .fix_safety = "Safe: the copy is compared with the original. Only described where it would "
                  "lose something (snapshots, bitmaps, encryption), or the image is no plain file "
                  "of its own.",
    .guest = "The disk and its content are the same; what it discards is no longer given back to "
             "the host.",
    .references = references,
    .check_disk = check_disk,
};
