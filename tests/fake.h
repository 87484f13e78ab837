/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake.h: small rules and facts for the tests of the engine, the fix loop and the reports.
 */
#pragma once

#include "lint/output.h"
#include "lint/run.h"

/* No image is local, nothing is known of the host. */
struct facts_source *fake_facts(void);

/* Parses @text; fails the test where that does not work. */
domxml_doc *fake_parse(const char *text);

/* A selection of exactly these rules, NULL at the end. */
struct lint_selection *fake_selection(const struct lint_rule *first, ...) G_GNUC_NULL_TERMINATED;

/* The findings as "LINE:COLUMN RULE SUBJECT RESULT" lines; to be freed. */
char *fake_list(GPtrArray *findings);

/* cache='writethrough': a warning; safe fix cache='none', unsafe alternative cache='writeback'. */
extern const struct lint_rule fake_cache;
/* No io attribute: an info; safe fix io='threads', in the place where fake_discard's goes. */
extern const struct lint_rule fake_io;
/* No discard attribute: an info; safe fix discard='unmap'. */
extern const struct lint_rule fake_discard;
/* bus='ide': a warning; the unsafe fix moves the disk to virtio under the first free name. */
extern const struct lint_rule fake_bus;
/* serial of 'bad': a warning whose safe fix changes the serial and yet does not clear it. */
extern const struct lint_rule fake_stubborn;
/* cache='none' and cache='writeback': each a warning whose fix makes the other. */
extern const struct lint_rule fake_none, fake_writeback;
/* io='native' and io='threads': each an info whose fix makes the other. */
extern const struct lint_rule fake_native, fake_threads;
/* Without a source: unknown. cache='unsafe': a warning whose fix removes the source. */
extern const struct lint_rule fake_source;
/* The domain has no title: a warning of the domain itself; safe fix that sets one. */
extern const struct lint_rule fake_title;
/* Every disk: an error with an image fix (safe) and a manual one. */
extern const struct lint_rule fake_image;
/* Every disk: a warning whose fix the editor refuses. */
extern const struct lint_rule fake_refused;
/* cache='writethrough': a warning whose only fix changes nothing. */
extern const struct lint_rule fake_empty;
