/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that tell a model by its name. */
#include <stdio.h>
#include <stdlib.h>

#include "catalog.h"
#include "warned.h"

opcat_status opcat_rules_of(opcat_catalog *catalog, const opcat_ruleset **rules)
{
    if (!catalog->generation->rules) {
        opcat_status status = opcat_before_reading(catalog);
        if (status == OPCAT_OK && !catalog->generation->rules)
            status = opcat_reader_rules(&catalog->generation->reader, &catalog->generation->rules);
        if (status != OPCAT_OK)
            return status;
    }
    *rules = catalog->generation->rules;
    return OPCAT_OK;
}

/* Say that no rule claims a name. Out of memory, the warning is lost; the answer it comes with stands. */
static void warn_of_default(const opcat_catalog *catalog, const char *name)
{
    if ((catalog->logger_set && !catalog->log) || !opcat_warned_first(name))
        return;
    opcat_text text = {0};
    /* Whole and as it is, so that it can be searched for. */
    opcat_text_add(&text, "no naming rule claims '");
    opcat_text_escape(&text, name);
    opcat_text_add(&text, "'; it is priced as " OPCAT_DEFAULT_ARCH);
    if (text.bytes && !text.failed) {
        if (catalog->log)
            catalog->log(catalog->log_context, text.bytes);
        else
            fprintf(stderr, "opcat: warning: %s\n", text.bytes);
    }
    free(text.bytes);
}

opcat_status opcat_infer_arch(opcat_catalog *catalog, const char *name, const char **arch)
{
    const opcat_ruleset *rules = NULL;
    if (arch)
        *arch = NULL;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!name || !arch)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_infer_arch: %s is NULL", name ? "arch" : "name");
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_rules_of(catalog, &rules);
    if (status != OPCAT_OK)
        return status;
    *arch = opcat_ruleset_arch(rules, name);
    if (!*arch) {
        *arch = OPCAT_DEFAULT_ARCH;
        warn_of_default(catalog, name);
    }
    return OPCAT_OK;
}

opcat_status opcat_infer_trait(opcat_catalog *catalog, const char *name, opcat_trait trait, bool *has)
{
    const opcat_ruleset *rules = NULL;
    if (has)
        *has = false;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!name || !has)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_infer_trait: %s is NULL", name ? "has" : "name");
    if ((int)trait < 0 || trait >= OPCAT_TRAIT_COUNT)
        return opcat_error_set(&catalog->error, OPCAT_MISUSE, "opcat_infer_trait: there is no trait %d", (int)trait);
    opcat_status status = opcat_begin(catalog);
    if (status == OPCAT_OK)
        status = opcat_rules_of(catalog, &rules);
    if (status == OPCAT_OK)
        *has = opcat_ruleset_has(rules, name, trait);
    return status;
}
