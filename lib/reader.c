/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* The change counter's place in the header of an SQLite file. */
enum { COUNTER_OFFSET = 24, COUNTER_SIZE = 4 };

/* The columns of the statement that loads a family: what it states of itself, then a kind. */
enum {
    COL_DEFAULT,
    COL_V_HEAD_DIM,
    COL_RUN,
    COL_NAME = COL_RUN + OPCAT_RUN_COUNT,
    COL_POSITION,
    COL_ATTENTION,
    COL_FFN,
    COL_OPS
};

static const char load_sql[] = "SELECT p.default_kind, p.v_head_dim"
#define OPCAT_X(name, type, value) ", p." #name
    OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
        ", k.name, k.position, k.attention, k.ffn"
#define OPCAT_X(name) ", k." #name
    OPCAT_OPS(OPCAT_X)
#undef OPCAT_X
        " FROM profile p LEFT JOIN kind k ON k.arch = p.arch WHERE p.arch = ?1";

static int file_of(sqlite3 *db, sqlite3_file **file)
{
    *file = NULL;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, file);
    return rc == SQLITE_OK && (!*file || !(*file)->pMethods) ? SQLITE_CANTOPEN : rc;
}

int opcat_read_raw(sqlite3 *db, void *bytes, int length, int64_t offset)
{
    sqlite3_file *file;
    int rc = file_of(db, &file);
    return rc == SQLITE_OK ? file->pMethods->xRead(file, bytes, length, offset) : rc;
}

int opcat_file_size(sqlite3 *db, sqlite3_int64 *size)
{
    sqlite3_file *file;
    int rc = file_of(db, &file);
    return rc == SQLITE_OK ? file->pMethods->xFileSize(file, size) : rc;
}

int opcat_read_counter(sqlite3 *db, unsigned *counter)
{
    unsigned char bytes[COUNTER_SIZE];
    int rc = opcat_read_raw(db, bytes, COUNTER_SIZE, COUNTER_OFFSET);
    if (rc == SQLITE_OK)
        *counter = (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
    return rc;
}

static opcat_status fail_sqlite(opcat_reader *reader, int rc, const char *doing)
{
    return opcat_error_sqlite(reader->error, reader->db, rc, reader->path, doing);
}

static opcat_status damaged(opcat_reader *reader, const char *arch, const char *what)
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

static int prepare(opcat_reader *reader, const char *sql, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(reader->db, sql, -1, statement, NULL);
}

opcat_status opcat_reader_start(opcat_reader *reader, sqlite3 *db, const char *path, opcat_error *error)
{
    *reader = (opcat_reader){.db = db, .path = path, .error = error};
    int rc = sqlite3_prepare_v3(db, load_sql, (int)sizeof load_sql, SQLITE_PREPARE_PERSISTENT, &reader->load, NULL);
    return rc == SQLITE_OK ? OPCAT_OK : fail_sqlite(reader, rc, "reading its schema");
}

void opcat_reader_end(opcat_reader *reader)
{
    sqlite3_finalize(reader->load);
    opcat_draft_free(&reader->draft);
    free(reader->strings.bytes);
    *reader = (opcat_reader){0};
}

/* Within a read transaction: whether the file is still the one that the reader started on. */
static opcat_status check_counter(opcat_reader *reader)
{
    unsigned counter = 0;
    if (!reader->check_counter)
        return OPCAT_OK;
    int rc = opcat_read_counter(reader->db, &counter);
    if (rc != SQLITE_OK)
        return fail_sqlite(reader, rc, "reading its change counter");
    if (counter == reader->counter)
        return OPCAT_OK;
    return opcat_error_set(reader->error, OPCAT_BUSY,
                           "%s: the file was changed in place since it was opened; refresh the handle", reader->path);
}

/* ---- Columns --------------------------------------------------------------------------------------------- */

/* A text column's bytes where it holds UTF-8 text without NULs, else NULL; `*nomem` tells the other reason. */
static const char *column_text(sqlite3_stmt *row, int column, bool *nomem)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT)
        return NULL;
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (!text) {
        *nomem = true;
        return NULL;
    }
    size_t length = (size_t)sqlite3_column_bytes(row, column);
    return strlen(text) == length && opcat_utf8_valid(text, length) ? text : NULL;
}

/* The one of `names` that a column holds; NULL where it holds none of them. */
static const char *column_word(sqlite3_stmt *row, int column, const char *const *names, bool *nomem)
{
    const char *text = column_text(row, column, nomem);
    int index = text ? opcat_name_index(names, text) : -1;
    return index < 0 ? NULL : names[index];
}

