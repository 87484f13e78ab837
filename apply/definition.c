/* SPDX-License-Identifier: GPL-2.0-or-later */
/* definition.c: fetching a domain's definition and replacing it with care. */
#include "apply/definition.h"

#include <libvirt/virterror.h>
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

static const char *
libvirt_says(void)
{
    const char *message = virGetLastErrorMessage();

    return message ? message : "libvirt gives no reason";
}

static void
free_xml(char *xml)
{
    /* It may hold passwords. */
    if (xml)
        explicit_bzero(xml, strlen(xml));
    free(xml);
}

void
definition_free(struct definition *definition)
{
    if (!definition)
        return;
    if (definition->domain)
        virDomainFree(definition->domain);
    g_free(definition->name);
    g_free(definition->uuid);
    free(definition->shown);
    free_xml(definition->full);
    domxml_doc_free(definition->doc);
    g_free(definition);
}

static char *
fetch_full(virDomainPtr domain)
{
    return virDomainGetXMLDesc(domain, VIR_DOMAIN_XML_INACTIVE | VIR_DOMAIN_XML_SECURE);
}

static gboolean
check_changeable(virDomainPtr domain, const char *name, GError **error)
{
    switch (virDomainIsPersistent(domain)) {
    case 1:
        break;
    case 0:
        return fail(error, DEFINITION_REFUSED,
                    "%s is transient: it has no definition to change; change what creates it", name);
    default:
        return fail(error, DEFINITION_REFUSED, "%s: %s", name, libvirt_says());
    }
    switch (virDomainHasManagedSaveImage(domain, 0)) {
    case 0:
        return TRUE;
    case 1:
        return fail(error, DEFINITION_REFUSED,
                    "%s has a managed save and would start from the XML saved in it: start it "
                    "first, or drop its saved memory with 'virsh managedsave-remove %s'",
                    name, name);
    default:
        return fail(error, DEFINITION_REFUSED, "%s: %s", name, libvirt_says());
    }
}

