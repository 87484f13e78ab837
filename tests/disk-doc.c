/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-doc.c: documents that are a lone <disk>.
 */
#include "tests/disk-doc.h"

#include <check.h>
#include <string.h>

domxml_doc *
disk_doc(const char *type, const char *source)
{
    struct domxml_error error = DOMXML_ERROR_INIT;
    g_autofree char *text =
        g_strdup_printf("<disk %s device='disk'>%s<target dev='vda'/></disk>", type, source);
    domxml_doc *doc = domxml_parse(text, strlen(text), &error);

    ck_assert_msg(doc != NULL, "%s: %s", text, error.text);
    return doc;
}

domxml_doc *
disk_doc_for_path(const char *path)
{
    g_autofree char *source = g_strdup_printf("<source file='%s'/>", path);

    return disk_doc("type='file'", source);
}
