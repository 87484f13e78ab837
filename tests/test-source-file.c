/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-source-file.c: which files a folder stands for, and reading them.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/root-name.h"
#include "probe/source-file.h"
#include "tests/scratch.h"

static const struct {
    const char *text;
    gssize length; /* -1: up to the NUL */
    enum root_name name;
} roots[] = {
    { "<domain type='kvm'>", -1, ROOT_OURS },
    { "<domain>", -1, ROOT_OURS },
    { "<domain/>", -1, ROOT_OURS },
    { "<domain\n>", -1, ROOT_OURS },
    { "<domainsnapshot>", -1, ROOT_OURS },
    { "<domaincheckpoint>", -1, ROOT_OURS },
    { "<domstatus state='running'>", -1, ROOT_OURS },
    { "<disk type='file'>", -1, ROOT_OURS },
    { "\xef\xbb\xbf<domain>", -1, ROOT_OURS },
    { "<?xml version='1.0'?>\n<!-- <network> -->\r\n<?x y?>\t<domain>", -1, ROOT_OURS },
    { "<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE.\n-->\n\n<domain>", -1, ROOT_OURS },
    /* Refused by the parser, aloud. */
    { "<!DOCTYPE domain [ <!ENTITY a 'b'> ]><domain>", -1, ROOT_OURS },
    { "{# a template #}{% set x = 1 %}\n<domain>", -1, ROOT_OURS },
    { "\xff\xfe<\0d\0o\0m\0a\0i\0n\0>\0", 18, ROOT_OURS },
    { "\xfe\xff\0<\0d\0o\0m\0a\0i\0n\0>", 18, ROOT_OURS },
    { "<network>", -1, ROOT_OTHER },
    { "<domainx>", -1, ROOT_OTHER },
    { "<domains>", -1, ROOT_OTHER },
    { "<Domain>", -1, ROOT_OTHER },
    { "<disks>", -1, ROOT_OTHER },
    { "<x:domain>", -1, ROOT_OTHER },
    { "<!DOCTYPE html><html>", -1, ROOT_OTHER },
    { "<!-- <domain> --><pool>", -1, ROOT_OTHER },
    { "hello <domain>", -1, ROOT_OTHER },
    { "</domain>", -1, ROOT_OTHER },
    { "\0\0\0", 3, ROOT_OTHER },
    { "", 0, ROOT_UNDECIDED },
    { "\n \n", -1, ROOT_UNDECIDED },
    { "<", -1, ROOT_UNDECIDED },
    { "<domain", -1, ROOT_UNDECIDED },
    { "<netwo", -1, ROOT_UNDECIDED },
    { "<!-", -1, ROOT_UNDECIDED },
    { "<!-- never closed", -1, ROOT_UNDECIDED },
    { "<!DOCTYP", -1, ROOT_UNDECIDED },
    { "<?xml version='1.0'", -1, ROOT_UNDECIDED },
};

START_TEST(root_of_text)
{
    gsize length = roots[_i].length < 0 ? strlen(roots[_i].text) : (gsize)roots[_i].length;
    /* Exactly as long as it says, so that reading on would be seen. */
    g_autofree char *text = g_memdup2(roots[_i].text, length);

    ck_assert_msg(root_name_look(text, length) == roots[_i].name, "%s", roots[_i].text);
}
END_TEST

static void
note_problem(const char *path, const GError *error, void *data)
{
    g_autofree char *name = g_path_get_basename(path);

    g_ptr_array_add(data, g_strdup_printf("%s: %s", name, error->message));
}

/* The files below the scratch folder, relative to it, and the problems, each one to a line. */
static char *
list(const scratch *s, const char *name)
{
    g_autofree char *path = scratch_path(s, name);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) files = source_file_list(path, note_problem, problems);
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);

        ck_assert(g_str_has_prefix(file, s->folder));
        g_string_append_printf(text, "%s\n", file + strlen(s->folder) + 1);
    }
    for (guint i = 0; i < problems->len; i++)
        g_string_append_printf(text, "! %s\n", (const char *)g_ptr_array_index(problems, i));
    return g_string_free(text, FALSE);
}

START_TEST(folder)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *found = NULL;

    scratch_run(&s, "mkdir -p d/b d/a/x d/odd.xml d/empty; echo '<domain/>' | tee d/2.xml d/10.xml "
                "d/b/1.xml d/a/x/1.xml.j2 d/odd.xml/1.xml d/no.txt d/no.xml.bak d/.hidden.xml; "
                "echo '<network/>' >d/net.xml; : >d/nothing.xml; echo '<dom' >d/cut.xml; "
                "mkfifo d/fifo.xml; ln -s /dev/zero d/zero.xml; ln -s 2.xml d/link.xml; "
                "ln -s ../b d/a/loop; ln -s b d/folder.xml; ln -s nowhere d/broken.xml");
    found = list(&s, "d");
    ck_assert_str_eq(found, "d/.hidden.xml\nd/10.xml\nd/2.xml\nd/a/x/1.xml.j2\nd/b/1.xml\n"
                            "d/link.xml\nd/odd.xml/1.xml\n"
                            "! broken.xml: no such file on this host\n");
}
END_TEST

/* A name that is given is taken, whatever it is; the folder given may be a link. */
START_TEST(names_given)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *missing = list(&s, "missing"), *file = NULL, *link = NULL;

    scratch_run(&s, "mkdir d; echo '<domain/>' >d/1.xml; echo '<x/>' >f; ln -s d l");
    file = list(&s, "f");
    link = list(&s, "l");
    ck_assert_str_eq(missing, "missing\n");
    ck_assert_str_eq(file, "f\n");
    ck_assert_str_eq(link, "l/1.xml\n");
}
END_TEST

