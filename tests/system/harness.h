/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.h: what the system tests in C share: they run beside a private libvirtd
 * (with-libvirtd), and prepare and check things with foreign tools (lib.sh).
 */
#pragma once

#include <check.h>
#include <glib.h>

/**
 * harness_enter: runs this program again beside a private libvirtd, unless that is the case.
 * Called first of all by main(). Exits with 77 where there can be no such daemon.
 */
void harness_enter(char **argv);

/**
 * harness_run: runs a bash script that knows lib.sh's functions; its $images is this test's own
 * folder. Fails the test where the script does.
 * Returns: what it printed, less the white space around it; to be freed.
 */
char *harness_run(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Fixtures of a test case: a fresh folder of images before each test, no domains and pools
 * after it. */
void harness_setup(void);
void harness_teardown(void);

/* The folder that $images is in scripts; to be freed. */
char *harness_images(void);

/* Runs a suite whose tests come after each other, and returns main()'s exit status. */
int harness_main(Suite *suite);
