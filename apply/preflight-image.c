/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preflight-image.c: what an image is that forbids converting it. */
#include <string.h>
#include <sys/stat.h>

#include "apply/image-name.h"
#include "apply/preflight-checks.h"
#include "apply/qemu-img.h"
#include "probe/file.h"
#include "probe/probe.h"
#include "probe/same-image.h"

/* The format that libvirt takes the image for. */
static const char *
declared_format(const struct preflight_state *state)
{
    const char *format = domxml_get(state->ask->disk, "driver@type");

    return format ? format : "raw";
}

/* ---- What the header says -------------------------------------------------------------- */

static void
check_format(struct preflight_state *state, const struct image_facts *facts)
{
    const char *declared = declared_format(state);

    if (!g_str_equal(declared, "raw") && !g_str_equal(declared, "qcow2"))
        preflight_refuse(state, PREFLIGHT_FORMAT,
                         "images of format %s are not converted: only raw and qcow2 are", declared);
    else if (!g_str_equal(facts->format, declared))
        preflight_refuse(state, PREFLIGHT_FORMAT,
                         "it is declared as %s, but is %s by its content: find out which is right, "
                         "and mend the definition first",
                         declared, facts->format);
}

static void
check_header(struct preflight_state *state, const struct image_facts *facts)
{
    if (facts->encrypted)
        preflight_refuse(state, PREFLIGHT_ENCRYPTED,
                         "the image is encrypted, and a copy would be in the clear: convert it by "
                         "hand, with the key");
    if (facts->snapshots > 0) {
        g_autofree char *names =
            facts->snapshot_names ? g_strjoinv(", ", facts->snapshot_names) : NULL;

        preflight_refuse(state, PREFLIGHT_SNAPSHOTS_IN_IMAGE,
                         "the image holds %u internal snapshot%s%s%s%s, which would be lost: "
                         "delete them first (virsh snapshot-delete, or qemu-img snapshot -d)",
                         facts->snapshots, facts->snapshots == 1 ? "" : "s", names ? " (" : "",
                         names ? names : "", names ? ")" : "");
    }
    if (facts->bitmaps)
        preflight_refuse(state, PREFLIGHT_BITMAPS,
                         "the image holds persistent bitmaps, which incremental backups rest on "
                         "and which would be lost: remove them first (qemu-img bitmap --remove)");
    if (facts->backing_file)
        preflight_refuse(state, PREFLIGHT_BACKING,
                         "it stands on the image %s, which would be flattened into it: commit or "
                         "rebase it first",
                         facts->backing_file);
    if (facts->data_file)
        preflight_refuse(state, PREFLIGHT_DATA_FILE,
                         "its data are in the external file %s: convert it by hand",
                         facts->data_file);
    if (facts->dirty)
        preflight_refuse(state, PREFLIGHT_DIRTY,
                         "the image is marked as dirty, as after a crash: run 'qemu-img check -r "
                         "all' on it, or start and shut down its guest, first");
    if (facts->corrupt)
        preflight_refuse(state, PREFLIGHT_CORRUPT,
                         "the image is marked as corrupt: save what can be saved, and run "
                         "'qemu-img check' on it");
}

/* ---- What qemu-img and the daemon say -------------------------------------------------- */

/* Reads all metadata; while another writes to the image there is no answer. */
static void
check_health(struct preflight_state *state, const struct image_facts *facts)
{
    const struct qemu_img_run run = { .cancellable = state->ask->cancellable };
    const struct qemu_img_image image = { state->fd, declared_format(state) };
    g_autoptr(GError) error = NULL;

    if (!state->ask->guard || facts->encrypted || !g_str_equal(facts->format, "qcow2") ||
        !g_str_equal(image.format, "qcow2"))
        return;
    switch (qemu_img_check(&run, &image, &error)) {
    case QEMU_IMG_CORRUPT:
        if (!facts->corrupt)
            preflight_refuse(state, PREFLIGHT_CORRUPT,
                             "'qemu-img check' finds that the image is damaged: save what can be "
                             "saved, and repair it first");
        break;
    case QEMU_IMG_FAILED:
        /* A dirty, corrupt or incomplete image has been spoken of already. */
        if (!facts->dirty && !facts->corrupt && !facts->data_file && !facts->backing_file)
            preflight_refuse(state, PREFLIGHT_UNREADABLE, "the image cannot be checked: %s",
                             error->message);
        break;
    case QEMU_IMG_CLEAN:
    case QEMU_IMG_LEAKS:
    case QEMU_IMG_UNCHECKED:
    default:
        break;
    }
}

