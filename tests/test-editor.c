/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-editor.c: what edits the low-level operations of an editor make of a document's text.
 */
#include "libdomxml/cleanup.h"
#include "libdomxml/domxml.h"

#include <check.h>
#include <string.h>

struct fixture {
    domxml_doc *doc;
    domxml_editor *editor;
    struct domxml_error error;
};

static struct fixture
begin(const char *text)
{
    struct fixture fixture = { NULL, NULL, DOMXML_ERROR_INIT };

    fixture.doc = domxml_parse(text, strlen(text), &fixture.error);
    ck_assert_msg(fixture.doc != NULL, "%s", fixture.error.text);
    fixture.editor = domxml_editor_new(fixture.doc, &fixture.error);
    ck_assert_ptr_nonnull(fixture.editor);
    return fixture;
}

static const domxml_elem *
find(struct fixture *fixture, const char *path)
{
    const domxml_elem *elem =
        domxml_editor_find(fixture->editor, domxml_doc_root(fixture->doc), path);

    ck_assert_msg(elem != NULL, "no %s", path);
    return elem;
}

static void
set(struct fixture *fixture, const char *path, const char *name, const char *value)
{
    ck_assert_msg(domxml_editor_set_attr(fixture->editor, find(fixture, path), name, value,
                                         &fixture->error),
                  "%s", fixture->error.text);
}

static void
remove_at(struct fixture *fixture, const char *path)
{
    ck_assert_msg(domxml_editor_remove(fixture->editor, find(fixture, path), &fixture->error), "%s",
                  fixture->error.text);
}

static void
set_text(struct fixture *fixture, const char *path, const char *text)
{
    ck_assert_msg(domxml_editor_set_text(fixture->editor, find(fixture, path), text,
                                         &fixture->error),
                  "%s", fixture->error.text);
}

static const domxml_elem *
insert(struct fixture *fixture, const char *path, const char *name, const char *before)
{
    const domxml_elem *elem = domxml_editor_insert_child(
        fixture->editor, find(fixture, path), name, before ? find(fixture, before) : NULL,
        &fixture->error);

    ck_assert_msg(elem != NULL, "%s", fixture->error.text);
    return elem;
}

/* Finishes, applies, compares; the result must be readable, and the inverse must restore the text.
 * Returns the number of edits. */
static size_t
end(struct fixture *fixture, const char *expected)
{
    size_t length, new_length, count;
    const char *text = domxml_doc_text(fixture->doc, &length);
    domxml_edits *edits = domxml_editor_finish(fixture->editor, &fixture->error);
    domxml_edits *inverse = NULL;
    domxml_doc *again;
    char *changed, *restored;

    ck_assert_msg(edits != NULL, "%s", fixture->error.text);
    changed = domxml_edits_apply(edits, text, length, &new_length, &inverse, &fixture->error);
    ck_assert_ptr_nonnull(changed);
    ck_assert_str_eq(changed, expected);
    ck_assert_uint_eq(new_length, strlen(expected));
    again = domxml_parse(changed, new_length, &fixture->error);
    ck_assert_msg(again != NULL, "%s", fixture->error.text);
    restored = domxml_edits_apply(inverse, changed, new_length, NULL, NULL, &fixture->error);
    ck_assert_str_eq(restored, text);
    count = domxml_edits_count(edits);
    free(changed);
    free(restored);
    domxml_doc_free(again);
    domxml_edits_free(edits);
    domxml_edits_free(inverse);
    domxml_editor_free(fixture->editor);
    domxml_doc_free(fixture->doc);
    return count;
}

/* ---- Attributes --------------------------------------------------------------------------- */

START_TEST(test_value_replaced_between_its_quotes)
{
    struct fixture f = begin("<disk type='file'><driver name=\"qemu\"\ttype = 'raw' /></disk>");

    set(&f, "driver", "name", "it's \"<&>\"\t\n\r");
    set(&f, "driver", "type", "it's \"");
    ck_assert_uint_eq(end(&f,
                          "<disk type='file'><driver name=\"it's &quot;&lt;&amp;>&quot;&#9;&#10;"
                          "&#13;\"\ttype = 'it&apos;s \"' /></disk>"),
                      2);
}
END_TEST