struct definition *
definition_fetch(virDomainPtr domain, GError **error)
{
    struct definition *definition = g_new0(struct definition, 1);
    struct domxml_error parse_error = DOMXML_ERROR_INIT;
    char uuid[VIR_UUID_STRING_BUFLEN] = "";

    virDomainRef(domain);
    definition->domain = domain;
    definition->name = g_strdup(virDomainGetName(domain));
    virDomainGetUUIDString(domain, uuid);
    definition->uuid = g_strdup(uuid);
    if (!check_changeable(domain, definition->name, error))
        goto failed;
    definition->full = fetch_full(domain);
    definition->shown = virDomainGetXMLDesc(domain, VIR_DOMAIN_XML_INACTIVE);
    if (!definition->full || !definition->shown) {
        fail(error, DEFINITION_REFUSED, "%s: cannot read its definition: %s", definition->name,
             libvirt_says());
        goto failed;
    }
    definition->doc = domxml_parse(definition->full, strlen(definition->full), &parse_error);
    if (!definition->doc) {
        fail(error, DEFINITION_REFUSED, "%s: cannot read its definition: %s", definition->name,
             parse_error.text);
        goto failed;
    }
    return definition;

failed:
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

/* A snapshot's revert brings its own disks back, without a word: facts 4.5. */
static gboolean
check_snapshots(const struct definition *definition, GPtrArray *changes, GPtrArray *notes,
                GError **error)
{
    int snapshots = virDomainSnapshotNum(definition->domain, 0);

    if (snapshots < 0)
        return fail(error, DEFINITION_REFUSED, "%s: cannot count its snapshots: %s",
                    definition->name, libvirt_says());
    if (snapshots == 0)
        return TRUE;
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = changes->pdata[i];

        if (g_str_equal(change->path, "target@bus") || g_str_equal(change->path, "@type") ||
            g_str_equal(change->path, "driver@type") || g_str_has_prefix(change->path, "source"))
            return fail(error, DEFINITION_REFUSED,
                        "%s has %d snapshot(s), and a revert would bring the old disk back: "
                        "delete them first, or leave the bus as it is with -x ide-bus",
                        definition->name, snapshots);
    }
    g_ptr_array_add(notes,
                    g_strdup_printf("%s has %d snapshot(s): a revert brings the old values back",
                                    definition->name, snapshots));
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

static gboolean
define(const struct definition *definition, const char *text, unsigned int flags)
{
    virDomainPtr defined =
        virDomainDefineXMLFlags(virDomainGetConnect(definition->domain), text, flags);

    if (!defined)
        return FALSE;
    virDomainFree(defined);
    return TRUE;
}

/* Validates against libvirt's schema, unless the definition that stands fails it too: then it could never be mended. The
 * daemon is the judge of both; that it takes its own text for valid defines what stands already. */
static gboolean
define_validated(const struct definition *definition, const char *text, GPtrArray *notes,
                 GError **error)
{
    g_autofree char *first = NULL;

    if (define(definition, text, VIR_DOMAIN_DEFINE_VALIDATE))
        return TRUE;
    first = g_strdup(libvirt_says());
    if (virGetLastErrorCode() != VIR_ERR_XML_INVALID_SCHEMA)
        return fail(error, DEFINITION_FAILED, "%s: libvirt refused the new definition, the old one "
                    "stands: %s", definition->name, first);
    if (define(definition, definition->full, VIR_DOMAIN_DEFINE_VALIDATE) ||
        virGetLastErrorCode() != VIR_ERR_XML_INVALID_SCHEMA)
        return fail(error, DEFINITION_FAILED, "%s: the new definition does not follow libvirt's "
                    "schema, the old one stands: %s", definition->name, first);
    if (!define(definition, text, 0))
        return fail(error, DEFINITION_FAILED, "%s: libvirt refused the new definition, the old one "
                    "stands: %s", definition->name, libvirt_says());
    g_ptr_array_add(notes, g_strdup_printf("%s: the definition does not follow libvirt's schema, "
                                           "and did not before: it was defined without that check",
                                           definition->name));
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

    json_object_set_string_member(object, "domain", definition->name);
    json_object_set_string_member(object, "uuid", definition->uuid);
    return object;
}

/* The definition is as it was before, or the message says that it is not. */
static gboolean
put_back(const struct definition *definition, const char *why, struct journal_run *run,
         GError **error)
{
    JsonObject *members = record(definition);
    gboolean restored = define(definition, definition->full, 0);

    json_object_set_string_member(members, "reason", why);
    json_object_set_boolean_member(members, "restored", restored);
    journal_append(run, "define-failed", members, NULL);
    if (!restored)
        return fail(error, DEFINITION_FAILED, "%s: %s, and the old definition could not be put "
                    "back: %s", definition->name, why, libvirt_says());
    return fail(error, DEFINITION_FAILED, "%s: %s; the old definition was put back",
                definition->name, why);
}

/* Reads the new definition back and writes what became of it into the journal. */
static gboolean
verify(const struct definition *definition, const domxml_doc *intended, GPtrArray *changes,
       GPtrArray *renamed, struct journal_run *run, GError **error)
{
    char *full = fetch_full(definition->domain);
    g_autoptr(domxml_doc) found = full ? domxml_parse(full, strlen(full), NULL) : NULL;
    g_autoptr(GPtrArray) edited = edited_disks(changes, renamed);
    g_autoptr(GPtrArray) differences = NULL;
    g_autoptr(GPtrArray) actual = NULL;
    JsonObject *members;

    free_xml(full);
    if (!found)
        return fail(error, DEFINITION_FAILED, "%s: its new definition cannot be read back: %s; "
                    "domlint --undo takes it back", definition->name, libvirt_says());
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
                    definition->name, parse_error.text);
    renamed = renamed_disks(definition->doc, intended);
    changes = change_list(definition->doc, intended, (const char *const *)renamed->pdata);
    if (!check_snapshots(definition, changes, notes, error) ||
        !announce(definition, changes, run, error))
        return FALSE;
    now = fetch_full(definition->domain);
    same = now && g_str_equal(now, definition->full);
    free_xml(now);
    if (!same)
        return fail(error, DEFINITION_REFUSED, "%s was changed by someone else meanwhile: run "
                    "domlint again", definition->name);
    if (!define_validated(definition, text, notes, error)) {
        journal_append(run, "define-failed", record(definition), NULL);
        return FALSE;
    }
    if (!verify(definition, intended, changes, renamed, run, error))
        return FALSE;
    if (virDomainIsActive(definition->domain) == 1)
        g_ptr_array_add(notes, g_strdup_printf("%s is running: this takes effect after its next "
                                               "shutdown and start, a reboot is not enough",
                                               definition->name));
    return TRUE;
}
