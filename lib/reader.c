/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "raw_file.h"
#include "row.h"

/* The columns of the statement that loads a family: what it states of itself, then a kind. */
enum {
    COL_DEFAULT,
    COL_V_HEAD_DIM,
    COL_RUN,
    COL_NAME = COL_RUN + OPCAT_RUN_COUNT,
    COL_POSITION,
    COL_ATTENTION,
    COL_FFN,
    COL_OPS,
    COL_ARCH = COL_OPS + OPCAT_OP_COUNT
};

#define RUN_COLUMN(name, type, value) ", p." #name
#define OP_COLUMN(name)               ", k." #name
#define ROWS_SQL                                            \
    "SELECT p.default_kind, p.v_head_dim" OPCAT_RUN_FIELDS( \
        RUN_COLUMN) ", k.name, k.position, k.attention, "   \
                    "k.ffn" OPCAT_OPS(                      \
                        OP_COLUMN) ", p.arch FROM \"%w\".profile p LEFT JOIN \"%w\".kind k ON k.arch = p.arch"

static const char load_sql[] = ROWS_SQL " WHERE p.arch = ?1";
static const char scan_sql[] = ROWS_SQL " ORDER BY p.arch";

opcat_status opcat_reader_fail(opcat_reader *reader, int rc, const char *doing)
{
    return opcat_error_sqlite(reader->error, reader->db, rc, reader->path, doing);
}

opcat_status opcat_reader_damaged(opcat_reader *reader, const char *arch, const char *what)
{
    opcat_text text = {0};
    opcat_text_add(&text, "%s: the catalog is damaged: ", reader->path);
    if (arch) {
        opcat_text_add(&text, "family ");
        opcat_text_quote(&text, arch, strlen(arch));
        opcat_text_add(&text, ": ");
    }
    opcat_text_add(&text, "%s", what);
    return opcat_error_take(reader->error, OPCAT_CORRUPT, &text);
}

opcat_status opcat_reader_start(opcat_reader *reader, sqlite3 *db, const char *schema, const char *path,
                                opcat_error *error)
{
    *reader = (opcat_reader){.db = db, .path = path, .error = error, .schema = schema};
    char *sql = sqlite3_mprintf(load_sql, schema, schema);
    if (!sql)
        return opcat_error_nomem(error);
    int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &reader->load, NULL);
    sqlite3_free(sql);
    return rc == SQLITE_OK ? OPCAT_OK : opcat_reader_fail(reader, rc, "reading its schema");
}

void opcat_reader_end(opcat_reader *reader)
{
    sqlite3_finalize(reader->load);
    opcat_draft_free(&reader->draft);
    free(reader->strings.bytes);
    *reader = (opcat_reader){0};
}

/* SQLite looks at the header with each transaction, and counts what it finds changed: the file is read again only where
 * that count moved. */
opcat_status opcat_reader_check(opcat_reader *reader)
{
    unsigned counter = 0, version = 0;
    if (!reader->check_counter)
        return OPCAT_OK;
    int rc = opcat_read_version(reader->db, &version);
    if (rc == SQLITE_OK && reader->checked && version == reader->version)
        return OPCAT_OK;
    if (rc == SQLITE_OK)
        rc = opcat_read_counter(reader->db, &counter);
    if (rc != SQLITE_OK)
        return opcat_reader_fail(reader, rc, "reading its change counter");
    if (counter == reader->counter) {
        reader->checked = true;
        reader->version = version;
        return OPCAT_OK;
    }
    return opcat_error_set(reader->error, OPCAT_BUSY,
                           "%s: the file was changed in place since it was opened; refresh the handle", reader->path);
}

/* ---- A profile ------------------------------------------------------------------------------------------- */

/* What the family states of itself; NULL, or what is wrong. */
static const char *read_head(opcat_reader *reader)
{
    sqlite3_stmt *row = reader->row;
    opcat_draft *draft = &reader->draft;
    int64_t value = 0;
    if (!opcat_row_is_null(row, COL_V_HEAD_DIM)) {
        if (!opcat_row_number(row, COL_V_HEAD_DIM, 1, INT64_MAX, &value))
            return "its v_head_dim is no whole number from 1";
        draft->v_head_dim = value;
    }
    for (int i = 0; i < OPCAT_RUN_COUNT; i++) {
        opcat_field_type type = opcat_run_fields[i].type;
        if (opcat_row_is_null(row, COL_RUN + i))
            continue;
        if (!opcat_row_number(row, COL_RUN + i, opcat_field_minimum(type), opcat_field_maximum(type), &value))
            return "a run field is out of its range";
        opcat_draft_state_run(draft, (size_t)i, value);
    }
    return NULL;
}

