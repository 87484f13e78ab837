/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * value.c: between values and how they are written: references, line ends, quotes; and telling
 * values from the placeholders of template languages.
 */
#include "libdomxml/internal.h"

#include <string.h>

/* ---- Decoding -------------------------------------------------------------------------- */

static size_t
encode_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

/* The code point of a character reference whose digits are the @length bytes at @digits ("65",
 * "x41"), or 0. */
static uint32_t
char_reference(const char *digits, size_t length)
{
    bool hex = length > 0 && digits[0] == 'x';
    uint32_t point = 0;

    for (size_t i = hex; i < length; i++) {
        char digit = digits[i];

        if (digit >= '0' && digit <= '9')
            point = point * (hex ? 16 : 10) + (uint32_t)(digit - '0');
        else if (hex && digit >= 'a' && digit <= 'f')
            point = point * 16 + (uint32_t)(digit - 'a' + 10);
        else if (hex && digit >= 'A' && digit <= 'F')
            point = point * 16 + (uint32_t)(digit - 'A' + 10);
        else
            return 0;
        if (point > 0x10FFFF)
            return 0;
    }
    return point;
}

struct entity {
    const char *name;
    char character;
};

static const struct entity entities[] = {
    { "lt", '<' }, { "gt", '>' }, { "amp", '&' }, { "apos", '\'' }, { "quot", '"' },
};

static bool
is_reference_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
        (byte >= 'A' && byte <= 'F') || byte == '#';
}

/* Decodes the reference that @raw begins with into @out; *@taken: its length. What is no reference
 * is kept: libxml2 will refuse it. A reference is never shorter than what it stands for. */
static size_t
decode_reference(char *out, const char *raw, size_t length, size_t *taken)
{
    size_t name_length = 0;
    uint32_t point;

    while (name_length + 1 < length && is_reference_byte(raw[name_length + 1]))
        name_length++;
    if (name_length + 1 == length || raw[name_length + 1] != ';')
        name_length = 0;
    *taken = name_length + 2;
    if (name_length > 1 && raw[1] == '#') {
        point = char_reference(raw + 2, name_length - 1);
        if (point != 0)
            return encode_utf8(out, point);
    }
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
        if (name_length == strlen(entities[i].name) &&
            memcmp(raw + 1, entities[i].name, name_length) == 0) {
            out[0] = entities[i].character;
            return 1;
        }
    *taken = 1;
    out[0] = '&';
    return 1;
}

/* Copies with references resolved; a line end (CR LF, CR or LF) becomes @line_end, a tab @tab. */
static size_t
decode(char *out, const char *raw, size_t length, bool references, char line_end, char tab)
{
    size_t made = 0, at = 0, taken;

    while (at < length) {
        char byte = raw[at];

        if (byte == '&' && references) {
            made += decode_reference(out + made, raw + at, length - at, &taken);
            at += taken;
            continue;
        }
        if (byte == '\r' && at + 1 < length && raw[at + 1] == '\n')
            at++;
        if (byte == '\r' || byte == '\n')
            byte = line_end;
        else if (byte == '\t')
            byte = tab;
        out[made++] = byte;
        at++;
    }
    return made;
}

size_t
dx_decode_attr(char *out, const char *raw, size_t length)
{
    return decode(out, raw, length, true, ' ', ' ');
}

size_t
dx_decode_text(char *out, const char *raw, size_t length)
{
    if (!memchr(raw, '&', length) && !memchr(raw, '\r', length)) {
        memcpy(out, raw, length);
        return length;
    }
    return decode(out, raw, length, true, '\n', '\t');
}

size_t
dx_decode_cdata(char *out, const char *raw, size_t length)
{
    return decode(out, raw, length, false, '\n', '\t');
}

/* ---- Encoding -------------------------------------------------------------------------- */

