/* SPDX-License-Identifier: Apache-2.0 */
/* What a catalog tells of itself beyond its profiles: its imports, its changes, its rules, its state. */
#ifndef OPCAT_HISTORY_H
#define OPCAT_HISTORY_H

#include "locate.h"
#include "vocabulary.h"

/* All strings below are good during the call they are given to. Statuses and messages are those of the handle. */

typedef struct opcat_import_record {
    int64_t import_id;
    const char *imported_at;
    const char *origin;
    const char *importer;
    int64_t added;
    int64_t updated;
    int64_t unchanged;
    int64_t removed;
    int64_t rules_changed;
} opcat_import_record;

/* The imports, newest first. */
typedef void opcat_import_fn(void *context, const opcat_import_record *record);
opcat_status opcat_each_import(opcat_catalog *catalog, opcat_import_fn *take, void *context);

typedef struct opcat_change_record {
    int64_t import_id;
    const char *imported_at;
    const char *arch;
    const char *change; /* "added", "updated" or "removed" */
} opcat_change_record;

/* The changes of one family, newest first; or with `arch` NULL those of one import, by family. */
typedef void opcat_change_fn(void *context, const opcat_change_record *record);
opcat_status opcat_each_change(opcat_catalog *catalog, const char *arch, int64_t import_id, opcat_change_fn *take,
                               void *context);

/* The naming rules, by rule and pattern; `arch` is NULL for a trait's. */
typedef void opcat_rule_fn(void *context, const char *rule, const char *pattern, const char *arch);
opcat_status opcat_each_rule(opcat_catalog *catalog, opcat_rule_fn *take, void *context);

/*
 * The profile file of a family as it stood after an import; free() it. OPCAT_NOT_FOUND where there was no such import,
 * or no such family then; the message says which.
 */
opcat_status opcat_source_at(opcat_catalog *catalog, const char *arch, int64_t import_id, char **bytes, size_t *length);

/* What is known of the catalog as a whole. The strings are the handle's. */
typedef struct opcat_facts {
    const char *path;
    opcat_origin origin;
    int schema_version; /* 100 times the major version plus the minor */
    int64_t size;       /* bytes */
    int64_t families;
    int64_t kinds;
    int64_t rules;
    int64_t imports;
} opcat_facts;
opcat_status opcat_catalog_facts(opcat_catalog *catalog, opcat_facts *facts);

/*
 * The columns of a family's row and of one of its kinds, each as SQL writes its value: 4, 'full', NULL, 1.5. For rows
 * that make no profile. The kind's are NULL where the family has no kind.
 */
typedef struct opcat_cells {
    const char *default_kind;
    const char *v_head_dim;
    const char *run[OPCAT_RUN_COUNT];
    const char *kind;
    const char *position;
    const char *attention;
    const char *ffn;
    const char *ops[OPCAT_OP_COUNT];
} opcat_cells;
/* The cells of a family: once for each of its kinds, or once where it has none. */
typedef void opcat_cells_fn(void *context, const opcat_cells *cells);
opcat_status opcat_each_cells(opcat_catalog *catalog, const char *arch, opcat_cells_fn *take, void *context);

/* SQLite's own checks of the file: `take` is called with each thing that is wrong. */
typedef void opcat_problem_fn(void *context, const char *problem);
opcat_status opcat_check_file(opcat_catalog *catalog, opcat_problem_fn *take, void *context);

#endif
