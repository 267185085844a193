/* SPDX-License-Identifier: Apache-2.0 */
/* The table-valued function resolve_ops(ARCH [, JSON]). */
#include <stdlib.h>
#include <string.h>

#include "../profile.h"
#include "../resolution.h"
#include "extension.h"

enum { COL_ARCH, COL_KIND, COL_OP, COL_COUNT, COL_ARGUMENT, COL_DECLARED };

typedef struct table {
    sqlite3_vtab base;
    sqlite3 *db;
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    char *arch;
    opcat_resolution *resolution; /* NULL where there are no rows */
    size_t row;                   /* kinds times ops */
} cursor;

static int connect(sqlite3 *db, void *data, int count, const char *const *arguments, sqlite3_vtab **made,
                   char **message)
{
    (void)data;
    (void)count;
    (void)arguments;
    (void)message;
    int rc = sqlite3_declare_vtab(
        db, "CREATE TABLE x (arch TEXT, kind TEXT, op TEXT, count INTEGER, of_arch HIDDEN, declared_json HIDDEN)");
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    table *self = sqlite3_malloc(sizeof *self);
    if (!self)
        return SQLITE_NOMEM;
    *self = (table){.db = db};
    *made = &self->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

/* The arguments of the call are equalities with the hidden columns: the family first, then what is declared. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    int places[2] = {-1, -1};
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || column < COL_ARGUMENT)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        places[column - COL_ARGUMENT] = i;
    }
    if (places[0] < 0) {
        sqlite3_free(base->zErrMsg);
        base->zErrMsg = sqlite3_mprintf("resolve_ops() takes a family, and the counts declared for it as JSON");
        return SQLITE_ERROR;
    }
    for (int i = 0; i < 2; i++) {
        if (places[i] < 0)
            continue;
        info->aConstraintUsage[places[i]].argvIndex = i + 1;
        info->aConstraintUsage[places[i]].omit = 1;
    }
    info->estimatedCost = 20;
    info->estimatedRows = 20;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
    (void)base;
    cursor *self = sqlite3_malloc(sizeof *self);
    if (!self)
        return SQLITE_NOMEM;
    memset(self, 0, sizeof *self);
    *made = &self->base;
    return SQLITE_OK;
}

static void clear(cursor *self)
{
    sqlite3_free(self->arch);
    opcat_resolution_free(self->resolution);
    self->arch = NULL;
    self->resolution = NULL;
    self->row = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    clear((cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Resolve from the family's rows. */
static opcat_status resolve_from(opcat_reader *reader, const char *arch, const opcat_json_ops *declared,
                                 opcat_resolution **resolution)
{
    opcat_profile *profile = NULL;
    opcat_status status = opcat_reader_load(reader, arch, &profile);
    if (status == OPCAT_NOT_FOUND) {
        opcat_names *known = NULL;
        status = opcat_reader_archs(reader, &known);
        if (status == OPCAT_OK)
            status = opcat_reader_no_family(reader, arch, known);
        opcat_names_free(known);
    }
    if (status == OPCAT_OK)
        status = opcat_resolve(profile, declared->kinds, declared->count, reader->error, resolution);
    opcat_profile_drop(profile);
    return status;
}

static opcat_status resolve(sqlite3 *db, const char *arch, const char *json, opcat_error *error,
                            opcat_resolution **resolution)
{
    opcat_reader reader;
    opcat_json_ops declared = {0};
    char *schema = NULL;
    opcat_status status = json ? opcat_json_ops_read(&declared, db, json, error) : OPCAT_OK;
    if (status == OPCAT_OK)
        status = opcat_find_schema(db, &schema, error);
    if (status == OPCAT_OK)
        status = opcat_reader_start(&reader, db, schema, schema, error);
    if (status == OPCAT_OK) {
        status = resolve_from(&reader, arch, &declared, resolution);
        opcat_reader_end(&reader);
    }
    opcat_json_ops_free(&declared);
    sqlite3_free(schema);
    return status;
}

static int fail(table *owner, const char *what)
{
    sqlite3_free(owner->base.zErrMsg);
    owner->base.zErrMsg = sqlite3_mprintf("resolve_ops(): %s", what);
    return SQLITE_ERROR;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *string, int count, sqlite3_value **arguments)
{
    cursor *self = (cursor *)base;
    table *owner = (table *)base->pVtab;
    opcat_error error = {0};
    (void)number;
    (void)string;
    clear(self);
    /* NULL gives no rows; a NULL for what is declared, none as well. */
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return SQLITE_OK;
    }
    bool nomem = false;
    const char *arch = opcat_text_argument(arguments[0], &nomem);
    const char *json = count > 1 && !nomem ? opcat_text_argument(arguments[1], &nomem) : NULL;
    if (!nomem && (!arch || (count > 1 && !json)))
        return fail(owner, arch ? "the declared counts must be text" : "the family must be text");
    self->arch = nomem ? NULL : sqlite3_mprintf("%s", arch);
    if (!self->arch)
        return SQLITE_NOMEM;
    opcat_status status = resolve(owner->db, arch, json, &error, &self->resolution);
    int rc = status == OPCAT_OK ? SQLITE_OK : fail(owner, opcat_error_text(&error));
    opcat_error_clear(&error);
    return status == OPCAT_NOMEM ? SQLITE_NOMEM : rc;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((cursor *)base)->row++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const cursor *self = (const cursor *)base;
    return !self->resolution || self->row >= self->resolution->count * OPCAT_OP_COUNT;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *call, int index)
{
    const cursor *self = (const cursor *)base;
    const opcat_kind_ops *kind = &self->resolution->kinds[self->row / OPCAT_OP_COUNT];
    size_t op = self->row % OPCAT_OP_COUNT;
    switch (index) {
    case COL_ARCH:
    case COL_ARGUMENT:
        sqlite3_result_text(call, self->arch, -1, SQLITE_TRANSIENT);
        break;
    case COL_KIND:
        sqlite3_result_text(call, kind->kind, -1, SQLITE_TRANSIENT);
        break;
    case COL_OP:
        sqlite3_result_text(call, opcat_op_names[op], -1, SQLITE_STATIC);
        break;
    case COL_COUNT:
        sqlite3_result_int64(call, kind->ops.at[op]);
        break;
    default:
        sqlite3_result_null(call);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)((const cursor *)base)->row;
    return SQLITE_OK;
}

int opcat_register_resolve_ops(sqlite3 *db)
{
    /* Without xCreate there is no table to create: it can be called, and no more. */
    static const sqlite3_module module = {
        .iVersion = 0,
        .xConnect = connect,
        .xBestIndex = best_index,
        .xDisconnect = disconnect,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = at_end,
        .xColumn = column,
        .xRowid = rowid,
    };
    return sqlite3_create_module_v2(db, "resolve_ops", &module, NULL, NULL);
}
