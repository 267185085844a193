/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite extension: inference and resolution inside queries, by the same rules as the library's. */
#include "support/support.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    char *folder;
    char *path;
    sqlite3 *db; /* a database in memory, with the extension */
} fixture;

static void load_extension(sqlite3 *db)
{
    char *message = NULL;
    assert_int_equal(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL), SQLITE_OK);
    if (sqlite3_load_extension(db, OPCAT_EXTENSION, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
}

static void execute(fixture *self, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(self->db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static void attach(fixture *self, const char *name)
{
    char *sql = format("ATTACH '%s' AS %s", self->path, name);
    execute(self, sql);
    free(sql);
}

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    assert_int_equal(sqlite3_open(":memory:", &self->db), SQLITE_OK);
    load_extension(self->db);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    assert_int_equal(sqlite3_close(self->db), SQLITE_OK);
    free(self->path);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/* The first column of all rows, parted by spaces, null as "null"; or "error: " and what SQLite says. free() it. */
static char *answer(fixture *self, const char *sql)
{
    sqlite3_stmt *row = NULL;
    char *all = format("%s", "");
    int rc = sqlite3_prepare_v2(self->db, sql, -1, &row, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        const char *cell = (const char *)sqlite3_column_text(row, 0);
        char *longer = format("%s%s%s", all, *all ? " " : "", cell ? cell : "null");
        free(all);
        all = longer;
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_DONE) {
        free(all);
        all = format("error: %s", sqlite3_errmsg(self->db));
    }
    sqlite3_finalize(row);
    return all;
}

static void assert_answer(fixture *self, const char *sql, const char *expected)
{
    char *found = answer(self, sql);
    if (strcmp(found, expected) != 0)
        fail_msg("%s is %s, not %s", sql, found, expected);
    free(found);
}

static void names_are_inferred_from_an_attached_catalog(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    execute(
        self,
        "CREATE TABLE my_models (name); INSERT INTO my_models VALUES ('Qwen3.5-x'), ('T5'), (NULL), ('other'), (5)");
    assert_answer(self, "SELECT infer_arch(name) FROM my_models", "qwen3_5 t5 null default default");
    assert_answer(self, "SELECT infer_trait(name, 'qk_norm') FROM my_models", "1 0 null 0 0");
    assert_answer(self, "SELECT infer_trait('x', NULL)", "null");
}

static void a_catalog_that_is_main_needs_no_attaching(void **state)
{
    fixture *self = *state;
    assert_int_equal(sqlite3_close(self->db), SQLITE_OK);
    assert_int_equal(sqlite3_open_v2(self->path, &self->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    load_extension(self->db);
    assert_answer(self, "SELECT infer_arch('deepseek-v3')", "deepseek");
    assert_answer(self, "SELECT count(*) FROM resolve_ops('t5')", "20");
}

static void tables_of_the_same_name_elsewhere_do_not_mislead(void **state)
{
    fixture *self = *state;
    execute(self, "CREATE TABLE rule (rule, pattern, arch); INSERT INTO rule VALUES ('prefix', 'qwen', 'mine'); "
                  "CREATE TABLE profile (arch); CREATE TABLE kind (arch); CREATE TEMP TABLE rule (x)");
    attach(self, "\"odd \"\"name\"");
    assert_answer(self, "SELECT infer_arch('qwen2')", "qwen");
    assert_answer(self, "SELECT count(*) FROM resolve_ops('qwen')", "10");
}

static void it_agrees_with_the_library_on_a_hundred_names(void **state)
{
    fixture *self = *state;
    static const char *const openings[] = {"qwen",       "Qwen2", "QWEN3", "qwen3_5", "qwen3.5", "llama2",
                                           "LLama3",     "t5",    "T5-v1", "mixt",    "mixtral", "deepseek",
                                           "pangualpha", "x",     "",      "q",       "\xc3\x89"};
    static const char *const endings[] = {"", "-7b", "_moe", "2_moe", "_next", "3_5"};
    opcat_catalog *catalog = open_catalog(self->path, 0);
    size_t count = 0;
    attach(self, "shared");
    opcat_set_logger(catalog, NULL, NULL);
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++, count++) {
            const char *arch = NULL;
            bool traits[OPCAT_TRAIT_COUNT];
            char *name = format("%s%s", openings[i], endings[j]);
            assert_int_equal(opcat_infer_arch(catalog, name, &arch), OPCAT_OK);
            for (int trait = 0; trait < OPCAT_TRAIT_COUNT; trait++)
                assert_int_equal(opcat_infer_trait(catalog, name, (opcat_trait)trait, &traits[trait]), OPCAT_OK);
            char *sql =
                format("SELECT infer_arch('%s') || infer_trait('%s', 'qk_norm') || infer_trait('%s', 'qkv_bias') || "
                       "infer_trait('%s', 'shared_expert_gate')",
                       name, name, name, name);
            char *expected = format("%s%d%d%d", arch, traits[0], traits[1], traits[2]);
            assert_answer(self, sql, expected);
            free(sql);
            free(expected);
            free(name);
        }
    }
    assert_true(count >= 100);
    opcat_close(catalog);
}

static void counts_are_resolved_in_vector_order(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    assert_answer(self,
                  "SELECT arch || '.' || kind || '.' || op || '=' || count FROM resolve_ops('t5') LIMIT 2 OFFSET 9",
                  "t5.encoder.linrec=0 t5.decoder.attMM=8");
    assert_answer(self, "SELECT sum(count) FROM resolve_ops('t5') GROUP BY kind", "34 22");
    assert_answer(self, "SELECT group_concat(name, ' ') FROM pragma_table_info('resolve_ops')", "arch kind op count");
    assert_answer(self, "SELECT count(*) FROM resolve_ops(NULL)", "0");
    assert_answer(self, "SELECT count(*) FROM resolve_ops('t5', NULL)", "0");
    execute(self, "CREATE TABLE wanted (family); INSERT INTO wanted VALUES ('t5'), ('qwen'), ('vision')");
    assert_answer(self, "SELECT count(*) FROM wanted, resolve_ops(family)", "40");
}

#define TEN(first)                                                                                       \
    "\"attMM\":" first ",\"attBMM\":1,\"ffMM\":1,\"softmax\":1,\"dropout\":1,\"normOp\":1,\"gather\":1," \
    "\"headCast\":1,\"ffAct\":1,\"linrec\":1"

static void declared_counts_replace_the_profiles(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    assert_answer(
        self,
        "SELECT count FROM resolve_ops('t5', '{\"decoder\":{" TEN("7") "},\"encoder\":{" TEN("5") "}}') WHERE op = "
                                                                                                  "'attMM'",
        "5 7");
}

static void a_wrong_argument_is_an_error_that_says_why(void **state)
{
    fixture *self = *state;
    static const struct {
        const char *sql;
        const char *said;
    } cases[] = {
        {"SELECT infer_arch(x'00')", "infer_arch(): the name must be text"},
        {"SELECT infer_arch(x'616263')", "infer_arch(): the name must be text"},
        {"SELECT infer_trait('x', x'716b5f6e6f726d')", "infer_trait(): the trait must be text"},
        {"SELECT * FROM resolve_ops(x'7435')", "resolve_ops(): the family must be text"},
        {"SELECT * FROM resolve_ops('t5' || char(0) || 'x')", "resolve_ops(): the family must be text"},
        {"SELECT * FROM resolve_ops('vision', x'7b7d')", "resolve_ops(): the declared counts must be text"},
        {"SELECT infer_arch('a' || char(0) || 'b')", "infer_arch(): the name must be text"},
        {"SELECT infer_trait('x', 'qk_nrm')", "infer_trait(): there is no trait 'qk_nrm'; did you mean 'qk_norm'?"},
        {"SELECT infer_trait('x', 'size')", "there are qk_norm, qkv_bias and shared_expert_gate"},
        {"SELECT infer_trait('x', x'00')", "infer_trait(): the trait must be text"},
        {"SELECT infer_arch()", "wrong number of arguments"},
        {"SELECT * FROM resolve_ops", "resolve_ops() takes a family"},
        {"SELECT * FROM resolve_ops('t6')", "resolve_ops(): shared: no family 't6'; there are t5, "},
        {"SELECT * FROM resolve_ops('vision', 'text')", "cannot be read: malformed JSON"},
        {"SELECT * FROM resolve_ops('vision', '[]')", "must be a JSON object"},
        {"SELECT * FROM resolve_ops('vision', '{}')", "must be a JSON object"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":1}')", "declared for 'encoder' must be an object"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{}}')", "declared for 'encoder' leave out 'attMM'"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{\"size\":1}}')", "have the unknown op 'size'"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{\"attMM\":1,\"attMM\":1}}')", "state twice 'attMM'"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{\"attMM\":-1}}')", "whole number from 0 for 'attMM'"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{\"attMM\":null}}')", "whole number from 0 for 'attMM'"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{\"attMM\":true}}')", "whole number from 0 for 'attMM'"},
        {"SELECT * FROM resolve_ops('vision', '{\"moe\":{" TEN("1") "}}')", "name a kind 'moe', which it has not"},
        {"SELECT * FROM resolve_ops('vision', '{\"encoder\":{" TEN("1") "},\"encoder\":{" TEN("1") "}}')",
         "name twice the kind 'encoder'"},
        {"SELECT * FROM resolve_ops('t5', '{\"encoder\":{" TEN("1") "}}')", "leave out its kind 'decoder'"},
    };
    attach(self, "shared");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = answer(self, cases[i].sql);
        if (strncmp(found, "error: ", 7) != 0 || !strstr(found, cases[i].said))
            fail_msg("%s is %s", cases[i].sql, found);
        free(found);
    }
}

static void without_a_catalog_that_is_said(void **state)
{
    fixture *self = *state;
    assert_answer(self, "SELECT infer_arch('x')",
                  "error: infer_arch(): no database of this connection is an opcat catalog; ATTACH one");
    assert_answer(self, "SELECT * FROM resolve_ops('x')",
                  "error: resolve_ops(): no database of this connection is an opcat catalog; ATTACH one");
    run_sql(self->path, "PRAGMA user_version = 200");
    attach(self, "newer");
    char *found = answer(self, "SELECT infer_arch('x')");
    assert_contains(found, "the catalog in newer has schema version 2.0");
    free(found);
}

static void a_change_of_the_rules_is_seen(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    assert_answer(self, "SELECT infer_arch('gemma')", "default");
    execute(self, "INSERT INTO shared.rule VALUES ('prefix', 'gemma', 'qwen')");
    assert_answer(self, "SELECT infer_arch('gemma')", "qwen");
    run_sql(self->path, "UPDATE rule SET arch = 't5' WHERE pattern = 'gemma'");
    assert_answer(self, "SELECT infer_arch('gemma')", "t5");
    execute(self, "DETACH shared");
    char *found = answer(self, "SELECT infer_arch('gemma')");
    assert_contains(found, "ATTACH one");
    free(found);
    run_sql(self->path, "DELETE FROM rule WHERE pattern = 'gemma'");
    attach(self, "again");
    assert_answer(self, "SELECT infer_arch('gemma')", "default");
}

static void what_a_transaction_changes_and_undoes_is_seen(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    assert_answer(self, "SELECT infer_arch('gemma')", "default");
    execute(self, "BEGIN; INSERT INTO shared.rule VALUES ('prefix', 'gemma', 'qwen')");
    assert_answer(self, "SELECT infer_arch('gemma')", "qwen");
    execute(self, "SAVEPOINT here; UPDATE shared.rule SET arch = 't5' WHERE pattern = 'gemma'");
    assert_answer(self, "SELECT infer_arch('gemma')", "t5");
    execute(self, "ROLLBACK TO here");
    assert_answer(self, "SELECT infer_arch('gemma')", "qwen");
    execute(self, "ROLLBACK; BEGIN");
    assert_answer(self, "SELECT infer_arch('gemma')", "default");
    execute(self, "ROLLBACK; BEGIN; INSERT INTO shared.rule VALUES ('prefix', 'gemma', 'qwen')");
    assert_answer(self, "SELECT infer_arch('gemma')", "qwen");
    execute(self, "COMMIT");
    assert_answer(self, "SELECT infer_arch('gemma')", "qwen");
}

static void the_functions_may_stand_in_a_view_that_nobody_trusts(void **state)
{
    fixture *self = *state;
    attach(self, "shared");
    execute(
        self,
        "CREATE TEMP VIEW told AS SELECT infer_arch('qwen') AS arch, (SELECT count(*) FROM resolve_ops('t5')) AS n");
    assert_int_equal(sqlite3_db_config(self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL), SQLITE_OK);
    assert_answer(self, "SELECT arch || n FROM told", "qwen20");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_are_inferred_from_an_attached_catalog),
        TEST(a_catalog_that_is_main_needs_no_attaching),
        TEST(tables_of_the_same_name_elsewhere_do_not_mislead),
        TEST(it_agrees_with_the_library_on_a_hundred_names),
        TEST(counts_are_resolved_in_vector_order),
        TEST(declared_counts_replace_the_profiles),
        TEST(a_wrong_argument_is_an_error_that_says_why),
        TEST(without_a_catalog_that_is_said),
        TEST(a_change_of_the_rules_is_seen),
        TEST(what_a_transaction_changes_and_undoes_is_seen),
        TEST(the_functions_may_stand_in_a_view_that_nobody_trusts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
