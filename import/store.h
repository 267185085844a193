/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles and rules -> rows of the next generation, and the rows read back. */
#ifndef OPCAT_STORE_H
#define OPCAT_STORE_H

#include "../lib/error.h"
#include "../lib/profile.h"
#include "import.h"

typedef struct opcat_store {
    sqlite3 *db;
    const char *path;   /* for messages */
    opcat_error *error; /* the owner's; where failures are said */
    int64_t import_id;  /* of the import being made */
    sqlite3_stmt *put_change;
    sqlite3_stmt *put_profile;
    sqlite3_stmt *put_kind;
    sqlite3_stmt *drop_kinds;
    sqlite3_stmt *drop_profile;
    sqlite3_stmt *put_rule;
    sqlite3_stmt *drop_rule;
} opcat_store;

/* Prepare to change the catalog behind `db`. Either way, call opcat_store_end(). */
opcat_status opcat_store_start(opcat_store *store, sqlite3 *db, const char *path, opcat_error *error);
void opcat_store_end(opcat_store *store);

/* Put a family that was not there, or replace it. */
opcat_status opcat_store_profile(opcat_store *store, const opcat_profile *profile, const char *source, size_t length,
                                 opcat_change change);
opcat_status opcat_store_remove(opcat_store *store, const char *arch);
/* Put a rule or replace it (`arch` NULL for a trait's), and remove one. */
opcat_status opcat_store_rule(opcat_store *store, const char *rule, const char *pattern, const char *arch);
opcat_status opcat_store_remove_rule(opcat_store *store, const char *rule, const char *pattern);
/* Put the row of the import itself; `origin` are its paths. */
opcat_status opcat_store_import(opcat_store *store, const char *imported_at, const char *origin,
                                const opcat_import_report *report);

/* A number that tells profiles apart by all they state. */
uint64_t opcat_profile_digest(const opcat_profile *profile);
/* Gives the digest that a family was written with, or false where this import did not write it. */
typedef bool opcat_digest_fn(void *context, const char *arch, uint64_t *digest);
/*
 * Check the whole database: integrity, foreign keys, and every profile read back, those of this import being what was
 * written.
 */
opcat_status opcat_store_check(opcat_store *store, opcat_digest_fn *digest_of, void *context);

#endif
