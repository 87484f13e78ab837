/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * domxml.h: the whole public interface of libdomxml, which edits the <disk>
 * elements of libvirt domain XML and leaves every other byte as it was.
 *
 * How it is used: parse a text into a document (immutable), read from it,
 * note changes in an editor, finish the editor into a list of edits, and apply
 * those to the text. Applying also yields the inverse edits.
 *
 *     domxml_doc *doc = domxml_parse(text, length, &error);
 *     domxml_editor *editor = domxml_editor_new(doc, &error);
 *     domxml_disk_set_cache(editor, domxml_disk(doc, 0), "none", "native", &error);
 *     domxml_edits *edits = domxml_editor_finish(editor, &error);
 *     char *changed = domxml_edits_apply(edits, text, length, &changed_length, NULL, &error);
 *
 * Conventions. All text is UTF-8. Offsets and lengths are bytes; lines and
 * columns start at 1 and columns count code points; ends are exclusive. A
 * `struct domxml_error *` argument may be NULL; where a function fails, it is
 * filled in unless it holds an error already: the first one wins, so start
 * with one set to zero (DOMXML_ERROR_INIT). Nothing is printed, nothing aborts,
 * there are no globals: distinct threads may read one document at the same
 * time; an editor belongs to one thread at a time.
 */
#ifndef DOMXML_H
#define DOMXML_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that is declared here is exported; the library is built with everything else hidden. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#define DOMXML_NODISCARD __attribute__((warn_unused_result))
#else
#define DOMXML_NODISCARD
#endif

/** The largest document that is read, in bytes (64 MiB). */
#define DOMXML_MAX_LENGTH ((size_t)64 * 1024 * 1024)
/** The deepest nesting of elements that is read. */
#define DOMXML_MAX_DEPTH 4096

/** A parsed document. Immutable. */
typedef struct domxml_doc domxml_doc;
/** An element: of a document, or one that an editor is about to insert. Owned by either. */
typedef struct domxml_elem domxml_elem;
/** A set of changes to one document, not yet edits. */
typedef struct domxml_editor domxml_editor;
/** A sorted list of edits that do not overlap. */
typedef struct domxml_edits domxml_edits;

/** What went wrong. The numbers are stable: codes are added, never renumbered. */
enum domxml_code {
    DOMXML_OK = 0,
    DOMXML_ERR_NO_MEMORY = 1,       /* memory ran out */
    DOMXML_ERR_EMPTY = 2,           /* no text, or white space alone */
    DOMXML_ERR_TOO_LARGE = 3,       /* over DOMXML_MAX_LENGTH */
    DOMXML_ERR_TOO_DEEP = 4,        /* over DOMXML_MAX_DEPTH */
    DOMXML_ERR_ENCODING = 5,        /* not UTF-8, or declared to be another encoding */
    DOMXML_ERR_DOCTYPE = 6,         /* a document type declaration */
    DOMXML_ERR_NOT_WELL_FORMED = 7, /* not well-formed XML */
    DOMXML_ERR_ROOT = 8,            /* the root is no element that is read here */
    DOMXML_ERR_NO_DOMAIN = 9,       /* a snapshot, checkpoint or status without a domain */
    DOMXML_ERR_DISAGREE = 10,       /* libxml2 reads the text differently: a bug, never an edit */
    DOMXML_ERR_ARGUMENT = 11,       /* a path, name or element that the function cannot take */
    DOMXML_ERR_VALUE = 12,          /* a value that XML 1.0 cannot carry, or not UTF-8 */
    DOMXML_ERR_OVERLAP = 13,        /* edits overlap, or lie outside the text */
    DOMXML_ERR_REFUSED = 14,        /* the change would make a disk that libvirt refuses */
    DOMXML_ERR_TEMPLATE = 15,       /* the change depends on a template placeholder */
};

/** Details of a failure; owned by the caller, filled in by the library, never allocates. */
struct domxml_error {
    enum domxml_code code;
    size_t offset;   /* byte offset in the document, 0 where none applies */
    int line;        /* from 1; 0 where no position applies */
    int column;      /* from 1; 0 where no position applies */
    char text[256];  /* one line of English, UTF-8, without a full stop */
};

#define DOMXML_ERROR_INIT { DOMXML_OK, 0, 0, 0, "" }

/** A range of bytes of a document. */
struct domxml_span {
    size_t offset;
    size_t length;
};

