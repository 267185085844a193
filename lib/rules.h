/* SPDX-License-Identifier: Apache-2.0 */
/* Naming rules in memory: what a model's name tells. */
#ifndef OPCAT_RULES_H
#define OPCAT_RULES_H

#include "opcat.h"

typedef struct opcat_ruleset opcat_ruleset;

/* An empty set, or NULL where memory is out. Add rules, finish, then ask. */
opcat_ruleset *opcat_ruleset_new(void);
/* Add a prefix's rule (`trait` -1), or a trait's (`arch` NULL). Strings are copied. False where memory is out. */
bool opcat_ruleset_add(opcat_ruleset *set, int trait, const char *pattern, const char *arch);
/* Make the set ready to be asked. False where memory is out. */
bool opcat_ruleset_finish(opcat_ruleset *set);
void opcat_ruleset_free(opcat_ruleset *set);

/* The family of the longest prefix with which `name` opens, or NULL; the set's own string. */
const char *opcat_ruleset_arch(const opcat_ruleset *set, const char *name);
/* Whether `name` contains one of the trait's patterns. */
bool opcat_ruleset_has(const opcat_ruleset *set, const char *name, opcat_trait trait);

/* ASCII's lower case. */
unsigned char opcat_lower(char c);

#endif