static bool column_number(sqlite3_stmt *row, int column, int64_t minimum, int64_t maximum, int64_t *value)
{
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER)
        return false;
    *value = sqlite3_column_int64(row, column);
    return *value >= minimum && *value <= maximum;
}

static bool column_is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

/* ---- A profile ------------------------------------------------------------------------------------------- */

/* What the family states of itself; NULL, or what is wrong. */
static const char *read_head(opcat_reader *reader)
{
    sqlite3_stmt *row = reader->load;
    opcat_draft *draft = &reader->draft;
    int64_t value = 0;
    if (!column_is_null(row, COL_V_HEAD_DIM)) {
        if (!column_number(row, COL_V_HEAD_DIM, 1, INT64_MAX, &value))
            return "its v_head_dim is no whole number from 1";
        draft->v_head_dim = value;
    }
    for (int i = 0; i < OPCAT_RUN_COUNT; i++) {
        opcat_field_type type = opcat_run_fields[i].type;
        if (column_is_null(row, COL_RUN + i))
            continue;
        if (!column_number(row, COL_RUN + i, opcat_field_minimum(type), opcat_field_maximum(type), &value))
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
    sqlite3_stmt *row = reader->load;
    const char *name = column_text(row, COL_NAME, nomem);
    if (!name || !*name)
        return "a kind has no proper name";
    if (!column_number(row, COL_POSITION, 0, OPCAT_MAX_KINDS - 1, position))
        return "a kind's position is out of range";
    opcat_layer_kind *kind = opcat_draft_add_kind(&reader->draft);
    if (!kind) {
        *nomem = true;
        return NULL;
    }
    kind->name = keep_name(reader, name);
    kind->attention = column_word(row, COL_ATTENTION, opcat_attention_names, nomem);
    if (!kind->attention)
        return "a kind's attention is no known flavour";
    if (!column_is_null(row, COL_FFN)) {
        kind->ffn = column_word(row, COL_FFN, opcat_ffn_names, nomem);
        if (!kind->ffn)
            return "a kind's ffn is no known flavour";
    }
    for (int i = 0; i < OPCAT_OP_COUNT; i++) {
        if (!column_number(row, COL_OPS + i, 0, INT64_MAX, &kind->ops.at[i]))
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
    sqlite3_stmt *row = reader->load;
    size_t place = reader->draft.kind_count;
    if (first) {
        if (!column_is_null(row, COL_DEFAULT)) {
            const char *name = column_text(row, COL_DEFAULT, &all->nomem);
            if (!name)
                return "its default is no proper name";
            all->default_name = keep_name(reader, name);
        }
        const char *wrong = read_head(reader);
        if (wrong)
            return wrong;
        if (column_is_null(row, COL_NAME))
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
        int rc = sqlite3_step(reader->load);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            return fail_sqlite(reader, rc, "reading a family");
        if (first && (status = check_counter(reader)) != OPCAT_OK)
            return status;
        if (rc == SQLITE_DONE)
            return first ? OPCAT_NOT_FOUND : OPCAT_OK;
        const char *wrong = take_row(reader, all, first);
        if (all->nomem || reader->strings.failed)
            return opcat_error_nomem(reader->error);
        if (wrong)
            return damaged(reader, arch, wrong);
    }
}

opcat_status opcat_reader_load(opcat_reader *reader, const char *arch, opcat_profile **profile)
{
    gathered all = {0};
    *profile = NULL;
    opcat_draft_start(&reader->draft, arch);
    reader->strings.length = 0;
    reader->strings.failed = false;
    int rc = sqlite3_bind_text(reader->load, 1, arch, -1, SQLITE_STATIC);
    opcat_status status =
        rc == SQLITE_OK ? step_rows(reader, arch, &all) : fail_sqlite(reader, rc, "asking for a family");
    sqlite3_reset(reader->load);
    sqlite3_clear_bindings(reader->load);
    if (status == OPCAT_OK) {
        const char *wrong = settle(reader, &all);
        if (wrong)
            status = damaged(reader, arch, wrong);
        else if (!(*profile = opcat_profile_new(&reader->draft)))
            status = opcat_error_nomem(reader->error);
    }
    free(all.positions);
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------------------- */

opcat_names *opcat_names_new(const char *joined, size_t length, size_t count)
{
    opcat_names *names = malloc(sizeof *names + count * sizeof(char *) + length);
    if (!names)
        return NULL;
    const char **list = (const char **)(void *)(names + 1);
    char *strings = (char *)(list + count);
    if (length)
        memcpy(strings, joined, length);
    for (size_t i = 0; i < count; i++) {
        list[i] = strings;
        strings += strlen(strings) + 1;
    }
    names->count = count;
    names->names = list;
    return names;
}

void opcat_names_free(opcat_names *names)
{
    free(names);
}

/* Takes a row of a list; NULL, or what is wrong with it. */
typedef const char *row_fn(void *context, sqlite3_stmt *row, bool *nomem);

static opcat_status each_row(opcat_reader *reader, const char *sql, const char *doing, row_fn *take, void *context)
{
    sqlite3_stmt *rows = NULL;
    opcat_status status = OPCAT_OK;
    bool nomem = false;
    int rc = prepare(reader, sql, &rows);
    if (rc != SQLITE_OK)
        return fail_sqlite(reader, rc, doing);
    for (bool first = true; status == OPCAT_OK; first = false) {
        rc = sqlite3_step(rows);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            status = fail_sqlite(reader, rc, doing);
        else if (first)
            status = check_counter(reader);
        if (status != OPCAT_OK || rc == SQLITE_DONE)
            break;
        const char *wrong = take(context, rows, &nomem);
        if (nomem)
            status = opcat_error_nomem(reader->error);
        else if (wrong)
            status = damaged(reader, NULL, wrong);
    }
    sqlite3_finalize(rows);
    return status;
}

typedef struct arch_list {
    opcat_text joined;
    size_t count;
} arch_list;

static const char *take_arch(void *context, sqlite3_stmt *row, bool *nomem)
{
    arch_list *list = context;
    const char *arch = column_text(row, 0, nomem);
    if (!arch)
        return "a family has no proper name";
    opcat_text_add_bytes(&list->joined, arch, strlen(arch) + 1);
    list->count++;
    *nomem = list->joined.failed;
    return NULL;
}

opcat_status opcat_reader_archs(opcat_reader *reader, opcat_names **archs)
{
    arch_list list = {0};
    *archs = NULL;
    opcat_status status =
        each_row(reader, "SELECT arch FROM profile ORDER BY arch", "reading its families", take_arch, &list);
    if (status == OPCAT_OK && !(*archs = opcat_names_new(list.joined.bytes, list.joined.length, list.count)))
        status = opcat_error_nomem(reader->error);
    free(list.joined.bytes);
    return status;
}

static const char *take_rule(void *context, sqlite3_stmt *row, bool *nomem)
{
    const char *rule = column_text(row, 0, nomem);
    const char *pattern = column_text(row, 1, nomem);
    const char *arch = column_text(row, 2, nomem);
    if (!rule || !pattern || !*pattern)
        return "a naming rule has no proper pattern";
    bool prefix = strcmp(rule, "prefix") == 0;
    int trait = prefix ? -1 : opcat_name_index(opcat_trait_names, rule);
    if (prefix != (arch != NULL) || (!prefix && trait < 0))
        return "a naming rule is of no known kind, or names no family";
    *nomem = *nomem || !opcat_ruleset_add(context, trait, pattern, arch);
    return NULL;
}

opcat_status opcat_reader_rules(opcat_reader *reader, opcat_ruleset **rules)
{
    *rules = NULL;
    opcat_ruleset *set = opcat_ruleset_new();
    if (!set)
        return opcat_error_nomem(reader->error);
    opcat_status status =
        each_row(reader, "SELECT rule, pattern, arch FROM rule", "reading its naming rules", take_rule, set);
    if (status == OPCAT_OK && !opcat_ruleset_finish(set))
        status = opcat_error_nomem(reader->error);
    if (status == OPCAT_OK)
        *rules = set;
    else
        opcat_ruleset_free(set);
    return status;
}

opcat_status opcat_reader_source(opcat_reader *reader, const char *arch, char **bytes, size_t *length)
{
    sqlite3_stmt *row = NULL;
    opcat_status status = OPCAT_NOT_FOUND;
    *bytes = NULL;
    *length = 0;
    int rc = prepare(
        reader, "SELECT c.source FROM profile p JOIN change c ON c.change_id = p.change_id WHERE p.arch = ?1", &row);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, arch, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(row);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        status = fail_sqlite(reader, rc, "reading a profile's source");
    } else if ((status = check_counter(reader)) == OPCAT_OK && rc == SQLITE_ROW) {
        const void *source = sqlite3_column_blob(row, 0);
        *length = (size_t)sqlite3_column_bytes(row, 0);
        *bytes = malloc(*length + 1);
        if (sqlite3_column_type(row, 0) != SQLITE_TEXT) {
            status = damaged(reader, arch, "its source is no text");
        } else if (!*bytes || (!source && *length)) {
            status = opcat_error_nomem(reader->error);
        } else {
            if (*length)
                memcpy(*bytes, source, *length);
            (*bytes)[*length] = '\0';
        }
    } else if (status == OPCAT_OK) {
        status = OPCAT_NOT_FOUND;
    }
    sqlite3_finalize(row);
    if (status != OPCAT_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
