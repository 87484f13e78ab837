/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root-name.c: a cheap look at a text's root element.
 *
 * No judgement of well-formedness: a domain that libdomxml will refuse (a
 * DOCTYPE, UTF-16, template lines before the root) counts as a domain, so that
 * it is refused aloud and not passed over.
 */
#include "probe/root-name.h"

#include <string.h>

static const char *const our_roots[] = {
    "domain", "domainsnapshot", "domaincheckpoint", "domstatus", "disk",
};

/* Markup that may stand before the root element, skipped whole. */
static const struct {
    const char *start;
    const char *end;
} prologue[] = {
    { "<!--", "-->" },
    { "<?", "?>" },
    { "{#", "#}" },
    { "{%", "%}" },
    { "{{", "}}" },
};

static enum root_name
look_at_name(const char *name, const char *end)
{
    const char *p = name;

    while (p < end && !strchr(" \t\r\n/>[", *p))
        p++;
    if (p == end)
        return ROOT_UNDECIDED;
    for (gsize i = 0; i < G_N_ELEMENTS(our_roots); i++) {
        if (strlen(our_roots[i]) == (gsize)(p - name) &&
            memcmp(our_roots[i], name, (gsize)(p - name)) == 0)
            return ROOT_OURS;
    }
    return ROOT_OTHER;
}

/* UTF-16 of a domain is ASCII with NULs in between; that is all that is needed to know it. */
static enum root_name
look_at_utf16(const char *text, gsize length)
{
    g_autofree char *narrow = g_malloc(length + 1);
    gsize n = 0;

    for (gsize i = 2; i < length; i++) {
        if (text[i] != '\0')
            narrow[n++] = text[i];
    }
    return root_name_look(narrow, n);
}

enum root_name
root_name_look(const char *text, gsize length)
{
    const char *p = text, *end = text + length;

    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return look_at_utf16(text, length);
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    for (;;) {
        const char *after = NULL;

        while (p < end && strchr(" \t\r\n", *p) && *p)
            p++;
        if (p == end)
            return ROOT_UNDECIDED;
        if (end - p >= 9 && memcmp(p, "<!DOCTYPE", 9) == 0) {
            for (p += 9; p < end && strchr(" \t\r\n", *p) && *p; p++)
                continue;
            return look_at_name(p, end);
        }
        for (gsize i = 0; i < G_N_ELEMENTS(prologue) && !after; i++) {
            gsize n = MIN(strlen(prologue[i].start), (gsize)(end - p));

            if (memcmp(p, prologue[i].start, n) != 0)
                continue;
            /* A start that the text cuts short may yet become one ("<" alone may be any). */
            after = n == strlen(prologue[i].start)
                        ? g_strstr_len(p + n, end - p - (gssize)n, prologue[i].end)
                        : NULL;
            if (!after)
                return ROOT_UNDECIDED;
            after += strlen(prologue[i].end);
        }
        if (!after)
            break;
        p = after;
    }
    if (*p != '<')
        return ROOT_OTHER;
    /* "<!DOCT" cut short is looked at again with more text. */
    if (end - p < 9 && memchr(p, '!', (gsize)(end - p)))
        return ROOT_UNDECIDED;
    return look_at_name(p + 1, end);
}
