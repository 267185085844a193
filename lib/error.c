/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdlib.h>

const char *opcat_status_text(opcat_status status)
{
    switch (status) {
#define OPCAT_X(name, text) \
    case OPCAT_##name:      \
        return text;
        OPCAT_STATUSES(OPCAT_X)
#undef OPCAT_X
    }
    return "unknown status";
}

const char *opcat_version(void)
{
    return OPCAT_VERSION;
}

void opcat_error_clear(opcat_error *error)
{
    free(error->text);
    error->text = NULL;
    error->status = OPCAT_OK;
}

opcat_status opcat_error_take(opcat_error *error, opcat_status status, opcat_text *text)
{
    opcat_error_clear(error);
    if (text->failed) {
        free(text->bytes);
        error->status = OPCAT_NOMEM;
    } else {
        error->text = text->bytes;
        error->status = status;
    }
    *text = (opcat_text){0};
    return error->status;
}

opcat_status opcat_error_set(opcat_error *error, opcat_status status, const char *format, ...)
{
    opcat_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    opcat_text_vadd(&text, format, arguments);
    va_end(arguments);
    return opcat_error_take(error, status, &text);
}

opcat_status opcat_error_nomem(opcat_error *error)
{
    opcat_error_clear(error);
    return error->status = OPCAT_NOMEM;
}

opcat_status opcat_status_of_sqlite(int rc)
{
    if (rc == SQLITE_IOERR_NOMEM)
        return OPCAT_NOMEM;
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return OPCAT_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return OPCAT_BUSY;
    case SQLITE_NOMEM:
        return OPCAT_NOMEM;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return OPCAT_CANTOPEN;
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_PROTOCOL:
        return OPCAT_IO;
    case SQLITE_NOTADB:
        return OPCAT_NOT_A_CATALOG;
    case SQLITE_MISUSE:
        return OPCAT_MISUSE;
    default:
        /* What our own statements cannot run on is not what our importer wrote. */
        return OPCAT_CORRUPT;
    }
}

/* What SQLite says in its documentation alone; NULL where its message tells enough. */
static const char *what_to_do(int rc)
{
    switch (rc) {
    case SQLITE_READONLY_ROLLBACK:
        return "a change in place was cut off, and has to be undone by one who may write: open the file once with "
               "the sqlite3 shell, and ask it anything";
    case SQLITE_READONLY_RECOVERY:
    case SQLITE_READONLY_CANTINIT:
        return "it was left with a write-ahead log, which one who may write has to end: in the sqlite3 shell, "
               "PRAGMA journal_mode = DELETE";
    default:
        return NULL;
    }
}

opcat_status opcat_error_sqlite(opcat_error *error, sqlite3 *db, int rc, const char *path, const char *doing)
{
    opcat_status status = opcat_status_of_sqlite(rc);
    if (status == OPCAT_NOMEM)
        return opcat_error_nomem(error);
    const char *known = what_to_do(rc);
    const char *said = known                                               ? known
                       : db && (sqlite3_errcode(db) & 0xff) == (rc & 0xff) ? sqlite3_errmsg(db)
                                                                           : sqlite3_errstr(rc);
    opcat_text text = {0};
    opcat_text_add(&text, "%s: %s: ", path, doing);
    opcat_text_escape(&text, said); /* SQLite quotes from the file, which may hold anything */
    return opcat_error_take(error, status, &text);
}

const char *opcat_error_text(const opcat_error *error)
{
    if (error->text)
        return error->text;
    return error->status == OPCAT_OK ? "" : opcat_status_text(error->status);
}
