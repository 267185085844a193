/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong: a status, and one line that says what. */
#ifndef OPCAT_ERROR_H
#define OPCAT_ERROR_H

#include "sqlite.h"

#include "opcat.h"
#include "text.h"

typedef struct opcat_error {
    opcat_status status;
    char *text; /* NULL where there is no error, or no memory for its text */
} opcat_error;

/* Keep a status and its message, formatted; give the status. */
opcat_status opcat_error_set(opcat_error *error, opcat_status status, const char *format, ...) OPCAT_PRINTF(3, 4);
/* Keep a status and the message that `text` holds, which is taken over. */
opcat_status opcat_error_take(opcat_error *error, opcat_status status, opcat_text *text);
/* Keep what SQLite says of its result code `rc`; `doing` says of what, as in "reading family 'qwen'". */
opcat_status opcat_error_sqlite(opcat_error *error, sqlite3 *db, int rc, const char *path, const char *doing);
opcat_status opcat_error_nomem(opcat_error *error);
const char *opcat_error_text(const opcat_error *error);
void opcat_error_clear(opcat_error *error);

/* The status that an SQLite result code means to the caller. */
opcat_status opcat_status_of_sqlite(int rc);

#endif
