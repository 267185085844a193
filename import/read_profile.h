/* SPDX-License-Identifier: Apache-2.0 */
/* A profile file's bytes -> a checked profile, or its faults. */
#ifndef OPCAT_READ_PROFILE_H
#define OPCAT_READ_PROFILE_H

#include "../lib/profile.h"
#include "faults.h"

/* The largest file that is read. */
#define OPCAT_MAX_FILE_BYTES ((size_t)1 << 20)

/*
 * Read the profile of family `arch` from the `length` bytes of `file` (a name for messages). NULL where anything is
 * wrong: the faults say what. The caller owns the profile, and gives it up with opcat_profile_drop().
 */
opcat_profile *opcat_read_profile(const char *file, const char *arch, const char *bytes, size_t length,
                                  opcat_faults *faults);

/*
 * Read op counts that someone declares: a mapping of kinds to their ten ops. The array of *count is the caller's to
 * free with opcat_declared_free(); NULL where anything is wrong.
 */
typedef struct opcat_declared opcat_declared;
struct opcat_declared {
    size_t count;
    opcat_kind_ops *kinds;
};
opcat_declared *opcat_read_declared(const char *file, const char *bytes, size_t length, opcat_faults *faults);
void opcat_declared_free(opcat_declared *declared);

/* Whether `arch` can name a family: 1 to 64 letters, digits, '.', '_' or '-', not opening with '.' or '-'. */
bool opcat_is_arch(const char *arch);

#endif