START_TEST(test_edit_is_the_value_alone)
{
    struct fixture f = begin("<disk a='one' b='two'/>");
    domxml_edits *edits;
    const struct domxml_edit *edit;

    set(&f, "", "b", "three");
    edits = domxml_editor_finish(f.editor, NULL);
    edit = domxml_edits_get(edits, 0);
    ck_assert_uint_eq(edit->offset, 17);
    ck_assert_uint_eq(edit->length, 3);
    ck_assert_str_eq(edit->text, "three");
    domxml_edits_free(edits);
    (void)end(&f, "<disk a='one' b='three'/>");
}
END_TEST

START_TEST(test_value_with_references_is_compared_decoded)
{
    struct fixture f = begin("<disk a='&#x61;&amp;&#98;\tc'/>");

    ck_assert_str_eq(domxml_editor_get(f.editor, domxml_doc_root(f.doc), "@a"), "a&b c");
    set(&f, "", "a", "a&b c");
    ck_assert_uint_eq(end(&f, "<disk a='&#x61;&amp;&#98;\tc'/>"), 0);
}
END_TEST

struct attr_case {
    const char *text;
    const char *name;
    const char *value;
    const char *expected;
};

static const struct attr_case attr_cases[] = {
    /* Quotes: of the element's last attribute, else of the document's first, else ' */
    {"<disk/>", "a", "v", "<disk a='v'/>"},
    {"<disk />", "a", "v", "<disk a='v' />"},
    {"<disk></disk>", "a", "v", "<disk a='v'></disk>"},
    {"<disk\n></disk>", "a", "v", "<disk a='v'\n></disk>"},
    {"<disk x='1' y=\"2\"/>", "a", "v", "<disk x='1' y=\"2\" a=\"v\"/>"},
    {"<disk><b x=\"1\"/></disk>", "a", "v", "<disk a=\"v\"><b x=\"1\"/></disk>"},
    /* One attribute on each line */
    {"<disk x='1'\n      y='2'>\n</disk>", "a", "v",
     "<disk x='1'\n      y='2'\n      a='v'>\n</disk>"},
    {"<disk\r\n\tx='1'\r\n/>", "a", "v", "<disk\r\n\tx='1'\r\n\ta='v'\r\n/>"},
    {"<disk x='1' y='2'\n      z='3'/>", "a", "v", "<disk x='1' y='2'\n      z='3' a='v'/>"},
    /* Removal takes the white space before */
    {"<disk a='1'/>", "a", NULL, "<disk/>"},
    {"<disk a='1' b='2'/>", "a", NULL, "<disk b='2'/>"},
    {"<disk b='2'   a='1' />", "a", NULL, "<disk b='2' />"},
    {"<disk b='2'\n      a = '1'\n      c='3'/>", "a", NULL, "<disk b='2'\n      c='3'/>"},
    {"<disk b='2'/>", "a", NULL, "<disk b='2'/>"},
    /* '>' and the other quote inside values, non-ASCII */
    {"<disk x='a>b\"' y='\xC3\xA4'/>", "a", "\xE2\x82\xAC",
     "<disk x='a>b\"' y='\xC3\xA4' a='\xE2\x82\xAC'/>"},
    {"<disk x:y='1' xmlns:x='u'/>", "x:a", "v", "<disk x:y='1' xmlns:x='u' x:a='v'/>"},
};

START_TEST(test_attr_cases)
{
    const struct attr_case *c = &attr_cases[_i];
    struct fixture f = begin(c->text);

    set(&f, "", c->name, c->value);
    set(&f, "", c->name, c->value);
    (void)end(&f, c->expected);
}
END_TEST

START_TEST(test_attrs_compose)
{
    struct fixture f = begin("<disk><driver name='qemu' cache='none' io='native'/></disk>");

    set(&f, "driver", "io", NULL);
    set(&f, "driver", "queues", "2");
    set(&f, "driver", "discard", "unmap");
    set(&f, "driver", "queues", "4");
    ck_assert_ptr_null(domxml_editor_get(f.editor, domxml_doc_root(f.doc), "driver@io"));
    ck_assert_str_eq(domxml_editor_get(f.editor, domxml_doc_root(f.doc), "driver@queues"), "4");
    ck_assert_uint_eq(end(&f, "<disk><driver name='qemu' cache='none' queues='4' discard='unmap'/>"
                              "</disk>"),
                      1);
}
END_TEST

