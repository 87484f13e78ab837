/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-name.h: changing which file a name means, never by replacing one. Each flushes the folder
 * before it returns TRUE. Errors are G_IO_ERROR.
 */
#pragma once

#include <gio/gio.h>

#include "apply/file-identity.h"

/**
 * file_name_move: renames @from to @to in one folder. G_IO_ERROR_EXISTS where @to is there,
 * G_IO_ERROR_NOT_SUPPORTED where it cannot be done without the danger of replacing it.
 */
gboolean file_name_move(const char *from, const char *to, GError **error);

/**
 * file_name_exchange: @a and @b in one folder, both there, each come to mean the other's file, at
 * one instant. G_IO_ERROR_NOT_SUPPORTED where the file system cannot do that.
 */
gboolean file_name_exchange(const char *a, const char *b, GError **error);

/**
 * file_name_can_exchange: whether it would work in @folder: known of common file systems, elsewhere
 * tried on two empty files of our own (".domlint-*.tmp"), which are removed. To be asked before
 * copying.
 */
gboolean file_name_can_exchange(const char *folder, GError **error);

/**
 * file_name_remove: unlinks @path if it is the file that @identity says. One that is not there is
 * no failure. G_IO_ERROR_WRONG_ETAG where it is another file: it stays.
 */
gboolean file_name_remove(const char *path, const struct file_identity *identity, GError **error);

/* Flushes the folder that @path lies in, so that its name outlives a power loss. */
gboolean file_name_flush(const char *path, GError **error);
