/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite as the library calls it: linked, or, in the extension, through the program that loaded it. */
#ifndef OPCAT_SQLITE_H
#define OPCAT_SQLITE_H

#ifdef OPCAT_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
