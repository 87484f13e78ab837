/* SPDX-License-Identifier: GPL-2.0-or-later */
/* definition.c: fetching a domain's definition and replacing it with care. */
#include "apply/definition.h"

#include <string.h>

#include "apply/canonical.h"
#include "apply/change.h"

GQuark
definition_error_quark(void)
{
    return g_quark_from_static_string("domlint-definition");
}

G_GNUC_PRINTF(3, 4)
static gboolean
fail(GError **error, enum definition_error code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error && !*error)
        *error = g_error_new_valist(DEFINITION_ERROR, code, format, args);
    va_end(args);
    return FALSE;
}

/* Frees a text that may hold passwords. */
static void
free_secret(char *xml)
{
    if (xml)
        explicit_bzero(xml, strlen(xml));
    g_free(xml);
}

void
definition_free(struct definition *definition)
{
    if (!definition)
        return;
    g_free(definition->shown);
    free_secret(definition->full);
    domxml_doc_free(definition->doc);
    g_free(definition);
}

static char *
fetch_full(const struct definition *definition, GError **error)
{
    return source_libvirt_xml(definition->connection, definition->domain, SOURCE_TEXT_INACTIVE,
                              SOURCE_WITH_SECRETS, error);
}

static gboolean
check_changeable(const struct source_domain *domain, const struct domain_now *now, GError **error)
{
    if (!now->persistent)
        return fail(error, DEFINITION_REFUSED,
                    "it is transient: there is no definition to change; change what creates it");
    if (now->managed_save)
        return fail(error, DEFINITION_REFUSED,
                    "it has a managed save, and would start from the XML saved in that: start it "
                    "first, or drop the saved memory with 'virsh managedsave-remove %s'",
                    domain->name);
    return TRUE;
}

/* Fills in the texts of @definition. */
static gboolean
fetch_texts(struct definition *definition, GError **error)
{
    struct domxml_error problem = DOMXML_ERROR_INIT;

    definition->full = fetch_full(definition, error);
    if (!definition->full)
        return FALSE;
    definition->shown = source_libvirt_xml(definition->connection, definition->domain,
                                           SOURCE_TEXT_INACTIVE, SOURCE_WITHOUT_SECRETS, error);
    if (!definition->shown)
        return FALSE;
    definition->doc = domxml_parse(definition->full, strlen(definition->full), &problem);
    if (!definition->doc)
        return fail(error, DEFINITION_REFUSED, "its definition cannot be read: %s", problem.text);
    return TRUE;
}

struct definition *
definition_fetch(struct connection *connection, const struct source_domain *domain, GError **error)
{
    struct definition *definition = g_new0(struct definition, 1);

    definition->connection = connection;
    definition->domain = domain;
    if (domain_look(connection, domain, &definition->now, error) &&
        check_changeable(domain, &definition->now, error) && fetch_texts(definition, error))
        return definition;
    definition_free(definition);
    return NULL;
}

/* Target names before and after, of the disks whose name changed ("hda", "vda", ..., NULL). Our edits keep the
 * disks' order and number. */
static GPtrArray *
renamed_disks(const domxml_doc *before, const domxml_doc *after)
{
    GPtrArray *renamed = g_ptr_array_new();

    for (size_t i = 0; i < domxml_disk_count(before) && i < domxml_disk_count(after); i++) {
        const char *old = domxml_get(domxml_disk(before, i), "target@dev");
        const char *new = domxml_get(domxml_disk(after, i), "target@dev");

        if (old && new && !g_str_equal(old, new)) {
            g_ptr_array_add(renamed, (gpointer)old);
            g_ptr_array_add(renamed, (gpointer)new);
        }
    }
    g_ptr_array_add(renamed, NULL);
    return renamed;
}

/* Snapshots and checkpoints hold the disks as they were then: a revert brings those back without a word, and a
 * checkpoint knows its disk by its name (facts 4.5). */
static gboolean
check_past(const struct domain_now *now, GPtrArray *changes, GPtrArray *notes, GError **error)
{
    gboolean checkpoints = now->snapshots == 0;
    int count = checkpoints ? now->checkpoints : now->snapshots;
    g_autofree char *past = g_strdup_printf("%d %s%s", count,
                                            checkpoints ? "checkpoint" : "snapshot",
                                            count == 1 ? "" : "s");

    if (count == 0)
        return TRUE;
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (g_str_equal(change->path, "target@bus") || g_str_equal(change->path, "target@dev") ||
            g_str_equal(change->path, "@type") || g_str_equal(change->path, "driver@type") ||
            g_str_has_prefix(change->path, "source"))
            return fail(error, DEFINITION_REFUSED, "it has %s of the disk as it is: delete %s "
                        "first, or leave the disk's bus and image as they are", past,
                        count == 1 ? "it" : "them");
    }
    if (!checkpoints)
        g_ptr_array_add(notes, g_strdup_printf("it has %s: a revert brings the old values back",
                                               past));
    return TRUE;
}

