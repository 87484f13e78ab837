/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same-image.h: whether a daemon that says it is on this host sees the same image
 * under a path as we do. It may live in a container, or behind a forwarded socket.
 */
#pragma once

#include "probe/source-libvirt.h"

/**
 * same_image: compares the size and capacity that the daemon reports for a disk with our own.
 * @disk: a disk of the domain
 * @facts: our facts of the disk's image, which are known (IMAGE_FILE or IMAGE_BLOCK)
 * @same: the answer
 *
 * Returns: FALSE with @error set where there is no answer.
 */
gboolean same_image(struct connection *connection, const struct source_domain *domain,
                    const domxml_elem *disk, const struct image_facts *facts, gboolean *same,
                    GError **error);
