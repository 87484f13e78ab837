/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lint.h: all that a rule includes.
 *
 * A rule is one file that ends in one const struct lint_rule. It sees a document and facts, and
 * reports; it knows no file, connection or process, and holds no state. Its functions cannot fail
 * and free nothing: findings, fixes and the strings in them belong to the engine, which copies
 * what it is given.
 *
 * Template values: a rule must make no finding on a value that is a placeholder; lint_value()
 * helps.
 */
#pragma once

#include <glib.h>

#include "libdomxml/domxml.h"
#include "probe/facts.h"

enum lint_severity {
    LINT_INFO,    /* advice */
    LINT_WARNING, /* performance or policy */
    LINT_ERROR,   /* data at risk, or the domain will not start */
};

enum lint_safety {
    LINT_SAFE,   /* cannot lose data, cannot keep the guest from booting */
    LINT_UNSAFE, /* may */
    LINT_MANUAL, /* only described */
};

enum lint_effect {
    LINT_EFFECT_XML,   /* edits of the document alone */
    LINT_EFFECT_IMAGE, /* the image is converted or changed; the edits go with that */
    LINT_EFFECT_HOST,  /* the host is changed */
};

struct lint_ctx;     /* one rule's look at one document */
struct lint_finding; /* see finding.h; opaque to rules */
struct lint_fix;

struct lint_rule {
    const char *id;               /* = rules/ID.c = tests/fixtures/ID */
    enum lint_severity severity;  /* of a finding, unless lint_set_severity() says otherwise */
    gboolean opt_in;              /* runs only where it is selected by name */
    const char *summary;          /* one line, no full stop: what is wrong */
    const char *why;              /* what fails and how, with figures and their source */
    const char *fix;              /* what the fix does; NULL without one */
    const char *fix_safety;       /* how safe it is and on what that rests; NULL without a fix */
    const char *guest;            /* what changes for the guest; NULL without a fix */
    const char *const *references; /* URLs or titles, NULL-terminated */

    /* Each may be NULL. check_domain gets NULL for a document that is a lone <disk>. */
    void (*check_disk)(struct lint_ctx *ctx, const domxml_elem *disk);
    void (*check_domain)(struct lint_ctx *ctx, const domxml_elem *domain);
};

/* ---- What a rule sees ---- */

const domxml_doc *lint_doc(const struct lint_ctx *ctx);

/* The image behind @disk; never NULL. */
const struct image_facts *lint_image(struct lint_ctx *ctx, const domxml_elem *disk);

/* This host; never NULL. */
const struct host_facts *lint_host(struct lint_ctx *ctx);

/* domxml_get(), but NULL for a template placeholder too. */
const char *lint_value(const domxml_elem *elem, const char *path);

/* The disk's target name; "?" where it has none. */
const char *lint_disk_name(const domxml_elem *disk);

/* Kinds of disks: device='disk' (the default); read-only; <transient/>. */
gboolean lint_disk_is_disk(const domxml_elem *disk);
gboolean lint_disk_is_read_only(const domxml_elem *disk);
gboolean lint_disk_is_transient(const domxml_elem *disk);
/* Whether the machine type is a q35 one ("q35", "pc-q35-7.2"). */
gboolean lint_is_q35(struct lint_ctx *ctx);

/* What is known of the guest OS from the libosinfo id in the metadata. */
gboolean lint_guest_is_windows(struct lint_ctx *ctx);

/* The name an image at @path gets in another format: a known image extension (.qcow2 .qcow .qed
 * .raw .img) is replaced, to any other name, and where the name would stay, the new one is
 * appended; to be freed. */
char *lint_converted_name(const char *path, const char *format);

/* ---- What a rule reports ---- */

/**
 * lint_fail: a finding. @disk may be NULL (the domain itself); the message does not name it, since
 * every report does. @path is the attribute or element that the finding is about ("driver@cache");
 * where it is absent the nearest that is there is shown.
 */
struct lint_finding *lint_fail(struct lint_ctx *ctx, const domxml_elem *disk, const char *path,
                               const char *format, ...) G_GNUC_PRINTF(4, 5);

/* The rule needs a fact that is unknown: @reason says why, and is what the report groups by; so
 * it holds no disk's name where it is the same for many disks. */
struct lint_finding *lint_unknown(struct lint_ctx *ctx, const domxml_elem *disk, const char *path,
                                  const char *reason, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

void lint_set_severity(struct lint_finding *finding, enum lint_severity severity);

/* A remark shown under the finding. */
void lint_note(struct lint_finding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A fix; several for one finding are alternatives, the best first. */
struct lint_fix *lint_fix(struct lint_finding *finding, enum lint_safety safety,
                          enum lint_effect effect, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* The editor in which the fix's XML change is noted. When the rule returns, the engine finishes
 * it, and its notes become the fix's. */
domxml_editor *lint_fix_editor(struct lint_fix *fix);

/* The editor refused (an operation returned false): the fix becomes manual, without edits, with
 * the error's text as its note. Takes the results of the operations: lint_fix_done(fix, a && b,
 * &error). */
void lint_fix_done(struct lint_fix *fix, gboolean ok, const struct domxml_error *error);

/* A remark shown under the fix. */
void lint_fix_note(struct lint_fix *fix, const char *format, ...) G_GNUC_PRINTF(2, 3);

/**
 * lint_convert_edits: what converting the image of @disk means for its XML: format, source, and
 * without preallocation='off' the end of discard='unmap' and detect_zeroes='unmap', which would
 * undo it.
 * @notes: remarks for the user are added here (array of char *)
 */
gboolean lint_convert_edits(domxml_editor *editor, const domxml_elem *disk, const char *new_path,
                            const char *format, const char *preallocation, GPtrArray *notes,
                            struct domxml_error *error);

/* An image step: convert the image at @path into a new file at @new_path. */
void lint_fix_convert(struct lint_fix *fix, const char *path, const char *from_format,
                      const char *new_path, const char *to_format, const char *preallocation);
