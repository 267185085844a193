/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a connection's databases is the catalog. */
#include <stdlib.h>
#include <string.h>

#include "../connection.h"
#include "extension.h"

static opcat_status fail(opcat_error *error, sqlite3 *db, int rc)
{
    return opcat_error_sqlite(error, db, rc, "the connection", "looking for a catalog");
}

/* The number that a pragma of a schema gives. */
static int pragma_number(sqlite3 *db, const char *schema, const char *pragma, int64_t *number)
{
    sqlite3_stmt *row = NULL;
    char *sql = sqlite3_mprintf("PRAGMA \"%w\".%s", schema, pragma);
    int rc = sql ? sqlite3_prepare_v2(db, sql, -1, &row, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(row);
    if (rc == SQLITE_ROW)
        *number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Whether a schema holds a catalog, and of a version that can be read. */
static opcat_status look_at(sqlite3 *db, const char *schema, bool *found, opcat_error *error)
{
    int64_t application = 0;
    int64_t version = 0;
    int rc = pragma_number(db, schema, "application_id", &application);
    if (rc == SQLITE_OK)
        rc = pragma_number(db, schema, "user_version", &version);
    if (rc != SQLITE_OK)
        return fail(error, db, rc);
    *found = application == OPCAT_APPLICATION_ID;
    if (!*found || version / 100 == OPCAT_SCHEMA_MAJOR)
        return OPCAT_OK;
    return opcat_error_set(error, OPCAT_NEWER_SCHEMA,
                           "the catalog in %s has schema version %d.%d, and opcat %s reads %d.x", schema,
                           (int)(version / 100), (int)(version % 100), OPCAT_VERSION, OPCAT_SCHEMA_MAJOR);
}

opcat_status opcat_find_schema(sqlite3 *db, char **schema, opcat_error *error)
{
    sqlite3_stmt *row = NULL;
    bool found = false;
    opcat_status status = OPCAT_OK;
    *schema = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &row, NULL);
    if (rc != SQLITE_OK)
        return fail(error, db, rc);
    while (!found && status == OPCAT_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 1);
        if (!name)
            status = opcat_error_nomem(error);
        else if (strcmp(name, "temp") != 0)
            status = look_at(db, name, &found, error);
        if (found && status == OPCAT_OK && !(*schema = sqlite3_mprintf("%s", name)))
            status = opcat_error_nomem(error);
    }
    if (status == OPCAT_OK && !found)
        status = rc == SQLITE_DONE ? opcat_error_set(error, OPCAT_NOT_A_CATALOG,
                                                     "no database of this connection is an opcat catalog; ATTACH one")
                                   : fail(error, db, rc);
    sqlite3_finalize(row);
    return status;
}
