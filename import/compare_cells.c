/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/profile.h"
#include "../lib/sqlite.h"

typedef struct comparison {
    const opcat_profile *source;
    opcat_difference_fn *take;
    void *context;
    bool head_done; /* what the family states of itself comes with every kind */
    bool *found;    /* which kinds of the source there are */
    bool failed;
} comparison;

/* A value as SQL writes it; sqlite3_free() it. */
static char *literal(const opcat_value *value)
{
    switch (value->type) {
    case OPCAT_VALUE_NUMBER:
    case OPCAT_VALUE_FLAG:
        return value->by_default ? sqlite3_mprintf("NULL") : sqlite3_mprintf("%lld", (long long)value->number);
    case OPCAT_VALUE_TEXT:
        return sqlite3_mprintf("%Q", value->text);
    case OPCAT_VALUE_ABSENT:
        break;
    }
    return sqlite3_mprintf("NULL");
}

/* What SQL writes so, as a value: a number, nothing, or the text itself. */
static opcat_value stored_value(const char *cell)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(cell, &end, 10);
    if (strcmp(cell, "NULL") == 0)
        return (opcat_value){.type = OPCAT_VALUE_ABSENT};
    if (end != cell && !*end && !errno)
        return (opcat_value){.type = OPCAT_VALUE_NUMBER, .number = number};
    return (opcat_value){.type = OPCAT_VALUE_TEXT, .text = cell};
}

static void compare(comparison *self, opcat_difference *difference, const char *cell, opcat_value expected)
{
    char *expected_cell = literal(&expected);
    self->failed = self->failed || !expected_cell;
    if (expected_cell && strcmp(cell, expected_cell) != 0) {
        difference->before = stored_value(cell);
        difference->after = expected;
        self->take(self->context, difference);
    }
    sqlite3_free(expected_cell);
}

static opcat_value number(int64_t value)
{
    return (opcat_value){.type = OPCAT_VALUE_NUMBER, .number = value};
}

static opcat_value text(const char *value)
{
    return (opcat_value){.type = value ? OPCAT_VALUE_TEXT : OPCAT_VALUE_ABSENT, .text = value};
}

static void compare_head(comparison *self, const opcat_cells *cells)
{
    const opcat_profile *source = self->source;
    opcat_difference difference = {.section = "default", .arch = source->arch};
    compare(self, &difference, cells->default_kind, text(source->default_kind ? source->default_kind->name : NULL));
    difference.section = "run";
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        opcat_value expected = number(opcat_run_get(&source->run, i));
        expected.by_default = !(opcat_profile_stated(source) >> i & 1);
        if (opcat_run_fields[i].type == OPCAT_TYPE_FLAG)
            expected.type = OPCAT_VALUE_FLAG;
        difference.name = opcat_run_names[i];
        compare(self, &difference, cells->run[i], expected);
    }
    difference.section = "model";
    difference.name = opcat_model_names[0];
    compare(self, &difference, cells->v_head_dim,
            source->model.v_head_dim ? number(source->model.v_head_dim) : text(NULL));
}

/* The kind of the source that a cell names; its kind_count where there is none. */
static size_t find_kind(comparison *self, const char *cell)
{
    for (size_t i = 0; i < self->source->kind_count; i++) {
        opcat_value name = text(self->source->kinds[i].name);
        char *expected = literal(&name);
        bool same = expected && strcmp(cell, expected) == 0;
        self->failed = self->failed || !expected;
        sqlite3_free(expected);
        if (same)
            return i;
    }
    return self->source->kind_count;
}

static void compare_kind(comparison *self, const opcat_cells *cells)
{
    size_t place = find_kind(self, cells->kind);
    opcat_difference difference = {.section = "kind", .arch = self->source->arch, .kind = cells->kind};
    if (place == self->source->kind_count) {
        compare(self, &difference, cells->kind, text(NULL));
        return;
    }
    const opcat_layer_kind *kind = &self->source->kinds[place];
    self->found[place] = true;
    difference.kind = kind->name;
    difference.section = "position";
    compare(self, &difference, cells->position, number((int64_t)place));
    difference.section = "attention";
    compare(self, &difference, cells->attention, text(kind->attention));
    difference.section = "ffn";
    compare(self, &difference, cells->ffn, text(kind->ffn));
    difference.section = "op";
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        difference.name = opcat_op_names[op];
        compare(self, &difference, cells->ops[op], number(kind->ops.at[op]));
    }
}

static void compare_row(void *context, const opcat_cells *cells)
{
    comparison *self = context;
    if (!self->head_done)
        compare_head(self, cells);
    self->head_done = true;
    if (cells->kind)
        compare_kind(self, cells);
}

opcat_status opcat_compare_cells(opcat_catalog *catalog, const opcat_profile *source, opcat_difference_fn *take,
                                 void *context, bool *memory)
{
    comparison self = {.source = source, .take = take, .context = context};
    self.found = calloc(source->kind_count, sizeof *self.found);
    *memory = self.found != NULL;
    if (!self.found)
        return OPCAT_OK;
    opcat_status status = opcat_each_cells(catalog, source->arch, compare_row, &self);
    for (size_t i = 0; status == OPCAT_OK && i < source->kind_count; i++) {
        const char *name = source->kinds[i].name;
        opcat_difference difference = {.section = "kind", .arch = source->arch, .kind = name, .after = text(name)};
        if (!self.found[i])
            take(context, &difference);
    }
    free(self.found);
    *memory = !self.failed;
    return status;
}
