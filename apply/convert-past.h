/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-past.h: conversions that the journal tells of: finishing an interrupted one, taking
 * one back, giving up the original that it kept.
 */
#pragma once

#include "apply/convert.h"

/* What they act on. */
struct convert_past {
    struct connection *connection;      /* read-write; NULL: a file, and nobody answers */
    const struct source_domain *domain; /* NULL: a file, or (not to undo) a domain gone */
    struct qemu_img_run run;
    struct journal_run *record_in;      /* the run that this is told in */
    GPtrArray *notes;                   /* remarks for the user (char *) */
};

/**
 * convert_resume: finishes @record, which was interrupted, or rolls it back. The copy becomes the
 * domain's only after the whole preflight, under the guard, and after one more comparison with the
 * original, which a guest may have written to meanwhile. A disk that names the copy already keeps
 * it. A copy that was written to, or that anybody uses, is never removed.
 * Returns: FALSE with @error (CONVERT_ERROR, ...); @record->state says what became of it.
 */
gboolean convert_resume(const struct convert_past *past, struct convert_record *record,
                        GError **error);

/**
 * convert_settle: the same, but goes on with nothing: rolled back, or done where the disk names
 * the copy already (and then to be taken back as such).
 */
gboolean convert_settle(const struct convert_past *past, struct convert_record *record,
                        GError **error);

/* The guards and names of conversions while they are taken back. */
struct convert_undo;

/**
 * convert_undo_begin: looks whether @record, done, can be taken back: nothing stands against it,
 * the original is as it was, and the present image still compares equal to it; then the original
 * gets its name back where that was exchanged. Where an earlier attempt was interrupted, and the
 * disk names the original again, only what is left of that is due.
 * Returns: to be ended with convert_undo_end(); NULL with @error (CONVERT_REFUSED, which names the
 * way back that keeps what the guest wrote).
 */
struct convert_undo *convert_undo_begin(const struct convert_past *past,
                                        const struct convert_record *record, GError **error);

/**
 * convert_undo_end: once the XML is as before (@defined), removes the copy, an inode of our own,
 * unless the XML names it all the same; otherwise puts the names back. Frees @undo.
 */
gboolean convert_undo_end(struct convert_undo *undo, gboolean defined, GError **error);

/**
 * convert_forget: removes the original that @record kept: only if it is the journal's by device,
 * inode, size and time of the last write, nobody names it, and the copy that replaced it is there,
 * passes `qemu-img check`, and is what the domain or file names. One that is gone already is put
 * down as such.
 * @freed: the bytes of disk that this gives back
 */
gboolean convert_forget(const struct convert_past *past, const struct convert_record *record,
                        guint64 *freed, GError **error);
