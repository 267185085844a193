/* SPDX-License-Identifier: Apache-2.0 */
/* What was written, read back before anyone else can read it. */
#include <string.h>

#include "../lib/reader.h"
#include "store.h"

/* FNV-1a over all that a profile states. */
typedef struct digest {
    uint64_t hash;
} digest;

static void digest_bytes(digest *sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        sum->hash = (sum->hash ^ at[i]) * UINT64_C(1099511628211);
}

static void digest_number(digest *sum, int64_t number)
{
    digest_bytes(sum, &number, sizeof number);
}

/* The NUL, or a lone byte for NULL, keeps neighbours apart. */
static void digest_text(digest *sum, const char *text)
{
    digest_bytes(sum, text ? text : "\xff", text ? strlen(text) + 1 : 1);
}

uint64_t opcat_profile_digest(const opcat_profile *profile)
{
    digest sum = {UINT64_C(14695981039346656037)};
    digest_text(&sum, profile->arch);
    digest_text(&sum, profile->default_kind ? profile->default_kind->name : NULL);
    digest_number(&sum, profile->model.v_head_dim);
    digest_number(&sum, (int64_t)opcat_profile_stated(profile));
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++)
        digest_number(&sum, opcat_run_get(&profile->run, i));
    for (size_t i = 0; i < profile->kind_count; i++) {
        const opcat_layer_kind *kind = &profile->kinds[i];
        digest_text(&sum, kind->name);
        digest_text(&sum, kind->attention);
        digest_text(&sum, kind->ffn);
        for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
            digest_number(&sum, kind->ops.at[op]);
    }
    return sum.hash;
}

/* Run a check that says what is wrong in rows; `sound`, where not NULL, is the row that says that nothing is. */
static opcat_status check_pragma(opcat_store *store, const char *sql, const char *sound)
{
    sqlite3_stmt *row = NULL;
    opcat_status status = OPCAT_OK;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &row, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(row);
    if (rc == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(row, 0);
        if (!sound || !said || strcmp(said, sound) != 0)
            status = opcat_error_set(store->error, OPCAT_CORRUPT, "%s: the next generation is not sound: %s: %s",
                                     store->path, sql, said ? said : "?");
    } else if (rc != SQLITE_DONE) {
        status = opcat_error_sqlite(store->error, store->db, rc, store->path, "cannot check the next generation");
    }
    sqlite3_finalize(row);
    return status;
}

typedef struct read_back {
    opcat_store *store;
    opcat_digest_fn *digest_of;
    void *context;
} read_back;

static opcat_status check_profile(void *context, const opcat_profile *profile)
{
    const read_back *self = context;
    uint64_t written = 0;
    if (!self->digest_of(self->context, profile->arch, &written) || written == opcat_profile_digest(profile))
        return OPCAT_OK;
    return opcat_error_set(self->store->error, OPCAT_CORRUPT, "%s: family %s does not read back as it was written",
                           self->store->path, profile->arch);
}

opcat_status opcat_store_check(opcat_store *store, opcat_digest_fn *digest_of, void *context)
{
    opcat_reader reader;
    opcat_ruleset *rules = NULL;
    read_back self = {store, digest_of, context};
    opcat_status status = check_pragma(store, "PRAGMA integrity_check", "ok");
    if (status == OPCAT_OK)
        status = check_pragma(store, "PRAGMA foreign_key_check", NULL);
    if (status != OPCAT_OK)
        return status;
    status = opcat_reader_start(&reader, store->db, "main", store->path, store->error);
    if (status == OPCAT_OK)
        status = opcat_reader_scan(&reader, check_profile, &self);
    if (status == OPCAT_OK)
        status = opcat_reader_rules(&reader, &rules);
    opcat_ruleset_free(rules);
    opcat_reader_end(&reader);
    return status;
}
