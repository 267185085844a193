/* SPDX-License-Identifier: Apache-2.0 */
#include "raw_file.h"

#include <stddef.h>

/* The change counter's place in the header of an SQLite file. */
enum { COUNTER_OFFSET = 24, COUNTER_SIZE = 4 };

static int file_of(sqlite3 *db, sqlite3_file **file)
{
    *file = NULL;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, file);
    return rc == SQLITE_OK && (!*file || !(*file)->pMethods) ? SQLITE_CANTOPEN : rc;
}

int opcat_read_raw(sqlite3 *db, void *bytes, int length, int64_t offset)
{
    sqlite3_file *file;
    int rc = file_of(db, &file);
    return rc == SQLITE_OK ? file->pMethods->xRead(file, bytes, length, offset) : rc;
}

int opcat_file_size(sqlite3 *db, sqlite3_int64 *size)
{
    sqlite3_file *file;
    int rc = file_of(db, &file);
    return rc == SQLITE_OK ? file->pMethods->xFileSize(file, size) : rc;
}

int opcat_read_counter(sqlite3 *db, unsigned *counter)
{
    unsigned char bytes[COUNTER_SIZE];
    int rc = opcat_read_raw(db, bytes, COUNTER_SIZE, COUNTER_OFFSET);
    if (rc == SQLITE_OK)
        *counter = (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
    return rc;
}

int opcat_read_version(sqlite3 *db, unsigned *version)
{
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, version);
}