START_TEST(test_set_back_is_no_change)
{
    struct fixture f = begin("<disk a='1'>\n  <b>t</b>\n</disk>");
    const domxml_elem *child;

    set(&f, "", "a", "2");
    set(&f, "", "a", NULL);
    set(&f, "", "a", "1");
    set(&f, "", "new", "x");
    set(&f, "", "new", NULL);
    set_text(&f, "b", "u");
    set_text(&f, "b", "t");
    child = insert(&f, "", "c", NULL);
    ck_assert(domxml_editor_remove(f.editor, child, NULL));
    ck_assert_uint_eq(end(&f, "<disk a='1'>\n  <b>t</b>\n</disk>"), 0);
}
END_TEST

/* ---- Insertion ---------------------------------------------------------------------------- */

struct insert_case {
    const char *text;
    const char *parent;
    const char *before;
    const char *expected;
};

static const struct insert_case insert_cases[] = {
    /* After the last one, on a line of its own */
    {"<disk>\n  <a/>\n</disk>\n", "", NULL, "<disk>\n  <a/>\n  <new/>\n</disk>\n"},
    {"<disk>\r\n\t<a/>\r\n</disk>", "", NULL, "<disk>\r\n\t<a/>\r\n\t<new/>\r\n</disk>"},
    {"<disk>\n  <a/> <!-- of a -->\n  <!-- last -->\n</disk>", "", NULL,
     "<disk>\n  <a/> <!-- of a -->\n  <new/>\n  <!-- last -->\n</disk>"},
    {"<disk>\n  <a/> <!-- of\n a -->  \n</disk>", "", NULL,
     "<disk>\n  <a/> <!-- of\n a -->  \n  <new/>\n</disk>"},
    {"<disk>\n  <a/></disk>", "", NULL, "<disk>\n  <a/>\n  <new/></disk>"},
    {"<disk>\r\n  <a\r\n/></disk>", "", NULL, "<disk>\r\n  <a\r\n/>\r\n  <new/></disk>"},
    {"<disk>\n  <a>\n  </a>\n\n</disk>", "", NULL, "<disk>\n  <a>\n  </a>\n  <new/>\n\n</disk>"},
    /* Before a sibling, behind its comment */
    {"<disk>\n  <!-- of a -->\n  <a/>\n</disk>", "", "a",
     "<disk>\n  <!-- of a -->\n  <new/>\n  <a/>\n</disk>"},
    {"<disk>\n<!-- <a/> --><a/>\n</disk>", "", "a", "<disk>\n<!-- <a/> --><new/><a/>\n</disk>"},
    {"<disk>\n  <![CDATA[\n]]><a/>\n</disk>", "", "a",
     "<disk>\n  <![CDATA[\n]]><new/><a/>\n</disk>"},
    /* Inline */
    {"<disk><a/></disk>", "", NULL, "<disk><a/><new/></disk>"},
    {"<disk><a/><b/></disk>", "", "b", "<disk><a/><new/><b/></disk>"},
    {"<disk><a/> <b/></disk>", "", "b", "<disk><a/> <new/> <b/></disk>"},
    {"<disk><a/> <b/></disk>", "", NULL, "<disk><a/> <b/> <new/></disk>"},
    {"<disk> <a/> </disk>", "", NULL, "<disk> <a/> <new/> </disk>"},
    {"<disk>\n  <a/> <b/>\n</disk>", "", NULL, "<disk>\n  <a/> <b/> <new/>\n</disk>"},
    /* Parents without children */
    {"<disk/>", "", NULL, "<disk><new/></disk>"},
    {"<disk />\n", "", NULL, "<disk><new/></disk>\n"},
    {"<disk></disk>\n", "", NULL, "<disk><new/></disk>\n"},
    {"<disk\n/>\n", "", NULL, "<disk\n>\n  <new/>\n</disk>\n"},
    {"<disk\n  a='1' />\n", "", NULL, "<disk\n  a='1'>\n  <new/>\n</disk>\n"},
    {"<disk>\n</disk>\n", "", NULL, "<disk>\n  <new/>\n</disk>\n"},
    {"<disk>\r\n</disk>\r\n", "", NULL, "<disk>\r\n  <new/>\r\n</disk>\r\n"},
    {"\xEF\xBB\xBF<disk>\n</disk>\n", "", NULL, "\xEF\xBB\xBF<disk>\n  <new/>\n</disk>\n"},
    {"<disk>\n\t<a/>\n\t<b/>\n</disk>\n", "a", NULL,
     "<disk>\n\t<a>\n\t\t<new/>\n\t</a>\n\t<b/>\n</disk>\n"},
    {"<disk>\n    <a x='1'></a>\n</disk>\n", "a", NULL,
     "<disk>\n    <a x='1'>\n        <new/>\n    </a>\n</disk>\n"},
    {"<disk>\r\n    <a x='1'/>\r\n</disk>", "a", NULL,
     "<disk>\r\n    <a x='1'>\r\n        <new/>\r\n    </a>\r\n</disk>"},
    {"<disk>\n    <a>\n    </a>\n</disk>\n", "a", NULL,
     "<disk>\n    <a>\n        <new/>\n    </a>\n</disk>\n"},
    {"<disk>\n    <a>\n     <!-- c -->\n    </a>\n</disk>\n", "a", NULL,
     "<disk>\n    <a>\n     <!-- c -->\n     <new/>\n    </a>\n</disk>\n"},
    {"<disk>\n  <x/><a/>\n</disk>\n", "a", NULL, "<disk>\n  <x/><a><new/></a>\n</disk>\n"},
    {"<disk>\n  <a>text</a>\n</disk>\n", "a", NULL, "<disk>\n  <a>text<new/></a>\n</disk>\n"},
    {"<disk>\n  <a> </a>\n</disk>\n", "a", NULL, "<disk>\n  <a> <new/></a>\n</disk>\n"},
};

