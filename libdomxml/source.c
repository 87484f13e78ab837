/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* source.c: gives a disk another image, keeping of <source> what does not belong to the old one. */
#include <stdio.h>
#include <string.h>

#include "libdomxml/bus.h"
#include "libdomxml/disk.h"
#include "libdomxml/internal.h"

enum {
    TYPE_FILE = 1 << 0,
    TYPE_BLOCK = 1 << 1,
    TYPE_DIR = 1 << 2,
    TYPE_VOLUME = 1 << 3,
    TYPE_NETWORK = 1 << 4,
    TYPE_NVME = 1 << 5,
    TYPE_VHOSTUSER = 1 << 6,
    TYPE_VHOSTVDPA = 1 << 7,
};

/* A part of <source> (or of the disk) and the types that it means something for. What is not
 * listed belongs to no type alone and always stays. */
struct part {
    const char *name;
    unsigned types;
};

static const struct part types[] = {
    { "file", TYPE_FILE },           { "block", TYPE_BLOCK },
    { "dir", TYPE_DIR },             { "volume", TYPE_VOLUME },
    { "network", TYPE_NETWORK },     { "nvme", TYPE_NVME },
    { "vhostuser", TYPE_VHOSTUSER }, { "vhostvdpa", TYPE_VHOSTVDPA },
};

static const struct part attributes[] = {
    { "file", TYPE_FILE },
    { "fdgroup", TYPE_FILE },
    { "dev", TYPE_BLOCK | TYPE_VHOSTVDPA },
    { "dir", TYPE_DIR },
    { "pool", TYPE_VOLUME },
    { "volume", TYPE_VOLUME },
    { "mode", TYPE_VOLUME },
    { "protocol", TYPE_NETWORK },
    { "name", TYPE_NETWORK },
    { "query", TYPE_NETWORK },
    { "tls", TYPE_NETWORK },
    { "tlsHostname", TYPE_NETWORK },
    { "type", TYPE_NVME | TYPE_VHOSTUSER },
    { "managed", TYPE_NVME },
    { "namespace", TYPE_NVME },
    { "path", TYPE_VHOSTUSER },
};

static const struct part children[] = {
    { "host", TYPE_NETWORK },
    { "snapshot", TYPE_NETWORK },
    { "config", TYPE_NETWORK },
    { "auth", TYPE_NETWORK | TYPE_VOLUME },
    { "initiator", TYPE_NETWORK },
    { "identity", TYPE_NETWORK },
    { "knownHosts", TYPE_NETWORK },
    { "cookies", TYPE_NETWORK },
    { "ssl", TYPE_NETWORK },
    { "readahead", TYPE_NETWORK },
    { "timeout", TYPE_NETWORK },
    { "reconnect", TYPE_NETWORK | TYPE_VHOSTUSER },
    { "address", TYPE_NVME },
};

static unsigned
find_part(const struct part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parts[i].name, name) == 0)
            return parts[i].types;
    }
    return 0;
}

static unsigned
type_bit(const char *type)
{
    return find_part(types, sizeof(types) / sizeof(types[0]), type);
}

static bool
check_arguments(const domxml_elem *disk, const char *type, const struct domxml_attr *attrs,
                size_t count, struct domxml_error *error)
{
    unsigned bit = type ? type_bit(type) : 0;

    if (!bit)
        return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk, "no disk type '%.60s'",
                            type ? type : "");
    for (size_t i = 0; i < count; i++) {
        unsigned belongs;

        if (!attrs[i].name || !attrs[i].value)
            return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk,
                                "an attribute of <source> needs a name and a value");
        belongs = find_part(attributes, sizeof(attributes) / sizeof(attributes[0]), attrs[i].name);
        if (belongs && !(belongs & bit))
            return dx_error_elem(error, DOMXML_ERR_ARGUMENT, disk,
                                "attribute %.60s of <source> is not for type '%s'", attrs[i].name,
                                type);
    }
    return true;
}

