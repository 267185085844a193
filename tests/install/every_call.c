/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a user of the installed library writes it: every call of opcat.h, the failing ones too. */
#include <opcat.h>

#include <stdio.h>
#include <string.h>

static int failures;

static void check(int line, int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "line %d: %s\n", line, what);
    failures++;
}
#define CHECK(condition) check(__LINE__, (condition), #condition)

static void count_warning(void *context, const char *message)
{
    ++*(int *)context;
    CHECK(strstr(message, "default") != NULL);
}

static void failing_calls(const char *nowhere)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    const opcat_profile *profile = NULL;
    const char *arch = NULL;
    bool has = true;
    opcat_resolution *resolution = NULL;
    CHECK(opcat_open(nowhere, 0, &catalog) == OPCAT_CANTOPEN);
    CHECK(strstr(opcat_errmsg(catalog), nowhere) != NULL);
    CHECK(opcat_refresh(catalog, &has) == OPCAT_CANTOPEN && !has);
    CHECK(opcat_known_archs(catalog, &archs) == OPCAT_CANTOPEN && !archs);
    CHECK(opcat_load_profile(catalog, "t5", &profile) == OPCAT_CANTOPEN && !profile);
    CHECK(opcat_family_profile(catalog, "t5", &profile) == OPCAT_CANTOPEN && !profile);
    CHECK(opcat_infer_arch(catalog, "t5", &arch) == OPCAT_CANTOPEN && !arch);
    CHECK(opcat_infer_trait(catalog, "t5", OPCAT_TRAIT_QK_NORM, &has) == OPCAT_CANTOPEN && !has);
    CHECK(opcat_resolve_ops(catalog, "t5", NULL, 0, &resolution) == OPCAT_CANTOPEN && !resolution);
    opcat_close(catalog);
    CHECK(opcat_open(nowhere, 0, NULL) == OPCAT_MISUSE);
}

static void profiles(opcat_catalog *catalog)
{
    const opcat_profile *profile = NULL;
    const opcat_layer_kind *kind = NULL;
    CHECK(opcat_load_profile(catalog, "quen", &profile) == OPCAT_NOT_FOUND && !profile);
    CHECK(strstr(opcat_errmsg(catalog), "there are qwen, ") != NULL);
    CHECK(opcat_family_profile(catalog, NULL, &profile) == OPCAT_OK && strcmp(profile->arch, "default") == 0);
    CHECK(opcat_load_profile(catalog, "qwen3_5", &profile) == OPCAT_OK && profile->kind_count == 2);
    CHECK(opcat_profile_kind(catalog, profile, "linear_attention", &kind) == OPCAT_OK && kind->ops.linrec == 1);
    CHECK(opcat_profile_kind(catalog, profile, "linear", &kind) == OPCAT_NOT_FOUND && !kind);
    CHECK(profile->default_kind == &profile->kinds[0] && profile->run.shard_activations);
}

static void names(opcat_catalog *catalog)
{
    const char *arch = NULL;
    bool has = false;
    int warnings = 0;
    opcat_set_logger(catalog, count_warning, &warnings);
    CHECK(opcat_infer_arch(catalog, "DeepSeek-V3", &arch) == OPCAT_OK && strcmp(arch, "deepseek") == 0);
    CHECK(opcat_infer_arch(catalog, "unheard-of", &arch) == OPCAT_OK && strcmp(arch, OPCAT_DEFAULT_ARCH) == 0);
    CHECK(opcat_infer_arch(catalog, "unheard-of", &arch) == OPCAT_OK && warnings == 1);
    CHECK(opcat_infer_trait(catalog, "qwen3-8b", OPCAT_TRAIT_QK_NORM, &has) == OPCAT_OK && has);
    CHECK(opcat_infer_trait(catalog, "qwen3-8b", OPCAT_TRAIT_COUNT, &has) == OPCAT_MISUSE && !has);
}

static void counts(opcat_catalog *catalog)
{
    opcat_resolution *resolution = NULL;
    opcat_kind_ops declared[2];
    memset(declared, 0, sizeof declared);
    declared[0].kind = "decoder";
    declared[1].kind = "encoder";
    CHECK(opcat_resolve_ops(catalog, "t5", NULL, 0, &resolution) == OPCAT_OK && resolution->count == 2);
    opcat_resolution_free(resolution);
    CHECK(opcat_resolve_ops(catalog, "t5", declared, 2, &resolution) == OPCAT_OK);
    CHECK(strcmp(resolution->kinds[0].kind, "encoder") == 0 && resolution->kinds[0].ops.attMM == 0);
    opcat_resolution_free(resolution);
    CHECK(opcat_resolve_ops(catalog, "t5", declared, 1, &resolution) == OPCAT_INVALID && !resolution);
}

int main(int argc, char **argv)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    const opcat_profile *kept = NULL;
    bool changed = true;
    failing_calls(argc > 1 ? argv[1] : "/nowhere/catalog.db");
    opcat_status status = opcat_open(NULL, 0, &catalog);
    if (status != OPCAT_OK) {
        fprintf(stderr, "%s: %s\n", opcat_status_text(status), opcat_errmsg(catalog));
        opcat_close(catalog);
        return 1;
    }
    CHECK(opcat_known_archs(catalog, &archs) == OPCAT_OK && archs->count == 9);
    opcat_names_free(archs);
    profiles(catalog);
    names(catalog);
    counts(catalog);
    CHECK(opcat_refresh(catalog, &changed) == OPCAT_OK && !changed);
    CHECK(opcat_load_profile(catalog, "vision", &kept) == OPCAT_OK);
    CHECK(opcat_profile_retain(kept) == kept);
    opcat_close(catalog);
    CHECK(strcmp(kept->kinds[0].name, "encoder") == 0);
    opcat_profile_release(kept);
    CHECK(strcmp(opcat_version(), OPCAT_VERSION) == 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
