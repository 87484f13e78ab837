/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.c: what the system tests in C share.
 */
#include "tests/system/harness.h"

#include <signal.h>
#include <unistd.h>

void
harness_enter(char **argv)
{
    char program[4096] = "";

    if (g_getenv("DOMLINT_LIBVIRTD"))
        return;
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        g_error("/proc is not mounted");
    execl("/bin/bash", "bash", SRCDIR "/tests/system/with-libvirtd", program, argv[1], NULL);
    g_print("skipped: no bash\n");
    _exit(77);
}

char *
harness_images(void)
{
    return g_build_filename(g_getenv("DOMLINT_IMAGES"), "test", NULL);
}

char *
harness_run(const char *format, ...)
{
    g_autofree char *script = NULL, *whole = NULL, *errors = NULL;
    g_autoptr(GError) error = NULL;
    char *output = NULL;
    int status;
    va_list args;

    va_start(args, format);
    script = g_strdup_vprintf(format, args);
    va_end(args);
    whole = g_strdup_printf("set -eu\n. '%s/tests/system/lib.sh'\n"
                            "images=$DOMLINT_IMAGES/test\n%s\n", SRCDIR, script);
    {
        const char *argv[] = { "bash", "-c", whole, NULL };

        if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
                          &errors, &status, &error))
            ck_abort_msg("cannot run bash: %s", error->message);
    }
    if (!g_spawn_check_wait_status(status, &error))
        ck_abort_msg("%s: %s\n%s\n%s", error->message, script, output, errors);
    return g_strstrip(output);
}

void
harness_teardown(void)
{
    g_free(harness_run("remove_domains; remove_pools; rm -rf \"$images\""));
}

void
harness_setup(void)
{
    /* Nothing is torn down after a test that failed: the daemon may be stopped, or gone. */
    g_free(harness_run("signal_libvirtd CONT 2>/dev/null || start_libvirtd"));
    harness_teardown();
    g_free(harness_run("mkdir \"$images\""));
}

int
harness_main(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    /* As domlint does: libvirt's client library may write to a daemon that is gone. */
    signal(SIGPIPE, SIG_IGN);

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