static void
note_effect(const struct domain_now *now, GPtrArray *notes)
{
    if (now->active)
        g_ptr_array_add(notes, g_strdup_printf("it is %s: this takes effect after its next "
                                               "shutdown and start, a reboot is not enough",
                                               now->paused ? "paused" : "running"));
}

gboolean
definition_check(struct connection *connection, const struct source_domain *domain,
                 const domxml_doc *before, const domxml_doc *after, GPtrArray *notes,
                 GError **error)
{
    g_autoptr(GPtrArray) renamed = renamed_disks(before, after);
    g_autoptr(GPtrArray) changes = change_list(before, after, (const char *const *)renamed->pdata);
    struct domain_now now;

    if (!domain_look(connection, domain, &now, error) || !check_changeable(domain, &now, error) ||
        !check_past(&now, changes, notes, error))
        return FALSE;
    note_effect(&now, notes);
    return TRUE;
}

/* The domain's names of disks that @changes touch, before and after the change. */
static GPtrArray *
edited_disks(GPtrArray *changes, GPtrArray *renamed)
{
    GPtrArray *edited = g_ptr_array_new();

    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (change->disk)
            g_ptr_array_add(edited, change->disk);
    }
    for (guint i = 0; i + 1 < renamed->len; i++)
        g_ptr_array_add(edited, renamed->pdata[i]);
    g_ptr_array_add(edited, NULL);
    return edited;
}

static gboolean
touches_os(GPtrArray *changes)
{
    for (guint i = 0; i < changes->len; i++)
        if (!((const struct change *)changes->pdata[i])->disk)
            return TRUE;
    return FALSE;
}

/* Whether what stands is what was fetched. */
static gboolean
check_unchanged(const struct definition *definition, GError **error)
{
    char *now = fetch_full(definition, error);
    gboolean same = now && g_str_equal(now, definition->full);

    if (now && !same)
        fail(error, DEFINITION_REFUSED, "it was changed by someone else meanwhile: run domlint "
             "again");
    free_secret(now);
    return same;
}

/* What a failed define leaves: with an answer lost, nobody knows. */
static gboolean
define_failed(const GError *problem, const char *what, gboolean *lost, GError **error)
{
    *lost = g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_TIMEOUT) ||
            g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_LOST);
    if (*lost)
        return fail(error, DEFINITION_FAILED, "whether the new definition was taken is not known "
                    "(domlint --undo takes it back if it was): %s", problem->message);
    return fail(error, DEFINITION_REFUSED, "%s: %s", what, problem->message);
}

/* Validates against libvirt's schema, unless the definition that stands fails it too: then it could never be mended. The
 * daemon is the judge of both; that it takes its own text for valid defines what stands already.
 * @lost: set where nobody knows whether it was defined */
static gboolean
define_validated(const struct definition *definition, const char *text, GPtrArray *notes,
                 gboolean *lost, GError **error)
{
    static const char not_taken[] = "libvirt does not take the new definition";
    g_autoptr(GError) first = NULL;
    g_autoptr(GError) second = NULL;
    gboolean invalid, old_invalid;

    if (domain_define(definition->connection, text, TRUE, &invalid, &first))
        return TRUE;
    if (!invalid)
        return define_failed(first, not_taken, lost, error);
    if (!check_unchanged(definition, error))
        return FALSE;
    if (domain_define(definition->connection, definition->full, TRUE, &old_invalid, NULL) ||
        !old_invalid)
        return define_failed(first, "the new definition does not follow libvirt's schema", lost,
                             error);
    if (!domain_define(definition->connection, text, FALSE, NULL, &second))
        return define_failed(second, not_taken, lost, error);
    g_ptr_array_add(notes, g_strdup("its definition does not follow libvirt's schema, and did not "
                                    "before: it was defined without that check"));
    return TRUE;
}

static gboolean
has_disk(const domxml_doc *doc, const char *target)
{
    for (size_t i = 0; i < domxml_disk_count(doc); i++)
        if (g_strcmp0(domxml_get(domxml_disk(doc, i), "target@dev"), target) == 0)
            return TRUE;
    return FALSE;
}

/* Whether the disks read back as they were written; libvirt gives those an <address> that have none. */
static void
compare_intent(const domxml_doc *intended, const domxml_doc *found, GPtrArray *differences)
{
    g_autoptr(GPtrArray) rest = change_list(intended, found, NULL);

    for (size_t i = 0; i < domxml_disk_count(intended); i++) {
        const char *target = domxml_get(domxml_disk(intended, i), "target@dev");

        if (!has_disk(found, target))
            g_ptr_array_add(differences, g_strdup_printf("disk %s is not there", target));
    }
    if (domxml_disk_count(found) != domxml_disk_count(intended))
        g_ptr_array_add(differences, g_strdup("the number of disks is another"));
    for (guint i = 0; i < rest->len; i++) {
        const struct change *difference = rest->pdata[i];

        if (difference->before || !g_str_equal(difference->path, "address"))
            g_ptr_array_add(differences, g_strdup_printf("%s%s%s did not stay as it was written",
                                                         difference->disk ? difference->disk : "",
                                                         difference->disk ? " " : "",
                                                         difference->path));
    }
}

