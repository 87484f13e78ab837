/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain-notes.h: what is to be said of a domain besides its findings: that these are not what its guest runs with now, and
 * what keeps them from being fixed.
 */
#pragma once

#include "cli/mode.h"

/* Adds remarks to the document's target, by @findings: those on the definition that it was checked by. Does nothing for
 * files. */
void domain_notes_add(const struct run *run, struct document *document, GPtrArray *findings);
