/* SPDX-License-Identifier: GPL-2.0-or-later */
/* managed.c: the managers that write domain XML anew from their own records, and how their
 * domains are known. */
#include <string.h>

#include <glib.h>

#include "lint/managed.h"

/* A namespace of a child of <metadata>. Those of libosinfo, virt-manager, Cockpit and GNOME Boxes
 * are none: they leave the definition to its user. */
struct manager {
    const char *uri;
    gboolean prefix; /* @uri is followed by a version or a part's name */
    const char *name;
};

static const struct manager managers[] = {
    /* nova/virt/libvirt/config.py, NOVA_NS: .../nova/1.0, later 1.1 */
    { "http://openstack.org/xmlns/libvirt/nova/", TRUE, "OpenStack Nova" },
    /* vdsm, lib/vdsm/virt/xmlconstants.py: .../vm/1.0, .../vm/tune/1.0, .../vm/containers/1.0 */
    { "http://ovirt.org/vm/", TRUE, "oVirt" },
    /* kubevirt, pkg/virt-launcher/virtwrap/api: <kubevirt xmlns="http://kubevirt.io"> */
    { "http://kubevirt.io", FALSE, "KubeVirt" },
    /* OpenNebula/one, src/vmm/LibVirtDriverKVM.cc: <one:vm xmlns:one="..."> */
    { "http://opennebula.org/xmlns/libvirt/", TRUE, "OpenNebula" },
    /* dmacvicar/terraform-provider-libvirt, libvirt/resource_libvirt_domain.go, SetMetadata() */
    { "http://github.com/dmacvicar/terraform-provider-libvirt/", FALSE, "Terraform" },
    /* ironcore-dev/libvirt-provider, pkg/meta */
    { "https://github.com/ironcore-dev/libvirt-provider", FALSE, "IronCore libvirt-provider" },
};

static const char *
manager_of_namespace(const char *uri)
{
    for (size_t i = 0; i < G_N_ELEMENTS(managers); i++) {
        const struct manager *manager = &managers[i];

        if (manager->prefix ? g_str_has_prefix(uri, manager->uri) : g_str_equal(uri, manager->uri))
            return manager->name;
    }
    return NULL;
}

/* vagrant-libvirt writes no metadata (its issue 1618), but a description that names the Vagrantfile
 * (lib/vagrant-libvirt/action/create_domain.rb). */
static gboolean
is_vagrant(const domxml_elem *domain)
{
    const char *description = domxml_get(domain, "description");

    return description && g_str_has_prefix(description, "Source: ") &&
           g_str_has_suffix(description, "/Vagrantfile");
}

const char *
lint_managed_by(const domxml_doc *doc)
{
    const domxml_elem *domain = domxml_doc_domain(doc);
    const domxml_elem *metadata = domain ? domxml_elem_child(domain, "metadata") : NULL;

    if (metadata) {
        for (const domxml_elem *elem = domxml_elem_child(metadata, NULL); elem;
             elem = domxml_elem_next(elem, NULL)) {
            const char *uri = domxml_elem_namespace(elem);
            const char *name = uri ? manager_of_namespace(uri) : NULL;

            if (name)
                return name;
        }
    }
    return domain && is_vagrant(domain) ? "Vagrant" : NULL;
}
