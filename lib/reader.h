/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows -> profiles and rules, over any connection to a catalog: a handle's, or that of an importer which reads back
 * what it wrote. Nothing that a row holds is taken on trust.
 */
#ifndef OPCAT_READER_H
#define OPCAT_READER_H

#include "error.h"
#include "profile.h"
#include "rules.h"

typedef struct opcat_reader {
    sqlite3 *db;        /* the owner's */
    const char *path;   /* the owner's; for messages */
    opcat_error *error; /* the owner's; where failures are said */
    const char *schema; /* the owner's; the catalog's name in the connection, "main" unless it is attached */
    sqlite3_stmt *load; /* the rows of one family */
    sqlite3_stmt *row;  /* the statement whose rows are being taken */
    opcat_draft draft;  /* kept between loads for its memory */
    opcat_text strings; /* the names that the draft points to */
    bool check_counter; /* whether the file may be changed in place under the reader */
    unsigned counter;   /* the file's change counter when the reader started */
    bool checked;       /* whether the file was found to have that counter, */
    unsigned version;   /* and then the connection's own count of the changes it came upon */
} opcat_reader;

/* Prepare to read from `schema` of `db`. A reader that did not start needs no end. */
opcat_status opcat_reader_start(opcat_reader *reader, sqlite3 *db, const char *schema, const char *path,
                                opcat_error *error);
void opcat_reader_end(opcat_reader *reader);

/* The profile of a family, held by the caller, or OPCAT_NOT_FOUND without a message: who asks knows what to say. */
opcat_status opcat_reader_load(opcat_reader *reader, const char *arch, opcat_profile **profile);
/* Call `take` with every profile, in the order of their families, until it fails; the profile goes with the call. */
typedef opcat_status opcat_profile_fn(void *context, const opcat_profile *profile);
opcat_status opcat_reader_scan(opcat_reader *reader, opcat_profile_fn *take, void *context);
/* All families, sorted by bytes. */
opcat_status opcat_reader_archs(opcat_reader *reader, opcat_names **archs);
opcat_status opcat_reader_rules(opcat_reader *reader, opcat_ruleset **rules);
/*
 * The profile file that a family was imported from, or with `import_id` not 0 the one that stood after that import;
 * free() it. OPCAT_NOT_FOUND without a message where there is none.
 */
opcat_status opcat_reader_source(opcat_reader *reader, const char *arch, int64_t import_id, char **bytes,
                                 size_t *length);

/* Say that there is no such family, and which there are; OPCAT_NOT_FOUND. */
opcat_status opcat_reader_no_family(opcat_reader *reader, const char *arch, const opcat_names *known);
/* Say what SQLite says of its result code; say that the catalog is damaged, and in what (`arch` may be NULL). */
opcat_status opcat_reader_fail(opcat_reader *reader, int rc, const char *doing);
opcat_status opcat_reader_damaged(opcat_reader *reader, const char *arch, const char *what);
/* Takes a row of a list; NULL, or what is wrong with it. *nomem tells the other reason to stop. */
typedef const char *opcat_row_fn(void *context, sqlite3_stmt *row, bool *nomem);
/*
 * Call `take` with each row of a statement. In its text each "%w" becomes the schema's name, two at most; ?1 is `text`,
 * ?2 `number`, where it has them. `doing` says what fails.
 */
opcat_status opcat_reader_each(opcat_reader *reader, const char *sql, const char *text, int64_t number,
                               const char *doing, opcat_row_fn *take, void *context);
/* After reading in a transaction: whether the file is still the one that the reader started on, else OPCAT_BUSY. */
opcat_status opcat_reader_check(opcat_reader *reader);

/* Names in one allocation: `joined` holds `count` strings, each with its NUL. */
opcat_names *opcat_names_new(const char *joined, size_t length, size_t count);

#endif
