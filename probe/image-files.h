/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-files.h: which files an image is and stands on, whatever they are called:
 * two names that lead to one file, by symbolic or hard links or device nodes, have the same key.
 */
#pragma once

#include "probe/named-images.h"

/* A file that an image stands on. */
struct image_file {
    char *path;
    char *key; /* NULL: it is not there */
};

struct image_files {
    char *key;           /* of the image itself; NULL where there is neither file nor device */
    GPtrArray *below;    /* of struct image_file *: backing and data files */
    GPtrArray *problems; /* of char *: clauses that say what could not be looked at */
};

/**
 * image_files_look: looks at the image at the absolute @path and, as far as @chain allows, at
 * the files below it. Headers are read, nothing else. May take as long as the file system does.
 */
struct image_files *image_files_look(const char *path, enum image_chain chain);
void image_files_free(struct image_files *files);

/**
 * image_file_key: the key of what @path leads to, to be freed.
 * Returns: NULL where nothing is there, or with @error set where that cannot be told.
 */
char *image_file_key(const char *path, GError **error);

/* The key of a name alone, for files that are not there; to be freed. */
char *image_path_key(const char *path);
