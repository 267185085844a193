/* SPDX-License-Identifier: Apache-2.0 */
/* The file behind a connection, past SQLite's cache and through its descriptor: closing another would drop its locks.
 */
#ifndef OPCAT_RAW_FILE_H
#define OPCAT_RAW_FILE_H

#include <stdint.h>

#include "sqlite.h"

/* All give an SQLite result code. */
int opcat_read_raw(sqlite3 *db, void *bytes, int length, int64_t offset);
int opcat_file_size(sqlite3 *db, sqlite3_int64 *size);
/* The file's change counter, which every change in place moves on. */
int opcat_read_counter(sqlite3 *db, unsigned *counter);
/* A number that moves on when a transaction of the connection finds the file changed by another; the file is not read.
 */
int opcat_read_version(sqlite3 *db, unsigned *version);

#endif