START_TEST(test_insert_cases)
{
    const struct insert_case *c = &insert_cases[_i];
    struct fixture f = begin(c->text);

    insert(&f, c->parent, "new", c->before);
    ck_assert_uint_eq(end(&f, c->expected), 1);
}
END_TEST

START_TEST(test_insert_order_and_nesting)
{
    struct fixture f = begin("<disk type=\"file\">\n  <a/>\n  <z/>\n</disk>\n");
    const domxml_elem *one, *two, *inner;

    one = insert(&f, "", "one", "z");
    two = insert(&f, "", "two", "z");
    ck_assert_ptr_nonnull(domxml_editor_insert_child(f.editor, domxml_doc_root(f.doc), "zero", one,
                                                     &f.error));
    ck_assert(domxml_editor_set_attr(f.editor, two, "x", "<\">", &f.error));
    inner = domxml_editor_ensure_child(f.editor, two, "inner", NULL, &f.error);
    ck_assert_ptr_eq(domxml_editor_ensure_child(f.editor, two, "inner", NULL, &f.error), inner);
    ck_assert(domxml_editor_set_text(f.editor, inner, "a<b]]>", &f.error));
    ck_assert_ptr_nonnull(domxml_editor_insert_child(f.editor, two, "next", NULL, &f.error));
    ck_assert_ptr_eq(domxml_elem_parent(inner), two);
    ck_assert_ptr_eq(domxml_elem_parent(two), domxml_doc_root(f.doc));
    ck_assert_str_eq(domxml_elem_name(inner), "inner");
    ck_assert_str_eq(domxml_editor_get(f.editor, domxml_doc_root(f.doc), "two/inner"), "a<b]]>");
    ck_assert_str_eq(domxml_editor_get(f.editor, two, "@x"), "<\">");
    ck_assert_uint_eq(end(&f, "<disk type=\"file\">\n"
                              "  <a/>\n"
                              "  <zero/>\n"
                              "  <one/>\n"
                              "  <two x=\"&lt;&quot;>\">\n"
                              "    <inner>a&lt;b]]&gt;</inner>\n"
                              "    <next/>\n"
                              "  </two>\n"
                              "  <z/>\n"
                              "</disk>\n"),
                      1);
}
END_TEST

