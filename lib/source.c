/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "catalog.h"

opcat_status opcat_profile_source(opcat_catalog *catalog, const char *arch, char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_before_reading(catalog);
    if (status == OPCAT_OK)
        status = opcat_reader_source(&catalog->generation->reader, arch, 0, bytes, length);
    return status == OPCAT_NOT_FOUND ? opcat_no_family(catalog, arch) : status;
}
