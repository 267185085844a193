/* SPDX-License-Identifier: Apache-2.0 */
/* The call that answers with op counts. */
#include "catalog.h"
#include "resolution.h"

opcat_status opcat_resolve_ops(opcat_catalog *catalog, const char *arch, const opcat_kind_ops *declared, size_t count,
                               opcat_resolution **resolution)
{
    const opcat_profile *profile = NULL;
    if (resolution)
        *resolution = NULL;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!arch || !resolution || (count && !declared))
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_resolve_ops: %s is NULL",
                               !arch         ? "arch"
                               : !resolution ? "resolution"
                                             : "declared");
    opcat_status status = opcat_load_profile(catalog, arch, &profile);
    return status == OPCAT_OK ? opcat_resolve(profile, declared, count, &catalog->error, resolution) : status;
}