START_TEST(test_insert_nested_inline)
{
    struct fixture f = begin("<disk><a/></disk>");
    const domxml_elem *outer = insert(&f, "a", "outer", NULL);

    ck_assert_ptr_nonnull(domxml_editor_insert_child(f.editor, outer, "x", NULL, NULL));
    ck_assert_ptr_nonnull(domxml_editor_insert_child(f.editor, outer, "y", NULL, NULL));
    insert(&f, "a", "last", NULL);
    set(&f, "a", "k", "v");
    ck_assert_uint_eq(end(&f, "<disk><a k='v'><outer><x/><y/></outer><last/></a></disk>"), 1);
}
END_TEST

START_TEST(test_ensure_finds_what_is_there)
{
    struct fixture f = begin("<disk>\n  <driver/>\n</disk>");

    ck_assert_ptr_eq(domxml_editor_ensure_child(f.editor, domxml_doc_root(f.doc), "driver", NULL,
                                                NULL),
                     domxml_find(domxml_doc_root(f.doc), "driver"));
    ck_assert_uint_eq(end(&f, "<disk>\n  <driver/>\n</disk>"), 0);
}
END_TEST

/* ---- Removal ------------------------------------------------------------------------------ */

struct remove_case {
    const char *text;
    const char *paths[4];
    const char *expected;
};

static const struct remove_case remove_cases[] = {
    { "<disk>\n  <a/>\n  <b/>\n</disk>", { "a" }, "<disk>\n  <b/>\n</disk>" },
    { "<disk>\r\n\t<a/> \t\r\n\t<b/>\r\n</disk>", { "a" }, "<disk>\r\n\t<b/>\r\n</disk>" },
    { "<disk>\n  <a>\n    <x/>\n  </a>\n</disk>", { "a" }, "<disk>\n</disk>" },
    { "<disk>\n  <a/>\n  <b/>\n  <c/>\n</disk>", { "a", "b", "c" }, "<disk>\n</disk>" },
    { "<disk><a/><b/></disk>", { "a" }, "<disk><b/></disk>" },
    { "<disk><a/> <b/> <c/></disk>", { "a" }, "<disk><b/> <c/></disk>" },
    { "<disk><a/> <b/> <c/></disk>", { "b" }, "<disk><a/> <c/></disk>" },
    { "<disk><a/> <b/> <c/></disk>", { "c" }, "<disk><a/> <b/></disk>" },
    { "<disk><a/> <b/> <c/></disk>", { "a", "c" }, "<disk><b/></disk>" },
    { "<disk>\n  <a/> <b/>\n</disk>", { "a" }, "<disk>\n  <b/>\n</disk>" },
    { "<disk>\n  <a/> <b/>\n</disk>", { "b" }, "<disk>\n  <a/>\n</disk>" },
    { "<disk>\n  <a/> <b/>\n</disk>", { "b", "a" }, "<disk>\n</disk>" },
    { "<disk>\n  <a/> <!-- c -->\n</disk>", { "a" }, "<disk>\n  <!-- c -->\n</disk>" },
    { "<disk>\n  <!-- c --> <a/>\n</disk>", { "a" }, "<disk>\n  <!-- c -->\n</disk>" },
    { "<disk>\n  <a/></disk>", { "a" }, "<disk>\n  </disk>" },
    { "<disk>x <a/> y</disk>", { "a" }, "<disk>x y</disk>" },
    { "<disk>x<a/> y</disk>", { "a" }, "<disk>x y</disk>" },
    { "<disk>\n\n  <a/>\n\n</disk>", { "a" }, "<disk>\n\n\n</disk>" },
};

START_TEST(test_remove_cases)
{
    const struct remove_case *c = &remove_cases[_i];
    struct fixture f = begin(c->text);
    const domxml_elem *elems[4] = { NULL };

    for (size_t i = 0; i < 4 && c->paths[i]; i++)
        elems[i] = find(&f, c->paths[i]);
    for (size_t i = 0; i < 4 && elems[i]; i++) {
        ck_assert(domxml_editor_remove(f.editor, elems[i], NULL));
        ck_assert(domxml_editor_remove(f.editor, elems[i], NULL));
    }
    (void)end(&f, c->expected);
}
END_TEST

