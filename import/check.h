/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of values against what they should be, shared by profiles, declared counts and naming rules. */
#ifndef OPCAT_CHECK_H
#define OPCAT_CHECK_H

#include "../lib/opcat.h"
#include "yaml_tree.h"

/* Where in a file's values a check is: the file, and the dotted path so far. */
typedef struct opcat_checker {
    const char *file;
    opcat_faults *faults;
    opcat_text path;
} opcat_checker;

/* Go down to `name`, and come back to where the path had the length that going down returned. */
size_t opcat_check_down(opcat_checker *checker, const char *name);
void opcat_check_up(opcat_checker *checker, size_t length);
void opcat_checker_free(opcat_checker *checker);

/* Add a fault: the path, a space, and the formatted words. */
void opcat_check_fault(opcat_checker *checker, opcat_place place, const char *format, ...) OPCAT_PRINTF(3, 4);
/* Add a fault that ends in what was found: "PATH WORDS, got VALUE". Nothing for a value that is a fault already. */
void opcat_check_got(opcat_checker *checker, opcat_place place, const opcat_node *found, const char *words);
/*
 * Add the fault that a mapping has a key that it may not have: the nearest right one is suggested, or all are named.
 * `what` says what the key should be ("key", "op"). Gives the place among the names of the one suggested, or -1.
 */
int opcat_check_unknown(opcat_checker *checker, const opcat_node *key, const char *what, const char *const *names);

/*
 * A whole number, as a profile may write one: an integer, a float without a fraction, or a string that Python's int()
 * reads. False where it is none or less than `minimum`, and then that is said; `place` is its key's.
 */
bool opcat_check_whole(opcat_checker *checker, opcat_place place, const opcat_node *value, int64_t minimum,
                       int64_t *number);
/* A mapping of the ten ops to counts from 0; `place` is its key's. */
bool opcat_check_ops(opcat_checker *checker, opcat_place place, const opcat_node *value, opcat_ops *ops);
/* A name that a kind can have; what is wrong with it is said at `place`. */
bool opcat_check_kind_name(opcat_checker *checker, const opcat_node *name);

/* How many names a NULL-terminated list has. */
size_t opcat_count_names(const char *const *names);
/* Add "a, b and c" to a message. */
void opcat_text_add_list(opcat_text *text, const char *const *names, size_t count, const char *last);

#endif
