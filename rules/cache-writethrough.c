/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache-writethrough.c: disks that wait for a flush after each write of the guest. */
#include <stdio.h>

#include "lint/lint.h"

/* Since Linux 6.15 btrfs does direct writes to files with checksums as buffered ones. */
static gboolean
has_fixed_btrfs(const struct host_facts *host)
{
    unsigned int major, minor;

    if (!host->kernel || sscanf(host->kernel, "%u.%u", &major, &minor) != 2)
        return FALSE;
    return major > 6 || (major == 6 && minor >= 15);
}

/* Whether O_DIRECT can be used on the image; @reason, to be freed: why not, why unknown. */
static enum fact_answer
can_do_direct_io(struct lint_ctx *ctx, const domxml_elem *disk, char **reason)
{
    const struct image_facts *image = lint_image(ctx, disk);
    const char *protocol = lint_value(disk, "source@protocol");

    if (protocol)
        *reason = g_strdup_printf("O_DIRECT cannot be tried over %s", protocol);
    else if (image->state == IMAGE_TEMPLATE)
        *reason = g_strdup("the source is a template placeholder");
    else if (image->state != IMAGE_FILE && image->state != IMAGE_BLOCK)
        *reason = g_strdup(image->unknown ? image->unknown : "the source is no local image");
    else if (image->direct_io == FACT_UNKNOWN)
        *reason = g_strdup(image->direct_io_reason ? image->direct_io_reason : "it was not tried");
    else if (image->direct_io == FACT_YES && image->btrfs_checksums == FACT_UNKNOWN)
        *reason = g_strdup("the file system's checksums could not be looked at");
    if (*reason)
        return FACT_UNKNOWN;

    if (image->direct_io == FACT_NO)
        *reason = g_strdup(image->direct_io_reason ? image->direct_io_reason : "O_DIRECT fails");
    else if (image->btrfs_checksums == FACT_YES && !has_fixed_btrfs(lint_host(ctx)))
        *reason = g_strdup("before Linux 6.15 direct writes break the checksums of btrfs files");
    return *reason ? FACT_NO : FACT_YES;
}

/* The kernel's asynchronous I/O blocks where a write has to allocate. */
static gboolean
suits_native(const struct image_facts *image)
{
    return image->state == IMAGE_BLOCK
           || (image->btrfs_checksums != FACT_YES
               && (image->preallocation == PREALLOCATION_FALLOC
                   || image->preallocation == PREALLOCATION_FULL));
}

static struct lint_fix *
offer(struct lint_finding *finding, const domxml_elem *disk, enum lint_safety safety,
      const char *cache, const char *io)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    const char *change = io ? " and io='native'" : " and remove io='native'";
    gboolean same = g_strcmp0(io, domxml_get(disk, "driver@io")) == 0;
    struct lint_fix *fix = lint_fix(finding, safety, LINT_EFFECT_XML, "set cache='%s'%s", cache,
                                    same ? "" : change);

    lint_fix_done(fix, domxml_disk_set_cache(lint_fix_editor(fix), disk, cache, io, &error),
                  &error);
    lint_fix_note(fix, "the guest must flush: its file systems need their write barriers on");
    return fix;
}

static void
check_disk(struct lint_ctx *ctx, const domxml_elem *disk)
{
    const char *io = domxml_get(disk, "driver@io");
    const char *buffered_io = g_strcmp0(io, "native") == 0 ? NULL : io;
    g_autofree char *reason = NULL;
    struct lint_finding *finding;
    enum fact_answer direct;

    if (g_strcmp0(lint_value(disk, "driver@cache"), "writethrough") != 0
        || g_strcmp0(lint_value(disk, "@type"), "vhostuser") == 0 /* libvirt refuses any cache */
        || !lint_disk_is_disk(disk) || lint_disk_is_read_only(disk) || lint_disk_is_transient(disk))
        return;

    finding = lint_fail(ctx, disk, "driver@cache", "each write waits for a flush on the host");
    direct = can_do_direct_io(ctx, disk, &reason);
    if (direct == FACT_YES) {
        offer(finding, disk, LINT_SAFE, "none",
              !io && suits_native(lint_image(ctx, disk)) ? "native" : io);
    } else if (domxml_find(disk, "shareable")) { /* two guests' caches would differ */
        lint_fix_note(lint_fix(finding, LINT_MANUAL, LINT_EFFECT_XML, "set cache='none'"),
                      "a shareable disk must bypass the host's cache, but: %s", reason);
    } else if (direct == FACT_NO) {
        lint_fix_note(offer(finding, disk, LINT_SAFE, "writeback", buffered_io),
                      "cache='none' does not suit: %s", reason);
    } else {
        lint_fix_note(offer(finding, disk, LINT_SAFE, "writeback", buffered_io),
                      "whether cache='none' suits is not known: %s", reason);
        offer(finding, disk, LINT_UNSAFE, "none", io);
    }
}

static const char *const references[] = {
    "https://libvirt.org/formatdomain.html#hard-drives-floppy-disks-cdroms",
    "https://www.qemu.org/docs/master/system/invocation.html",
    "https://www.ilsistemista.net/index.php/virtualization/"
    "23-kvm-storage-performance-and-cache-settings-on-red-hat-enterprise-linux-62.html",
    NULL,
};

const struct lint_rule rule_cache_writethrough = {
    .id = "cache-writethrough",
    .severity = LINT_WARNING,
    .summary = "cache='writethrough' flushes to the host's disk after each write",
    .why = "QEMU flushes after each write, whether the guest asked for that or not. A guest that "
           "flushes by itself gains no safety and loses most of its write speed: in one published "
           "measurement on btrfs the same work took 148 s or 24 s, by the cache mode alone.",
    .fix = "Sets cache='none' where O_DIRECT works on the image and its whole backing chain, with "
           "io='native' where the image is preallocated or a block device; another io mode stays. "
           "Sets cache='writeback' where O_DIRECT does not work or is not known to, and on btrfs "
           "files with checksums before Linux 6.15; io='native' then goes, since libvirt refuses "
           "the pair. A shareable disk is set to none or left alone.",
    .fix_safety = "Safe for a guest that flushes: none and writeback both pass its flushes on. "
                  "none is unsafe where O_DIRECT is not known to work: the domain may not start.",
    .guest = "The disk has a write cache, from the next full power cycle on; a reboot is not "
             "enough.",
    .references = references,
    .check_disk = check_disk,
};
