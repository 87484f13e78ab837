/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random.h: numbers that look random and come again with the same seed. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The state; set it to the seed to start with. */
struct test_random {
    uint64_t state;
};

/* The seed of this run: $DOMLINT_TEST_SEED, or the same one each time. */
uint64_t test_random_seed(void);

/* A number below @bound, which is not 0. */
size_t test_random_below(struct test_random *random, size_t bound);

#endif
