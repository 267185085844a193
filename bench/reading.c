/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and loading, beside bare SQLite with minimal statements; and what is answered from memory. */
#include "bench.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opcat.h"

typedef struct reading {
    const char *path;
    opcat_catalog *catalog;
    sqlite3 *db;
    sqlite3_stmt *profile;
    sqlite3_stmt *kinds;
    sqlite3_stmt *begin;
    sqlite3_stmt *commit;
    const char *archs[16];
    size_t arch_count;
    int64_t sum; /* of what is read, so that nothing is left out */
} reading;

static const char profile_sql[] =
    "SELECT default_kind, v_head_dim, grad_bytes, optimizer_state_bytes, optimizer_states, main_param_bytes, "
    "norm_bytes, "
    "dropout_bytes, grad_accumulation, shard_activations, loss_parallel, reshard_params, deferred_grad_accumulation, "
    "overlapped_grad_reduce FROM profile WHERE arch = ?1";
static const char kinds_sql[] = "SELECT name, position, attention, ffn, attMM, attBMM, ffMM, softmax, dropout, normOp, "
                                "gather, headCast, ffAct, linrec FROM kind WHERE arch = ?1";

static void check(int rc, const char *what)
{
    if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
        die("%s fails: %d", what, rc);
}

static void bare_prepare(reading *self)
{
    check(sqlite3_open_v2(self->path, &self->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL), "open");
    check(sqlite3_exec(self->db, "BEGIN", NULL, NULL, NULL), "begin");
    check(sqlite3_prepare_v2(self->db, profile_sql, -1, &self->profile, NULL), "prepare");
    check(sqlite3_prepare_v2(self->db, kinds_sql, -1, &self->kinds, NULL), "prepare");
}

static void bare_rows(reading *self, sqlite3_stmt *rows, const char *arch)
{
    check(sqlite3_bind_text(rows, 1, arch, -1, SQLITE_STATIC), "bind");
    while (sqlite3_step(rows) == SQLITE_ROW) {
        for (int i = 0; i < 14; i++)
            self->sum += sqlite3_column_type(rows, i) == SQLITE_TEXT ? sqlite3_column_text(rows, i)[0]
                                                                     : sqlite3_column_int64(rows, i);
    }
    check(sqlite3_reset(rows), "reset");
}

static void bare_load(reading *self, const char *arch)
{
    bare_rows(self, self->profile, arch);
    bare_rows(self, self->kinds, arch);
}

static void bare_close(reading *self)
{
    sqlite3_finalize(self->profile);
    sqlite3_finalize(self->kinds);
    check(sqlite3_exec(self->db, "COMMIT", NULL, NULL, NULL), "commit");
    sqlite3_close(self->db);
}

static void open_catalog(reading *self, unsigned flags)
{
    if (opcat_open(self->path, flags, &self->catalog) != OPCAT_OK)
        die("%s", opcat_errmsg(self->catalog));
    opcat_set_logger(self->catalog, NULL, NULL);
}

static void load(reading *self, const char *arch)
{
    const opcat_profile *profile;
    if (opcat_load_profile(self->catalog, arch, &profile) != OPCAT_OK)
        die("%s", opcat_errmsg(self->catalog));
    self->sum += profile->kinds[0].ops.attMM;
}

/* ---- Open, load, close ----------------------------------------------------------------------------------- */

static void cycle_opcat(void *context, size_t times)
{
    reading *self = context;
    for (size_t i = 0; i < times; i++) {
        open_catalog(self, 0);
        load(self, "qwen3_5");
        opcat_close(self->catalog);
    }
}

static void cycle_floor(void *context, size_t times)
{
    reading *self = context;
    for (size_t i = 0; i < times; i++) {
        bare_prepare(self);
        bare_load(self, "qwen3_5");
        bare_close(self);
    }
}

/* ---- First loads ----------------------------------------------------------------------------------------- */

static double first_opcat(reading *self)
{
    open_catalog(self, 0);
    double start = now();
    for (size_t i = 0; i < self->arch_count; i++)
        load(self, self->archs[i]);
    double taken = now() - start;
    opcat_close(self->catalog);
    return taken;
}

/* Each load is a transaction of its own, as a handle that holds no lock between two must have it. */
static double first_floor(reading *self)
{
    bare_prepare(self);
    check(sqlite3_exec(self->db, "COMMIT", NULL, NULL, NULL), "commit");
    check(sqlite3_prepare_v2(self->db, "BEGIN", -1, &self->begin, NULL), "prepare");
    check(sqlite3_prepare_v2(self->db, "COMMIT", -1, &self->commit, NULL), "prepare");
    double start = now();
    for (size_t i = 0; i < self->arch_count; i++) {
        check(sqlite3_step(self->begin), "begin");
        sqlite3_reset(self->begin);
        bare_load(self, self->archs[i]);
        check(sqlite3_step(self->commit), "commit");
        sqlite3_reset(self->commit);
    }
    double taken = now() - start;
    sqlite3_finalize(self->begin);
    sqlite3_finalize(self->commit);
    check(sqlite3_exec(self->db, "BEGIN", NULL, NULL, NULL), "begin");
    bare_close(self);
    return taken;
}

/* Opening is not part of it, so this pair keeps time by itself. */
static void measure_first(reading *self)
{
    enum { ROUNDS = 301 };
    first_opcat(self);
    first_floor(self);
    for (int i = 0; i < ROUNDS; i++) {
        double opcat = first_opcat(self);
        report("first load", opcat / (double)self->arch_count, first_floor(self) / (double)self->arch_count);
    }
}