START_TEST(test_replace_an_element)
{
    struct fixture f = begin("<disk>\n  <a/>\n  <b/>\n</disk>");

    insert(&f, "", "new", "a");
    remove_at(&f, "a");
    ck_assert_uint_eq(end(&f, "<disk>\n  <new/>\n  <b/>\n</disk>"), 1);
    f = begin("<disk>\n  <a/>\n  <b/>\n</disk>");
    remove_at(&f, "b");
    insert(&f, "", "new", NULL);
    ck_assert_uint_eq(end(&f, "<disk>\n  <a/>\n  <new/>\n</disk>"), 1);
    f = begin("<disk>\n  <a/>\n</disk>");
    remove_at(&f, "a");
    insert(&f, "", "new", NULL);
    ck_assert_uint_eq(end(&f, "<disk>\n  <new/>\n</disk>"), 1);
    f = begin("<disk><a/></disk>");
    remove_at(&f, "a");
    insert(&f, "", "new", NULL);
    ck_assert_uint_eq(end(&f, "<disk><new/></disk>"), 1);
    f = begin("<disk>\n  <a/> <b/>\n</disk>");
    insert(&f, "", "new", "b");
    remove_at(&f, "a");
    remove_at(&f, "b");
    (void)end(&f, "<disk>\n   <new/> \n</disk>");
    f = begin("<disk>\n  <a/> <b/>\n</disk>");
    remove_at(&f, "a");
    remove_at(&f, "b");
    insert(&f, "", "new", NULL);
    (void)end(&f, "<disk>\n    <new/>\n</disk>");
}
END_TEST

START_TEST(test_changes_inside_a_removed_element_go_with_it)
{
    struct fixture f = begin("<disk>\n  <a x='1'>\n    <i/>\n  </a>\n</disk>");

    set(&f, "a", "x", "2");
    insert(&f, "a", "new", NULL);
    remove_at(&f, "a/i");
    remove_at(&f, "a");
    ck_assert_uint_eq(end(&f, "<disk>\n</disk>"), 1);
}
END_TEST

/* ---- Text --------------------------------------------------------------------------------- */

struct text_case {
    const char *text;
    const char *set;
    const char *expected;
};

static const struct text_case text_cases[] = {
    { "<disk><a>old</a></disk>", "new <&>\r", "<disk><a>new &lt;&amp;&gt;&#13;</a></disk>" },
    { "<disk><a></a></disk>", "new", "<disk><a>new</a></disk>" },
    { "<disk><a/></disk>", "new", "<disk><a>new</a></disk>" },
    { "<disk><a x='1' /></disk>", "new", "<disk><a x='1'>new</a></disk>" },
    { "<disk><a>old</a></disk>", "", "<disk><a></a></disk>" },
    { "<disk><a><!-- c -->old<?p?></a></disk>", "new", "<disk><a><!-- c -->new<?p?></a></disk>" },
    { "<disk><a> <!-- c --> old <!-- d --> x</a></disk>", "new",
      "<disk><a><!-- c -->new<!-- d --></a></disk>" },
    { "<disk><a><![CDATA[a<b]]></a></disk>", "c<d", "<disk><a><![CDATA[c<d]]></a></disk>" },
    { "<disk><a><![CDATA[a<b]]></a></disk>", "]]>", "<disk><a>]]&gt;</a></disk>" },
    { "<disk><a>x<![CDATA[a<b]]></a></disk>", "y", "<disk><a>y</a></disk>" },
    { "<disk><a><!-- c --></a></disk>", "y", "<disk><a>y<!-- c --></a></disk>" },
    { "<disk><a>a&#98;&lt;<![CDATA[c]]></a></disk>", "ab<c",
      "<disk><a>a&#98;&lt;<![CDATA[c]]></a></disk>" },
};

START_TEST(test_text_cases)
{
    const struct text_case *c = &text_cases[_i];
    struct fixture f = begin(c->text);
    domxml_edits *edits;
    domxml_doc *doc;
    char *changed;
    size_t length;

    set_text(&f, "a", c->set);
    set_text(&f, "a", c->set);
    edits = domxml_editor_finish(f.editor, NULL);
    changed = domxml_edits_apply(edits, c->text, strlen(c->text), &length, NULL, NULL);
    doc = domxml_parse(changed, length, NULL);
    ck_assert_str_eq(domxml_get(domxml_doc_root(doc), "a"), c->set);
    domxml_doc_free(doc);
    free(changed);
    domxml_edits_free(edits);
    (void)end(&f, c->expected);
}
END_TEST

