/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <string.h>

#include "text.h"
#include "vocabulary.h"

const char *opcat_row_text(sqlite3_stmt *row, int column, bool *nomem)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT)
        return NULL;
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text) {
        *nomem = true;
        return NULL;
    }
    size_t length = (size_t)sqlite3_column_bytes(row, column);
    return strlen(text) == length && opcat_utf8_valid(text, length) ? text : NULL;
}

const char *opcat_row_word(sqlite3_stmt *row, int column, const char *const *names, bool *nomem)
{
    const char *text = opcat_row_text(row, column, nomem);
    int index = text ? opcat_name_index(names, text) : -1;
    return index < 0 ? NULL : names[index];
}

bool opcat_row_number(sqlite3_stmt *row, int column, int64_t minimum, int64_t maximum, int64_t *value)
{
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER)
        return false;
    *value = sqlite3_column_int64(row, column);
    return *value >= minimum && *value <= maximum;
}

bool opcat_row_is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}