static JsonObject *
record(const struct definition *definition)
{
    JsonObject *object = json_object_new();

    json_object_set_string_member(object, "domain", definition->domain->name);
    json_object_set_string_member(object, "uuid", definition->domain->uuid);
    return object;
}

/* Takes down that what was announced does not stand; @restored FALSE: or that it may. */
static void
record_failure(const struct definition *definition, const char *why, gboolean restored,
               struct journal_run *run)
{
    JsonObject *members = record(definition);

    json_object_set_string_member(members, "reason", why);
    json_object_set_boolean_member(members, "restored", restored);
    journal_append(run, "define-failed", members, NULL);
}

/* The definition is as it was before, or the message says that it is not. */
static gboolean
put_back(const struct definition *definition, const char *why, struct journal_run *run,
         GError **error)
{
    g_autoptr(GError) problem = NULL;
    gboolean restored =
        domain_define(definition->connection, definition->full, FALSE, NULL, &problem);

    record_failure(definition, why, restored, run);
    if (!restored)
        return fail(error, DEFINITION_FAILED, "%s, and the old definition could not be put back: "
                    "%s", why, problem->message);
    return fail(error, DEFINITION_FAILED, "%s; the old definition was put back", why);
}

/* Reads the new definition back and writes what became of it into the journal. */
static gboolean
verify(const struct definition *definition, const domxml_doc *intended, GPtrArray *changes,
       GPtrArray *renamed, struct journal_run *run, GError **error)
{
    g_autoptr(GError) problem = NULL;
    char *full = fetch_full(definition, &problem);
    g_autoptr(domxml_doc) found = full ? domxml_parse(full, strlen(full), NULL) : NULL;
    g_autoptr(GPtrArray) edited = edited_disks(changes, renamed);
    g_autoptr(GPtrArray) differences = NULL;
    g_autoptr(GPtrArray) actual = NULL;
    JsonObject *members;

    free_secret(full);
    if (!found)
        return fail(error, DEFINITION_FAILED, "it is changed, but cannot be read back (domlint "
                    "--undo takes it back): %s",
                    problem ? problem->message : "it does not parse");
    differences = canonical_compare(definition->doc, found, (const char *const *)edited->pdata,
                                    touches_os(changes));
    compare_intent(intended, found, differences);
    if (differences->len > 0) {
        g_autofree char *why = g_strdup_printf("after the define more differs than was edited: %s",
                                               (const char *)differences->pdata[0]);

        return put_back(definition, why, run, error);
    }
    actual = change_list(definition->doc, found, (const char *const *)renamed->pdata);
    members = record(definition);
    json_object_set_array_member(members, "changes", change_to_json(actual));
    return journal_append(run, "define-done", members, &problem) ||
           fail(error, DEFINITION_FAILED, "it is changed (domlint --undo takes it back), but %s",
                problem->message);
}

static gboolean
announce(const struct definition *definition, GPtrArray *changes, struct journal_run *run,
         GError **error)
{
    JsonObject *members = record(definition);

    json_object_set_string_member(members, "before", definition->shown);
    json_object_set_array_member(members, "changes", change_to_json(changes));
    return journal_append(run, "define", members, error);
}

gboolean
definition_replace(const struct definition *definition, const char *text, struct journal_run *run,
                   GPtrArray *notes, GError **error)
{
    struct domxml_error parse_error = DOMXML_ERROR_INIT;
    g_autoptr(domxml_doc) intended = domxml_parse(text, strlen(text), &parse_error);
    g_autoptr(GPtrArray) renamed = NULL;
    g_autoptr(GPtrArray) changes = NULL;
    g_autoptr(GError) problem = NULL;
    gboolean lost = FALSE;

    if (!intended)
        return fail(error, DEFINITION_REFUSED, "the new definition cannot be read: %s",
                    parse_error.text);
    renamed = renamed_disks(definition->doc, intended);
    changes = change_list(definition->doc, intended, (const char *const *)renamed->pdata);
    if (!check_past(&definition->now, changes, notes, error) ||
        !announce(definition, changes, run, error))
        return FALSE;
    /* Right before the define: libvirt has no compare-and-swap. */
    if (!check_unchanged(definition, &problem) ||
        !define_validated(definition, text, notes, &lost, &problem)) {
        if (!lost)
            record_failure(definition, problem->message, TRUE, run);
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (!verify(definition, intended, changes, renamed, run, error))
        return FALSE;
    note_effect(&definition->now, notes);
    return TRUE;
}
