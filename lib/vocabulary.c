/* SPDX-License-Identifier: Apache-2.0 */
#include "vocabulary.h"

#include <string.h>

const char *const opcat_op_names[] = {
#define OPCAT_X(name) #name,
    OPCAT_OPS(OPCAT_X)
#undef OPCAT_X
        NULL};

const char *const opcat_run_names[] = {
#define OPCAT_X(name, type, value) #name,
    OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
        NULL};

const opcat_run_field opcat_run_fields[] = {
#define OPCAT_X(name, type, value) {#name, OPCAT_TYPE_##type, value},
    OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
};

const char *const opcat_trait_names[] = {"qk_norm", "qkv_bias", "shared_expert_gate", NULL};
const char *const opcat_attention_names[] = {"full", "linear", NULL};
const char *const opcat_ffn_names[] = {"dense", "moe", NULL};
const char *const opcat_model_names[] = {"v_head_dim", NULL};

int64_t opcat_run_get(const opcat_run *run, size_t index)
{
    switch (index) {
#define OPCAT_X(name, type, value) \
    case OPCAT_RUN_##name:         \
        return run->name;
        OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
    default:
        return 0;
    }
}

#define OPCAT_TO_SIZE(value)  (value)
#define OPCAT_TO_COUNT(value) (value)
#define OPCAT_TO_FLAG(value)  ((value) != 0)

void opcat_run_set(opcat_run *run, size_t index, int64_t value)
{
    switch (index) {
#define OPCAT_X(name, type, fallback)       \
    case OPCAT_RUN_##name:                  \
        run->name = OPCAT_TO_##type(value); \
        break;
        OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
    default:
        break;
    }
}

int opcat_name_index(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

int64_t opcat_field_minimum(opcat_field_type type)
{
    return type == OPCAT_TYPE_COUNT ? 1 : 0;
}

int64_t opcat_field_maximum(opcat_field_type type)
{
    return type == OPCAT_TYPE_FLAG ? 1 : INT64_MAX;
}
