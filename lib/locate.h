/* SPDX-License-Identifier: Apache-2.0 */
/* Where the catalog is that nobody names. */
#ifndef OPCAT_LOCATE_H
#define OPCAT_LOCATE_H

#include "error.h"

/* How a catalog was found. */
typedef enum opcat_origin { OPCAT_FROM_CALLER, OPCAT_FROM_ENVIRONMENT, OPCAT_FROM_INSTALLATION } opcat_origin;

/*
 * The path of the catalog to open: `path` itself, or for NULL $OPCAT_CATALOG where that is set and not empty, or else
 * the catalog installed with the library: at its place beside the file that holds the library's code, so that an
 * installation can be moved, else where it was configured to be. It is absolute; free() it. Fails with OPCAT_CANTOPEN
 * where none is installed, or OPCAT_NOMEM.
 */
opcat_status opcat_locate(const char *path, char **found, opcat_origin *origin, opcat_error *error);

#endif