/* The root element after a comment of any length. */
START_TEST(late_root)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *found = NULL;

    scratch_run(&s, "mkdir d; for n in 4080 4090 100000 2000000; do for r in domain network; do "
                "{ printf '<!--'; head -c $n /dev/zero | tr '\\0' x; printf -- \"--><$r/>\"; } "
                ">d/$n-$r.xml; done; done");
    found = list(&s, "d");
    /* Beyond the limit the parser is left to judge. */
    ck_assert_str_eq(found, "d/100000-domain.xml\nd/2000000-domain.xml\nd/2000000-network.xml\n"
                            "d/4080-domain.xml\nd/4090-domain.xml\n");
}
END_TEST

static int
list_unprivileged(const scratch *s)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) files = NULL;

    /* First into the folder, whose parents may be closed to others. */
    if (chdir(s->folder) < 0 ||
        (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0)))
        return 2;
    files = source_file_list("d", note_problem, problems);
    if (files->len != 1 || !g_str_equal(g_ptr_array_index(files, 0), "d/ok.xml") ||
        problems->len != 2 ||
        !g_str_equal(g_ptr_array_index(problems, 0),
                     "secret.xml: permission denied: run as root") ||
        !g_str_equal(g_ptr_array_index(problems, 1),
                     "closed: the folder cannot be read: permission denied: run as root"))
        return 1;
    return 0;
}

START_TEST(no_permission)
{
    g_auto(scratch) s = scratch_new();
    int status;
    pid_t child;

    scratch_run(&s, "chmod 755 .; mkdir -p d/closed; echo '<domain/>' | tee d/ok.xml "
                "d/secret.xml d/closed/1.xml; chmod 0 d/secret.xml d/closed");
    child = fork();
    if (child == 0)
        _exit(list_unprivileged(&s));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    scratch_run(&s, "chmod 700 d/closed");
}
END_TEST

START_TEST(reading)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "f.xml");
    g_autofree char *text = g_malloc(1000000);
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) error = NULL;

    for (gsize i = 0; i < 1000000; i++)
        text[i] = (char)(i * 7);
    scratch_write(&s, "f.xml", text, 1000000);
    bytes = source_file_read(path, &error);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(g_bytes_get_size(bytes), 1000000);
    ck_assert_mem_eq(g_bytes_get_data(bytes, NULL), text, 1000000);
    g_clear_pointer(&bytes, g_bytes_unref);

    scratch_write(&s, "f.xml", "", 0);
    bytes = source_file_read(path, &error);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(g_bytes_get_size(bytes), 0);
}
END_TEST

/* Of a file that is larger than any document, one byte too many is read: enough to refuse it. */
START_TEST(reading_too_much)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "f.xml");
    g_autoptr(GBytes) bytes = NULL;

    scratch_run(&s, "truncate -s 1G f.xml");
    bytes = source_file_read(path, NULL);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(g_bytes_get_size(bytes), DOMXML_MAX_LENGTH + 1);
}
END_TEST

static const struct {
    const char *script, *message;
} unreadable[] = {
    { "mkfifo f", "it is a FIFO" },
    { "mkdir f", "it is a directory" },
    { "ln -s /dev/zero f", "it is a character device" },
    { "true", "no such file on this host" },
    { "ln -s f f", "too many levels of symbolic links" },
};

START_TEST(not_readable)
{
    g_auto(scratch) s = scratch_new();
    g_autofree char *path = scratch_path(&s, "f");
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) error = NULL;

    scratch_run(&s, "%s", unreadable[_i].script);
    bytes = source_file_read(path, &error);
    ck_assert_ptr_null(bytes);
    ck_assert_str_eq(error->message, unreadable[_i].message);
}
END_TEST

/* Standard input may be a pipe that comes in pieces, also one that does not block. */
START_TEST(standard_input)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GError) error = NULL;
    int ends[2], saved = dup(STDIN_FILENO);
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        for (int i = 0; i < 3; i++) {
            g_usleep(20000);
            if (write(ends[1], "abc", 3) != 3)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_eq(fcntl(ends[0], F_SETFL, _i ? O_NONBLOCK : 0), 0);
    dup2(ends[0], STDIN_FILENO);
    bytes = source_file_read("-", &error);
    dup2(saved, STDIN_FILENO);
    close(ends[0]);
    close(saved);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(g_bytes_get_size(bytes), 9);
    ck_assert_mem_eq(g_bytes_get_data(bytes, NULL), "abcabcabc", 9);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("source-file");
    TCase *listing = tcase_create("listing"), *contents = tcase_create("reading");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(listing, 60);
    tcase_add_loop_test(listing, root_of_text, 0, G_N_ELEMENTS(roots));
    tcase_add_test(listing, folder);
    tcase_add_test(listing, names_given);
    tcase_add_test(listing, late_root);
    tcase_add_test(listing, no_permission);
    suite_add_tcase(suite, listing);
    tcase_set_timeout(contents, 60);
    tcase_add_test(contents, reading);
    tcase_add_test(contents, reading_too_much);
    tcase_add_loop_test(contents, not_readable, 0, G_N_ELEMENTS(unreadable));
    tcase_add_loop_test(contents, standard_input, 0, 2);
    suite_add_tcase(suite, contents);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
