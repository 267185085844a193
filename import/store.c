/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <string.h>

#define RUN_NAME(name, type, value) ", " #name
#define RUN_MARK(name, type, value) ", ?"
#define RUN_SET(name, type, value)  ", " #name " = excluded." #name
#define OP_NAME(name)               ", " #name
#define OP_MARK(name)               ", ?"

static const char put_change_sql[] = "INSERT INTO change (arch, import_id, change, source) VALUES (?1, ?2, ?3, ?4)";

static const char put_profile_sql[] = "INSERT INTO profile (arch, default_kind, v_head_dim, change_id" OPCAT_RUN_FIELDS(
    RUN_NAME) ") VALUES (?, ?, ?, ?" OPCAT_RUN_FIELDS(RUN_MARK) ") ON CONFLICT (arch) DO UPDATE SET default_kind "
                                                                "= excluded.default_kind, v_head_dim = "
                                                                "excluded.v_head_dim, change_id = "
                                                                "excluded.change_id" OPCAT_RUN_FIELDS(RUN_SET);

static const char put_kind_sql[] = "INSERT INTO kind (arch, name, position, attention, ffn" OPCAT_OPS(
    OP_NAME) ") VALUES (?, ?, ?, ?, ?" OPCAT_OPS(OP_MARK) ")";

static const char put_rule_sql[] = "INSERT INTO rule (rule, pattern, arch) VALUES (?1, ?2, ?3) "
                                   "ON CONFLICT (rule, pattern) DO UPDATE SET arch = excluded.arch";

static const char put_import_sql[] =
    "INSERT INTO import (import_id, imported_at, origin, importer, added, updated, unchanged, removed, rules_changed) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const char *opcat_change_name(opcat_change change)
{
    static const char *const names[] = {"added", "updated", "removed"};
    return names[change];
}

static opcat_status fail(opcat_store *store, int rc)
{
    return opcat_error_sqlite(store->error, store->db, rc, store->path, "cannot write the next generation");
}

static opcat_status done(opcat_store *store, int rc)
{
    return rc == SQLITE_OK || rc == SQLITE_DONE ? OPCAT_OK : fail(store, rc);
}

/* The number that the one row of a statement holds. */
static int read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(row);
    if (rc == SQLITE_ROW)
        *number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

opcat_status opcat_store_start(opcat_store *store, sqlite3 *db, const char *path, opcat_error *error)
{
    *store = (opcat_store){.db = db, .path = path, .error = error};
    const struct {
        const char *sql;
        sqlite3_stmt **statement;
    } all[] = {
        {put_change_sql, &store->put_change},
        {put_profile_sql, &store->put_profile},
        {put_kind_sql, &store->put_kind},
        {put_rule_sql, &store->put_rule},
        {"DELETE FROM kind WHERE arch = ?1", &store->drop_kinds},
        {"DELETE FROM profile WHERE arch = ?1", &store->drop_profile},
        {"DELETE FROM rule WHERE rule = ?1 AND pattern = ?2", &store->drop_rule},
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && rc == SQLITE_OK; i++)
        rc = sqlite3_prepare_v3(db, all[i].sql, -1, SQLITE_PREPARE_PERSISTENT, all[i].statement, NULL);
    if (rc == SQLITE_OK)
        rc = read_number(db, "SELECT coalesce(max(import_id), 0) + 1 FROM import", &store->import_id);
    return done(store, rc);
}

void opcat_store_end(opcat_store *store)
{
    sqlite3_finalize(store->put_change);
    sqlite3_finalize(store->put_profile);
    sqlite3_finalize(store->put_kind);
    sqlite3_finalize(store->put_rule);
    sqlite3_finalize(store->drop_kinds);
    sqlite3_finalize(store->drop_profile);
    sqlite3_finalize(store->drop_rule);
    *store = (opcat_store){0};
}

/* ---- Statements ------------------------------------------------------------------------------------------ */

/* Binds parameter after parameter, and keeps the first failure. */
typedef struct binder {
    sqlite3_stmt *statement;
    int next;
    int rc;
} binder;

static binder bind(sqlite3_stmt *statement)
{
    return (binder){statement, 1, SQLITE_OK};
}

static void keep(binder *to, int rc)
{
    if (to->rc == SQLITE_OK)
        to->rc = rc;
    to->next++;
}

/* NULL binds a null. The text must live until the statement is done. */
static void bind_text(binder *to, const char *text)
{
    keep(to, text ? sqlite3_bind_text(to->statement, to->next, text, -1, SQLITE_STATIC)
                  : sqlite3_bind_null(to->statement, to->next));
}

static void bind_number(binder *to, int64_t number)
{
    keep(to, sqlite3_bind_int64(to->statement, to->next, number));
}

