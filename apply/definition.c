/* SPDX-License-Identifier: GPL-2.0-or-later */
/* definition.c: fetching a domain's definition and replacing it with care. */
#include "apply/definition.h"

#include <string.h>

#include "apply/canonical.h"
#include "apply/change.h"
#include "apply/domain.h"

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
check_changeable(struct definition *definition, GError **error)
{
    const char *name = definition->domain->name;
    struct domain_now now;

    if (!domain_look(definition->connection, definition->domain, &now, error))
        return FALSE;
    definition->active = now.active;
    definition->snapshots = now.snapshots;
    if (!now.persistent)
        return fail(error, DEFINITION_REFUSED,
                    "%s is transient: it has no definition to change; change what creates it", name);
    if (now.managed_save)
        return fail(error, DEFINITION_REFUSED,
                    "%s has a managed save and would start from the XML saved in it: start it "
                    "first, or drop its saved memory with 'virsh managedsave-remove %s'",
                    name, name);
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
        return fail(error, DEFINITION_REFUSED, "%s: its definition cannot be read: %s",
                    definition->domain->name, problem.text);
    return TRUE;
}

struct definition *
definition_fetch(struct connection *connection, const struct source_domain *domain, GError **error)
{
    struct definition *definition = g_new0(struct definition, 1);
    g_autoptr(GError) problem = NULL;

    definition->connection = connection;
    definition->domain = domain;
    if (check_changeable(definition, &problem) && fetch_texts(definition, &problem))
        return definition;
    definition_free(definition);
    if (problem->domain == DEFINITION_ERROR)
        g_propagate_error(error, g_steal_pointer(&problem));
    else
        fail(error, DEFINITION_REFUSED, "%s: %s", domain->name, problem->message);
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

/* A snapshot's revert brings its own disks back, without a word: facts 4.5. */
static gboolean
check_snapshots(const struct definition *definition, GPtrArray *changes, GPtrArray *notes,
                GError **error)
{
    int snapshots = definition->snapshots;

    if (snapshots == 0)
        return TRUE;
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (g_str_equal(change->path, "target@bus") || g_str_equal(change->path, "@type") ||
            g_str_equal(change->path, "driver@type") || g_str_has_prefix(change->path, "source"))
            return fail(error, DEFINITION_REFUSED,
                        "%s has %d snapshot(s), and a revert would bring the old disk back: "
                        "delete them first, or leave the bus as it is with -x ide-bus",
                        definition->domain->name, snapshots);
    }
    g_ptr_array_add(notes,
                    g_strdup_printf("%s has %d snapshot(s): a revert brings the old values back",
                                    definition->domain->name, snapshots));
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

/* What a failed define leaves: with an answer lost, nobody knows. */
static gboolean
define_failed(const struct definition *definition, const GError *problem, const char *what,
              GError **error)
{
    gboolean lost = g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_TIMEOUT) ||
                    g_error_matches(problem, CONNECTION_ERROR, CONNECTION_ERROR_LOST);

    return fail(error, DEFINITION_FAILED, "%s: %s, %s: %s", definition->domain->name, what,
                lost ? "and whether it was defined is not known; domlint --undo takes it back if "
                       "it was"
                     : "the old definition stands",
                problem->message);
}

/* Validates against libvirt's schema, unless the definition that stands fails it too: then it could never be mended. The
 * daemon is the judge of both; that it takes its own text for valid defines what stands already. */
static gboolean
define_validated(const struct definition *definition, const char *text, GPtrArray *notes,
                 GError **error)
{
    g_autoptr(GError) first = NULL;
    g_autoptr(GError) second = NULL;
    gboolean invalid, old_invalid;

    if (domain_define(definition->connection, text, TRUE, &invalid, &first))
        return TRUE;
    if (!invalid)
        return define_failed(definition, first, "libvirt did not take the new definition", error);
    if (domain_define(definition->connection, definition->full, TRUE, &old_invalid, NULL) ||
        !old_invalid)
        return define_failed(definition, first,
                             "the new definition does not follow libvirt's schema", error);
    if (!domain_define(definition->connection, text, FALSE, NULL, &second))
        return define_failed(definition, second, "libvirt did not take the new definition", error);
    g_ptr_array_add(notes, g_strdup_printf("%s: the definition does not follow libvirt's schema, "
                                           "and did not before: it was defined without that check",
                                           definition->domain->name));
    return TRUE;
}

