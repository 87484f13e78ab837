/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h: what the files of libdomxml share with each other.
 *
 * Names: domxml_ is public, dx_ is shared between files, a static function has no prefix.
 */
#ifndef DX_INTERNAL_H
#define DX_INTERNAL_H

#include <stdarg.h>
#include <stdint.h>

#include "libdomxml/cleanup.h"
#include "libdomxml/domxml.h"

#define DX_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* ---- error.c --------------------------------------------------------------------------- */

/* Fills @error (may be NULL) in, unless it holds an error already. @text may be NULL: no position.
 * The message is cut at 255 bytes, never inside a code point, and made one line. Returns false, so
 * that `return dx_error(...)` fails a bool function. */
bool dx_error(struct domxml_error *error, enum domxml_code code, const char *text, size_t offset,
              const char *format, ...) DX_PRINTF(5, 6);

/* The same at the place of an element of a document (of one that an editor inserted: without a
 * position). */
bool dx_error_elem(struct domxml_error *error, enum domxml_code code, const domxml_elem *elem,
                   const char *format, ...) DX_PRINTF(4, 5);

/* The same at the place of what @path leads to, as domxml_get_span() finds it. */
bool dx_error_path(struct domxml_error *error, enum domxml_code code, const domxml_elem *elem,
                   const char *path, const char *format, ...) DX_PRINTF(5, 6);

bool dx_error_no_memory(struct domxml_error *error);

/* ---- arena.c: memory that is freed all at once ------------------------------------------ */

struct dx_block;

struct dx_arena {
    struct dx_block *blocks;
};

/* Each returns NULL when memory runs out. What dx_arena_alloc() gives is not zeroed and aligned for
 * any type. */
void *dx_arena_alloc(struct dx_arena *arena, size_t size);
char *dx_arena_copy(struct dx_arena *arena, const char *text, size_t length);
void dx_arena_free(struct dx_arena *arena);

/* A string to be freed with free(), or NULL when memory runs out. */
char *dx_format(const char *format, ...) DX_PRINTF(1, 2);
char *dx_vformat(const char *format, va_list args) DX_PRINTF(1, 0);

/* A growing text; zero it to start with. Once memory ran out, @failed stays set and appending does
 * nothing, so that one check at the end will do. */
struct dx_buffer {
    char *text; /* NUL-terminated where not NULL; to be freed with free() */
    size_t length;
    size_t size;
    bool failed;
};

void dx_buffer_add(struct dx_buffer *buffer, const char *text, size_t length);
void dx_buffer_add_string(struct dx_buffer *buffer, const char *text);

/* ---- encoding.c ------------------------------------------------------------------------ */

/* Refuses what is not UTF-8: found or declared. */
bool dx_check_encoding(const char *text, size_t length, struct domxml_error *error);

/* The length of the UTF-8 sequence at @text, which ends before @end, or 0 where there is none. */
size_t dx_utf8_length(const char *text, const char *end);

/* ---- position.c ------------------------------------------------------------------------ */

/* Line and column by counting from the start of the text. */
void dx_position(const char *text, size_t offset, int *line, int *column);

struct dx_checkpoint {
    int line, column;
};

/* Line and column at each multiple of 1 KiB, so that any other is near one; NULL: no memory. */
struct dx_checkpoint *dx_checkpoints(const char *text, size_t length);

/* ---- The table of a document ------------------------------------------------------------ */

/* An attribute: where it stands in the text, and what it says. Offsets fit 32 bits, since a
 * document has at most DOMXML_MAX_LENGTH bytes. */
struct dx_attr {
    uint32_t start;        /* of its name */
    uint32_t value_start;  /* behind the opening quote */
    uint32_t value_end;    /* at the closing quote */
    uint32_t name;         /* in the document's strings */
    uint32_t value;        /* in the document's strings, decoded */
    uint32_t value_length; /* decoded */
};

/* No element has this number: absent. */
#define DX_NONE UINT32_MAX

/*
 * An element of a document: a row of its table. Rows are in document order (of start tags), so
 * an element's descendants are the rows behind it. Rows refer to each other by number and to
 * names and values by their offset in the document's strings.
 *
 * An element that an editor inserted has @doc NULL and is the first member of a struct dx_pending.
 */
struct domxml_elem {
    const domxml_doc *doc;
    uint32_t index;
    uint32_t parent, first_child, next; /* row numbers or DX_NONE */
    uint32_t name;                      /* with its prefix */
    uint32_t prefix_length;             /* 0: no prefix */
    uint32_t uri;                       /* of its namespace; 0: none */
    uint32_t text, text_length;         /* its own text, decoded */
    uint32_t first_attr, attr_count;
    uint32_t start;         /* at '<' of the start tag */
    uint32_t content_start; /* behind '>' of the start tag */
    uint32_t content_end;   /* at '<' of the end tag; in <a/> as @content_start */
    uint32_t end;           /* behind the last '>' */
};