/** One edit: the @length bytes at @offset give way to @text. */
struct domxml_edit {
    size_t offset;
    size_t length;
    const char *text;   /* NUL-terminated; "" for a removal */
    size_t text_length;
};

/** What kind of document it is, by its root element. */
enum domxml_kind {
    DOMXML_KIND_DOMAIN,
    DOMXML_KIND_SNAPSHOT,   /* <domainsnapshot> */
    DOMXML_KIND_CHECKPOINT, /* <domaincheckpoint> */
    DOMXML_KIND_STATUS,     /* <domstatus>, libvirtd's own state file */
    DOMXML_KIND_DISK,       /* a lone <disk>, as virsh attach-device takes it */
};

/**
 * domxml_version:
 * Returns: the version of the library that runs, "MAJOR.MINOR.MICRO"; static.
 */
const char *domxml_version(void);

/* ---- Documents ------------------------------------------------------------------------- */

/**
 * domxml_parse:
 * @text: the document, UTF-8, a BOM allowed; need not end in NUL
 * @length: its length in bytes
 * @error: where a failure is described, with line and column, or NULL
 *
 * Reads a <domain>; a <domainsnapshot>, <domaincheckpoint> or <domstatus> that
 * holds one (its <inactiveDomain> where there is one, else its <domain>); or a
 * lone <disk>. Refused, each with a code of its own: empty text, text that is
 * not well-formed, another encoding, a DOCTYPE, any other root, over-long and
 * over-deep documents. The text is copied.
 *
 * Returns: a document to be freed with domxml_doc_free(), or NULL.
 */
DOMXML_NODISCARD domxml_doc *domxml_parse(const char *text, size_t length,
                                          struct domxml_error *error);

/** domxml_doc_free: frees @doc (may be NULL) and all that it owns, elements and strings too. */
void domxml_doc_free(domxml_doc *doc);

/**
 * domxml_doc_text:
 * @length: where the length in bytes goes, or NULL
 * Returns: the document's text, the bytes that were parsed, NUL-terminated; owned by @doc.
 */
const char *domxml_doc_text(const domxml_doc *doc, size_t *length);

/** domxml_doc_kind: what kind of document @doc is. */
enum domxml_kind domxml_doc_kind(const domxml_doc *doc);

/** domxml_doc_root: the root element, whatever its name. */
const domxml_elem *domxml_doc_root(const domxml_doc *doc);

/** domxml_doc_domain: the domain that disks and facts are read from, or NULL for a lone <disk>. */
const domxml_elem *domxml_doc_domain(const domxml_doc *doc);

/** domxml_disk_count: how many disks (/domain/devices/disk, or the lone <disk>) there are. */
size_t domxml_disk_count(const domxml_doc *doc);

/** domxml_disk: disk number @index from 0 in document order, or NULL past the last. */
const domxml_elem *domxml_disk(const domxml_doc *doc, size_t index);

/**
 * domxml_doc_position:
 * @offset: a byte offset, at most the text's length
 * @line, @column: where the position goes; each may be NULL
 *
 * Lines end with LF (so CRLF counts once); a BOM takes no column. Takes
 * bounded time whatever the length of the lines.
 */
void domxml_doc_position(const domxml_doc *doc, size_t offset, int *line, int *column);

/* ---- Reading --------------------------------------------------------------------------- */

/** domxml_elem_name: the name as written, with its prefix ("qemu:commandline"). */
const char *domxml_elem_name(const domxml_elem *elem);

/** domxml_elem_local_name: the name without a prefix. */
const char *domxml_elem_local_name(const domxml_elem *elem);

/** domxml_elem_namespace: the namespace URI that is in force for the element, or NULL. */
const char *domxml_elem_namespace(const domxml_elem *elem);

/** domxml_elem_parent: the parent element, or NULL for the root. */
const domxml_elem *domxml_elem_parent(const domxml_elem *elem);

/**
 * domxml_elem_child:
 * @name: the child's name as written, or NULL for any
 * Returns: the first child element of that name, or NULL.
 */
const domxml_elem *domxml_elem_child(const domxml_elem *elem, const char *name);

/** domxml_elem_next: the next sibling element named @name (NULL: any), or NULL. */
const domxml_elem *domxml_elem_next(const domxml_elem *elem, const char *name);

/** domxml_elem_child_ns: the first child element of that namespace URI and local name, or NULL. */
const domxml_elem *domxml_elem_child_ns(const domxml_elem *elem, const char *uri,
                                        const char *local_name);

