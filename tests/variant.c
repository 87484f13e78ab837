/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant.c: the same document as other people would have written it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/expect.h"
#include "tests/variant.h"

/* The text that is read and the one that is made of it. */
struct rewrite {
    enum variant variant;
    struct test_random *random;
    const char *at, *end;
    int depth;       /* of the elements around @at */
    bool line_start; /* only white space since the line began */
    FILE *out;
};

const char *
variant_name(enum variant variant)
{
    static const char *const names[] = {
        "as it is", "CRLF", "BOM", "tabs", "quotes", "no last line end", "comments",
        "attribute lines", "one line",
    };

    return names[variant];
}

static void
put(struct rewrite *rewrite, const char *text, size_t length)
{
    expect(fwrite(text, 1, length, rewrite->out) == length, "reading or writing failed");
}

static void
put_string(struct rewrite *rewrite, const char *text)
{
    put(rewrite, text, strlen(text));
}

/* Copies until behind @stop, which begins behind @skip bytes. */
static void
copy_until(struct rewrite *rewrite, const char *stop, size_t skip)
{
    const char *found = strstr(rewrite->at + skip, stop);
    size_t length;

    expect(found != NULL, "no %s", stop);
    length = (size_t)(found - rewrite->at) + strlen(stop);
    put(rewrite, rewrite->at, length);
    rewrite->at += length;
}

/* A value in the other kind of quotes. */
static void
put_requoted(struct rewrite *rewrite, const char *value, size_t length, char quote)
{
    char other = quote == '\'' ? '"' : '\'';

    put(rewrite, &other, 1);
    for (size_t i = 0; i < length; i++) {
        if (value[i] == other)
            put_string(rewrite, other == '"' ? "&quot;" : "&apos;");
        else
            put(rewrite, value + i, 1);
    }
    put(rewrite, &other, 1);
}

static void
rewrite_value(struct rewrite *rewrite)
{
    char quote = *rewrite->at;
    const char *value = rewrite->at + 1;
    const char *close = memchr(value, quote, (size_t)(rewrite->end - value));
    size_t length;

    expect(close != NULL, "a value does not end");
    length = (size_t)(close - value);
    if (rewrite->variant == VARIANT_QUOTES)
        put_requoted(rewrite, value, length, quote);
    else
        put(rewrite, rewrite->at, length + 2);
    rewrite->at = close + 1;
}

/* What the variant puts between two tags. */
static void
put_between(struct rewrite *rewrite)
{
    static const char *const made_up[] = {
        "<!-- made up: <disk type='file'> & \"more\" -->",
        "<?made up <disk/> ?>",
        "<!---->",
        "<![CDATA[]]>",
    };
    static const char cdata[] = "<![CDATA[ <disk/> & ]] > ]]>";

    if (rewrite->variant != VARIANT_COMMENTS || test_random_below(rewrite->random, 4) > 0)
        return;
    if (rewrite->depth > 0)
        put_string(rewrite, test_random_below(rewrite->random, 6) == 0
                                ? cdata
                                : made_up[test_random_below(rewrite->random, 4)]);
    else
        put_string(rewrite, made_up[test_random_below(rewrite->random, 3)]);
}

static void
rewrite_tag(struct rewrite *rewrite)
{
    bool closes = rewrite->at[1] == '/';
    bool empty = false;

    while (rewrite->at < rewrite->end && *rewrite->at != '>') {
        char c = *rewrite->at;

        empty = c == '/';
        if (c == '\'' || c == '"') {
            rewrite_value(rewrite);
            continue;
        }
        if (c == ' ' && rewrite->variant == VARIANT_ATTRIBUTE_LINES && !closes)
            put_string(rewrite, "\n\t  ");
        else
            put(rewrite, rewrite->at, 1);
        rewrite->at++;
    }
    expect(rewrite->at < rewrite->end, "a tag does not end");
    put(rewrite, rewrite->at++, 1);
    rewrite->depth += closes ? -1 : !empty;
    put_between(rewrite);
}

static void
rewrite_text(struct rewrite *rewrite)
{
    const char *next = memchr(rewrite->at, '<', (size_t)(rewrite->end - rewrite->at));
    size_t length;

    if (!next)
        next = rewrite->end;
    length = (size_t)(next - rewrite->at);
    if (rewrite->variant == VARIANT_ONE_LINE && strspn(rewrite->at, " \t\r\n") >= length) {
        rewrite->at = next;
        return;
    }
    for (; rewrite->at < next; rewrite->at++) {
        char c = *rewrite->at;

        if (c == ' ' && rewrite->line_start && rewrite->variant == VARIANT_TABS) {
            put_string(rewrite, "\t");
            if (rewrite->at + 1 < next && rewrite->at[1] == ' ')
                rewrite->at++;
            continue;
        }
        rewrite->line_start = c == '\n' || (c == ' ' && rewrite->line_start);
        put(rewrite, &c, 1);
    }
    rewrite->line_start = false;
}

static void
rewrite_all(struct rewrite *rewrite)
{
    while (rewrite->at < rewrite->end) {
        if (strncmp(rewrite->at, "<!--", 4) == 0)
            copy_until(rewrite, "-->", 4);
        else if (strncmp(rewrite->at, "<![CDATA[", 9) == 0)
            copy_until(rewrite, "]]>", 9);
        else if (strncmp(rewrite->at, "<?", 2) == 0)
            copy_until(rewrite, "?>", 2);
        else if (*rewrite->at == '<')
            rewrite_tag(rewrite);
        else
            rewrite_text(rewrite);
    }
}

/* Every LF gets a CR, also in comments and CDATA, as a checkout on another system makes it. */
static void
put_crlf(struct rewrite *rewrite)
{
    for (; rewrite->at < rewrite->end; rewrite->at++) {
        if (*rewrite->at == '\n')
            put_string(rewrite, "\r\n");
        else if (*rewrite->at != '\r')
            put(rewrite, rewrite->at, 1);
    }
}

char *
variant_make(enum variant variant, const char *text, size_t length, struct test_random *random,
             size_t *new_length)
{
    char *made = NULL;
    struct rewrite rewrite = {
        .variant = variant, .random = random, .at = text, .end = text + length,
        .out = open_memstream(&made, new_length),
    };

    expect(rewrite.out != NULL, "no memory");
    switch (variant) {
    case VARIANT_CRLF:
        put_crlf(&rewrite);
        break;
    case VARIANT_BOM:
        put_string(&rewrite, "\xef\xbb\xbf");
        put(&rewrite, text, length);
        break;
    case VARIANT_NO_LAST_LINE_END:
        while (length > 0 && strchr(" \t\r\n", text[length - 1]))
            length--;
        put(&rewrite, text, length);
        break;
    default:
        rewrite_all(&rewrite);
    }
    expect(fclose(rewrite.out) == 0, "reading or writing failed");
    return made;
}
