/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert.h: carrying out the conversion of one disk's image.
 *
 * guard -> preflight -> new file beside the old one -> convert -> flush -> compare -> measure ->
 * owner and labels -> name, without replacing -> preflight again, under the guard -> define (or
 * write the file) -> refresh the pool. The original is kept. Each step is told to the journal
 * before it begins; the steps are data (convert_steps), so that whoever tests what happens when
 * the program ends at each of them has their list.
 */
#pragma once

#include "apply/convert-record.h"
#include "apply/preflight.h"
#include "apply/qemu-img.h"

#define CONVERT_ERROR convert_error_quark()
GQuark convert_error_quark(void);
enum convert_error {
    /* Nothing of it is left: it was not begun, or the last look before the change of the XML found
     * what forbids it. The message names each reason and the way out. */
    CONVERT_REFUSED,
    /* Something failed part-way and was rolled back: the original is in use, nothing is left. */
    CONVERT_FAILED,
    /* What stands is not known, or could not be rolled back: --resume or --undo tells. */
    CONVERT_OPEN,
};

/* What is to be converted, and into what. */
struct convert_wish {
    struct connection *connection;      /* read-write; NULL: a file, and nobody to ask */
    const struct source_domain *domain; /* NULL: a file */
    const char *file;                   /* the file's path; NULL: a domain */
    const char *text;                   /* the text that the plan was made from, without secrets */
    const char *disk;                   /* the disk's target name in it */
    const char *to, *preallocation;
    gboolean was_running;               /* it was shut down for this: --resume starts it again */
    guint number;                       /* among the run's conversions */
    const char *state_dir;              /* the journal's, as the user named it; or NULL */
    struct qemu_img_run run;
    /* Told what begins (convert_steps); NULL: not told. */
    void (*step)(const char *step, void *data);
    void *step_data;
};

/* The steps, in order: the journal's words for what is about to begin. NULL-terminated. */
extern const char *const convert_steps[];

/**
 * convert_look: what stands against @wish now, without doing anything.
 * @guard: guard the image meanwhile (which alone lets qemu-img check it, and tells whether it is
 *   in use); without it no lock is taken
 * @record: filled in as far as it can be told, to be cleared with convert_record_clear()
 * @size: what the copy takes; zeros where that cannot be told
 * Returns: an array of struct preflight_refusal *, to be unreferenced; empty where nothing stands
 * against it.
 */
GPtrArray *convert_look(const struct convert_wish *wish, gboolean guard,
                        struct convert_record *record,
                        struct qemu_img_size *size);

/**
 * convert_run: does it all.
 * @notes: remarks for the user are added here (array of char *): the original's place and the
 *   command that removes it, ...
 * Returns: FALSE with @error (CONVERT_ERROR, JOURNAL_ERROR).
 */
gboolean convert_run(const struct convert_wish *wish, struct journal_run *run, GPtrArray *notes,
                     GError **error);