START_TEST(test_text_of_an_element_that_held_elements)
{
    struct fixture f = begin("<disk>\n  <a>\n    <i/>\n  </a>\n</disk>");

    ck_assert(!domxml_editor_set_text(f.editor, find(&f, "a"), "x", &f.error));
    ck_assert_int_eq(f.error.code, DOMXML_ERR_ARGUMENT);
    remove_at(&f, "a/i");
    f.error.code = DOMXML_OK;
    set_text(&f, "a", "x");
    (void)end(&f, "<disk>\n  <a>x</a>\n</disk>");
    f = begin("<disk>\n  <a>old</a>\n</disk>");
    set_text(&f, "a", "x");
    ck_assert_ptr_null(domxml_editor_insert_child(f.editor, find(&f, "a"), "i", NULL, &f.error));
    ck_assert_int_eq(f.error.code, DOMXML_ERR_ARGUMENT);
    f.error.code = DOMXML_OK;
    set_text(&f, "a", "");
    insert(&f, "a", "i", NULL);
    (void)end(&f, "<disk>\n  <a>\n    <i/>\n  </a>\n</disk>");
}
END_TEST

/* ---- Refusals ----------------------------------------------------------------------------- */

static void
expect(struct fixture *f, bool done, enum domxml_code code)
{
    ck_assert(!done);
    ck_assert_int_eq(f->error.code, code);
    ck_assert_str_ne(f->error.text, "");
    f->error = (struct domxml_error)DOMXML_ERROR_INIT;
}