/**
 * domxml_elem_text:
 * Returns: the element's own text: character data and CDATA directly inside
 * it, joined, references resolved; "" where there is none. Owned by the document.
 */
const char *domxml_elem_text(const domxml_elem *elem);

/** domxml_elem_attr_count: how many attributes the element has, xmlns declarations included. */
size_t domxml_elem_attr_count(const domxml_elem *elem);

/** domxml_elem_attr_name: the name as written of attribute @index from 0, or NULL past the last. */
const char *domxml_elem_attr_name(const domxml_elem *elem, size_t index);

/** domxml_elem_attr_value: the value, references resolved, of attribute @index, or NULL. */
const char *domxml_elem_attr_value(const domxml_elem *elem, size_t index);

/**
 * domxml_find:
 * @path: names of child elements separated by '/', as in "source/slices/slice"; "" is @elem
 * Returns: the first element there, or NULL.
 */
const domxml_elem *domxml_find(const domxml_elem *elem, const char *path);

/**
 * domxml_get:
 * @path: an element's path as for domxml_find(), then '@' and an attribute's
 *   name: "driver@cache", "source/address@bus", "@type" for @elem itself;
 *   without '@' the element's text is meant: "os/cmdline"
 *
 * Returns: the value with references resolved, or NULL where the attribute or
 * the element is absent. Owned by the document.
 */
const char *domxml_get(const domxml_elem *elem, const char *path);

/**
 * domxml_get_span:
 * @path: as for domxml_get()
 * @span: where the range goes
 *
 * The range of an attribute covers its name, the equals sign and both quotes;
 * that of an element its start tag (or whole empty-element tag). Where the
 * path's last part is absent, the range of the deepest element that is there.
 *
 * Returns: whether the path itself is there.
 */
bool domxml_get_span(const domxml_elem *elem, const char *path, struct domxml_span *span);

/** domxml_elem_span: the range of the whole element, from its '<' to the '>' of its end tag. */
struct domxml_span domxml_elem_span(const domxml_elem *elem);

/**
 * domxml_is_template:
 * Whether @value (may be NULL: no) holds a placeholder of a template language and so is
 * no value yet: {{ x }}, {% x %}, ${x}, $x, $(x), <%= x %>, %s, %(x)s, @X@.
 */
bool domxml_is_template(const char *value);

/* ---- Editing, low level ---------------------------------------------------------------- */

/**
 * domxml_editor_new:
 * @doc: the document to be changed; must outlive the editor
 *
 * An editor gathers changes to one document. All operations say what shall
 * hold ("set", "ensure", "remove"): what holds already is no change. They see
 * each other's results and so compose. On failure of an operation the editor
 * is as it was before it.
 *
 * Returns: an editor to be freed with domxml_editor_free(), or NULL.
 */
DOMXML_NODISCARD domxml_editor *domxml_editor_new(const domxml_doc *doc,
                                                  struct domxml_error *error);

/** domxml_editor_free: frees @editor (may be NULL) and the elements that it inserted. */
void domxml_editor_free(domxml_editor *editor);

/** domxml_editor_get: like domxml_get(), with the editor's changes in force; owned by the editor,
 * valid until its next operation. */
const char *domxml_editor_get(const domxml_editor *editor, const domxml_elem *elem,
                              const char *path);

/** domxml_editor_find: like domxml_find(), with the editor's changes in force. */
const domxml_elem *domxml_editor_find(const domxml_editor *editor, const domxml_elem *elem,
                                      const char *path);

/**
 * domxml_editor_set_attr:
 * @elem: an element of the document, or one that this editor inserted
 * @name: the attribute's name as written
 * @value: its new value, unescaped; NULL removes the attribute
 *
 * A value that stands is replaced between its own quotes; a new attribute
 * comes after the last one, quoted as its neighbours are; a removed one goes with the white
 * space before it.
 *
 * Returns: whether the change is noted; false with @error set otherwise.
 */
bool domxml_editor_set_attr(domxml_editor *editor, const domxml_elem *elem, const char *name,
                            const char *value, struct domxml_error *error);

/**
 * domxml_editor_insert_child:
 * @parent: an element of the document, or one that this editor inserted
 * @name: the new element's name as written
 * @before: the child of @parent to insert before, or NULL for after the last one
 *
 * The new element stands on a line of its own where its siblings do, indented
 * as they are, with their line ends.
 *
 * Returns: the new element, owned by the editor, for setting attributes, text
 * and children (which domxml_editor_get() sees, domxml_get() does not); NULL
 * with @error set otherwise.
 */
