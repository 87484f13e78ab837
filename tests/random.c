/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random.c: numbers that look random and come again with the same seed (SplitMix64). */
#include <stdlib.h>

#include "tests/random.h"

uint64_t
test_random_seed(void)
{
    const char *seed = getenv("DOMLINT_TEST_SEED");

    return seed ? strtoull(seed, NULL, 0) : 20260101;
}

size_t
test_random_below(struct test_random *random, size_t bound)
{
    uint64_t mixed;

    random->state += 0x9e3779b97f4a7c15u;
    mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (size_t)(mixed % bound);
}
