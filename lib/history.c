/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "row.h"
#include "source.h"

/* Begin a call that reads, and give the reader; NULL where the call is over with *status. */
static opcat_reader *reader_of(opcat_catalog *catalog, opcat_status *status)
{
    *status = opcat_begin(catalog);
    if (*status == OPCAT_OK)
        *status = opcat_before_reading(catalog);
    return *status == OPCAT_OK ? &catalog->generation->reader : NULL;
}

static opcat_status each(opcat_catalog *catalog, const char *sql, const char *text, int64_t number, const char *doing,
                         opcat_row_fn *take, void *context)
{
    opcat_status status;
    opcat_reader *reader = reader_of(catalog, &status);
    return reader ? opcat_reader_each(reader, sql, text, number, doing, take, context) : status;
}

/* ---- Imports and changes --------------------------------------------------------------------------------- */

typedef struct import_taker {
    opcat_import_fn *take;
    void *context;
} import_taker;

static const char *take_import(void *context, sqlite3_stmt *row, bool *nomem)
{
    const import_taker *taker = context;
    opcat_import_record record = {
        .imported_at = opcat_row_text(row, 1, nomem),
        .origin = opcat_row_text(row, 2, nomem),
        .importer = opcat_row_text(row, 3, nomem),
    };
    int64_t *const numbers[] = {&record.added, &record.updated, &record.unchanged, &record.removed,
                                &record.rules_changed};
    bool good = record.imported_at && record.origin && record.importer &&
                opcat_row_number(row, 0, 1, INT64_MAX, &record.import_id);
    for (int i = 0; good && i < 5; i++)
        good = opcat_row_number(row, 4 + i, 0, INT64_MAX, numbers[i]);
    if (good)
        taker->take(taker->context, &record);
    return good ? NULL : "an import's record is not as it should be";
}

opcat_status opcat_each_import(opcat_catalog *catalog, opcat_import_fn *take, void *context)
{
    import_taker taker = {take, context};
    return each(catalog,
                "SELECT import_id, imported_at, origin, importer, added, updated, unchanged, removed, rules_changed "
                "FROM \"%w\".import ORDER BY import_id DESC",
                NULL, 0, "reading its imports", take_import, &taker);
}

typedef struct change_taker {
    opcat_change_fn *take;
    void *context;
} change_taker;

static const char *take_change(void *context, sqlite3_stmt *row, bool *nomem)
{
    const change_taker *taker = context;
    opcat_change_record record = {
        .imported_at = opcat_row_text(row, 1, nomem),
        .arch = opcat_row_text(row, 2, nomem),
        .change = opcat_row_text(row, 3, nomem),
    };
    if (!record.imported_at || !record.arch || !record.change ||
        !opcat_row_number(row, 0, 1, INT64_MAX, &record.import_id))
        return "a change's record is not as it should be";
    taker->take(taker->context, &record);
    return NULL;
}

opcat_status opcat_each_change(opcat_catalog *catalog, const char *arch, int64_t import_id, opcat_change_fn *take,
                               void *context)
{
    static const char of_arch[] = "SELECT c.import_id, i.imported_at, c.arch, c.change FROM \"%w\".change c "
                                  "JOIN \"%w\".import i ON i.import_id = c.import_id WHERE c.arch = ?1 "
                                  "ORDER BY c.import_id DESC";
    static const char of_import[] = "SELECT c.import_id, i.imported_at, c.arch, c.change FROM \"%w\".change c "
                                    "JOIN \"%w\".import i ON i.import_id = c.import_id "
                                    "WHERE ?1 IS NULL AND c.import_id = ?2 ORDER BY c.arch";
    change_taker taker = {take, context};
    return each(catalog, arch ? of_arch : of_import, arch, import_id, "reading its changes", take_change, &taker);
}

/* ---- Rules ----------------------------------------------------------------------------------------------- */

typedef struct rule_taker {
    opcat_rule_fn *take;
    void *context;
} rule_taker;

static const char *take_rule(void *context, sqlite3_stmt *row, bool *nomem)
{
    const rule_taker *taker = context;
    const char *rule = opcat_row_text(row, 0, nomem);
    const char *pattern = opcat_row_text(row, 1, nomem);
    if (!rule || !pattern)
        return "a naming rule has no proper pattern";
    taker->take(taker->context, rule, pattern, opcat_row_text(row, 2, nomem));
    return NULL;
}