static void
check_daemon(struct preflight_state *state, const struct image_facts *facts)
{
    const struct preflight *ask = state->ask;
    g_autoptr(GError) error = NULL;
    gboolean same = FALSE;

    /* Of a vanished domain there is no answer, of an encrypted image another size. */
    if (!ask->connection || !ask->domain || preflight_is_refused(state, PREFLIGHT_GONE) ||
        preflight_is_refused(state, PREFLIGHT_ENCRYPTED))
        return;
    if (!same_image(ask->connection, ask->domain, ask->disk, facts, &same, &error))
        preflight_refuse(state, PREFLIGHT_ANOTHER_IMAGE,
                         "libvirtd does not say that it sees the same image: %s", error->message);
    else if (!same)
        preflight_refuse(state, PREFLIGHT_ANOTHER_IMAGE,
                         "libvirtd sees another image under this path (is it in a container?): run "
                         "domlint where it runs");
}

/* ---- All ------------------------------------------------------------------------------- */

static void
check_content(struct preflight_state *state)
{
    struct facts_source *probe = probe_new(NULL);
    const struct image_facts *facts = probe->image(probe, state->ask->disk);

    if (facts->state != IMAGE_FILE || !facts->format) {
        preflight_refuse(state, PREFLIGHT_UNREADABLE, "the image cannot be looked into: %s",
                         facts->unknown ? facts->unknown : "its format is not known");
    } else {
        check_format(state, facts);
        if (g_str_equal(facts->format, "qcow2") && facts->version == 0)
            preflight_refuse(state, PREFLIGHT_UNREADABLE,
                             "the image's header is not understood: %s",
                             facts->preallocation_unknown ? facts->preallocation_unknown : "?");
        /* What a guest wrote into its raw disk is no header. */
        if (g_str_equal(declared_format(state), facts->format))
            check_header(state, facts);
        check_health(state, facts);
        check_daemon(state, facts);
    }
    facts_source_free(probe);
}

static void
check_link(struct preflight_state *state)
{
    const char *from = declared_format(state);
    g_autoptr(GError) error = NULL;
    /* Which other format does not matter to where it would be. */
    struct image_name *name = image_name_for(state->path, from, state->ask->exchange ? from : "new",
                                             "0", &error);

    if (!name)
        preflight_refuse(state, PREFLIGHT_LINK, "%s", error->message);
    image_name_free(name);
}

void
preflight_check_image(struct preflight_state *state)
{
    g_autoptr(GError) error = NULL;
    struct stat st;

    state->fd = file_open_path(state->path, &st, &error);
    if (state->fd < 0) {
        preflight_refuse(state, PREFLIGHT_UNREADABLE, "the image cannot be opened: %s",
                         error->message);
        return;
    }
    if (S_ISBLK(st.st_mode)) {
        if (g_strcmp0(domxml_get(state->ask->disk, "@type"), "block") != 0)
            preflight_refuse(state, PREFLIGHT_BLOCK,
                             "it is a block device, which no lock guards: convert it by hand");
        return;
    }
    if (!S_ISREG(st.st_mode)) {
        preflight_refuse(state, PREFLIGHT_UNREADABLE, "the image is %s: only files are converted",
                         file_kind(st.st_mode));
        return;
    }
    check_link(state);
    if (st.st_nlink > 1)
        preflight_refuse(state, PREFLIGHT_HARD_LINKS,
                         "the image has %lu names (hard links), the others of which would stay "
                         "with the old image: remove them first",
                         (unsigned long)st.st_nlink);
    if (state->ask->time == PREFLIGHT_BEFORE_COPY)
        check_content(state);
}