struct domxml_doc {
    char *text; /* as it was parsed */
    size_t length;
    struct domxml_elem *elems; /* the first is the root */
    uint32_t elem_count;
    struct dx_attr *attrs; /* those of one element are neighbours */
    uint32_t attr_count;
    char *strings; /* names and decoded values, each with NUL; at 0 stands "" */
    uint32_t strings_length;
    struct dx_checkpoint *checkpoints;
    enum domxml_kind kind;
    const domxml_elem *domain;
    const domxml_elem **disks;
    size_t disk_count;
};

static inline bool
dx_elem_is_pending(const domxml_elem *elem)
{
    return !elem->doc;
}

static inline const domxml_elem *
dx_elem_at(const domxml_doc *doc, uint32_t index)
{
    return index == DX_NONE ? NULL : &doc->elems[index];
}

static inline const char *
dx_string(const domxml_doc *doc, uint32_t string)
{
    return doc->strings + string;
}

/* Whether the element is written <a/>. */
static inline bool
dx_elem_is_empty_tag(const domxml_elem *elem)
{
    return elem->content_start == elem->end;
}

/* Whether a name of @length bytes is "xmlns" or begins with "xmlns:". */
bool dx_name_is_xmlns(const char *name, size_t length);

/* The attribute named @name of an element of a document, or NULL. */
const struct dx_attr *dx_elem_attr(const domxml_elem *elem, const char *name);

/* ---- scan.c, agree.c -------------------------------------------------------------------- */

/* How a scan ended. */
enum dx_scan {
    DX_SCAN_OK,
    DX_SCAN_FAULT,  /* not well-formed, it seems: libxml2 knows the better message */
    DX_SCAN_REFUSED /* the error is filled in */
};

/* Fills the table of @doc, whose text is set, in. @fault_offset: where a fault is. */
enum dx_scan dx_scan(domxml_doc *doc, size_t *fault_offset, struct domxml_error *error);

/* Lets libxml2 read the text of @doc and judge it. With @compare it must also say the same as the
 * table does, else DOMXML_ERR_DISAGREE. */
bool dx_agree(const domxml_doc *doc, bool compare, struct domxml_error *error);

/* ---- value.c ---------------------------------------------------------------------------- */

/* Whether @value is UTF-8 of characters that XML 1.0 can carry; else DOMXML_ERR_VALUE. */
bool dx_check_value(const char *value, struct domxml_error *error);

/* Appends @value as it is written in an attribute between quotes of kind @quote. */
void dx_escape_attr(struct dx_buffer *buffer, const char *value, char quote);

/* Appends @text as it is written as character data. */
void dx_escape_text(struct dx_buffer *buffer, const char *text);

/* Each decodes @length bytes into @out, which has room for as many, and returns how many it
 * made. */
size_t dx_decode_attr(char *out, const char *raw, size_t length);
size_t dx_decode_text(char *out, const char *raw, size_t length);
size_t dx_decode_cdata(char *out, const char *raw, size_t length);

/* ---- path.c ----------------------------------------------------------------------------- */

/* Where a walk along a path takes its elements from: a document, or a document with the changes of
 * an editor. */
struct dx_view {
    const domxml_elem *(*child)(const void *data, const domxml_elem *elem, const char *name,
                                size_t name_length);
    const domxml_elem *(*next)(const void *data, const domxml_elem *elem, const char *name,
                               size_t name_length);
    const void *data;
};

/* The first element at @path (the part before an '@') below @elem, or NULL. @deepest: where the
 * last element that is there goes, or NULL. @attr: where what follows the '@' goes (NULL: there is
 * none), or NULL. */
const domxml_elem *dx_walk(const struct dx_view *view, const domxml_elem *elem, const char *path,
                           const domxml_elem **deepest, const char **attr);

/* Whether the element's name as written is @name (NULL: any). */
bool dx_elem_is_named(const domxml_elem *elem, const char *name, size_t name_length);

/* ---- edits.c ---------------------------------------------------------------------------- */

struct domxml_edits {
    struct domxml_edit *items; /* sorted; an insertion before a change at the same offset */
    size_t count, size;
    struct dx_arena texts;
};

/* Adds an edit that comes behind all others, unless it changes nothing of @original, the text that
 * the edits are for. */
bool dx_edits_append(domxml_edits *edits, const char *original, size_t offset, size_t length,
                     const char *text, size_t text_length, struct domxml_error *error);

/* Whether all edits lie inside a text of @length bytes; else DOMXML_ERR_OVERLAP. */
bool dx_edits_check(const domxml_edits *edits, size_t length, struct domxml_error *error);

