/* SPDX-License-Identifier: Apache-2.0 */
/* How two profiles, or two sets of them, differ in meaning. */
#ifndef OPCAT_COMPARE_H
#define OPCAT_COMPARE_H

#include "snapshot.h"

typedef enum opcat_value_type {
    OPCAT_VALUE_ABSENT,
    OPCAT_VALUE_NUMBER,
    OPCAT_VALUE_FLAG,
    OPCAT_VALUE_TEXT,
} opcat_value_type;

typedef struct opcat_value {
    opcat_value_type type;
    bool by_default; /* nobody states it */
    int64_t number;  /* of a number; a flag's is 0 or 1 */
    const char *text;
} opcat_value;

/* What differs. Strings are good during the call that it is given to. */
typedef struct opcat_difference {
    const char *section; /* "family", "kind", "position", "op", "attention", "ffn", "default", "run", "model", "rule" */
    const char *arch;    /* the family; NULL for a rule */
    const char *kind;    /* the kind, for what is of a kind; else NULL */
    const char *name;    /* the op, field or fact; of a rule "RULE PATTERN"; else NULL */
    opcat_value before;
    opcat_value after;
} opcat_difference;

typedef void opcat_difference_fn(void *context, const opcat_difference *difference);

/* Call `take` with each difference between two profiles of one family. */
void opcat_compare_profiles(const opcat_profile *before, const opcat_profile *after, opcat_difference_fn *take,
                            void *context);
/* Likewise for families and rules, in the order of their names. False where memory is out. */
bool opcat_compare_snapshots(const opcat_snapshot *before, const opcat_snapshot *after, opcat_difference_fn *take,
                             void *context);

/* Add where a difference is, within its family, to a message: "decoder.softmax", "run.grad_bytes", "default". */
void opcat_difference_path(opcat_text *text, const opcat_difference *difference);
/* Add a value to a message: "4", "true", "4 (default)"; "nothing" for one that is absent. */
void opcat_value_text(opcat_text *text, const opcat_value *value);

#endif