const domxml_elem *domxml_editor_insert_child(domxml_editor *editor, const domxml_elem *parent,
                                              const char *name, const domxml_elem *before,
                                              struct domxml_error *error);

/** domxml_editor_ensure_child: the first child named @name; inserted as above where absent. */
const domxml_elem *domxml_editor_ensure_child(domxml_editor *editor, const domxml_elem *parent,
                                              const char *name, const domxml_elem *before,
                                              struct domxml_error *error);

/** domxml_editor_remove: removes @elem with all its content and the line that it leaves empty.
 * Removing one that is removed already is no change; the root cannot be removed. */
bool domxml_editor_remove(domxml_editor *editor, const domxml_elem *elem,
                          struct domxml_error *error);

/** domxml_editor_set_text: sets the text of @elem, which must have no child elements. */
bool domxml_editor_set_text(domxml_editor *editor, const domxml_elem *elem, const char *text,
                            struct domxml_error *error);

/** domxml_editor_note_count: how many remarks the disk-level operations left for the user. */
size_t domxml_editor_note_count(const domxml_editor *editor);

/** domxml_editor_note: remark @index from 0: one thing that changed besides what was asked for, or
 * that the user must know ("target hda renamed to vda"); owned by the editor; NULL past the
 * last. */
const char *domxml_editor_note(const domxml_editor *editor, size_t index);

/**
 * domxml_editor_finish:
 * Turns the changes into edits of the document's text. The editor can go on
 * to be used; finishing twice gives equal edits.
 *
 * Returns: edits to be freed with domxml_edits_free(); an empty list where
 * nothing changes; NULL on failure.
 */
DOMXML_NODISCARD domxml_edits *domxml_editor_finish(const domxml_editor *editor,
                                                    struct domxml_error *error);

/* ---- Editing, disk level --------------------------------------------------------------- */
/* Each of these takes a disk as domxml_disk() gives it, does all that one wish implies, and
 * leaves a note for each thing changed besides. A value that is a template placeholder and that
 * the change depends on is DOMXML_ERR_TEMPLATE. */

/** domxml_disk_set_driver: sets attribute @name of <driver> (created where absent) to @value, or
 * removes it where @value is NULL. */
bool domxml_disk_set_driver(domxml_editor *editor, const domxml_elem *disk, const char *name,
                            const char *value, struct domxml_error *error);

/** domxml_disk_set_format: sets the image format (driver type), and removes a <backingStore>, which
 * libvirt would take for the new image's (a raw one then does not start). */
bool domxml_disk_set_format(domxml_editor *editor, const domxml_elem *disk, const char *format,
                            struct domxml_error *error);

/**
 * domxml_disk_set_cache:
 * @cache: the cache mode, or NULL for none written (QEMU's default: writeback)
 * @io: the asynchronous I/O mode, or NULL for none written (QEMU's default: threads)
 *
 * Sets both, as one pair: io='native' needs cache 'none' or 'directsync'; any other pair with it
 * is DOMXML_ERR_REFUSED, as libvirt refuses to define it.
 */
bool domxml_disk_set_cache(domxml_editor *editor, const domxml_elem *disk, const char *cache,
                           const char *io, struct domxml_error *error);

/** An attribute by name, for domxml_disk_set_source(). */
struct domxml_attr {
    const char *name;
    const char *value;
};

/**
 * domxml_disk_set_source:
 * @type: the disk's type: "file", "block", "dir", "volume", "network", "nvme", "vhostuser"
 * @attrs: the attributes of <source> that name the image, such as {"file", "/srv/a.raw"} or
 *   {"pool", "default"}, {"volume", "a"}
 * @count: how many
 *
 * Makes them the source. All other attributes and children of <source> (startupPolicy, index,
 * seclabel, slices, encryption, reservations, hosts, ...) stay; where the type changes, those that
 * belong to the old type alone go, with a note each. A <backingStore> goes where the source
 * changes.
 */
bool domxml_disk_set_source(domxml_editor *editor, const domxml_elem *disk, const char *type,
                            const struct domxml_attr *attrs, size_t count,
                            struct domxml_error *error);

