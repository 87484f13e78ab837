/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu-img-command.h: one run of qemu-img, from its arguments to its answer. For qemu-img.c alone.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "apply/qemu-img.h"
#include "apply/subprocess.h"

/* A run that is being made and then read. */
struct qemu_img_command {
    const struct qemu_img_run *run;
    GPtrArray *argv; /* of char * */
    int fds[2];      /* O_PATH, of our own */
    guint fd_count;
    GString *answer; /* standard output; progress lines are read as they come */
    gboolean progresses;
    double percent;
};

struct qemu_img_command *qemu_img_command_new(const struct qemu_img_run *run, const char *verb);
void qemu_img_command_free(struct qemu_img_command *command);

/* Adds arguments up to a NULL. */
void qemu_img_add_arguments(struct qemu_img_command *command, const char *first, ...)
    G_GNUC_NULL_TERMINATED;

/* Adds the name of an image, by way of a descriptor of the child's that leads to its inode and has
 * no lock. At most two. */
gboolean qemu_img_add_image(struct qemu_img_command *command, int fd, GError **error);

/**
 * qemu_img_command_run: runs it, once.
 * Returns: its exit status, and @end (its message is to be freed); -1 with @error where there is
 * none.
 */
int qemu_img_command_run(struct qemu_img_command *command, struct subprocess_end *end,
                         GError **error);

/* The same, where any status but 0 is a failure. */
gboolean qemu_img_command_succeeds(struct qemu_img_command *command, GError **error);

/* The error that an end stands for. */
void qemu_img_set_failure(const struct qemu_img_command *command, const struct subprocess_end *end,
                          GError **error);

/* The object that the answer is; NULL with @error. Owned by @parser. */
JsonObject *qemu_img_parse_answer(const struct qemu_img_command *command, JsonParser *parser,
                                  GError **error);