/* Keep a name beside the draft; where it stands among the strings, as its offset and one. */
static const char *keep_name(opcat_reader *reader, const char *name)
{
    size_t at = reader->strings.length;
    opcat_text_add_bytes(&reader->strings, name, strlen(name) + 1);
    /* The strings may move while they grow: offsets until all are there. */
    return (const char *)(uintptr_t)(at + 1);
}

/* The kind of the current row; NULL, or what is wrong. Kinds come in the order of their names: `position` sorts. */
static const char *read_kind(opcat_reader *reader, int64_t *position, bool *nomem)
{
    sqlite3_stmt *row = reader->row;
    const char *name = opcat_row_text(row, COL_NAME, nomem);
    if (!name || !*name)
        return "a kind has no proper name";
    if (!opcat_row_number(row, COL_POSITION, 0, OPCAT_MAX_KINDS - 1, position))
        return "a kind's position is out of range";
    opcat_layer_kind *kind = opcat_draft_add_kind(&reader->draft);
    if (!kind) {
        *nomem = true;
        return NULL;
    }
    kind->name = keep_name(reader, name);
    kind->attention = opcat_row_word(row, COL_ATTENTION, opcat_attention_names, nomem);
    if (!kind->attention)
        return "a kind's attention is no known flavour";
    if (!opcat_row_is_null(row, COL_FFN)) {
        kind->ffn = opcat_row_word(row, COL_FFN, opcat_ffn_names, nomem);
        if (!kind->ffn)
            return "a kind's ffn is no known flavour";
    }
    for (int i = 0; i < OPCAT_OP_COUNT; i++) {
        if (!opcat_row_number(row, COL_OPS + i, 0, INT64_MAX, &kind->ops.at[i]))
            return "an op count is no whole number from 0";
    }
    return NULL;
}

/* Put the kinds, gathered in the order of their names, where their positions say. NULL, or what is wrong. */
static const char *order_kinds(opcat_reader *reader, int64_t *positions)
{
    opcat_draft *draft = &reader->draft;
    for (size_t i = 0; i < draft->kind_count; i++) {
        /* Follow the cycle: each swap puts one kind in its place. */
        while (positions[i] != (int64_t)i) {
            size_t home = (size_t)positions[i];
            if (home >= draft->kind_count || positions[home] == (int64_t)home)
                return "its kinds' positions do not count up from 0";
            opcat_layer_kind kind = draft->kinds[home];
            draft->kinds[home] = draft->kinds[i];
            draft->kinds[i] = kind;
            positions[i] = positions[home];
            positions[home] = (int64_t)home;
        }
    }
    return NULL;
}

static const char *find_default(opcat_reader *reader, const char *name)
{
    opcat_draft *draft = &reader->draft;
    for (size_t i = 0; i < draft->kind_count; i++) {
        if (strcmp(draft->kinds[i].name, name) == 0) {
            draft->default_kind = i;
            return NULL;
        }
    }
    return "its default is none of its kinds";
}

typedef struct gathered {
    int64_t *positions;
    size_t room;
    const char *default_name; /* as keep_name() gives it; NULL where there is none */
    bool nomem;
} gathered;

static bool room_for_position(gathered *all, size_t count)
{
    if (count < all->room)
        return true;
    size_t room = all->room ? all->room * 2 : 8;
    int64_t *positions = realloc(all->positions, room * sizeof *positions);
    if (!positions)
        return false;
    all->positions = positions;
    all->room = room;
    return true;
}

/* Take one row; NULL, or what is wrong. */
static const char *take_row(opcat_reader *reader, gathered *all, bool first)
{
    sqlite3_stmt *row = reader->row;
    size_t place = reader->draft.kind_count;
    if (first) {
        if (!opcat_row_is_null(row, COL_DEFAULT)) {
            const char *name = opcat_row_text(row, COL_DEFAULT, &all->nomem);
            if (!name)
                return "its default is no proper name";
            all->default_name = keep_name(reader, name);
        }
        const char *wrong = read_head(reader);
        if (wrong)
            return wrong;
        if (opcat_row_is_null(row, COL_NAME))
            return "it has no layer kind";
    }
    if (place >= OPCAT_MAX_KINDS)
        return "it has more kinds than any profile can state";
    if (!room_for_position(all, place)) {
        all->nomem = true;
        return NULL;
    }
    return read_kind(reader, &all->positions[place], &all->nomem);
}

static const char *string_at(const opcat_reader *reader, const char *offset)
{
    return reader->strings.bytes + ((uintptr_t)offset - 1);
}

/* All rows are there: turn offsets into names, and put everything in its place. NULL, or what is wrong. */
static const char *settle(opcat_reader *reader, gathered *all)
{
    for (size_t i = 0; i < reader->draft.kind_count; i++)
        reader->draft.kinds[i].name = string_at(reader, reader->draft.kinds[i].name);
    const char *wrong = order_kinds(reader, all->positions);
    if (!wrong && all->default_name)
        wrong = find_default(reader, string_at(reader, all->default_name));
    return wrong;
}

