/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert-resume.c: finishing or rolling back a conversion that was interrupted. */
#include "apply/convert-past.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "apply/definition.h"
#include "lint/lint.h"
#include "probe/source-file.h"

static gboolean
is_at(const char *path, const struct file_identity *identity)
{
    struct file_identity found;

    return path && file_identity_at(path, &found, NULL) && file_identity_same(&found, identity);
}

/* The present text of the domain, without secrets, or of the file; to be freed. */
static char *
present_text(const struct convert_past *past, const struct convert_record *record, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    gsize length;

    if (past->domain)
        return source_libvirt_xml(past->connection, past->domain, SOURCE_TEXT_INACTIVE,
                                  SOURCE_WITHOUT_SECRETS, error);
    bytes = source_file_read(record->file, error);
    if (!bytes)
        return NULL;
    return g_strndup(g_bytes_get_data(bytes, &length), g_bytes_get_size(bytes));
}

/* Whether @text says already all that the conversion means. */
static gboolean
is_defined(const char *text, const struct convert_record *record)
{
    g_autoptr(domxml_doc) doc = domxml_parse(text, strlen(text), NULL);
    g_autoptr(domxml_editor) editor = doc ? domxml_editor_new(doc, NULL) : NULL;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(domxml_edits) edits = NULL;

    for (size_t i = 0; editor && i < domxml_disk_count(doc); i++) {
        const domxml_elem *disk = domxml_disk(doc, i);

        if (g_strcmp0(domxml_get(disk, "target@dev"), record->disk) == 0 &&
            lint_convert_edits(editor, disk, record->new_path, record->to, record->preallocation,
                               notes, NULL))
            edits = domxml_editor_finish(editor, NULL);
    }
    return edits && domxml_edits_count(edits) == 0;
}

static gboolean
roll_back(const struct convert_past *past, struct convert_record *record, const char *why,
          GError **error)
{
    if (!conversion_roll_back(record, error))
        return FALSE;
    record->state = CONVERT_STATE_ROLLED_BACK;
    g_ptr_array_add(past->notes,
                    g_strdup_printf("%s, disk %s: rolled back, the original is in use%s%s",
                                    record->domain ? record->domain : record->file, record->disk,
                                    why ? ": " : "", why ? why : ""));
    return convert_record_step(record, past->record_in, "convert-rolled-back", NULL, error);
}

static gboolean
done(const struct convert_past *past, struct convert_record *record, GError **error)
{
    if (past->connection)
        conversion_refresh_pool(past->connection, convert_record_current(record), past->notes);
    record->state = CONVERT_STATE_DONE;
    g_ptr_array_add(past->notes,
                    g_strdup_printf("%s, disk %s: finished; the original is kept as %s",
                                    record->domain ? record->domain : record->file, record->disk,
                                    convert_record_kept(record)));
    return convert_record_step(record, past->record_in, "convert-done", NULL, error);
}

/* The copy is whole and has its name, the XML names the original still: goes on from there, or says why not. */
static gboolean
go_on(const struct convert_past *past, struct convert_record *record, const char *text,
      GError **error)
{
    const struct convert_wish wish = {
        .connection = past->connection,
        .domain = past->domain,
        .file = record->file,
        .text = text,
        .disk = record->disk,
        .to = record->to,
        .preallocation = record->preallocation,
        .run = past->run,
    };
    struct conversion conversion = { .run = past->record_in, .notes = past->notes };
    g_autoptr(GPtrArray) refusals = NULL;
    int made = -1;
    gboolean good = FALSE;

    conversion_begin(&conversion, &wish, record->id, TRUE);
    conversion.record.made = record->made;
    refusals = conversion_preflight(&conversion, PREFLIGHT_BEFORE_DEFINE);
    if (refusals->len || !conversion.guard) {
        g_autofree char *why = conversion_refusals_text(refusals);

        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED, why);
    } else if ((made = open(record->new_real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) < 0) {
        g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED, "the copy cannot be opened");
    } else {
        const struct qemu_img_image from = { guard_fd(conversion.guard), record->from };
        const struct qemu_img_image to = { made, record->to };

        if (guard_add(conversion.guard, made, error)) {
            enum qemu_img_comparison same = qemu_img_compare(&past->run, &from, &to, error);

            if (same == QEMU_IMG_DIFFERENT)
                g_set_error_literal(error, CONVERT_ERROR, CONVERT_REFUSED,
                                    "the guest wrote to the original meanwhile");
            good = same == QEMU_IMG_SAME &&
                   convert_record_step(record, past->record_in, "convert-defining", NULL, error) &&
                   conversion_define(&conversion, error);
        }
        close(made);
    }
    conversion_clear(&conversion);
    return good;
}

gboolean
convert_resume(const struct convert_past *past, struct convert_record *record, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;

    if (record->state < CONVERT_STATE_NAMING)
        return roll_back(past, record, NULL, error);
    text = present_text(past, record, error);
    if (!text)
        return FALSE;
    if (is_at(convert_record_current(record), &record->made) && is_defined(text, record))
        return done(past, record, error);
    /* Names that are exchanged while the XML is not ready for them go back: the copy is made anew next time. */
    if (!record->exchange && is_at(record->new_real, &record->made)) {
        if (go_on(past, record, text, &problem))
            return done(past, record, error);
        if (g_error_matches(problem, DEFINITION_ERROR, DEFINITION_UNKNOWN)) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
    }
    return roll_back(past, record, problem ? problem->message : NULL, error);
}