/* ---- editor.c: for the disk level -------------------------------------------------------- */
/*
 * Each public operation of an editor either holds or leaves the editor as it was. An operation that
 * is made of several wraps them so:
 *
 *     size_t mark = dx_editor_mark(editor);
 *     if (!domxml_editor_set_attr(...) || !dx_editor_note(editor, error, "...", ...)) {
 *         dx_editor_rollback(editor, mark);
 *         return false;
 *     }
 *
 * Read with the editor's view (the functions below, domxml_editor_get() and
 * domxml_editor_find()), never with domxml_elem_child() and its like: those see the document as it
 * was, and an inserted element as an empty one. domxml_elem_name() and domxml_elem_parent() serve
 * both kinds of element.
 */

/* The document that the editor changes. */
const domxml_doc *dx_editor_doc(const domxml_editor *editor);

/* A place in the editor's history, and the way back to it: changes and notes made since are
 * undone. */
size_t dx_editor_mark(const domxml_editor *editor);
void dx_editor_rollback(domxml_editor *editor, size_t mark);

/* Leaves a remark for the user. False with DOMXML_ERR_NO_MEMORY when memory runs out. */
bool dx_editor_note(domxml_editor *editor, struct domxml_error *error, const char *format, ...)
    DX_PRINTF(3, 4);

/* Child elements with the editor's changes in force, in order; @name NULL: any. @elem of
 * dx_editor_next() must not be removed. */
const domxml_elem *dx_editor_child(const domxml_editor *editor, const domxml_elem *parent,
                                   const char *name);
const domxml_elem *dx_editor_next(const domxml_editor *editor, const domxml_elem *elem,
                                  const char *name);

/* The names of an element's attributes with the editor's changes in force: number @index from 0,
 * NULL past the last. Setting and removing renumbers. */
const char *dx_editor_attr_name(const domxml_editor *editor, const domxml_elem *elem,
                                size_t index);

/* Whether the element or one that it stands in was removed. */
bool dx_editor_is_removed(const domxml_editor *editor, const domxml_elem *elem);

/* ---- The changes of an editor, for render.c ---------------------------------------------- */

/* What an attribute shall be. */
struct dx_attr_change {
    struct dx_attr_change *next; /* in the order in which they were first set */
    const char *name;
    const char *value; /* NULL: absent */
};

/* What has changed in one element. Its strings live in the editor's arena. */
struct dx_change {
    struct dx_change *next; /* of all of the editor's, in no order that matters */
    const domxml_elem *elem;
    struct dx_attr_change *attrs;
    const char *text;            /* what its text shall be; NULL: as it is */
    struct dx_pending *children; /* inserted, in document order; removed ones too */
    bool removed;
};

/* An element that an editor inserted. */
struct dx_pending {
    struct domxml_elem elem; /* first, so that a pointer to it is one to this */
    const domxml_editor *editor;
    const domxml_elem *parent;
    const domxml_elem *anchor; /* the document's element that it stands before; NULL: behind all */
    struct dx_pending *next;   /* of the inserted children of @parent */
    const char *name;
    struct dx_change change; /* its attributes, text and children */
};

/* All changes, linked by @next; those of inserted elements are not among them. */
const struct dx_change *dx_editor_changes(const domxml_editor *editor);

/* What has changed in @elem, or NULL. */
const struct dx_change *dx_editor_change(const domxml_editor *editor, const domxml_elem *elem);

/* The first of @pending and its followers that was not removed again, or NULL. */
const struct dx_pending *dx_pending_live(const struct dx_pending *pending);

/* What @change makes of attribute @name, or NULL where it leaves it alone. */
const struct dx_attr_change *dx_change_attr(const struct dx_change *change, const char *name);

/* ---- indent.c: the layout that stands around a change ------------------------------------- */

/* Whether there are only blanks between the start of the line and @offset; *@indent: they. */
bool dx_is_first_on_line(const domxml_doc *doc, uint32_t offset, struct domxml_span *indent);

/* The range that the removal of the elements in [@start, @end) takes: with them goes the line that
 * they leave empty, or else the blanks that would be left beside their neighbours. */
struct domxml_span dx_removal_span(const domxml_doc *doc, uint32_t start, uint32_t end);

/* Where new elements go, and how they are laid out there. */
struct dx_layout {
    uint32_t offset;
    bool own_line;   /* each on a line of its own; else inline, beside their neighbours */
    bool trails;     /* the line end (inline: @indent, which parts neighbours) goes behind each */
    bool deeper;     /* own line: one @unit is added to @indent */
    bool wraps;      /* own line: a line end and @indent go behind the last one */
    struct domxml_span indent;
    struct domxml_span unit; /* one step of indentation; of length 0: two spaces */
    const char *line_end;
};

/* The layout of elements inserted in @parent before its child @anchor (NULL: behind all). With
 * @rebuild all content of @parent gives way to them. */
struct dx_layout dx_layout(const domxml_elem *parent, const domxml_elem *anchor, bool rebuild);

#endif