/* Whether each attribute that we wrote reads back; what libvirt assigns itself (<address>) is not ours. */
static void
compare_intent(const domxml_doc *intended, const domxml_doc *found, GPtrArray *changes,
               GPtrArray *differences)
{
    g_autoptr(GPtrArray) rest = change_list(intended, found, NULL);

    for (guint i = 0; i < rest->len; i++) {
        const struct change *difference = rest->pdata[i];

        for (guint c = 0; c < changes->len; c++) {
            const struct change *change = changes->pdata[c];

            if (g_strcmp0(change->disk, difference->disk) == 0 &&
                g_str_equal(change->path, difference->path) &&
                !g_str_equal(change->path, "address"))
                g_ptr_array_add(differences, g_strdup_printf("%s %s did not stay as it was written",
                                                             change->disk ? change->disk : "",
                                                             change->path));
        }
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

/* The definition is as it was before, or the message says that it is not. */
static gboolean
put_back(const struct definition *definition, const char *why, struct journal_run *run,
         GError **error)
{
    JsonObject *members = record(definition);
    g_autoptr(GError) problem = NULL;
    gboolean restored =
        domain_define(definition->connection, definition->full, FALSE, NULL, &problem);

    json_object_set_string_member(members, "reason", why);
    json_object_set_boolean_member(members, "restored", restored);
    journal_append(run, "define-failed", members, NULL);
    if (!restored)
        return fail(error, DEFINITION_FAILED, "%s: %s, and the old definition could not be put "
                    "back: %s", definition->domain->name, why, problem->message);
    return fail(error, DEFINITION_FAILED, "%s: %s; the old definition was put back",
                definition->domain->name, why);
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
        return fail(error, DEFINITION_FAILED, "%s: its new definition cannot be read back: %s; "
                    "domlint --undo takes it back", definition->domain->name,
                    problem ? problem->message : "it does not parse");
    differences = canonical_compare(definition->doc, found, (const char *const *)edited->pdata,
                                    touches_os(changes));
    compare_intent(intended, found, changes, differences);
    if (differences->len > 0) {
        g_autofree char *why = g_strdup_printf("after the define more differs than was edited: %s",
                                               (const char *)differences->pdata[0]);

        return put_back(definition, why, run, error);
    }
    actual = change_list(definition->doc, found, (const char *const *)renamed->pdata);
    members = record(definition);
    json_object_set_array_member(members, "changes", change_to_json(actual));
    return journal_append(run, "define-done", members, error);
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
    gboolean same;
    char *now;

    if (!intended)
        return fail(error, DEFINITION_REFUSED, "%s: the new definition cannot be read: %s",
                    definition->domain->name, parse_error.text);
    renamed = renamed_disks(definition->doc, intended);
    changes = change_list(definition->doc, intended, (const char *const *)renamed->pdata);
    if (!check_snapshots(definition, changes, notes, error) ||
        !announce(definition, changes, run, error))
        return FALSE;
    now = fetch_full(definition, error);
    if (!now)
        return FALSE;
    same = g_str_equal(now, definition->full);
    free_secret(now);
    if (!same)
        return fail(error, DEFINITION_REFUSED, "%s was changed by someone else meanwhile: run "
                    "domlint again", definition->domain->name);
    if (!define_validated(definition, text, notes, error)) {
        journal_append(run, "define-failed", record(definition), NULL);
        return FALSE;
    }
    if (!verify(definition, intended, changes, renamed, run, error))
        return FALSE;
    if (definition->active)
        g_ptr_array_add(notes, g_strdup_printf("%s is running: this takes effect after its next "
                                               "shutdown and start, a reboot is not enough",
                                               definition->domain->name));
    return TRUE;
}
