/* SPDX-License-Identifier: Apache-2.0 */
/* The file in which a generation is built, beside the one it will replace. */
#ifndef OPCAT_TEMPORARY_H
#define OPCAT_TEMPORARY_H

#include <sys/stat.h>

#include "../lib/error.h"

/*
 * While an importer lives it holds a lock on its temporary file (flock(2), which is none of SQLite's), so that another
 * can tell the files of the dead.
 */
typedef struct opcat_temporary {
    char *path; /* NULL where there is none */
    int fd;     /* open, and locked, for as long as the file is there */
} opcat_temporary;

/* Create an empty one in the folder of the file `beside`. */
opcat_status opcat_temporary_create(opcat_temporary *temporary, const char *beside, opcat_error *error);
/* Append bytes to it. */
opcat_status opcat_temporary_write(opcat_temporary *temporary, const char *bytes, size_t length, opcat_error *error);
/* Give it the owner, group and mode of `like`, as far as the system allows; NULL leaves what a new file gets. */
opcat_status opcat_temporary_sync(opcat_temporary *temporary, const struct stat *like, opcat_error *error);
/*
 * Make it the file at `path`: in place of the one there, or with `fresh` only where there is none. *lost says that
 * with `fresh` there was one; the temporary is then still there.
 */
opcat_status opcat_temporary_publish(opcat_temporary *temporary, const char *path, bool fresh, bool *lost,
                                     opcat_error *error);
/* Remove it, where it was not published. */
void opcat_temporary_discard(opcat_temporary *temporary);

/* Remove the temporary files of dead importers from the folder of the file `beside`. */
void opcat_temporary_clear(const char *beside);

/* The folder of a file; free() it. NULL where memory is out. */
char *opcat_folder_of(const char *path);

#endif
