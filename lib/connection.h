/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to one generation of a catalog file, opened the careful way. */
#ifndef OPCAT_CONNECTION_H
#define OPCAT_CONNECTION_H

#include <sys/stat.h>
#include <sys/types.h>

#include "error.h"

/* What a catalog's header says it is: 'OPCT', and 100 times the schema's major version plus its minor. */
#define OPCAT_APPLICATION_ID 0x4F504354
enum { OPCAT_SCHEMA_MAJOR = 1, OPCAT_SCHEMA_MINOR = 0 };

/* Which file a path held, and in what state, as far as stat(2) tells. */
typedef struct opcat_identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified;
} opcat_identity;

typedef struct opcat_connection {
    sqlite3 *db;
    pid_t owner; /* the process that opened it: SQLite's connections must not be used, or closed, over a fork */
    opcat_identity identity;
    unsigned counter;      /* the file's change counter */
    bool recently_changed; /* so lately that another change may leave its times as they are */
} opcat_connection;

/*
 * Open the catalog at `path` for reading: check that it is one, and of a schema that this library reads. The path is
 * never taken as a URI or as one of SQLite's special names. Fails with the statuses of opcat_open(); nothing is then
 * open.
 */
opcat_status opcat_connection_open(opcat_connection *connection, const char *path, bool immutable, opcat_error *error);
/* Close; in another process than the owner, leave it untouched for ever. */
void opcat_connection_close(opcat_connection *connection);

/* Whether the path still holds what the connection reads, unchanged. */
opcat_status opcat_connection_is_current(opcat_connection *connection, const char *path, bool thorough, bool *current,
                                         opcat_error *error);

/* Whether a connection to a regular, non-empty file is to a catalog, of a schema this library reads. */
opcat_status opcat_check_header(sqlite3 *db, const char *path, opcat_error *error);
/* The limits and switches under which SQL of a file that anyone may have made can be run. */
int opcat_harden(sqlite3 *db);
/* `path` so that SQLite takes it as a plain file name; free() it. NULL where memory is out. */
char *opcat_plain_path(const char *path);
/* A plain path as a URI with `parameters`, which SQLite takes with SQLITE_OPEN_URI; free() it. NULL: no memory. */
char *opcat_file_uri(const char *path, const char *parameters);
/* The state of the file at `path`; fails with OPCAT_CANTOPEN or OPCAT_NOT_A_CATALOG where it cannot be a catalog. */
opcat_status opcat_identify(const char *path, opcat_identity *identity, opcat_error *error);
bool opcat_same_identity(const opcat_identity *a, const opcat_identity *b);

#endif