/**
 * domxml_disk_set_bus:
 * @bus: "virtio", "scsi", "sata", "usb" or "ide"
 *
 * Moves the disk to another bus, with all that hangs on it: a target name that is free among all
 * disks of the domain, and whose place on the new bus is; the disk's own <address> removed; driver
 * attributes and children that the new bus refuses removed; a virtio-scsi controller where the disk
 * comes to a SCSI controller that is not there (one of another model is left alone, with a note);
 * root= in <cmdline> renamed with the target; and <boot order='1'/> put on the disk that the
 * firmware boots now where the move would make it boot another (then <os><boot dev='hd'/> goes).
 *
 * DOMXML_ERR_REFUSED for floppies, CD-ROMs to virtio, device='lun', read-only disks to sata and
 * ide, a machine without that bus, a bus that is full, and where the boot disk, or the CD-ROM that
 * is booted, cannot be kept. Looks at all disks of the domain.
 */
bool domxml_disk_set_bus(domxml_editor *editor, const domxml_elem *disk, const char *bus,
                         struct domxml_error *error);

/** domxml_disk_set_discard: sets what becomes of the guest's discards ("unmap", "ignore"), or
 * removes that where @discard is NULL. Refused for vhostuser disks. */
bool domxml_disk_set_discard(domxml_editor *editor, const domxml_elem *disk, const char *discard,
                             struct domxml_error *error);

/** domxml_disk_set_detect_zeroes: sets what becomes of written zeroes ("off", "on", "unmap"), or
 * removes that where @mode is NULL. Refused for vhostuser disks; a note where "unmap" has no effect
 * for lack of discard='unmap'. */
bool domxml_disk_set_detect_zeroes(domxml_editor *editor, const domxml_elem *disk,
                                   const char *mode, struct domxml_error *error);

/** domxml_disk_set_queues: sets the number of virtio queues; 0 removes it. DOMXML_ERR_REFUSED on
 * any bus but virtio. */
bool domxml_disk_set_queues(domxml_editor *editor, const domxml_elem *disk, unsigned queues,
                            struct domxml_error *error);

/** domxml_disk_set_iothread: gives the disk to the I/O thread numbered @id; 0 takes it from any.
 * DOMXML_ERR_REFUSED on any bus but virtio, for vhostuser disks, and where the domain has no such
 * thread. */
bool domxml_disk_set_iothread(domxml_editor *editor, const domxml_elem *disk, unsigned id,
                              struct domxml_error *error);

/** domxml_disk_set_metadata_cache: sets the most that QEMU keeps of a qcow2 image's tables, in
 * bytes; 0 removes the limit. DOMXML_ERR_REFUSED for any other format. */
bool domxml_disk_set_metadata_cache(domxml_editor *editor, const domxml_elem *disk,
                                    unsigned long long bytes, struct domxml_error *error);

/** domxml_disk_remove_backing_store: removes <backingStore>, so that libvirt reads the chain from
 * the images. Refused while a block job of the disk is under way. */
bool domxml_disk_remove_backing_store(domxml_editor *editor, const domxml_elem *disk,
                                      struct domxml_error *error);

/**
 * domxml_disk_add:
 * @device: "disk" (also for NULL), "cdrom", "floppy" or "lun"
 * @bus: "virtio", "scsi", "sata", "usb", "ide", or "fdc" for a floppy disk
 * @type, @attrs, @count: the source, as for domxml_disk_set_source(); without attributes an empty
 *   drive ("cdrom" and "floppy" alone)
 * @format: the image format (driver type), or NULL for none written
 *
 * Adds a disk after the last one (or, where there is none, at the head of <devices>), with a target
 * name whose place is free and the controller that it needs, as for domxml_disk_set_bus(). The disk
 * that the firmware boots stays. A CD-ROM is read-only.
 *
 * Returns: the new disk, owned by the editor, for further changes; NULL with @error set otherwise.
 */
const domxml_elem *domxml_disk_add(domxml_editor *editor, const char *device, const char *bus,
                                   const char *type, const char *format,
                                   const struct domxml_attr *attrs, size_t count,
                                   struct domxml_error *error);

/** domxml_disk_remove: removes the disk. The boot disk stays the one that it was; a note where the
 * removed disk was it, had a boot order, or is what root= in <cmdline> means. Controllers stay.
 * Refused while a block job of the disk is under way. */
bool domxml_disk_remove(domxml_editor *editor, const domxml_elem *disk,
                        struct domxml_error *error);

/* ---- Editing, metadata ----------------------------------------------------------------- */
/* A program keeps what it knows of a domain in an element of its own namespace in the domain's
 * <metadata>. libvirt keeps one element for each namespace, and drops those without one. */

