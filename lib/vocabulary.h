/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the domain as tables, all made from the lists in opcat.h. */
#ifndef OPCAT_VOCABULARY_H
#define OPCAT_VOCABULARY_H

#include "opcat.h"

enum opcat_run_index {
#define OPCAT_X(name, type, value) OPCAT_RUN_##name,
    OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
        OPCAT_RUN_COUNT
};

typedef enum opcat_field_type {
    OPCAT_TYPE_SIZE,  /* a whole number from 0 */
    OPCAT_TYPE_COUNT, /* a whole number from 1 */
    OPCAT_TYPE_FLAG,  /* true or false */
} opcat_field_type;

typedef struct opcat_run_field {
    const char *name;
    opcat_field_type type;
    int64_t fallback; /* where neither the run nor the family states one; a flag's is 0 or 1 */
} opcat_run_field;

enum { OPCAT_FLAVOUR_COUNT = 2 };

/* opcat_op_names[OPCAT_OP_COUNT] is NULL, and so on: each list ends with NULL, for opcat_nearest(). */
extern const char *const opcat_op_names[OPCAT_OP_COUNT + 1];
extern const char *const opcat_run_names[OPCAT_RUN_COUNT + 1];
extern const char *const opcat_trait_names[OPCAT_TRAIT_COUNT + 1];
extern const char *const opcat_attention_names[OPCAT_FLAVOUR_COUNT + 1];
extern const char *const opcat_ffn_names[OPCAT_FLAVOUR_COUNT + 1];
extern const char *const opcat_model_names[];
extern const opcat_run_field opcat_run_fields[OPCAT_RUN_COUNT];

/* The `index`th field of a run as a number, a flag as 0 or 1. */
int64_t opcat_run_get(const opcat_run *run, size_t index);
void opcat_run_set(opcat_run *run, size_t index, int64_t value);

/* The place of `name` in a NULL-terminated list of `names`, or -1. */
int opcat_name_index(const char *const *names, const char *name);

/* The smallest value that a field of a type may have, and the largest. */
int64_t opcat_field_minimum(opcat_field_type type);
int64_t opcat_field_maximum(opcat_field_type type);

#endif
