/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogs that somebody else made: damaged at any byte, or with a schema that means harm. Each is answered. */
#include "support/support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    char *folder;
    char *path;
    char *bytes; /* of a catalog that is right */
    size_t length;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    self->bytes = read_bytes(self->path, &self->length);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    free(self->path);
    free(self->bytes);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/* A status that a reader of any file may get. */
static bool may_be(opcat_status status)
{
    return status == OPCAT_OK || status == OPCAT_NOT_FOUND || status == OPCAT_CORRUPT ||
           status == OPCAT_NOT_A_CATALOG || status == OPCAT_NEWER_SCHEMA || status == OPCAT_CANTOPEN ||
           status == OPCAT_IO;
}

/* Ask a catalog everything; the worst status there is, each failure with a message on one line. */
static opcat_status ask_everything(const char *path)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    const char *arch = NULL;
    bool has = false;
    opcat_status worst = opcat_open(path, 0, &catalog);
    assert_true(may_be(worst));
    opcat_set_logger(catalog, NULL, NULL);
    if (worst == OPCAT_OK) {
        opcat_status status = opcat_known_archs(catalog, &archs);
        worst = status;
        assert_true(may_be(status));
        for (size_t i = 0; archs && i < archs->count; i++) {
            const opcat_profile *profile = NULL;
            opcat_resolution *resolution = NULL;
            status = opcat_load_profile(catalog, archs->names[i], &profile);
            assert_true(may_be(status) && (status == OPCAT_OK) == (profile != NULL));
            worst = status == OPCAT_OK ? worst : status;
            status = opcat_resolve_ops(catalog, archs->names[i], NULL, 0, &resolution);
            assert_true(may_be(status));
            opcat_resolution_free(resolution);
        }
        status = opcat_infer_arch(catalog, "qwen", &arch);
        assert_true(may_be(status));
        worst = status == OPCAT_OK ? worst : status;
        assert_true(may_be(opcat_infer_trait(catalog, "qwen", OPCAT_TRAIT_QK_NORM, &has)));
        assert_true(may_be(opcat_refresh(catalog, &has)));
    }
    if (worst != OPCAT_OK)
        assert_true(*opcat_errmsg(catalog) && !strchr(opcat_errmsg(catalog), '\n'));
    opcat_names_free(archs);
    opcat_close(catalog);
    return worst;
}

/* A generator of its own, so that a failure comes again: xorshift. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void a_file_with_bytes_changed_is_answered(void **state)
{
    fixture *self = *state;
    long changes = setting("OPCAT_TEST_CHANGES", 1500);
    uint64_t random = 88172645463325252u;
    long right = 0;
    char *damaged = malloc(self->length);
    assert_non_null(damaged);
    for (long i = 0; i < changes; i++) {
        memcpy(damaged, self->bytes, self->length);
        size_t many = 1 + next_random(&random) % 8;
        for (size_t j = 0; j < many; j++) {
            /* The schema and the pages' heads are where most harm is done. */
            size_t page = next_random(&random) % (self->length / 4096) * 4096;
            size_t at =
                next_random(&random) % 2 ? page + next_random(&random) % 64 : next_random(&random) % self->length;
            damaged[at] = (char)next_random(&random);
        }
        write_file(self->path, damaged, self->length);
        right += ask_everything(self->path) == OPCAT_OK;
    }
    print_message("%ld of %ld still read as right\n", right, changes);
    assert_true(right < changes);
    free(damaged);
}

static void every_truncation_is_answered(void **state)
{
    fixture *self = *state;
    for (size_t length = 0; length < self->length; length += length < 1024 ? 16 : 509) {
        write_file(self->path, self->bytes, length);
        opcat_status status = ask_everything(self->path);
        if (length < 4096)
            assert_true(status == OPCAT_NOT_A_CATALOG || status == OPCAT_CORRUPT);
        else
            assert_int_not_equal(status, OPCAT_OK);
    }
}

/* A file of the catalog's kind, made of nothing but what `sql` says. */
static void make_hostile(fixture *self, const char *sql)
{
    unlink(self->path);
    run_sql(self->path, "PRAGMA application_id = 0x4F504354; PRAGMA user_version = 100");
    run_sql(self->path, sql);
}

static void a_schema_that_is_not_ours_is_corrupt(void **state)
{
    fixture *self = *state;
    static const char *const schemas[] = {
        "CREATE TABLE x (y)",
        "CREATE TABLE profile (arch); CREATE TABLE kind (arch); CREATE TABLE rule (rule); CREATE TABLE change (x)",
        "CREATE VIEW profile AS SELECT 1 AS arch; CREATE VIEW kind AS SELECT 1 AS arch",
        "CREATE VIEW profile AS WITH RECURSIVE c (arch) AS (SELECT 1 UNION ALL SELECT arch + 1 FROM c) SELECT * FROM "
        "c; "
        "CREATE TABLE kind (arch)",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        make_hostile(self, schemas[i]);
        assert_int_equal(ask_everything(self->path), OPCAT_CORRUPT);
    }
}

#define COLUMNS                                                                                                        \
    "default_kind, v_head_dim, grad_bytes, optimizer_state_bytes, optimizer_states, main_param_bytes, norm_bytes, "    \
    "dropout_bytes, grad_accumulation, shard_activations, loss_parallel, reshard_params, deferred_grad_accumulation, " \
    "overlapped_grad_reduce, change_id"
#define COUNTS "attMM, attBMM, ffMM, softmax, dropout, normOp, gather, headCast, ffAct, linrec"
#define TABLES                                                                                                        \
    "CREATE TABLE profile (arch, " COLUMNS "); CREATE TABLE kind (arch, name, position, attention, ffn, " COUNTS ");" \
    "CREATE TABLE rule (rule, pattern, arch); CREATE TABLE change (change_id, source);"

