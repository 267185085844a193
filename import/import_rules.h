/* SPDX-License-Identifier: Apache-2.0 */
/* The naming rules of an import: read from its files, held against the families there will be, and stored. */
#ifndef OPCAT_IMPORT_RULES_H
#define OPCAT_IMPORT_RULES_H

#include "inputs.h"
#include "read_rules.h"
#include "store.h"

typedef struct opcat_stated_rule {
    const opcat_rule *rule;
    const char *file;
} opcat_stated_rule;

/* All rules that the paths state, sorted by rule and pattern, each once. */
typedef struct opcat_stated_rules {
    opcat_rules **files;
    size_t file_count;
    opcat_stated_rule *items;
    size_t count;
    size_t first_fault; /* from here on, the faults are the rules' */
} opcat_stated_rules;

/*
 * Read the files; what is wrong with them, or with two of them together, goes to the faults. What is right in a faulty
 * file is given as well, so that opcat_stated_rules_check() tells in the same run what is wrong with that.
 */
void opcat_stated_rules_read(opcat_stated_rules *stated, const opcat_input_list *files, opcat_faults *faults);
void opcat_stated_rules_free(opcat_stated_rules *stated);

/* Whether there will be a family of that name. */
typedef bool opcat_family_fn(const void *context, const char *arch);
/*
 * Refuse prefixes of families that there will not be; `known` are those there will, to suggest from. To be called
 * before any other fault is added.
 */
void opcat_stated_rules_check(const opcat_stated_rules *stated, opcat_family_fn *there_is, const void *context,
                              const char *const *known, size_t known_count, opcat_faults *faults);

/* What to do with one rule: put it (`arch` is NULL for a trait's), or remove it. */
typedef opcat_status opcat_rule_change_fn(void *context, const char *rule, const char *pattern, const char *arch,
                                          bool remove);
/*
 * Hold the stated rules against those of the catalog behind `current` (NULL: none), and call `apply` for each that is
 * to change; with `prune` also for those that are not stated.
 */
opcat_status opcat_stated_rules_diff(const opcat_stated_rules *stated, sqlite3 *current, const char *path, bool prune,
                                     opcat_rule_change_fn *apply, void *context, opcat_error *error);

#endif
