/* SPDX-License-Identifier: Apache-2.0 */
/* For each value of a profile, the line of its file that states it. */
#ifndef OPCAT_WHERE_H
#define OPCAT_WHERE_H

#include "compare.h"

/* Strings are good during the call. `line` is 0 where the value is a default. */
typedef void opcat_where_fn(void *context, const char *path, const opcat_value *value, size_t line);

/*
 * Call `take` with each value of the profile that `bytes` state: default, run, model, and each kind's flavours and ops.
 * What is wrong with them goes to the faults; false where anything is, or memory is out.
 */
bool opcat_where(const char *file, const char *arch, const char *bytes, size_t length, opcat_faults *faults,
                 opcat_where_fn *take, void *context);

#endif