/* Fails where the kind of disk, or its bus, cannot have such a source. */
static bool
check_disk(const domxml_editor *editor, const domxml_elem *disk, const char *type,
           const struct domxml_attr *attrs, size_t count, struct domxml_error *error)
{
    const char *protocol = dx_disk_get(editor, disk, "source@protocol", "");
    unsigned bit = type_bit(type);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(attrs[i].name, "protocol") == 0)
            protocol = attrs[i].value;
    }
    if (strcmp(dx_disk_get(editor, disk, "@device", "disk"), "lun") == 0 &&
        !(bit & (TYPE_BLOCK | TYPE_VOLUME)) &&
        !(bit == TYPE_NETWORK && strcmp(protocol, "iscsi") == 0))
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                             "device='lun' passes SCSI commands: its source is a block device, a "
                             "volume or an iSCSI target");
    if ((bit & (TYPE_VHOSTUSER | TYPE_VHOSTVDPA)) && domxml_editor_find(editor, disk, "target") &&
        strcmp(dx_bus_of(editor, disk), "virtio") != 0)
        return dx_error_elem(error, DOMXML_ERR_REFUSED, disk,
                             "a %s disk can be on bus virtio only", type);
    return true;
}

/* Whether the disk has this source already. */
static bool
is_same(const domxml_editor *editor, const domxml_elem *disk, const char *type,
        const struct domxml_attr *attrs, size_t count)
{
    if (strcmp(dx_disk_get(editor, disk, "@type", "file"), type) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        char path[32];
        const char *value;

        snprintf(path, sizeof(path), "source@%s", attrs[i].name);
        value = domxml_editor_get(editor, disk, path);
        if (!value || strcmp(value, attrs[i].value) != 0)
            return false;
    }
    return true;
}

/* Removes what belonged to the old type alone. */
static bool
drop_old_type(domxml_editor *editor, const domxml_elem *disk, unsigned old_bit, const char *type,
              struct domxml_error *error)
{
    static const char reason[] = "it belonged to the old type of the source";
    unsigned bit = type_bit(type);

    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        if ((attributes[i].types & old_bit) && !(attributes[i].types & bit) &&
            !dx_disk_drop_attr(editor, disk, "source", attributes[i].name, reason, error))
            return false;
    }
    for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++) {
        if ((children[i].types & old_bit) && !(children[i].types & bit) &&
            !dx_disk_drop_children(editor, disk, "source", children[i].name, reason, error))
            return false;
    }
    /* The credentials may stand beside <source> as well as in it. */
    if ((old_bit & (TYPE_NETWORK | TYPE_VOLUME)) && !(bit & (TYPE_NETWORK | TYPE_VOLUME)))
        return dx_disk_drop_children(editor, disk, "", "auth", reason, error);
    return true;
}

static bool
set_type(domxml_editor *editor, const domxml_elem *disk, const char *type,
         struct domxml_error *error)
{
    const char *old_type = dx_disk_get(editor, disk, "@type", "file");
    unsigned old_bit = type_bit(old_type);

    if (strcmp(old_type, type) == 0)
        return true;
    if (domxml_is_template(old_type))
        return dx_error_elem(error, DOMXML_ERR_TEMPLATE, disk,
                            "what belongs to type='%.60s' cannot be told: it is a template "
                            "placeholder", old_type);
    return domxml_editor_set_attr(editor, disk, "type", type, error) &&
           drop_old_type(editor, disk, old_bit, type, error);
}

static bool
set_source(domxml_editor *editor, const domxml_elem *disk, const char *type,
           const struct domxml_attr *attrs, size_t count, struct domxml_error *error)
{
    const domxml_elem *source;

    if (is_same(editor, disk, type, attrs, count))
        return true;
    if (!check_disk(editor, disk, type, attrs, count, error) ||
        !dx_disk_refuse_mirror(editor, disk, error) ||
        !dx_disk_drop_children(editor, disk, "", "backingStore",
                               "it described the image before the change", error) ||
        !set_type(editor, disk, type, error))
        return false;
    source = domxml_editor_ensure_child(editor, disk, "source",
                                        domxml_editor_find(editor, disk, "target"), error);
    if (!source)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!domxml_editor_set_attr(editor, source, attrs[i].name, attrs[i].value, error))
            return false;
    }
    return true;
}

bool
domxml_disk_set_source(domxml_editor *editor, const domxml_elem *disk, const char *type,
                       const struct domxml_attr *attrs, size_t count, struct domxml_error *error)
{
    size_t mark = dx_editor_mark(editor);

    if (!check_arguments(disk, type, attrs, count, error))
        return false;
    if (set_source(editor, disk, type, attrs, count, error))
        return true;
    dx_editor_rollback(editor, mark);
    return false;
}