opcat_status opcat_each_rule(opcat_catalog *catalog, opcat_rule_fn *take, void *context)
{
    rule_taker taker = {take, context};
    return each(catalog, "SELECT rule, pattern, arch FROM \"%w\".rule ORDER BY rule, pattern", NULL, 0,
                "reading its naming rules", take_rule, &taker);
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

typedef struct cells_taker {
    opcat_cells_fn *take;
    void *context;
} cells_taker;

static const char *take_cells(void *context, sqlite3_stmt *row, bool *nomem)
{
    const cells_taker *taker = context;
    opcat_cells cells = {0};
    const char **all[] = {&cells.default_kind, &cells.v_head_dim, &cells.kind,
                          &cells.position,     &cells.attention,  &cells.ffn};
    enum { NAMED = sizeof all / sizeof *all };
    for (int i = 0; i < NAMED + OPCAT_RUN_COUNT + OPCAT_OP_COUNT; i++) {
        const char **cell = i < NAMED                     ? all[i]
                            : i < NAMED + OPCAT_RUN_COUNT ? &cells.run[i - NAMED]
                                                          : &cells.ops[i - NAMED - OPCAT_RUN_COUNT];
        /* quote() gives NULL as text, but there is no row to quote from where the family has no kind. */
        *cell = (const char *)sqlite3_column_text(row, i);
        if (!*cell && !opcat_row_is_null(row, i)) {
            *nomem = true;
            return NULL;
        }
    }
    taker->take(taker->context, &cells);
    return NULL;
}

opcat_status opcat_each_cells(opcat_catalog *catalog, const char *arch, opcat_cells_fn *take, void *context)
{
#define RUN_CELL(name, type, value) ", quote(p." #name ")"
#define OP_CELL(name)               ", CASE WHEN k.arch IS NOT NULL THEN quote(k." #name ") END"
    static const char sql[] =
        "SELECT quote(p.default_kind), quote(p.v_head_dim)" OP_CELL(name) OP_CELL(position) OP_CELL(attention)
            OP_CELL(ffn) OPCAT_RUN_FIELDS(RUN_CELL) OPCAT_OPS(OP_CELL) " FROM \"%w\".profile p LEFT JOIN "
                                                                       "\"%w\".kind k ON k.arch = p.arch "
                                                                       "WHERE p.arch = ?1 ORDER BY k.name";
#undef RUN_CELL
#undef OP_CELL
    cells_taker taker = {take, context};
    return each(catalog, sql, arch, 0, "reading a family's rows", take_cells, &taker);
}

/* ---- As it stood ----------------------------------------------------------------------------------------- */

typedef struct what_was {
    int64_t last_import;
    bool import_there;
    int64_t removed_by;
    bool ever; /* the family, at any time */
    int64_t import_id;
} what_was;

static void look_at_import(void *context, const opcat_import_record *record)
{
    what_was *was = context;
    if (record->import_id > was->last_import)
        was->last_import = record->import_id;
    was->import_there = was->import_there || record->import_id == was->import_id;
}

static void look_at_change(void *context, const opcat_change_record *record)
{
    what_was *was = context;
    was->ever = true;
    if (record->import_id <= was->import_id && !was->removed_by && strcmp(record->change, "removed") == 0)
        was->removed_by = record->import_id;
}

static opcat_status say_what_was(opcat_catalog *catalog, const char *arch, int64_t import_id)
{
    what_was was = {.import_id = import_id};
    opcat_status status = opcat_each_import(catalog, look_at_import, &was);
    if (status == OPCAT_OK)
        status = opcat_each_change(catalog, arch, 0, look_at_change, &was);
    if (status != OPCAT_OK)
        return status;
    if (!was.import_there)
        return opcat_error_set(&catalog->error, OPCAT_NOT_FOUND,
                               "%s: no import %" PRId64 "; the last is import %" PRId64, catalog->path, import_id,
                               was.last_import);
    if (!was.ever)
        return opcat_no_source(catalog, arch);
    opcat_text text = {0};
    opcat_text_add(&text, "%s: family ", catalog->path);
    opcat_text_quote(&text, arch, strlen(arch));
    if (was.removed_by)
        opcat_text_add(&text, " was not there at import %" PRId64 "; import %" PRId64 " removed it", import_id,
                       was.removed_by);
    else
        opcat_text_add(&text, " was not there yet at import %" PRId64, import_id);
    return opcat_error_take(&catalog->error, OPCAT_NOT_FOUND, &text);
}

static const char *take_existence(void *context, sqlite3_stmt *row, bool *nomem)
{
    (void)row;
    (void)nomem;
    *(bool *)context = true;
    return NULL;
}

opcat_status opcat_source_at(opcat_catalog *catalog, const char *arch, int64_t import_id, char **bytes, size_t *length)
{
    bool there = false;
    opcat_status status = each(catalog, "SELECT 1 FROM \"%w\".import WHERE ?1 IS NULL AND import_id = ?2", NULL,
                               import_id, "reading its imports", take_existence, &there);
    *bytes = NULL;
    *length = 0;
    if (status == OPCAT_OK)
        status =
            there ? opcat_reader_source(&catalog->generation->reader, arch, import_id, bytes, length) : OPCAT_NOT_FOUND;
    return status == OPCAT_NOT_FOUND ? say_what_was(catalog, arch, import_id) : status;
}

/* ---- The whole ------------------------------------------------------------------------------------------- */

static const char *take_number(void *context, sqlite3_stmt *row, bool *nomem)
{
    (void)nomem;
    *(int64_t *)context = sqlite3_column_int64(row, 0);
    return NULL;
}

opcat_status opcat_catalog_facts(opcat_catalog *catalog, opcat_facts *facts)
{
    int64_t version = 0;
    *facts = (opcat_facts){.path = catalog->path, .origin = catalog->origin};
    const struct {
        const char *sql;
        int64_t *number;
    } all[] = {
        {"PRAGMA \"%w\".user_version", &version},
        {"SELECT count(*) FROM \"%w\".profile", &facts->families},
        {"SELECT count(*) FROM \"%w\".kind", &facts->kinds},
        {"SELECT count(*) FROM \"%w\".rule", &facts->rules},
        {"SELECT count(*) FROM \"%w\".import", &facts->imports},
    };
    opcat_status status = OPCAT_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == OPCAT_OK; i++)
        status = each(catalog, all[i].sql, NULL, 0, "counting what it holds", take_number, all[i].number);
    if (status != OPCAT_OK)
        return status;
    facts->schema_version = (int)version;
    facts->size = catalog->generation->connection.identity.size;
    return OPCAT_OK;
}

