/* SPDX-License-Identifier: Apache-2.0 */
/* The profile file that a family was imported from. */
#ifndef OPCAT_SOURCE_H
#define OPCAT_SOURCE_H

#include "opcat.h"

/* The bytes, with a NUL behind them; the caller frees them. Errors as opcat_load_profile(). */
opcat_status opcat_profile_source(opcat_catalog *catalog, const char *arch, char **bytes, size_t *length);

/* Say why there is no source of a family: there is no such family, or the catalog is damaged. */
opcat_status opcat_no_source(opcat_catalog *catalog, const char *arch);

#endif
