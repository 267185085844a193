/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a row that anyone may have written: each is what it should be, or told not to be. */
#ifndef OPCAT_ROW_H
#define OPCAT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "sqlite.h"

/* UTF-8 text without NULs, good until the next step; else NULL. *nomem is set where memory is why. */
const char *opcat_row_text(sqlite3_stmt *row, int column, bool *nomem);
/* The one of the NULL-terminated `names` that a column holds; NULL where it holds none of them. */
const char *opcat_row_word(sqlite3_stmt *row, int column, const char *const *names, bool *nomem);
/* Whether a column holds an integer within the bounds. */
bool opcat_row_number(sqlite3_stmt *row, int column, int64_t minimum, int64_t maximum, int64_t *value);
bool opcat_row_is_null(sqlite3_stmt *row, int column);

#endif
