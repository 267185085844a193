/* SPDX-License-Identifier: Apache-2.0 */
/* All profiles and rules of a catalog, or of a folder as an import would read it, in memory. */
#ifndef OPCAT_SNAPSHOT_H
#define OPCAT_SNAPSHOT_H

#include "../lib/error.h"
#include "../lib/profile.h"
#include "faults.h"

typedef struct opcat_snapshot_rule {
    char *rule;
    char *pattern;
    char *arch; /* NULL for a trait's pattern */
} opcat_snapshot_rule;

typedef struct opcat_snapshot {
    const opcat_profile **profiles; /* sorted by arch */
    size_t profile_count;
    size_t profile_room;
    opcat_snapshot_rule *rules; /* sorted by rule and pattern */
    size_t rule_count;
    size_t rule_room;
    bool failed; /* memory ran out while it was read */
} opcat_snapshot;

/*
 * Read what is at `path`. What is wrong with a folder's files goes to the faults, and then the status is
 * OPCAT_INVALID; what is wrong with a catalog is told by the status and the error. Free with opcat_snapshot_free(),
 * whatever comes of it.
 */
opcat_status opcat_snapshot_read(opcat_snapshot *snapshot, const char *path, opcat_faults *faults, opcat_error *error);
void opcat_snapshot_free(opcat_snapshot *snapshot);

#endif
