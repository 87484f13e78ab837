/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * converted-facts.h: the facts of a document some of whose images this run has just converted, for the fixes that follow
 * in the same run.
 */
#pragma once

#include "probe/facts.h"

/**
 * converted_facts_new: as @inner says, but for the images added: those count as quiet (their conversion was measured), and not
 * as preallocated, so that no fix rests on what was not there before the run (DESIGN: io='native').
 * @inner must outlive it. To be freed with facts_source_free().
 */
struct facts_source *converted_facts_new(struct facts_source *inner);

/* @path: the new image, as the XML names it. */
void converted_facts_add(struct facts_source *facts, const char *path, const char *format);
