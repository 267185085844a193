/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that declares op counts, read by SQLite's own JSON functions. */
#include <stdlib.h>
#include <string.h>

#include "../nearest.h"
#include "../row.h"
#include "extension.h"

void opcat_json_ops_free(opcat_json_ops *declared)
{
    for (size_t i = 0; i < declared->count; i++)
        free((char *)(uintptr_t)declared->kinds[i].kind);
    free(declared->kinds);
    *declared = (opcat_json_ops){0};
}

/* One kind being read: which of its ops have been stated. */
typedef struct kind_reading {
    opcat_json_ops *declared;
    opcat_error *error;
    int64_t id; /* of the kind's place in the JSON */
    bool stated[OPCAT_OP_COUNT];
} kind_reading;

static opcat_status refuse(opcat_error *error, const char *kind, const char *what, const char *name)
{
    opcat_text text = {0};
    opcat_text_add(&text, "the counts declared for ");
    opcat_text_quote(&text, kind, strlen(kind));
    opcat_text_add(&text, " %s", what);
    if (name)
        opcat_text_quote(&text, name, strlen(name));
    return opcat_error_take(error, OPCAT_INVALID, &text);
}

/* The kind whose ops were read is whole where all ten are stated. */
static opcat_status end_kind(kind_reading *self)
{
    if (!self->declared->count)
        return OPCAT_OK;
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        if (!self->stated[op])
            return refuse(self->error, self->declared->kinds[self->declared->count - 1].kind, "leave out ",
                          opcat_op_names[op]);
    }
    return OPCAT_OK;
}

static opcat_status begin_kind(kind_reading *self, const char *name, int64_t id)
{
    opcat_json_ops *declared = self->declared;
    opcat_status status = end_kind(self);
    if (status != OPCAT_OK)
        return status;
    if (declared->count == declared->room) {
        size_t room = declared->room ? declared->room * 2 : 8;
        opcat_kind_ops *kinds = realloc(declared->kinds, room * sizeof *kinds);
        if (!kinds)
            return opcat_error_nomem(self->error);
        declared->kinds = kinds;
        declared->room = room;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy)
        return opcat_error_nomem(self->error);
    opcat_kind_ops *kind = &declared->kinds[declared->count++];
    memset(kind, 0, sizeof *kind);
    memcpy(copy, name, size);
    kind->kind = copy;
    memset(self->stated, 0, sizeof self->stated);
    self->id = id;
    return OPCAT_OK;
}

/* Columns: the kind's name, place and type; an op's name and type, null where the kind has none, and its value. */
enum { COL_KIND, COL_ID, COL_TYPE, COL_OP, COL_OP_TYPE, COL_COUNT };

static opcat_status take_op(kind_reading *self, sqlite3_stmt *row)
{
    opcat_kind_ops *kind = &self->declared->kinds[self->declared->count - 1];
    const char *op = (const char *)sqlite3_column_text(row, COL_OP);
    if (!op)
        return OPCAT_OK;
    int index = opcat_name_index(opcat_op_names, op);
    if (index < 0)
        return refuse(self->error, kind->kind, "have the unknown op ", op);
    if (self->stated[index])
        return refuse(self->error, kind->kind, "state twice ", op);
    int64_t count = 0;
    const char *type = (const char *)sqlite3_column_text(row, COL_OP_TYPE);
    if (!type || strcmp(type, "integer") != 0 || !opcat_row_number(row, COL_COUNT, 0, INT64_MAX, &count))
        return refuse(self->error, kind->kind, "must have a whole number from 0 for ", op);
    self->stated[index] = true;
    kind->ops.at[index] = count;
    return OPCAT_OK;
}

static opcat_status take_row(kind_reading *self, sqlite3_stmt *row)
{
    bool nomem = false;
    const char *name = opcat_row_text(row, COL_KIND, &nomem);
    const char *type = (const char *)sqlite3_column_text(row, COL_TYPE);
    int64_t id = sqlite3_column_int64(row, COL_ID);
    opcat_status status = OPCAT_OK;
    if (nomem || !type)
        return opcat_error_nomem(self->error);
    if (!name || strcmp(type, "object") != 0)
        return refuse(self->error, name ? name : "?", "must be an object of the ten ops", NULL);
    if (!self->declared->count || id != self->id)
        status = begin_kind(self, name, id);
    return status == OPCAT_OK ? take_op(self, row) : status;
}

opcat_status opcat_json_ops_read(opcat_json_ops *declared, sqlite3 *db, const char *json, opcat_error *error)
{
    static const char sql[] =
        "SELECT k.key, k.id, k.type, o.key, o.type, o.atom FROM json_each(CASE json_type(?1) WHEN 'object' THEN ?1 "
        "END) k "
        "LEFT JOIN json_each(CASE k.type WHEN 'object' THEN k.value ELSE '{}' END) o ORDER BY k.id, o.id";
    kind_reading self = {.declared = declared, .error = error};
    sqlite3_stmt *row = NULL;
    opcat_status status = OPCAT_OK;
    *declared = (opcat_json_ops){0};
    int rc = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, json, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && status == OPCAT_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        status = take_row(&self, row);
        rc = SQLITE_OK;
    }
    if (status == OPCAT_OK && rc != SQLITE_DONE)
        status = opcat_error_set(error, opcat_status_of_sqlite(rc) == OPCAT_NOMEM ? OPCAT_NOMEM : OPCAT_INVALID,
                                 "the declared counts cannot be read: %s", sqlite3_errmsg(db));
    if (status == OPCAT_OK)
        status = end_kind(&self);
    if (status == OPCAT_OK && !declared->count)
        status = opcat_error_set(error, OPCAT_INVALID,
                                 "the declared counts must be a JSON object that maps each kind to its ten ops");
    sqlite3_finalize(row);
    return status;
}