/** domxml_metadata_find: the element of namespace @uri in <metadata>, with the editor's changes in
 * force, or NULL; for domxml_editor_get(), domxml_editor_set_attr() and the like. */
const domxml_elem *domxml_metadata_find(const domxml_editor *editor, const char *uri);

/**
 * domxml_metadata_ensure:
 * @uri: the namespace
 * @name: the element's name with the prefix to be declared for @uri, such as "my:note"; without a
 *   prefix the namespace is declared as the default one
 *
 * Sees to it that there is such an element; <metadata> is created where it is absent, after what
 * libvirt writes before it (name, uuid, title, description). An element that is there keeps its
 * prefix and content. DOMXML_ERR_REFUSED where an element of another name has the namespace.
 *
 * Returns: the element, as domxml_metadata_find() gives it; NULL with @error set otherwise.
 */
const domxml_elem *domxml_metadata_ensure(domxml_editor *editor, const char *uri,
                                          const char *name, struct domxml_error *error);

/** domxml_metadata_set: the same, with @text as the element's text; it must have no child
 * elements. */
bool domxml_metadata_set(domxml_editor *editor, const char *uri, const char *name,
                         const char *text, struct domxml_error *error);

/** domxml_metadata_remove: removes the element of namespace @uri, and <metadata> where that is left
 * with nothing in it. */
bool domxml_metadata_remove(domxml_editor *editor, const char *uri, struct domxml_error *error);

/* ---- Edits ----------------------------------------------------------------------------- */

/** domxml_edits_new: an empty list, to be freed with domxml_edits_free(). */
DOMXML_NODISCARD domxml_edits *domxml_edits_new(struct domxml_error *error);

/** domxml_edits_free: frees @edits (may be NULL). */
void domxml_edits_free(domxml_edits *edits);

/**
 * domxml_edits_add:
 * Adds an edit in its place; the text is copied. Two edits overlap, and the second is refused with
 * DOMXML_ERR_OVERLAP, where they share a byte, or insert at the same offset, or one inserts inside
 * the range of the other; at its start or end is fine.
 */
bool domxml_edits_add(domxml_edits *edits, size_t offset, size_t length, const char *text,
                      size_t text_length, struct domxml_error *error);

/** domxml_edits_count: how many edits there are. */
size_t domxml_edits_count(const domxml_edits *edits);

/** domxml_edits_get: edit @index from 0, in order of offset; owned by @edits, valid until it
 * changes; NULL past the last. */
const struct domxml_edit *domxml_edits_get(const domxml_edits *edits, size_t index);

/** domxml_edits_merge: adds all of @more to @edits, or, where one overlaps, none and returns
 * false. */
bool domxml_edits_merge(domxml_edits *edits, const domxml_edits *more, struct domxml_error *error);

/**
 * domxml_edits_apply:
 * @text, @length: the text that the edits were made for
 * @new_length: where the new length goes, or NULL
 * @inverse: where the edits that restore @text go, to be freed with domxml_edits_free(), or NULL
 *
 * Returns: the new text, NUL-terminated, to be freed with free(); NULL on failure (@inverse then
 * untouched).
 */
DOMXML_NODISCARD char *domxml_edits_apply(const domxml_edits *edits, const char *text,
                                          size_t length, size_t *new_length,
                                          domxml_edits **inverse, struct domxml_error *error);

/**
 * domxml_edits_compose:
 * @first: edits of a text
 * @second: edits of what @first makes of it
 * Returns: one list that does both at once, to be freed with domxml_edits_free(); NULL on failure.
 */
DOMXML_NODISCARD domxml_edits *domxml_edits_compose(const domxml_edits *first,
                                                    const domxml_edits *second,
                                                    const char *text, size_t length,
                                                    struct domxml_error *error);

/**
 * domxml_edits_diff:
 * @text, @length: the text that the edits were made for
 * @old_label, @new_label: what follows "--- " and "+++ ", such as "a/vm.xml" and "b/vm.xml"
 * @diff_length: where the length goes, or NULL
 *
 * Returns: a unified diff with three lines of context, as `diff -u` writes it ("" where nothing
 * changes), NUL-terminated, to be freed with free(); `patch -p1` and `git apply` on @text give
 * exactly what domxml_edits_apply() gives. NULL on failure.
 */
DOMXML_NODISCARD char *domxml_edits_diff(const domxml_edits *edits, const char *text,
                                         size_t length, const char *old_label,
                                         const char *new_label, size_t *diff_length,
                                         struct domxml_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
