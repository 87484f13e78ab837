/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * managed.h: domains that a manager owns, known by the namespaces in their <metadata>.
 */
#pragma once

#include "libdomxml/domxml.h"

/* The manager's name ("OpenStack Nova"), static, or NULL for a domain that nobody owns. */
const char *lint_managed_by(const domxml_doc *doc);
