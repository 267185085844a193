/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <string.h>

#include "catalog.h"

opcat_status opcat_no_source(opcat_catalog *catalog, const char *arch)
{
    const opcat_names *known = NULL;
    opcat_status status = opcat_archs_of(catalog, &known);
    for (size_t i = 0; status == OPCAT_OK && i < known->count; i++) {
        if (strcmp(known->names[i], arch) == 0)
            return opcat_reader_damaged(&catalog->generation->reader, arch, "its source is not there");
    }
    return status == OPCAT_OK ? opcat_no_family(catalog, arch) : status;
}

opcat_status opcat_profile_source(opcat_catalog *catalog, const char *arch, char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_before_reading(catalog);
    if (status == OPCAT_OK)
        status = opcat_reader_source(&catalog->generation->reader, arch, 0, bytes, length);
    return status == OPCAT_NOT_FOUND ? opcat_no_source(catalog, arch) : status;
}
