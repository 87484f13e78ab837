/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-images.c: the images that one domain names in all its texts.
 */
#include "probe/domain-images.h"

#include <string.h>

#include "probe/source-past.h"

/* What the reading of one domain needs. */
struct reading {
    struct connection *connection;
    struct volumes *volumes;
    struct domain_images *images;
};

static void
free_image(void *data)
{
    struct domain_image *image = data;

    named_image_free(image->image);
    g_free(image->past);
    g_free(image);
}

struct domain_images *
domain_images_new(const struct source_domain *domain)
{
    struct domain_images *images = g_new0(struct domain_images, 1);

    images->domain = domain;
    images->found = g_ptr_array_new_with_free_func(free_image);
    images->problems = g_ptr_array_new_with_free_func(g_free);
    return images;
}

void
domain_images_free(struct domain_images *images)
{
    if (!images)
        return;
    g_ptr_array_unref(images->found);
    g_ptr_array_unref(images->problems);
    g_clear_error(&images->lost);
    g_free(images);
}

/* Gives a volume its path; FALSE where that is not known. */
static gboolean
resolve(const struct reading *reading, struct named_image *image)
{
    const char *reason = NULL, *path;

    if (image->path)
        return TRUE;
    path = volumes_path(reading->volumes, image->pool, image->volume, &reason);
    image->path = g_strdup(path);
    if (!path)
        g_ptr_array_add(reading->images->problems,
                        g_strdup_printf("volume %s of pool %s: %s", image->volume, image->pool,
                                        reason));
    return path != NULL;
}

/* Takes down what a text names; @what says which text it is. */
static void
add_text(const struct reading *reading, const char *xml, const char *what, enum image_role role,
         const char *past)
{
    struct domain_images *images = reading->images;
    struct domxml_error error = DOMXML_ERROR_INIT;
    g_autoptr(domxml_doc) doc = domxml_parse(xml, strlen(xml), &error);
    g_autoptr(GPtrArray) named = NULL;

    if (!doc) {
        g_ptr_array_add(images->problems,
                        g_strdup_printf("%s cannot be read: %s", what, error.text));
        return;
    }
    named = named_images(doc, role, images->problems);
    /* The images change hands, one by one. */
    g_ptr_array_set_free_func(named, NULL);
    for (guint i = 0; i < named->len; i++) {
        struct domain_image *image = g_new0(struct domain_image, 1);

        image->image = g_ptr_array_index(named, i);
        image->past = g_strdup(past);
        if (resolve(reading, image->image))
            g_ptr_array_add(images->found, image);
        else
            free_image(image);
    }
}

/* Takes down why a text could not be had (@error is taken over); a domain that has vanished has
 * none. */
static void
add_failure(const struct reading *reading, const char *what, GError *error)
{
    struct domain_images *images = reading->images;

    if (!g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_GONE))
        g_ptr_array_add(images->problems,
                        g_strdup_printf("%s cannot be read: %s", what, error->message));
    if (!images->lost && g_error_matches(error, CONNECTION_ERROR, CONNECTION_ERROR_LOST))
        images->lost = g_steal_pointer(&error);
    g_clear_error(&error);
}

static void
add_definition(const struct reading *reading, enum source_text text)
{
    const char *what = text == SOURCE_TEXT_LIVE ? "its live definition" : "its definition";
    GError *error = NULL;
    g_autofree char *xml = source_libvirt_xml(reading->connection, reading->images->domain, text,
                                              SOURCE_WITHOUT_SECRETS, &error);

    if (xml)
        add_text(reading, xml, what, IMAGE_ROLE_DISK, NULL);
    else
        add_failure(reading, what, error);
}

static void
add_past(const struct reading *reading)
{
    static const enum image_role roles[] = {
        [SOURCE_PAST_SNAPSHOT] = IMAGE_ROLE_SNAPSHOT,
        [SOURCE_PAST_CHECKPOINT] = IMAGE_ROLE_CHECKPOINT,
        [SOURCE_PAST_MANAGED_SAVE] = IMAGE_ROLE_SAVED,
    };
    GError *error = NULL;
    g_autoptr(GPtrArray) past = source_past_list(reading->connection, reading->images->domain,
                                                 &error);

    if (!past) {
        add_failure(reading, "its list of snapshots and checkpoints", error);
        return;
    }
    for (guint i = 0; i < past->len; i++) {
        const struct source_past *item = g_ptr_array_index(past, i);
        enum image_role role = roles[item->kind];
        g_autofree char *what = g_strdup_printf("its %s%s%s", image_role_name(role),
                                                item->name ? " " : "",
                                                item->name ? item->name : "");

        if (item->xml)
            add_text(reading, item->xml, what, role, item->name);
        else
            g_ptr_array_add(reading->images->problems,
                            g_strdup_printf("%s cannot be read: %s", what, item->unreadable));
    }
}

void
domain_images_read(struct domain_images *images, struct connection *connection,
                   struct volumes *volumes)
{
    const struct source_domain *domain = images->domain;
    const struct reading reading = {
        .connection = connection,
        .volumes = volumes,
        .images = images,
    };

    if (domain->persistent != FACT_NO)
        add_definition(&reading, SOURCE_TEXT_INACTIVE);
    if (domain->active != FACT_NO || domain->persistent == FACT_NO)
        add_definition(&reading, SOURCE_TEXT_LIVE);
    if (domain->snapshots != FACT_NO || domain->checkpoints != FACT_NO
        || domain->managed_save != FACT_NO)
        add_past(&reading);
}
