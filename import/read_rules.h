/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of model_names.yaml -> checked naming rules, or their faults. */
#ifndef OPCAT_READ_RULES_H
#define OPCAT_READ_RULES_H

#include "faults.h"

typedef struct opcat_rule {
    const char *rule;    /* "prefix", or a trait's name; static */
    const char *pattern; /* not empty, without upper-case letters */
    const char *arch;    /* a prefix's family; NULL for a trait's pattern */
    opcat_place place;   /* of the pattern */
} opcat_rule;

typedef struct opcat_rules {
    opcat_rule *items; /* in the order of the file */
    size_t count;
    void *strings; /* what the items point into */
} opcat_rules;

/*
 * Read naming rules from the `length` bytes of `file` (a name for messages). What is wrong goes to the faults, and the
 * rules that are right are given even so, for what else can be said of them; NULL where the bytes are no YAML or memory
 * is out. Whether the families exist is not looked at. Free with opcat_rules_free().
 */
opcat_rules *opcat_read_rules(const char *file, const char *bytes, size_t length, opcat_faults *faults);
void opcat_rules_free(opcat_rules *rules);

#endif
