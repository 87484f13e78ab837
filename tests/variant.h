/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant.h: the same document as other people would have written it. */
#ifndef TEST_VARIANT_H
#define TEST_VARIANT_H

#include <stddef.h>

#include "tests/random.h"

enum variant {
    VARIANT_AS_IS,
    VARIANT_CRLF,
    VARIANT_BOM,
    VARIANT_TABS,          /* for the spaces of an indentation */
    VARIANT_QUOTES,        /* double ones for single ones, and the other way round */
    VARIANT_NO_LAST_LINE_END,
    VARIANT_COMMENTS,      /* comments, processing instructions and CDATA between tags */
    VARIANT_ATTRIBUTE_LINES, /* each attribute on a line of its own */
    VARIANT_ONE_LINE,      /* no white space between tags */
    VARIANT_COUNT,
};

/* The name of a variant, for messages. */
const char *variant_name(enum variant variant);

/* Makes @variant of a well-formed document without DOCTYPE. To be freed with free(). */
char *variant_make(enum variant variant, const char *text, size_t length,
                   struct test_random *random, size_t *new_length);

#endif
