/* SPDX-License-Identifier: Apache-2.0 */
/* The right name for a misspelt one. */
#ifndef OPCAT_NEAREST_H
#define OPCAT_NEAREST_H

#include <stddef.h>

#include "text.h"

/*
 * How far apart two names are: the number of letters to insert, delete, replace or swap with their neighbour, a
 * letter in the wrong case counting less than a wrong one. Only the first 64 bytes of each count. No allocation.
 */
size_t opcat_distance(const char *a, const char *b);

/*
 * The one of `count` `names` nearest to `name`, or NULL where none is near enough to be meant. The first of equals.
 */
const char *opcat_nearest(const char *name, const char *const *names, size_t count);

/* Add "NAMES, and N more" to a message: the twenty nearest to `name`, nearest first. */
void opcat_text_add_nearest(opcat_text *text, const char *name, const char *const *names, size_t count);

#endif
