/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that answer with families, profiles and kinds. */
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "nearest.h"

opcat_status opcat_archs_of(opcat_catalog *catalog, const opcat_names **archs)
{
    if (!catalog->generation->archs) {
        opcat_status status = opcat_before_reading(catalog);
        if (status == OPCAT_OK && !catalog->generation->archs)
            status = opcat_reader_archs(&catalog->generation->reader, &catalog->generation->archs);
        if (status != OPCAT_OK)
            return status;
    }
    *archs = catalog->generation->archs;
    return OPCAT_OK;
}

opcat_status opcat_known_archs(opcat_catalog *catalog, opcat_names **archs)
{
    const opcat_names *known = NULL;
    if (archs)
        *archs = NULL;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!archs)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_known_archs: archs is NULL");
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_archs_of(catalog, &known);
    if (status != OPCAT_OK)
        return status;
    /* The strings stand behind one another: in one piece from the first to the end of the last. */
    const char *joined = known->count ? known->names[0] : "";
    const char *last = known->count ? known->names[known->count - 1] : NULL;
    size_t length = last ? (size_t)(last - joined) + strlen(last) + 1 : 0;
    *archs = opcat_names_new(joined, length, known->count);
    return *archs ? OPCAT_OK : opcat_error_nomem(&catalog->error);
}

opcat_status opcat_no_family(opcat_catalog *catalog, const char *arch)
{
    const opcat_names *known = NULL;
    opcat_status status = opcat_archs_of(catalog, &known);
    return status == OPCAT_OK ? opcat_reader_no_family(&catalog->generation->reader, arch, known) : status;
}

static opcat_status read_profile(opcat_catalog *catalog, const char *arch, const opcat_profile **profile)
{
    opcat_profile *made = NULL;
    opcat_status status = opcat_before_reading(catalog);
    if (status == OPCAT_OK)
        status = opcat_reader_load(&catalog->generation->reader, arch, &made);
    if (status != OPCAT_OK)
        return status;
    /* A fork may have moved the handle, with what it had read, to another connection: it is not in the cache. */
    if (!opcat_cache_add(&catalog->generation->profiles, made)) {
        opcat_profile_drop(made);
        return opcat_error_nomem(&catalog->error);
    }
    *profile = made;
    return OPCAT_OK;
}

opcat_status opcat_profile_of(opcat_catalog *catalog, const char *arch, const opcat_profile **profile)
{
    *profile = opcat_cache_find(&catalog->generation->profiles, arch);
    return *profile ? OPCAT_OK : read_profile(catalog, arch, profile);
}

opcat_status opcat_load_profile(opcat_catalog *catalog, const char *arch, const opcat_profile **profile)
{
    if (profile)
        *profile = NULL;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!arch || !profile)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_load_profile: %s is NULL",
                               arch ? "profile" : "arch");
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_profile_of(catalog, arch, profile);
    return status == OPCAT_NOT_FOUND ? opcat_no_family(catalog, arch) : status;
}

opcat_status opcat_family_profile(opcat_catalog *catalog, const char *arch, const opcat_profile **profile)
{
    if (profile)
        *profile = NULL;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!profile)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_family_profile: profile is NULL");
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = arch ? opcat_profile_of(catalog, arch, profile) : OPCAT_NOT_FOUND;
    if (status == OPCAT_NOT_FOUND)
        status = opcat_profile_of(catalog, OPCAT_DEFAULT_ARCH, profile);
    return status == OPCAT_NOT_FOUND ? opcat_no_family(catalog, OPCAT_DEFAULT_ARCH) : status;
}

static opcat_status no_kind(opcat_catalog *catalog, const opcat_profile *profile, const char *name)
{
    if (!catalog)
        return OPCAT_NOT_FOUND;
    opcat_text text = {0};
    opcat_text_add(&text, "family ");
    opcat_text_quote(&text, profile->arch, strlen(profile->arch));
    opcat_text_add(&text, " has no kind ");
    opcat_text_quote(&text, name, strlen(name));
    opcat_text_add(&text, "; it has ");
    const char **names = malloc((profile->kind_count + 1) * sizeof *names);
    text.failed = text.failed || !names;
    for (size_t i = 0; names && i < profile->kind_count; i++)
        names[i] = profile->kinds[i].name;
    if (names)
        opcat_text_add_nearest(&text, name, names, profile->kind_count);
    free(names);
    return opcat_error_take(&catalog->error, OPCAT_NOT_FOUND, &text);
}

opcat_status opcat_profile_kind(opcat_catalog *catalog, const opcat_profile *profile, const char *name,
                                const opcat_layer_kind **kind)
{
    if (kind)
        *kind = NULL;
    if (!profile || !name || !kind) {
        const char *missing = !profile ? "profile" : !name ? "name" : "kind";
        return catalog ? opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_profile_kind: %s is NULL", missing)
                       : OPCAT_MISUSE;
    }
    for (size_t i = 0; i < profile->kind_count; i++) {
        if (strcmp(profile->kinds[i].name, name) == 0) {
            *kind = &profile->kinds[i];
            return OPCAT_OK;
        }
    }
    return no_kind(catalog, profile, name);
}
