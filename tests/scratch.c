/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.c: a folder of a test's own, and shell commands in it.
 */
#include "tests/scratch.h"

#include <check.h>

scratch
scratch_new(void)
{
    g_autofree char *here = g_get_current_dir();
    scratch made = { g_build_filename(here, "scratch-XXXXXX", NULL) };

    ck_assert_msg(g_mkdtemp(made.folder) != NULL, "cannot make %s", made.folder);
    return made;
}

static char *
run(const char *folder, const char *script)
{
    const char *argv[] = { "/bin/sh", "-ec", script, NULL };
    g_autoptr(GError) error = NULL;
    g_autofree char *output = NULL, *complaints = NULL;
    int status;

    ck_assert_msg(g_spawn_sync(folder, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output,
                               &complaints, &status, &error),
                  "%s", error ? error->message : "?");
    ck_assert_msg(g_spawn_check_wait_status(status, &error), "%s: %s%s", script,
                  error ? error->message : "?", complaints);
    return g_steal_pointer(&output);
}

void
scratch_clear(scratch *s)
{
    g_autofree char *output = NULL;
    g_autofree char *quoted = s->folder ? g_shell_quote(s->folder) : NULL;
    g_autofree char *script = quoted ? g_strdup_printf("rm -rf -- %s", quoted) : NULL;

    if (script)
        output = run(NULL, script);
    g_clear_pointer(&s->folder, g_free);
}

char *
scratch_path(const scratch *s, const char *name)
{
    return g_build_filename(s->folder, name, NULL);
}

char *
scratch_output(const scratch *s, const char *format, ...)
{
    g_autofree char *script = NULL;
    va_list args;

    va_start(args, format);
    script = g_strdup_vprintf(format, args);
    va_end(args);
    return run(s->folder, script);
}

void
scratch_run(const scratch *s, const char *format, ...)
{
    g_autofree char *script = NULL, *output = NULL;
    va_list args;

    va_start(args, format);
    script = g_strdup_vprintf(format, args);
    va_end(args);
    output = run(s->folder, script);
}

void
scratch_write(const scratch *s, const char *name, const void *text, gssize length)
{
    g_autofree char *path = scratch_path(s, name);
    g_autoptr(GError) error = NULL;

    ck_assert_msg(g_file_set_contents(path, text, length, &error), "%s",
                  error ? error->message : "?");
}
