/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-owner.c: which files are libvirtd's own.
 *
 * libvirtd keeps its domains in memory and writes these files from there: a change made behind its
 * back has no effect until it restarts, and is lost when it writes next.
 */
#include <stdlib.h>
#include <string.h>

#include "apply/file-owner.h"
#include "libdomxml/domxml.h"
#include "probe/facts.h"

static const char *const owned_folders[] = {"/etc/libvirt", "/run/libvirt", "/var/run/libvirt"};

/* The words of the comment that libvirtd puts at the top of each file it writes. */
static const char warning_words[] = "AUTO-GENERATED FILE";

static gboolean
is_below(const char *path, const char *folder)
{
    gsize length = strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Whether @real_path lies in one of libvirtd's folders, wherever a symlink may have put those. */
static gboolean
in_owned_folder(const char *real_path)
{
    for (gsize i = 0; i < G_N_ELEMENTS(owned_folders); i++) {
        char *real_folder;
        gboolean below;

        if (is_below(real_path, owned_folders[i]))
            return TRUE;
        real_folder = realpath(owned_folders[i], NULL);
        below = real_folder && is_below(real_path, real_folder);
        free(real_folder);
        if (below)
            return TRUE;
    }
    return FALSE;
}

/* Past the end of the first @mark at or after @at; NULL where there is none. */
static const char *
after(const char *at, const char *end, const char *mark)
{
    const char *found = memmem(at, end - at, mark, strlen(mark));

    return found ? found + strlen(mark) : NULL;
}

/* Whether one of the comments before the root element holds libvirt's warning. */
static gboolean
has_warning(const char *text, gsize length)
{
    const char *at = text;
    const char *end = text + length;

    if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (at) {
        const char *start;

        while (at < end && g_ascii_isspace(*at))
            at++;
        start = at;
        if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            at = after(at + 4, end, "-->");
            if (at && memmem(start, at - start, warning_words, strlen(warning_words)))
                return TRUE;
        } else if (end - at >= 2 && memcmp(at, "<?", 2) == 0) {
            at = after(at + 2, end, "?>");
        } else {
            return FALSE;
        }
    }
    return FALSE;
}

/* The domain's name, quoted for a shell; "NAME" where it cannot be told. */
static char *
quoted_name(const char *text, gsize length)
{
    g_autoptr(domxml_doc) doc = domxml_parse(text, length, NULL);
    const domxml_elem *domain = doc ? domxml_doc_domain(doc) : NULL;
    const char *name = domain ? domxml_get(domain, "name") : NULL;

    if (!name || !*name)
        return g_strdup("NAME");
    if (strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-") == strlen(name))
        return g_strdup(name);
    return g_shell_quote(name);
}

char *
file_owned_by_libvirtd(const char *real_path, const char *text, gsize length)
{
    gboolean in_folder = in_owned_folder(real_path);
    g_autofree char *name = NULL;

    if (!in_folder && !has_warning(text, length))
        return NULL;
    name = quoted_name(text, length);
    return g_strdup_printf(
        "it is libvirtd's own file, which libvirtd overwrites; change the domain instead "
        "(domlint --fix %s comes with live domains; until then: virsh dumpxml --inactive "
        "--security-info %s | domlint --fix - >new.xml, then virsh define new.xml)%s",
        name, name,
        in_folder ? ""
                  : "; if it is a copy of your own, remove the AUTO-GENERATED FILE comment at its "
                    "top");
}