static void bind_number_if(binder *to, bool stated, int64_t number)
{
    keep(to, stated ? sqlite3_bind_int64(to->statement, to->next, number) : sqlite3_bind_null(to->statement, to->next));
}

static opcat_status run(opcat_store *store, binder *bound)
{
    int rc = bound->rc == SQLITE_OK ? sqlite3_step(bound->statement) : bound->rc;
    opcat_status status = done(store, rc);
    sqlite3_reset(bound->statement);
    sqlite3_clear_bindings(bound->statement);
    return status;
}

static opcat_status put_change(opcat_store *store, const char *arch, opcat_change change, const char *source,
                               size_t length)
{
    binder row = bind(store->put_change);
    bind_text(&row, arch);
    bind_number(&row, store->import_id);
    bind_text(&row, opcat_change_name(change));
    keep(&row, source ? sqlite3_bind_text64(row.statement, row.next, source, length, SQLITE_STATIC, SQLITE_UTF8)
                      : sqlite3_bind_null(row.statement, row.next));
    return run(store, &row);
}

static opcat_status put_profile(opcat_store *store, const opcat_profile *profile)
{
    uint32_t stated = opcat_profile_stated(profile);
    binder row = bind(store->put_profile);
    bind_text(&row, profile->arch);
    bind_text(&row, profile->default_kind ? profile->default_kind->name : NULL);
    bind_number_if(&row, profile->model.v_head_dim != 0, profile->model.v_head_dim);
    bind_number(&row, sqlite3_last_insert_rowid(store->db));
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++)
        bind_number_if(&row, stated >> i & 1, opcat_run_get(&profile->run, i));
    return run(store, &row);
}

static opcat_status put_kind(opcat_store *store, const opcat_profile *profile, size_t position)
{
    const opcat_layer_kind *kind = &profile->kinds[position];
    binder row = bind(store->put_kind);
    bind_text(&row, profile->arch);
    bind_text(&row, kind->name);
    bind_number(&row, (int64_t)position);
    bind_text(&row, kind->attention);
    bind_text(&row, kind->ffn);
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        bind_number(&row, kind->ops.at[op]);
    return run(store, &row);
}

static opcat_status drop(opcat_store *store, sqlite3_stmt *statement, const char *arch)
{
    binder row = bind(statement);
    bind_text(&row, arch);
    return run(store, &row);
}

opcat_status opcat_store_profile(opcat_store *store, const opcat_profile *profile, const char *source, size_t length,
                                 opcat_change change)
{
    opcat_status status = put_change(store, profile->arch, change, source, length);
    if (status == OPCAT_OK)
        status = put_profile(store, profile);
    if (status == OPCAT_OK && change == OPCAT_UPDATED)
        status = drop(store, store->drop_kinds, profile->arch);
    for (size_t i = 0; i < profile->kind_count && status == OPCAT_OK; i++)
        status = put_kind(store, profile, i);
    return status;
}

opcat_status opcat_store_remove(opcat_store *store, const char *arch)
{
    opcat_status status = put_change(store, arch, OPCAT_REMOVED, NULL, 0);
    if (status == OPCAT_OK)
        status = drop(store, store->drop_kinds, arch);
    if (status == OPCAT_OK)
        status = drop(store, store->drop_profile, arch);
    return status;
}

opcat_status opcat_store_rule(opcat_store *store, const char *rule, const char *pattern, const char *arch)
{
    binder row = bind(store->put_rule);
    bind_text(&row, rule);
    bind_text(&row, pattern);
    bind_text(&row, arch);
    return run(store, &row);
}

opcat_status opcat_store_remove_rule(opcat_store *store, const char *rule, const char *pattern)
{
    binder row = bind(store->drop_rule);
    bind_text(&row, rule);
    bind_text(&row, pattern);
    return run(store, &row);
}

opcat_status opcat_store_import(opcat_store *store, const char *imported_at, const char *origin,
                                const opcat_import_report *report)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(store->db, put_import_sql, -1, &statement, NULL);
    if (rc != SQLITE_OK)
        return fail(store, rc);
    binder row = bind(statement);
    bind_number(&row, store->import_id);
    bind_text(&row, imported_at);
    bind_text(&row, origin);
    bind_text(&row, OPCAT_VERSION);
    bind_number(&row, (int64_t)report->added);
    bind_number(&row, (int64_t)report->updated);
    bind_number(&row, (int64_t)report->unchanged);
    bind_number(&row, (int64_t)report->removed);
    bind_number(&row, (int64_t)report->rules_changed);
    opcat_status status = run(store, &row);
    sqlite3_finalize(statement);
    return status;
}