static void cells_of_any_type_are_corrupt(void **state)
{
    fixture *self = *state;
    static const char *const cells[] = {
        "INSERT INTO profile (arch) VALUES (NULL)",
        "INSERT INTO profile (arch) VALUES (5)",
        "INSERT INTO profile (arch) VALUES (x'71')",
        "INSERT INTO profile (arch) VALUES (CAST(x'ff' AS TEXT))",
        "INSERT INTO profile (arch) VALUES ('a' || char(0) || 'b')",
        "INSERT INTO profile (arch) VALUES ('x')",
        "INSERT INTO profile (arch) VALUES ('x'); INSERT INTO kind (arch, name, position) VALUES ('x', 'k', 0)",
        "INSERT INTO profile (arch) VALUES ('x'); INSERT INTO kind VALUES ('x', 'k', 0, 'full', NULL, 1, 1, 1, 1, 1, "
        "1, 1, 1, "
        "1, 1.5)",
        "INSERT INTO profile (arch) VALUES ('x'); INSERT INTO kind VALUES ('x', 'k', 0, 'full', NULL, 1, 1, 1, 1, 1, "
        "1, 1, 1, "
        "1, 1), ('x', 'l', 0, 'full', NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)",
        "INSERT INTO rule VALUES (NULL, NULL, NULL)",
        "INSERT INTO rule VALUES ('prefix', x'71', 'qwen')",
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char *sql = format("%s %s", TABLES, cells[i]);
        make_hostile(self, sql);
        if (ask_everything(self->path) != OPCAT_CORRUPT)
            fail_msg("%s", cells[i]);
        free(sql);
    }
}

static void a_million_kinds_are_refused_without_reading_them_all(void **state)
{
    fixture *self = *state;
    make_hostile(self, TABLES
                 "INSERT INTO profile (arch) VALUES ('x'); WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 "
                 "FROM c WHERE n < 999999) INSERT INTO kind SELECT 'x', 'k' || n, n, 'full', NULL, 1, 1, 1, 1, 1, "
                 "1, 1, 1, 1, 1 FROM c");
    assert_int_equal(ask_everything(self->path), OPCAT_CORRUPT);
}

static void cells_larger_than_any_source_are_refused(void **state)
{
    fixture *self = *state;
    make_hostile(self, TABLES "INSERT INTO profile (arch) VALUES (printf('%.*c', 50000000, 'x'))");
    assert_int_equal(ask_everything(self->path), OPCAT_CORRUPT);
}

static void names_that_hold_line_ends_stay_on_one_line(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    const opcat_layer_kind *kind = NULL;
    opcat_resolution *resolution = NULL;
    make_hostile(self, TABLES
                 "INSERT INTO profile (arch) VALUES ('x' || char(10) || 'y'); INSERT INTO kind VALUES ('x' || char(10) "
                 "|| 'y', 'k' || char(27), 0, 'full', NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)");
    opcat_catalog *catalog = open_catalog(self->path, 0);
    assert_int_equal(opcat_load_profile(catalog, "nobody", &profile), OPCAT_NOT_FOUND);
    assert_null(strpbrk(opcat_errmsg(catalog), "\n\x1b"));
    assert_int_equal(opcat_load_profile(catalog, "x\ny", &profile), OPCAT_OK);
    assert_int_equal(opcat_profile_kind(catalog, profile, "z", &kind), OPCAT_NOT_FOUND);
    assert_null(strpbrk(opcat_errmsg(catalog), "\n\x1b"));
    const opcat_kind_ops declared = {"z", {.at = {0}}};
    assert_int_equal(opcat_resolve_ops(catalog, "x\ny", &declared, 1, &resolution), OPCAT_INVALID);
    assert_null(strpbrk(opcat_errmsg(catalog), "\n\x1b"));
    opcat_close(catalog);
}

/* Whatever runs when these are read leaves a trace in `trace`; none does. */
static void no_sql_of_the_file_runs(void **state)
{
    fixture *self = *state;
    write_file(self->path, self->bytes, self->length);
    run_sql(self->path,
            "CREATE TABLE trace (x); CREATE TRIGGER t1 AFTER INSERT ON change BEGIN INSERT INTO trace VALUES (1); END; "
            "CREATE TRIGGER t2 AFTER INSERT ON kind BEGIN INSERT INTO trace VALUES (1); END; "
            "CREATE TRIGGER t3 AFTER UPDATE ON profile BEGIN DELETE FROM rule; END; "
            "CREATE TRIGGER t4 AFTER INSERT ON profile BEGIN INSERT INTO trace VALUES (1); END; "
            "CREATE TRIGGER t5 BEFORE INSERT ON import BEGIN SELECT RAISE(ABORT, 'no'); END");
    assert_int_equal(ask_everything(self->path), OPCAT_OK);
    char *file = format("%s/new.yaml", self->folder);
    char *profile = one_kind_profile(3);
    write_text(file, profile);
    import_paths(self->path, file, NULL);
    assert_int_equal(query_number(self->path, "SELECT count(*) FROM trace"), 0);
    assert_int_equal(query_number(self->path, "SELECT count(*) FROM rule"), 13);
    free(file);
    free(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_with_bytes_changed_is_answered),
        TEST(every_truncation_is_answered),
        TEST(a_schema_that_is_not_ours_is_corrupt),
        TEST(cells_of_any_type_are_corrupt),
        TEST(a_million_kinds_are_refused_without_reading_them_all),
        TEST(cells_larger_than_any_source_are_refused),
        TEST(names_that_hold_line_ends_stay_on_one_line),
        TEST(no_sql_of_the_file_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
