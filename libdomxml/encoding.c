/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * encoding.c: only UTF-8 is read; anything else is recognised and refused with the way out.
 */
#include "libdomxml/internal.h"

#include <string.h>
#include <strings.h>

size_t
dx_utf8_length(const char *text, const char *end)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t room = (size_t)(end - text), length;
    uint32_t point;

    if (room == 0)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    if (bytes[0] >= 0xC2 && bytes[0] <= 0xDF)
        length = 2;
    else if (bytes[0] >= 0xE0 && bytes[0] <= 0xEF)
        length = 3;
    else if (bytes[0] >= 0xF0 && bytes[0] <= 0xF4)
        length = 4;
    else
        return 0;
    if (room < length)
        return 0;
    point = bytes[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (bytes[i] & 0x3F);
    }
    /* Over-long forms of three and four bytes, surrogates, and what is past Unicode. */
    if ((length == 3 && (point < 0x800 || (point >= 0xD800 && point <= 0xDFFF))) ||
        (length == 4 && (point < 0x10000 || point > 0x10FFFF)))
        return 0;
    return length;
}

/* The first byte of @text that is no ASCII, or @end. */
static const char *
skip_ascii(const char *text, const char *end)
{
    uint64_t word;

    while (end - text >= (ptrdiff_t)sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
        text += sizeof(word);
    }
    while (text < end && (unsigned char)*text < 0x80)
        text++;
    return text;
}

struct signature {
    const char *bytes;
    size_t length;
    const char *encoding;
};

/* Byte order marks, and what '<' and white space look like without one; the longer ones first. */
static const struct signature signatures[] = {
    { "\xFF\xFE\0\0", 4, "UTF-32LE" }, { "\0\0\xFE\xFF", 4, "UTF-32BE" },
    { "\xFF\xFE", 2, "UTF-16LE" },     { "\xFE\xFF", 2, "UTF-16BE" },
    { "<\0\0\0", 4, "UTF-32LE" },      { "\0\0\0<", 4, "UTF-32BE" },
    { "<\0", 2, "UTF-16LE" },          { "\0<", 2, "UTF-16BE" },
    { "\n\0", 2, "UTF-16LE" },         { "\0\n", 2, "UTF-16BE" },
    { " \0", 2, "UTF-16LE" },          { "\0 ", 2, "UTF-16BE" },
};

static bool
check_signature(const char *text, size_t length, struct domxml_error *error)
{
    for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
        if (length >= signatures[i].length &&
            memcmp(text, signatures[i].bytes, signatures[i].length) == 0)
            return dx_error(error, DOMXML_ERR_ENCODING, text, 0,
                            "the text is %s; only UTF-8 is read: convert it first, for example "
                            "with 'iconv -f %.6s -t UTF-8'",
                            signatures[i].encoding, signatures[i].encoding);
    return true;
}

static bool
is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The value of the encoding declaration of the XML declaration that @text may begin with. */
static struct domxml_span
find_declaration(const char *text, size_t length)
{
    struct domxml_span none = { 0, 0 };
    size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    if (length - at < 6 || memcmp(text + at, "<?xml", 5) != 0 || !is_space(text[at + 5]))
        return none;
    at += 5;
    while (at < length) {
        size_t name, name_length, value;

        while (at < length && is_space(text[at]))
            at++;
        for (name = at; at < length && text[at] >= 'a' && text[at] <= 'z'; at++)
            ;
        name_length = at - name;
        while (at < length && is_space(text[at]))
            at++;
        if (name_length == 0 || at == length || text[at++] != '=')
            return none;
        while (at < length && is_space(text[at]))
            at++;
        if (at == length || (text[at] != '"' && text[at] != '\''))
            return none;
        for (value = ++at; at < length && text[at] != text[value - 1]; at++)
            ;
        if (at == length) /* cut off: not well-formed, whatever it was to say */
            return none;
        if (name_length == 8 && memcmp(text + name, "encoding", 8) == 0)
            return (struct domxml_span){ value, at - value };
        at++;
    }
    return none;
}

static bool
is_named(const char *text, struct domxml_span span, const char *name)
{
    return span.length == strlen(name) && strncasecmp(text + span.offset, name, span.length) == 0;
}

bool
dx_check_encoding(const char *text, size_t length, struct domxml_error *error)
{
    const char *end = text + length, *at;
    struct domxml_span declared;

    if (!check_signature(text, length, error))
        return false;
    declared = find_declaration(text, length);
    if (is_named(text, declared, "US-ASCII") || is_named(text, declared, "ASCII")) {
        at = skip_ascii(text, end);
        if (at < end)
            return dx_error(error, DOMXML_ERR_ENCODING, text, (size_t)(at - text),
                            "the declared encoding is US-ASCII, but this byte is none of it; "
                            "declare UTF-8 if it is that");
    } else if (declared.length > 0 && !is_named(text, declared, "UTF-8") &&
               !is_named(text, declared, "UTF8")) {
        return dx_error(error, DOMXML_ERR_ENCODING, text, declared.offset,
                        "the declared encoding is '%.*s'; only UTF-8 is read: convert the text "
                        "and change the declaration",
                        (int)(declared.length < 40 ? declared.length : 40),
                        text + declared.offset);
    }
    for (at = skip_ascii(text, end); at < end; at = skip_ascii(at, end)) {
        size_t sequence = dx_utf8_length(at, end);

        if (sequence == 0)
            return dx_error(error, DOMXML_ERR_ENCODING, text, (size_t)(at - text),
                            "not UTF-8 (byte 0x%02X); convert the text first, for example with "
                            "'iconv -f ISO-8859-1 -t UTF-8'",
                            (unsigned char)*at);
        at += sequence;
    }
    at = memchr(text, '\0', length);
    if (at)
        return dx_error(error, DOMXML_ERR_NOT_WELL_FORMED, text, (size_t)(at - text),
                        "a NUL byte, which XML cannot carry");
    return true;
}
