/* SPDX-License-Identifier: Apache-2.0 */
/* Import profiles and naming rules into a catalog: one call makes one generation, or nothing. */
#ifndef OPCAT_IMPORT_H
#define OPCAT_IMPORT_H

#include <stdint.h>

#include "faults.h"

typedef struct opcat_import_options {
    const char *catalog; /* the file; need not exist */
    const char *const *paths;
    size_t path_count;
    bool dry_run; /* do everything but keep it */
    bool prune;   /* remove what no path states */
    /* Called now and then with the number of profile files done, of all; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
} opcat_import_options;

typedef enum opcat_change { OPCAT_ADDED, OPCAT_UPDATED, OPCAT_REMOVED } opcat_change;

typedef struct opcat_family_change {
    char *arch;
    opcat_change change;
    size_t kind_count; /* as it now is; 0 for one removed */
} opcat_family_change;

typedef enum opcat_import_result {
    OPCAT_IMPORT_DONE,    /* the catalog holds what the paths state */
    OPCAT_IMPORT_REFUSED, /* the input has faults: see faults; the catalog is as it was */
    OPCAT_IMPORT_FAILED,  /* something else went wrong: see message; the catalog is as it was */
} opcat_import_result;

typedef struct opcat_import_report {
    opcat_family_change *changes; /* sorted by arch */
    size_t change_count;
    size_t change_room;
    size_t added;
    size_t updated;
    size_t unchanged;
    size_t removed;
    size_t rules_changed;
    int64_t import_id; /* of the generation made; 0 where nothing changed */
    opcat_faults faults;
    char *message; /* for OPCAT_IMPORT_FAILED: one line; NULL when memory is out */
} opcat_import_report;

/* Run an import. Fill *report, whatever comes of it; the caller frees that with opcat_import_report_free(). */
opcat_import_result opcat_import(const opcat_import_options *options, opcat_import_report *report);
void opcat_import_report_free(opcat_import_report *report);

/* "added", "updated", "removed" */
const char *opcat_change_name(opcat_change change);

#endif
