/* SPDX-License-Identifier: Apache-2.0 */
/* A profile file's bytes up to a checked profile: what is accepted keeps every promise of the struct. */
#include "fuzz.h"

#include <string.h>

#include "../import/read_profile.h"
#include "../import/where.h"

static void ignore(void *context, const char *path, const opcat_value *value, size_t line)
{
    (void)context;
    fuzz_require(*path && (value->by_default || line));
}

static void check_kind(const opcat_layer_kind *kind)
{
    fuzz_require(*kind->name && opcat_name_index(opcat_attention_names, kind->attention) >= 0);
    fuzz_require(!kind->ffn || opcat_name_index(opcat_ffn_names, kind->ffn) >= 0);
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        fuzz_require(kind->ops.at[op] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    opcat_faults faults = {0};
    opcat_profile *profile = opcat_read_profile("fuzz.yaml", "fuzz", (const char *)bytes, length, &faults);
    opcat_faults_sort(&faults, 0);
    fuzz_require((profile != NULL) == (faults.count == 0));
    for (size_t i = 0; i < faults.count; i++)
        fuzz_require(*faults.items[i].text && !strchr(faults.items[i].text, '\n'));
    if (profile) {
        fuzz_require(profile->kind_count > 0 && profile->model.v_head_dim >= 0 && profile->run.optimizer_states >= 1);
        for (size_t i = 0; i < profile->kind_count; i++)
            check_kind(&profile->kinds[i]);
        fuzz_require(opcat_where("fuzz.yaml", "fuzz", (const char *)bytes, length, &faults, ignore, NULL));
    }
    opcat_profile_drop(profile);
    opcat_faults_free(&faults);
    return 0;
}