START_TEST(test_refusals_leave_the_editor_as_it_was)
{
    struct fixture f = begin("<disk>\n  <a/>\n  <b><c/></b>\n</disk>");
    struct fixture other = begin("<disk><a/></disk>");
    const domxml_elem *root = domxml_doc_root(f.doc), *a = find(&f, "a"), *c = find(&f, "b/c");
    const domxml_elem *strange = insert(&other, "", "n", NULL),
                      *pending = insert(&f, "a", "n", NULL);

    expect(&f, domxml_editor_set_attr(f.editor, a, "x", "\x01", &f.error), DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_attr(f.editor, a, "x", "\xFF", &f.error), DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_attr(f.editor, a, "x", "\xED\xA0\x80", &f.error),
           DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_attr(f.editor, a, "x", "\xEF\xBF\xBF", &f.error),
           DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_text(f.editor, a, "x", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_text(f.editor, c, "\x0B", &f.error), DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_attr(f.editor, a, "x y", "1", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_attr(f.editor, a, "", "1", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_attr(f.editor, a, "xmlns:p", "", &f.error), DOMXML_ERR_VALUE);
    expect(&f, domxml_editor_set_attr(f.editor, a, "xmlns:xml", "u", &f.error),
           DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_attr(f.editor, NULL, "x", "1", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_attr(f.editor, strange, "x", "1", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_set_attr(f.editor, domxml_doc_root(other.doc), "x", "1", &f.error),
           DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_remove(f.editor, root, &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_insert_child(f.editor, root, "1", NULL, &f.error),
           DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_insert_child(f.editor, root, "n", c, &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_insert_child(f.editor, root, "n", pending, &f.error),
           DOMXML_ERR_ARGUMENT);
    remove_at(&f, "b");
    expect(&f, domxml_editor_set_attr(f.editor, c, "x", "1", &f.error), DOMXML_ERR_ARGUMENT);
    expect(&f, domxml_editor_insert_child(f.editor, c, "x", NULL, &f.error), DOMXML_ERR_ARGUMENT);
    ck_assert(domxml_editor_remove(f.editor, c, &f.error));
    ck_assert(domxml_editor_remove(f.editor, pending, &f.error));
    expect(&f, domxml_editor_set_attr(f.editor, pending, "x", "1", &f.error), DOMXML_ERR_ARGUMENT);
    ck_assert_ptr_null(domxml_editor_find(f.editor, root, "b/c"));
    ck_assert_ptr_null(domxml_editor_get(f.editor, c, ""));
    (void)end(&f, "<disk>\n  <a/>\n</disk>");
    (void)end(&other, "<disk><a/><n/></disk>");
}
END_TEST

START_TEST(test_refusal_names_the_place)
{
    struct fixture f = begin("<disk>\n  <a/>\n</disk>");
    const domxml_elem *a = find(&f, "a");

    remove_at(&f, "a");
    ck_assert(!domxml_editor_set_attr(f.editor, a, "x", "1", &f.error));
    ck_assert_int_eq(f.error.line, 2);
    ck_assert_int_eq(f.error.column, 3);
    ck_assert_uint_eq(f.error.offset, 9);
    (void)end(&f, "<disk>\n</disk>");
}
END_TEST

START_TEST(test_nesting_is_limited)
{
    struct fixture f = begin("<disk/>");
    const domxml_elem *elem = domxml_doc_root(f.doc);
    domxml_edits *edits;
    size_t length;
    char *changed;
    domxml_doc *doc;

    for (int i = 1; i < DOMXML_MAX_DEPTH; i++) {
        elem = domxml_editor_insert_child(f.editor, elem, "e", NULL, &f.error);
        ck_assert_ptr_nonnull(elem);
    }
    ck_assert_ptr_null(domxml_editor_insert_child(f.editor, elem, "e", NULL, &f.error));
    ck_assert_int_eq(f.error.code, DOMXML_ERR_TOO_DEEP);
    edits = domxml_editor_finish(f.editor, NULL);
    changed = domxml_edits_apply(edits, "<disk/>", 7, &length, NULL, NULL);
    doc = domxml_parse(changed, length, NULL);
    ck_assert_ptr_nonnull(doc);
    domxml_doc_free(doc);
    free(changed);
    domxml_edits_free(edits);
    domxml_editor_free(f.editor);
    domxml_doc_free(f.doc);
}
END_TEST

START_TEST(test_finishing_twice_gives_equal_edits)
{
    struct fixture f = begin("<disk>\n  <a x='1'/>\n</disk>");
    domxml_edits *edits;

    set(&f, "a", "x", "2");
    edits = domxml_editor_finish(f.editor, NULL);
    ck_assert_uint_eq(domxml_edits_count(edits), 1);
    domxml_edits_free(edits);
    insert(&f, "", "b", NULL);
    ck_assert_uint_eq(end(&f, "<disk>\n  <a x='2'/>\n  <b/>\n</disk>"), 2);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("editor");
    TCase *tcase = tcase_create("editor");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, test_value_replaced_between_its_quotes);
    tcase_add_test(tcase, test_edit_is_the_value_alone);
    tcase_add_test(tcase, test_value_with_references_is_compared_decoded);
    tcase_add_loop_test(tcase, test_attr_cases, 0, sizeof(attr_cases) / sizeof(attr_cases[0]));
    tcase_add_test(tcase, test_attrs_compose);
    tcase_add_test(tcase, test_set_back_is_no_change);
    tcase_add_loop_test(tcase, test_insert_cases, 0,
                        sizeof(insert_cases) / sizeof(insert_cases[0]));
    tcase_add_test(tcase, test_insert_order_and_nesting);
    tcase_add_test(tcase, test_insert_nested_inline);
    tcase_add_test(tcase, test_ensure_finds_what_is_there);
    tcase_add_loop_test(tcase, test_remove_cases, 0,
                        sizeof(remove_cases) / sizeof(remove_cases[0]));
    tcase_add_test(tcase, test_replace_an_element);
    tcase_add_test(tcase, test_changes_inside_a_removed_element_go_with_it);
    tcase_add_loop_test(tcase, test_text_cases, 0, sizeof(text_cases) / sizeof(text_cases[0]));
    tcase_add_test(tcase, test_text_of_an_element_that_held_elements);
    tcase_add_test(tcase, test_refusals_leave_the_editor_as_it_was);
    tcase_add_test(tcase, test_refusal_names_the_place);
    tcase_add_test(tcase, test_nesting_is_limited);
    tcase_add_test(tcase, test_finishing_twice_gives_equal_edits);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
