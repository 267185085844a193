/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next generation of a catalog: the current one is locked against other importers but not against readers, a copy
 * of it is changed beside it, and takes its place when it is whole.
 */
#ifndef OPCAT_NEXT_H
#define OPCAT_NEXT_H

#include "../lib/connection.h"
#include "temporary.h"

typedef struct opcat_next {
    char *path;              /* the file to be replaced, symbolic links followed */
    bool dry_run;            /* build in memory, and let it go */
    sqlite3 *current;        /* holds the lock; NULL where there is no catalog yet */
    opcat_identity identity; /* of the current generation */
    sqlite3 *db;             /* the next generation, within a transaction; NULL until begun */
    opcat_temporary temporary;
} opcat_next;

/*
 * Take the catalog at `path`, which need not exist, for an import: wait up to ten seconds for another importer. With
 * `dry_run` nothing is locked or created. Fails with the statuses of opcat_open(), OPCAT_BUSY where the other importer
 * is not done by then. Either way, call opcat_next_close().
 */
opcat_status opcat_next_open(opcat_next *next, const char *path, bool dry_run, opcat_error *error);
/* Begin to build: next->db is then the current generation's content, or an empty catalog, ready to be changed. */
opcat_status opcat_next_begin(opcat_next *next, opcat_error *error);
/*
 * End the building, and put it in the place of the current generation (a dry run: let it go). *lost says that
 * meanwhile another importer made the first generation: then start over.
 */
opcat_status opcat_next_publish(opcat_next *next, bool *lost, opcat_error *error);
/* Let everything go. What was not published is removed. */
void opcat_next_close(opcat_next *next);

#endif