static opcat_status step_rows(opcat_reader *reader, const char *arch, gathered *all)
{
    opcat_status status = OPCAT_OK;
    for (bool first = true;; first = false) {
        int rc = sqlite3_step(reader->row);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            return opcat_reader_fail(reader, rc, "reading a family");
        if (first && (status = opcat_reader_check(reader)) != OPCAT_OK)
            return status;
        if (rc == SQLITE_DONE)
            return first ? OPCAT_NOT_FOUND : OPCAT_OK;
        const char *wrong = take_row(reader, all, first);
        if (all->nomem || reader->strings.failed)
            return opcat_error_nomem(reader->error);
        if (wrong)
            return opcat_reader_damaged(reader, arch, wrong);
    }
}

/* Make the draft an empty one again. */
static void restart(opcat_reader *reader, const char *arch)
{
    opcat_draft_start(&reader->draft, arch);
    reader->strings.length = 0;
    reader->strings.failed = false;
}

/* Make the profile whose rows have all been taken. */
static opcat_status finish(opcat_reader *reader, gathered *all, opcat_profile **profile)
{
    const char *wrong = settle(reader, all);
    if (wrong)
        return opcat_reader_damaged(reader, reader->draft.arch, wrong);
    *profile = opcat_profile_new(&reader->draft);
    return *profile ? OPCAT_OK : opcat_error_nomem(reader->error);
}

opcat_status opcat_reader_load(opcat_reader *reader, const char *arch, opcat_profile **profile)
{
    gathered all = {0};
    *profile = NULL;
    restart(reader, arch);
    reader->row = reader->load;
    int rc = sqlite3_bind_text(reader->load, 1, arch, -1, SQLITE_STATIC);
    opcat_status status =
        rc == SQLITE_OK ? step_rows(reader, arch, &all) : opcat_reader_fail(reader, rc, "asking for a family");
    sqlite3_reset(reader->load);
    sqlite3_clear_bindings(reader->load);
    if (status == OPCAT_OK)
        status = finish(reader, &all, profile);
    free(all.positions);
    return status;
}

/* ---- All profiles ---------------------------------------------------------------------------------------- */

typedef struct scan {
    opcat_profile_fn *take;
    void *context;
    gathered all;
    opcat_text arch; /* of the rows being taken; empty before the first */
} scan;

/* The rows of a family are over: hand on its profile. */
static opcat_status end_family(opcat_reader *reader, scan *self)
{
    opcat_profile *profile = NULL;
    if (!self->arch.length)
        return OPCAT_OK;
    opcat_status status = finish(reader, &self->all, &profile);
    if (status == OPCAT_OK)
        status = self->take(self->context, profile);
    opcat_profile_drop(profile);
    return status;
}

static opcat_status scan_row(opcat_reader *reader, scan *self)
{
    opcat_status status = OPCAT_OK;
    const char *arch = opcat_row_text(reader->row, COL_ARCH, &self->all.nomem);
    if (!arch || !*arch)
        return self->all.nomem ? opcat_error_nomem(reader->error)
                               : opcat_reader_damaged(reader, NULL, "a family has no proper name");
    bool first = !self->arch.length || strcmp(self->arch.bytes, arch) != 0;
    if (first) {
        status = end_family(reader, self);
        self->arch.length = 0;
        opcat_text_add(&self->arch, "%s", arch);
        restart(reader, self->arch.bytes);
        self->all.default_name = NULL;
    }
    if (self->arch.failed)
        return opcat_error_nomem(reader->error);
    const char *wrong = status == OPCAT_OK ? take_row(reader, &self->all, first) : NULL;
    if (self->all.nomem || reader->strings.failed)
        return opcat_error_nomem(reader->error);
    return wrong ? opcat_reader_damaged(reader, self->arch.bytes, wrong) : status;
}

opcat_status opcat_reader_scan(opcat_reader *reader, opcat_profile_fn *take, void *context)
{
    scan self = {.take = take, .context = context};
    opcat_status status = OPCAT_OK;
    char *sql = sqlite3_mprintf(scan_sql, reader->schema, reader->schema);
    int rc = sql ? sqlite3_prepare_v2(reader->db, sql, -1, &reader->row, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    while (rc == SQLITE_OK && status == OPCAT_OK && (rc = sqlite3_step(reader->row)) == SQLITE_ROW) {
        status = scan_row(reader, &self);
        rc = SQLITE_OK;
    }
    if (status == OPCAT_OK && rc == SQLITE_DONE)
        status = end_family(reader, &self);
    else if (status == OPCAT_OK)
        status = opcat_reader_fail(reader, rc, "reading its families");
    sqlite3_finalize(reader->row);
    reader->row = NULL;
    free(self.all.positions);
    free(self.arch.bytes);
    return status;
}
