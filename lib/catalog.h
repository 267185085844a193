/* SPDX-License-Identifier: Apache-2.0 */
/* What a handle is made of. */
#ifndef OPCAT_CATALOG_H
#define OPCAT_CATALOG_H

#include "cache.h"
#include "connection.h"
#include "locate.h"
#include "reader.h"

/* One generation of the file, and what was read of it. */
typedef struct opcat_generation {
    opcat_connection connection;
    opcat_reader reader;
    opcat_cache profiles;
    opcat_names *archs;                 /* NULL until read */
    opcat_ruleset *rules;               /* NULL until read */
    struct opcat_generation *inherited; /* a generation from before a fork: its memory may still be lent out */
} opcat_generation;

struct opcat_catalog {
    char *path; /* NULL where no catalog could be located */
    opcat_origin origin;
    unsigned flags;
    opcat_status opened;          /* what the opening came to */
    opcat_generation *generation; /* NULL while none is open */
    opcat_error error;            /* of the last call that failed */
    bool logger_set;
    opcat_log_fn *log;
    void *log_context;
};

/* What opcat_begin() does where there is something to look at first. */
opcat_status opcat_begin_looking(opcat_catalog *catalog);
/*
 * To be called first by every call that answers from the handle: look for another generation where the handle does so
 * by itself. OPCAT_OK where there is a generation to answer from.
 */
static inline opcat_status opcat_begin(opcat_catalog *catalog)
{
    bool ready = catalog->generation && !(catalog->flags & OPCAT_OPEN_AUTO_REFRESH);
    return ready ? OPCAT_OK : opcat_begin_looking(catalog);
}
/* To be called before the connection is used: after a fork, open the file anew. */
opcat_status opcat_before_reading(opcat_catalog *catalog);

/* The handle's list of families, and its rules: read once. */
opcat_status opcat_archs_of(opcat_catalog *catalog, const opcat_names **archs);
opcat_status opcat_rules_of(opcat_catalog *catalog, const opcat_ruleset **rules);

/* opcat_load_profile() once the call has begun; where there is no such family, OPCAT_NOT_FOUND without a message. */
opcat_status opcat_profile_of(opcat_catalog *catalog, const char *arch, const opcat_profile **profile);
/* Say that there is no such family, and which there are. */
opcat_status opcat_no_family(opcat_catalog *catalog, const char *arch);

#endif