/* ---- From memory ----------------------------------------------------------------------------------------- */

/* Division would cost as much as what is measured. */
static size_t next_of(size_t index, size_t count)
{
    return index + 1 == count ? 0 : index + 1;
}

static void again(void *context, size_t times)
{
    reading *self = context;
    for (size_t i = 0, at = 0; i < times; i++, at = next_of(at, self->arch_count))
        load(self, self->archs[at]);
}

static void stat_path(void *context, size_t times)
{
    reading *self = context;
    struct stat found;
    for (size_t i = 0; i < times; i++) {
        if (stat(self->path, &found) != 0)
            die("cannot stat");
        self->sum += found.st_size;
    }
}

/* The floor of a cache: the same hash and comparison over a table that is full of nothing else. */
typedef struct bare_table {
    reading *reading;
    const char *slots[64];
} bare_table;

static size_t bare_hash(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (size_t)hash % 64;
}

static void bare_look_up(void *context, size_t times)
{
    bare_table *self = context;
    reading *names = self->reading;
    for (size_t i = 0, at = 0; i < times; i++, at = next_of(at, names->arch_count)) {
        const char *wanted = names->archs[at];
        size_t slot = bare_hash(wanted);
        while (!self->slots[slot] || strcmp(self->slots[slot], wanted) != 0)
            slot = (slot + 1) % 64;
        names->sum += (int64_t)slot;
    }
}

static void look_up_again(void *context, size_t times)
{
    again(((bare_table *)context)->reading, times);
}

static void resolve(void *context, size_t times)
{
    reading *self = context;
    static const opcat_kind_ops declared[] = {{"encoder", {.at = {1}}}, {"decoder", {.at = {2}}}};
    for (size_t i = 0; i < times; i++) {
        opcat_resolution *resolution;
        if (opcat_resolve_ops(self->catalog, "t5", declared, 2, &resolution) != OPCAT_OK)
            die("%s", opcat_errmsg(self->catalog));
        self->sum += resolution->kinds[1].ops.attMM;
        opcat_resolution_free(resolution);
    }
}

static void copy_structs(void *context, size_t times)
{
    reading *self = context;
    opcat_kind_ops declared[2] = {{"encoder", {.at = {1}}}, {"decoder", {.at = {2}}}};
    for (size_t i = 0; i < times; i++) {
        opcat_kind_ops *copy = malloc(sizeof declared);
        if (!copy)
            die("out of memory");
        memcpy(copy, declared, sizeof declared);
        self->sum += copy[1].ops.attMM;
        free(copy);
    }
}

static void take_archs(reading *self)
{
    opcat_names *archs;
    open_catalog(self, 0);
    if (opcat_known_archs(self->catalog, &archs) != OPCAT_OK)
        die("%s", opcat_errmsg(self->catalog));
    size_t step = archs->count / 10 ? archs->count / 10 : 1;
    for (size_t i = 0; i < archs->count && self->arch_count < 10; i += step) {
        size_t size = strlen(archs->names[i]) + 1;
        char *copy = malloc(size);
        if (!copy)
            die("out of memory");
        self->archs[self->arch_count++] = memcpy(copy, archs->names[i], size);
    }
    opcat_names_free(archs);
    opcat_close(self->catalog);
}

static void free_archs(reading *self)
{
    for (size_t i = 0; i < self->arch_count; i++)
        free((char *)(uintptr_t)self->archs[i]);
}

void bench_reading(const char *catalog)
{
    reading self = {.path = catalog};
    take_archs(&self);
    measure("cycle", cycle_opcat, cycle_floor, &self, 301, 20);
    open_catalog(&self, OPCAT_OPEN_AUTO_REFRESH);
    measure("refreshed", again, stat_path, &self, 301, 20000);
    opcat_close(self.catalog);
    open_catalog(&self, 0);
    measure("resolve", resolve, copy_structs, &self, 101, 20000);
    opcat_close(self.catalog);
    free_archs(&self);
    fprintf(stderr, "%s", self.sum ? "" : "nothing was read\n");
}

void bench_first(const char *catalog)
{
    reading self = {.path = catalog};
    take_archs(&self);
    measure_first(&self);
    free_archs(&self);
}

void bench_cached(const char *name, const char *catalog)
{
    reading self = {.path = catalog};
    bare_table table = {.reading = &self};
    take_archs(&self);
    for (size_t i = 0; i < self.arch_count; i++) {
        size_t slot = bare_hash(self.archs[i]);
        while (table.slots[slot])
            slot = (slot + 1) % 64;
        table.slots[slot] = self.archs[i];
    }
    open_catalog(&self, 0);
    measure(name, look_up_again, bare_look_up, &table, 101, 20000);
    opcat_close(self.catalog);
    free_archs(&self);
}

/* ---- Names ----------------------------------------------------------------------------------------------- */

static void infer(void *context, size_t times)
{
    static const char *const names[] = {"Qwen3.5-397B-A17B", "deepseek-v3", "llama2-70b", "t5-small",
                                        "Mixtral-8x7B",      "qwen2_moe",   "pangualpha", "QWEN"};
    reading *self = context;
    for (size_t i = 0; i < times; i++) {
        const char *arch;
        if (opcat_infer_arch(self->catalog, names[i % 8], &arch) != OPCAT_OK)
            die("%s", opcat_errmsg(self->catalog));
        self->sum += arch[0];
    }
}

void bench_names(const char *name, const char *catalog)
{
    reading self = {.path = catalog};
    open_catalog(&self, 0);
    measure(name, infer, NULL, &self, 101, 20000);
    opcat_close(self.catalog);
}
