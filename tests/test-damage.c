/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-damage.c: what the fuzzer for qcow2 checks, on images damaged at random and on the files
 * named on the command line: so without clang, in every run, and to play what the fuzzer found.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scratch.h"

enum { SEED = 20240607, ROUNDS = 400 };

/* fuzz/fuzz-qcow2.c; aborts when something does not hold. */
int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

/* Small images, so that most of what is damaged matters. */
static const char *const seeds[] = {
    "-o cluster_size=512 i 64k",
    "-o cluster_size=512,preallocation=metadata i 64k",
    "-o cluster_size=512,compat=0.10,preallocation=falloc i 64k",
    "-o cluster_size=16k,extended_l2=on,preallocation=metadata i 256k",
    "-o cluster_size=512 i 64k; qemu-img snapshot -c one i; qemu-img snapshot -c two i",
    "-u -b /nowhere/base.qcow2 -F qcow2 -o cluster_size=512 i 64k",
    "-o cluster_size=512,data_file=d.raw i 64k",
};

/* Numbers that sit at limits. */
static const guint64 odd_numbers[] = {
    0, 1, 2, 0x7f, 0x80, 0xff, 0x1ff, 0x200, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
    G_GUINT64_CONSTANT(0x100000000), G_GUINT64_CONSTANT(0x7fffffffffffffff),
    G_GUINT64_CONSTANT(0x8000000000000000), G_GUINT64_CONSTANT(0x8000000000000200),
    G_MAXUINT64,
};

/* One change of the image: a bit, a number, or its length. The header is hit as often as all the
 * rest. */
static void
damage(GRand *random, guint8 *bytes, gsize *length)
{
    gsize reach = g_rand_boolean(random) ? MIN(*length, 120) : *length;
    gsize place = (gsize)g_rand_int_range(random, 0, (gint32)reach);

    switch (g_rand_int_range(random, 0, 8)) {
    case 0:
        *length = MAX(place, 8);
        break;
    case 1:
    case 2:
        bytes[place] ^= (guint8)(1u << g_rand_int_range(random, 0, 8));
        break;
    default: {
        guint64 number = GUINT64_TO_BE(
            odd_numbers[g_rand_int_range(random, 0, G_N_ELEMENTS(odd_numbers))]);
        gsize size = g_rand_boolean(random) ? 8 : 4;

        place = place / size * size;
        if (place + size <= *length)
            memcpy(bytes + place, (guint8 *)&number + 8 - size, size);
        break;
    }
    }
}

START_TEST(damaged)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "i"), *text = NULL;
    GRand *random = g_rand_new_with_seed(SEED + (guint)_i);
    gsize length;

    scratch_run(&s, "qemu-img create -q -f qcow2 %s", seeds[_i]);
    ck_assert(g_file_get_contents(path, &text, &length, NULL));
    for (guint round = 0; round < ROUNDS; round++) {
        g_autofree guint8 *bytes = g_memdup2(text, length);
        gsize left = length;

        for (gint32 n = g_rand_int_range(random, 0, 4); n > 0; n--)
            damage(random, bytes, &left);
        ck_assert_int_eq(LLVMFuzzerTestOneInput(bytes, left), 0);
    }
    g_rand_free(random);
}
END_TEST

static int
play(char **names)
{
    for (; *names; names++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = NULL;
        gsize length;

        if (!g_file_get_contents(*names, &text, &length, &error)) {
            fprintf(stderr, "%s\n", error->message);
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput((const guint8 *)text, length);
    }
    return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
    Suite *suite;
    TCase *tcase;
    SRunner *runner;
    int failed;

    if (argc > 1)
        return play(argv + 1);
    suite = suite_create("damage");
    tcase = tcase_create("damaged images");
    runner = srunner_create(suite);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, damaged, 0, G_N_ELEMENTS(seeds));
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