bool
dx_check_value(const char *value, struct domxml_error *error)
{
    const char *end = value + strlen(value);

    for (const char *at = value; at < end;) {
        size_t length = dx_utf8_length(at, end);
        unsigned char byte = (unsigned char)*at;

        if (length == 0)
            return dx_error(error, DOMXML_ERR_VALUE, NULL, 0,
                            "the value is not UTF-8 (byte 0x%02X)", byte);
        if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r')
            return dx_error(error, DOMXML_ERR_VALUE, NULL, 0,
                            "the value holds the control character U+%04X, which XML cannot carry",
                            byte);
        if (length == 3 &&
            (memcmp(at, "\xEF\xBF\xBE", 3) == 0 || memcmp(at, "\xEF\xBF\xBF", 3) == 0))
            return dx_error(error, DOMXML_ERR_VALUE, NULL, 0,
                            "the value holds a noncharacter, which XML cannot carry");
        at += length;
    }
    return true;
}

void
dx_escape_attr(struct dx_buffer *buffer, const char *value, char quote)
{
    const char *special = quote == '"' ? "&<\t\n\r\"" : "&<\t\n\r'";

    while (*value) {
        size_t plain = strcspn(value, special);

        dx_buffer_add(buffer, value, plain);
        value += plain;
        switch (*value) {
        case '\0':
            return;
        case '&':
            dx_buffer_add_string(buffer, "&amp;");
            break;
        case '<':
            dx_buffer_add_string(buffer, "&lt;");
            break;
        case '\t':
            dx_buffer_add_string(buffer, "&#9;");
            break;
        case '\n':
            dx_buffer_add_string(buffer, "&#10;");
            break;
        case '\r':
            dx_buffer_add_string(buffer, "&#13;");
            break;
        default:
            dx_buffer_add_string(buffer, quote == '"' ? "&quot;" : "&apos;");
            break;
        }
        value++;
    }
}

void
dx_escape_text(struct dx_buffer *buffer, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "&<>\r");

        dx_buffer_add(buffer, text, plain);
        text += plain;
        switch (*text) {
        case '\0':
            return;
        case '&':
            dx_buffer_add_string(buffer, "&amp;");
            break;
        case '<':
            dx_buffer_add_string(buffer, "&lt;");
            break;
        case '>':
            dx_buffer_add_string(buffer, "&gt;");
            break;
        default:
            dx_buffer_add_string(buffer, "&#13;");
            break;
        }
        text++;
    }
}

/* ---- Template placeholders ---------------------------------------------------------------- */

static bool
is_word_start(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* The length of the identifier at @text. */
static size_t
word_length(const char *text)
{
    size_t length = 0;

    if (is_word_start(text[0]))
        for (length = 1;
             is_word_start(text[length]) || (text[length] >= '0' && text[length] <= '9');)
            length++;
    return length;
}

/* Whether @value holds @open and, somewhere behind it, @close. */
static bool
encloses(const char *value, const char *open, const char *close)
{
    const char *start = strstr(value, open);

    return start && strstr(start + strlen(open), close);
}

/* Whether a placeholder without a pair of brackets begins at @text, which is one of "$%@". */
static bool
begins_placeholder(const char *text)
{
    size_t word;

    switch (text[0]) {
    case '$':
        return is_word_start(text[1]);
    case '%':
        if (text[1] == '(') {
            word = word_length(text + 2);
            return word > 0 && text[2 + word] == ')' && text[3 + word] == 's';
        }
        return text[1] == 's';
    default:
        word = word_length(text + 1);
        return word > 0 && text[1 + word] == '@';
    }
}

bool
domxml_is_template(const char *value)
{
    const char *at = value ? strpbrk(value, "{<$%@") : NULL;

    if (!at)
        return false;
    if (encloses(at, "{{", "}}") || encloses(at, "{%", "%}") || encloses(at, "<%", "%>") ||
        encloses(at, "${", "}") || encloses(at, "$(", ")"))
        return true;
    for (; at; at = strpbrk(at + 1, "$%@"))
        if (strchr("$%@", *at) && begins_placeholder(at))
            return true;
    return false;
}