typedef struct problem_taker {
    opcat_problem_fn *take;
    void *context;
} problem_taker;

static const char *take_integrity(void *context, sqlite3_stmt *row, bool *nomem)
{
    const problem_taker *taker = context;
    const char *said = (const char *)sqlite3_column_text(row, 0);
    *nomem = !said;
    if (said && strcmp(said, "ok") != 0)
        taker->take(taker->context, said);
    return NULL;
}

static const char *take_foreign_key(void *context, sqlite3_stmt *row, bool *nomem)
{
    const problem_taker *taker = context;
    const char *child = (const char *)sqlite3_column_text(row, 0);
    const char *parent = (const char *)sqlite3_column_text(row, 2);
    *nomem = !child || !parent;
    if (*nomem)
        return NULL;
    opcat_text text = {0};
    opcat_text_add(&text, "a row of table %s refers to a row of table %s that is not there", child, parent);
    if (text.failed)
        *nomem = true;
    else
        taker->take(taker->context, text.bytes);
    free(text.bytes);
    return NULL;
}

static const char *take_journal_mode(void *context, sqlite3_stmt *row, bool *nomem)
{
    const problem_taker *taker = context;
    const char *mode = (const char *)sqlite3_column_text(row, 0);
    *nomem = !mode;
    if (mode && strcmp(mode, "wal") == 0)
        taker->take(taker->context,
                    "it is in WAL mode, in which readers write beside it, and no import can replace it; "
                    "in the sqlite3 shell, PRAGMA journal_mode = DELETE ends that");
    return NULL;
}

/* A copy of the file as it stands, in memory. */
static opcat_status copy_into(sqlite3 *copy, opcat_reader *reader)
{
    int rc = opcat_harden(copy);
    if (rc != SQLITE_OK)
        return opcat_reader_fail(reader, rc, "checking a copy of it");
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", reader->db, reader->schema);
    if (backup) {
        sqlite3_backup_step(backup, -1);
        rc = sqlite3_backup_finish(backup);
    } else {
        rc = sqlite3_errcode(copy);
    }
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(reader->error, copy, rc, reader->path, "copying it into memory");
    return opcat_reader_check(reader);
}

/*
 * SQLite looks at CHECK constraints only in a database that can be written. The catalog is not to be: a copy of it in
 * memory is checked.
 */
opcat_status opcat_check_file(opcat_catalog *catalog, opcat_problem_fn *take, void *context)
{
    problem_taker taker = {take, context};
    opcat_reader of_copy;
    sqlite3 *copy = NULL;
    opcat_status status = OPCAT_OK;
    opcat_reader *reader = reader_of(catalog, &status);
    if (!reader)
        return status;
    status = opcat_reader_each(reader, "PRAGMA \"%w\".journal_mode", NULL, 0, "reading its journal mode",
                               take_journal_mode, &taker);
    if (status != OPCAT_OK)
        return status;
    int rc = sqlite3_open_v2(":memory:", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    status = rc == SQLITE_OK ? copy_into(copy, reader) : opcat_error_nomem(&catalog->error);
    if (status == OPCAT_OK)
        status = opcat_reader_start(&of_copy, copy, "main", catalog->path, &catalog->error);
    if (status == OPCAT_OK) {
        status = opcat_reader_each(&of_copy, "PRAGMA \"%w\".integrity_check", NULL, 0, "checking its integrity",
                                   take_integrity, &taker);
        if (status == OPCAT_OK)
            status = opcat_reader_each(&of_copy, "PRAGMA \"%w\".foreign_key_check", NULL, 0, "checking its references",
                                       take_foreign_key, &taker);
        opcat_reader_end(&of_copy);
    }
    sqlite3_close(copy);
    return status;
}
