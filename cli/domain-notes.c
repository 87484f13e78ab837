/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-notes.c: remarks on domains.
 *
 * What is checked and fixed is the definition of the next start. What the guest that runs has instead is found by the same
 * rules in its live definition.
 */
#include "cli/domain-notes.h"

static void G_GNUC_PRINTF(2, 3)
add(struct document *document, const char *format, ...)
{
    va_list arguments;

    if (!document->target.notes)
        document->target.notes = g_ptr_array_new_with_free_func(g_free);
    va_start(arguments, format);
    g_ptr_array_add(document->target.notes, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

/* What makes a finding the same in both definitions: the rule and the image, since the disk may have another name in the
 * one; or the disk's name where it has none. To be freed. */
static char *
identity(const domxml_doc *doc, const struct lint_finding *finding)
{
    static const char *const paths[] = {
        "source@file", "source@dev", "source@volume", "source@name", "source@dir", "target@dev",
    };
    const domxml_elem *disk =
        finding->disk >= 0 ? domxml_disk(doc, (size_t)finding->disk) : NULL;
    const char *image = NULL;

    for (gsize i = 0; disk && !image && i < G_N_ELEMENTS(paths); i++)
        image = domxml_get(disk, paths[i]);
    return g_strdup_printf("%s %s", finding->rule->id, image ? image : "");
}

/* The failures of @findings on @doc that are not among @others on @other_doc, in words; to be freed. NULL without any. */
static char *
only_in(const domxml_doc *doc, GPtrArray *findings, const domxml_doc *other_doc, GPtrArray *others)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < others->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(others, i);

        if (finding->result == LINT_RESULT_FAIL)
            g_hash_table_add(known, identity(other_doc, finding));
    }
    for (guint i = 0; i < findings->len; i++) {
        const struct lint_finding *finding = g_ptr_array_index(findings, i);
        g_autofree char *key = identity(doc, finding);

        if (finding->result != LINT_RESULT_FAIL || g_hash_table_contains(known, key))
            continue;
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", finding->rule->id);
        if (finding->subject)
            g_string_append_printf(text, " (%s)", finding->subject);
    }
    return g_string_free(text, text->len == 0);
}

/* Tells what is pending from what runs. */
static void
compare_with_running(const struct run *run, struct document *document, GPtrArray *findings)
{
    const domxml_doc *doc = document->target.doc;
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = source_libvirt_xml(run->session->connection, document->domain,
                                               SOURCE_TEXT_LIVE, SOURCE_WITHOUT_SECRETS, &problem);
    g_autoptr(domxml_doc) live = text ? domxml_parse(text, strlen(text), NULL) : NULL;
    g_autoptr(GPtrArray) running = NULL;
    g_autofree char *cleared = NULL;
    g_autofree char *coming = NULL;

    if (!live) {
        add(document, "what its guest runs with now cannot be read: %s",
            problem ? problem->message : "its live XML does not parse");
        return;
    }
    running = lint_run(run->selection, live, document->facts);
    cleared = only_in(live, running, doc, findings);
    coming = only_in(doc, findings, live, running);
    if (cleared)
        add(document, "it is %s, and still with what its definition no longer has: %s; that goes "
            "with its next shutdown and start, a reboot is not enough", document->target.state,
            cleared);
    if (coming)
        add(document, "it is %s, and still without what its definition has: %s; that comes with "
            "its next shutdown and start", document->target.state, coming);
}

static gboolean
has_failures(GPtrArray *findings)
{
    for (guint i = 0; i < findings->len; i++) {
        if (((const struct lint_finding *)g_ptr_array_index(findings, i))->result ==
            LINT_RESULT_FAIL)
            return TRUE;
    }
    return FALSE;
}

void
domain_notes_add(const struct run *run, struct document *document, GPtrArray *findings)
{
    const struct source_domain *domain = document->domain;

    if (!domain || !document->target.doc)
        return;
    if (domain->persistent == FACT_NO) {
        if (has_failures(findings))
            add(document, "it is transient: there is no definition to change; change what creates "
                "it");
        return;
    }
    if (domain->managed_save == FACT_YES && has_failures(findings))
        add(document, "it has a managed save and would start from the XML saved in that: --fix "
            "refuses it until it was started, or its saved memory was dropped");
    if (domain->active == FACT_YES)
        compare_with_running(run, document, findings);
}
