/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <string.h>

#include "../lib/history.h"
#include "fuzz.h"

static void ignore_import(void *context, const opcat_import_record *record)
{
    (void)context;
    (void)record;
}

static void ignore_problem(void *context, const char *problem)
{
    (void)context;
    (void)problem;
}

static void ask_family(opcat_catalog *catalog, const char *arch)
{
    const opcat_profile *profile = NULL;
    opcat_resolution *resolution = NULL;
    opcat_status status = opcat_load_profile(catalog, arch, &profile);
    fuzz_require((status == OPCAT_OK) == (profile != NULL));
    fuzz_require(status == OPCAT_OK || (*opcat_errmsg(catalog) && !strchr(opcat_errmsg(catalog), '\n')));
    for (size_t i = 0; profile && i < profile->kind_count; i++) {
        for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
            fuzz_require(profile->kinds[i].ops.at[op] >= 0);
    }
    status = opcat_resolve_ops(catalog, arch, NULL, 0, &resolution);
    fuzz_require((status == OPCAT_OK) == (resolution != NULL));
    opcat_resolution_free(resolution);
}

void fuzz_ask(const char *path)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    const char *arch = NULL;
    bool has = false;
    opcat_status status = opcat_open(path, 0, &catalog);
    fuzz_require(status == OPCAT_OK || *opcat_errmsg(catalog));
    opcat_set_logger(catalog, NULL, NULL);
    if (opcat_known_archs(catalog, &archs) == OPCAT_OK) {
        for (size_t i = 0; i < archs->count && i < 64; i++)
            ask_family(catalog, archs->names[i]);
    }
    ask_family(catalog, "qwen");
    status = opcat_infer_arch(catalog, "Qwen3-8B", &arch);
    fuzz_require((status == OPCAT_OK) == (arch != NULL));
    (void)opcat_infer_trait(catalog, "Qwen3-8B", OPCAT_TRAIT_QK_NORM, &has);
    (void)opcat_each_import(catalog, ignore_import, NULL);
    (void)opcat_check_file(catalog, ignore_problem, NULL);
    (void)opcat_refresh(catalog, &has);
    opcat_names_free(archs);
    opcat_close(catalog);
}
