/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.c: what auditing all domains cannot do without: four threads that fetch each domain's XML, and do nothing with
 * it. Prints how many there were.
 */
#include <glib.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

struct work {
    virDomainPtr *domains;
    int count;
    int next;  /* the first that nobody has taken up; atomic */
    int failed; /* atomic */
};

static gpointer
fetch(gpointer data)
{
    struct work *work = data;
    int index;

    while ((index = g_atomic_int_add(&work->next, 1)) < work->count) {
        char *xml = virDomainGetXMLDesc(work->domains[index], VIR_DOMAIN_XML_INACTIVE);

        if (!xml)
            g_atomic_int_inc(&work->failed);
        free(xml);
    }
    return NULL;
}

int
main(void)
{
    virConnectPtr connection = virConnectOpenReadOnly(NULL);
    GThread *threads[THREADS];
    struct work work = {0};

    if (!connection || (work.count = virConnectListAllDomains(connection, &work.domains, 0)) < 0) {
        fprintf(stderr, "fetch: %s\n", virGetLastErrorMessage());
        return 1;
    }
    for (int i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("fetch", fetch, &work);
    for (int i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    for (int i = 0; i < work.count; i++)
        virDomainFree(work.domains[i]);
    free(work.domains);
    virConnectClose(connection);
    printf("%d\n", work.count);
    return work.failed ? 1 : 0;
}
