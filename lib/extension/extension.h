/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the SQLite extension share. */
#ifndef OPCAT_EXTENSION_H
#define OPCAT_EXTENSION_H

#include "../reader.h"

/*
 * The schema of a connection that holds a catalog: `main`, or else the first attached one; sqlite3_free() it.
 * OPCAT_NOT_A_CATALOG where none does.
 */
opcat_status opcat_find_schema(sqlite3 *db, char **schema, opcat_error *error);

/*
 * An argument as text; NULL where it is none (a BLOB, or text with a NUL in it), or where memory is out, which *nomem
 * tells. Not for NULL.
 */
const char *opcat_text_argument(sqlite3_value *value, bool *nomem);

/* Make resolve_ops() known to a connection; an SQLite result code. */
int opcat_register_resolve_ops(sqlite3 *db);

/* The op counts of JSON that maps each kind to its ten ops. */
typedef struct opcat_json_ops {
    opcat_kind_ops *kinds; /* their names are strings of their own */
    size_t count;
    size_t room;
} opcat_json_ops;

/* Read them; OPCAT_INVALID where they are not as they should be. Free with opcat_json_ops_free(), whatever comes. */
opcat_status opcat_json_ops_read(opcat_json_ops *declared, sqlite3 *db, const char *json, opcat_error *error);
void opcat_json_ops_free(opcat_json_ops *declared);

#endif
