/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-plan.h: the conversions that a run will carry out: found, looked at, fitted on the
 * disks and shown before anything is done.
 */
#pragma once

#include "apply/convert.h"
#include "cli/mode.h"

/* One of them. */
struct planned {
    guint target;                 /* its index in the run's targets */
    guint number;                 /* among the plan's items, from 1 */
    char *label;                  /* "web, disk hda" */
    struct lint_finding *finding; /* the plan's; fixes[0] is the one that is carried out */
    const domxml_elem *elem;      /* the disk, in the plan's document */
    char *disk, *to, *preallocation;
    struct convert_record record; /* as far as it can be told before */
    struct qemu_img_size size;    /* measured; estimated where no lock may be taken */
    guint64 least;                /* what it would take at the least, as qcow2 that grows */
    char *digest;                 /* of the document that was shown */
    char *refused;                /* why it will not be carried out; NULL where it will */
    gboolean shut_down;           /* the domain runs, and will be shut down for it */
};

struct convert_plan {
    GPtrArray *items;    /* of struct planned *, in the order of targets and findings */
    GPtrArray *findings; /* of GPtrArray *: keeps the findings */
    GPtrArray *documents; /* of struct document *: keeps what they point into */
    GPtrArray *room;     /* of char *: what is left free on each file system afterwards */
};

/* Reads and checks all targets for it, and changes nothing. Only for MODE_FIX images are locked
 * meanwhile, one at a time. */
struct convert_plan *convert_plan_new(struct run *run);
void convert_plan_free(struct convert_plan *plan);

/* The wish that @planned is, for the text of the document as it is now; its strings are
 * borrowed. */
struct convert_wish convert_plan_wish(const struct run *run, const struct planned *planned,
                                      const struct document *document);

/* Shows it on standard error: what will be converted, what it takes, how long about, and what
 * will not and why.
 * Returns: how many will be. */
guint convert_plan_show(const struct convert_plan *plan, const struct run *run);

/* The items of target @index, as an array to be unreferenced. */
GPtrArray *convert_plan_of(const struct convert_plan *plan, guint index);
