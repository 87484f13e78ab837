/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * converted-facts.h: the facts of a document some of whose images this run has just converted,
 * for the fixes that follow in the same run.
 */
#pragma once

#include "probe/facts.h"

/**
 * converted_facts_new: as @inner says, but for the images added. Those have the facts of the image
 * that they were made from, as before the run: no fix of the same run rests on what was not there
 * before it (io='native' on preallocation). That the new image is as was asked for is measured by
 * the conversion itself.
 * @inner must outlive it. To be freed with facts_source_free().
 */
struct facts_source *converted_facts_new(struct facts_source *inner);

/* @disk: with the old image; @path: the new one, as the XML names it, with its format and
 * preallocation. */
void converted_facts_add(struct facts_source *facts, const domxml_elem *disk, const char *path,
                         const char *format, const char *preallocation);
