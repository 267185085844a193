/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog file as SQL sees it: the public views, what the constraints refuse, and the vocabulary against C's lists.
 */
#include "support/support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/vocabulary.h"

typedef struct fixture {
    char *folder;
    char *path;
    sqlite3 *db;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    assert_int_equal(sqlite3_open(self->path, &self->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(self->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    sqlite3_close(self->db);
    free(self->path);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/* All rows of a query, columns parted by '|' and rows by line ends; free() it. */
static char *rows_of(fixture *self, const char *sql)
{
    sqlite3_stmt *row = NULL;
    char *all = format("%s", "");
    if (sqlite3_prepare_v2(self->db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(self->db));
    while (sqlite3_step(row) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            const char *cell = (const char *)sqlite3_column_text(row, i);
            char *longer = format("%s%s%s", all, i ? "|" : *all ? "\n" : "", cell ? cell : "");
            free(all);
            all = longer;
        }
    }
    sqlite3_finalize(row);
    return all;
}

static void assert_rows(fixture *self, const char *sql, const char *expected)
{
    char *rows = rows_of(self, sql);
    assert_string_equal(rows, expected);
    free(rows);
}

static void assert_columns(fixture *self, const char *view, const char *expected)
{
    char *sql = format("SELECT group_concat(name, ' ') FROM pragma_table_info('%s')", view);
    assert_rows(self, sql, expected);
    free(sql);
}

#define OP_NAME(name)               " " #name
#define RUN_NAME(name, type, value) " " #name

static void the_views_have_the_columns_that_were_promised(void **state)
{
    fixture *self = *state;
    static const char runs[] = "arch" OPCAT_RUN_FIELDS(RUN_NAME);
    static const char kinds[] = "arch kind position is_default attention ffn" OPCAT_OPS(OP_NAME);
    assert_rows(self, "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name",
                "changes\nimports\nkinds\nname_rules\nop_counts\nprofiles\nrun_fields\nruns\nvocabulary");
    assert_columns(self, "profiles", "arch kind_count default_kind v_head_dim import_id imported_at source");
    assert_columns(self, "kinds", kinds);
    assert_columns(self, "op_counts", "arch kind op count");
    assert_columns(self, "runs", runs);
    assert_columns(self, "run_fields", "arch field value stated");
    assert_columns(self, "name_rules", "rule pattern arch");
    assert_columns(self, "imports",
                   "import_id imported_at origin importer added updated unchanged removed rules_changed");
    assert_columns(self, "changes", "import_id imported_at arch change source");
    assert_columns(self, "vocabulary", "section position name type default_value meaning");
}

static void the_views_hold_the_nine_families(void **state)
{
    fixture *self = *state;
    assert_rows(self, "SELECT arch, kind_count, default_kind, v_head_dim FROM profiles ORDER BY arch",
                "deepseek|2|moe|128\ndefault|1|decoder|\nllama2|1|decoder|\nmixtral|1|decoder|\npangualpha|1|decoder|\n"
                "qwen|1|decoder|\nqwen3_5|2|full_attention|\nt5|2|encoder|\nvision|1|encoder|");
    assert_rows(self, "SELECT * FROM kinds WHERE arch IN ('deepseek', 't5') ORDER BY arch, position",
                "deepseek|dense|0|0|full|dense|4|2|3|1|0|2|4|1|1|0\ndeepseek|moe|1|1|full|moe|4|2|3|1|0|2|4|1|1|0\n"
                "t5|encoder|0|1|full||4|1|2|2|5|2|4|1|1|0\nt5|decoder|1|0|full||8|2|2|4|7|3|6|1|1|0");
    assert_rows(
        self,
        "SELECT * FROM kinds WHERE arch IN ('default', 'pangualpha', 'qwen3_5', 'vision') ORDER BY arch, position",
        "default|decoder|0|1|full||4|2|3|1|0|2|4|1|1|0\npangualpha|decoder|0|1|full||4|1|2|2|5|4|4|1|1|0\n"
        "qwen3_5|full_attention|0|1|full||4|2|3|1|0|2|4|1|1|0\n"
        "qwen3_5|linear_attention|1|0|linear||4|0|3|0|0|2|4|0|1|1\nvision|encoder|0|1|full||4|2|2|1|0|2|4|1|1|0");
    assert_rows(self,
                "SELECT op, count FROM op_counts WHERE arch = 't5' AND kind = 'decoder' AND count > 3 ORDER BY op",
                "attMM|8\ndropout|7\ngather|6\nsoftmax|4");
    assert_rows(self, "SELECT count(*) FROM op_counts", "120");
    assert_rows(self, "SELECT * FROM runs WHERE arch = 'llama2'", "llama2|2|4|2|0|4|0|1|0|1|0|0|0");
    assert_rows(self, "SELECT arch, field, value FROM run_fields WHERE stated ORDER BY arch, field",
                "llama2|grad_accumulation|1\nllama2|grad_bytes|2\nmixtral|grad_bytes|2\npangualpha|dropout_bytes|1\n"
                "qwen|shard_activations|1\nqwen3_5|shard_activations|1\nt5|dropout_bytes|1");
    assert_rows(self, "SELECT count(*) FROM run_fields", "108");
    assert_rows(self, "SELECT pattern, arch FROM name_rules WHERE rule = 'prefix' ORDER BY pattern",
                "deepseek|deepseek\nllama2|llama2\nmixtral|mixtral\npangualpha|pangualpha\nqwen|qwen\nqwen3.5|qwen3_5\n"
                "qwen3_5|qwen3_5\nt5|t5");
    assert_rows(self,
                "SELECT rule, pattern, arch IS NULL FROM name_rules WHERE rule <> 'prefix' ORDER BY rule, pattern",
                "qk_norm|qwen3|1\nqkv_bias|qwen2|1\nshared_expert_gate|qwen2_moe|1\nshared_expert_gate|qwen3_5|1\n"
                "shared_expert_gate|qwen3_next|1");
}

static void runs_and_run_fields_agree(void **state)
{
    fixture *self = *state;
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        char *sql = format("SELECT count(*) FROM runs r JOIN run_fields f ON f.arch = r.arch WHERE f.field = '%s' AND "
                           "f.value = r.%s",
                           opcat_run_names[i], opcat_run_names[i]);
        assert_rows(self, sql, "9");
        free(sql);
    }
}

/* ---- Constraints ----------------------------------------------------------------------------------------- */

#define KIND_ROW(values) "INSERT INTO kind VALUES ('qwen', 'new', 1, 'full', NULL, " values ")"

static void the_constraints_refuse_by_name(void **state)
{
    fixture *self = *state;
    static const struct {
        const char *sql;
        const char *said;
    } cases[] = {
        {KIND_ROW("4, 2, 3, NULL, 0, 2, 4, 1, 1, 0"), "kind.softmax"},
        {"INSERT INTO kind (arch, name, position, attention) VALUES ('qwen', 'new', 1, 'full')", "kind.attMM"},
        {KIND_ROW("4, 2, 3, -1, 0, 2, 4, 1, 1, 0"), "softmax_is_a_count"},
        {KIND_ROW("4, 2, 3, 1, 0, 2, 4, 1, 1, 1.5"), "linrec_is_a_count"},
        {KIND_ROW("'four', 2, 3, 1, 0, 2, 4, 1, 1, 0"), "attMM_is_a_count"},
        {KIND_ROW("4, 2, 3, 1, x'00', 2, 4, 1, 1, 0"), "dropout_is_a_count"},
        {KIND_ROW("4, 2, 3, 1, 0, 2, 4, 1, 1, 9223372036854775808"), "linrec_is_a_count"},
        {"UPDATE kind SET attention = 'sliding'", "attention_is_a_flavour"},
        {"UPDATE kind SET attention = NULL", "kind.attention"},
        {"UPDATE kind SET ffn = 'sparse'", "ffn_is_a_flavour"},
        {"UPDATE kind SET name = ''", "kind_has_a_name"},
        {"UPDATE kind SET position = -1", "position_is_from_zero"},
        {"UPDATE profile SET default_kind = 'moe' WHERE arch = 't5'", "FOREIGN KEY"},
        {"UPDATE profile SET v_head_dim = 0", "v_head_dim_is_positive"},
        {"UPDATE profile SET grad_bytes = -1", "grad_bytes_is_a_size"},
        {"UPDATE profile SET optimizer_states = 0", "optimizer_states_is_a_count"},
        {"UPDATE profile SET loss_parallel = 2", "loss_parallel_is_a_flag"},
        {"UPDATE profile SET arch = 'a b' WHERE arch = 'default'", "arch_is_a_family_name"},
        {"DELETE FROM profile WHERE arch = 'mixtral'", "FOREIGN KEY"},
        {"INSERT INTO rule VALUES ('prefix', 'x', 'nobody')", "FOREIGN KEY"},
        {"INSERT INTO rule VALUES ('prefix', 'x', NULL)", "prefix_has_a_family"},
        {"INSERT INTO rule VALUES ('qk_norm', 'x', 'qwen')", "prefix_has_a_family"},
        {"INSERT INTO rule VALUES ('prefix', 'X', 'qwen')", "pattern_can_match"},
        {"INSERT INTO rule VALUES ('prefix', '', 'qwen')", "pattern_can_match"},
        {"INSERT INTO rule VALUES ('size', 'x', NULL)", "rule_is_a_known_one"},
        {"UPDATE change SET change = 'touched'", "change_is_a_known_one"},
        {"UPDATE change SET source = NULL", "source_is_kept"},
        {"UPDATE import SET imported_at = 'yesterday'", "imported_at_is_a_time"},
        {"UPDATE import SET added = -1", "added_is_a_count"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *message = NULL;
        int rc = sqlite3_exec(self->db, cases[i].sql, NULL, NULL, &message);
        if (rc != SQLITE_CONSTRAINT || !strstr(message, cases[i].said))
            fail_msg("%s: %s", cases[i].sql, message ? message : "accepted");
        sqlite3_free(message);
    }
}

static void every_count_and_field_has_its_constraint(void **state)
{
    fixture *self = *state;
    char *kind = rows_of(self, "SELECT sql FROM sqlite_master WHERE name = 'kind'");
    char *profile = rows_of(self, "SELECT sql FROM sqlite_master WHERE name = 'profile'");
    static const char *const types[] = {"size", "count", "flag"};
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        char *stated = format("CONSTRAINT %s_is_stated NOT NULL", opcat_op_names[op]);
        char *count = format("CONSTRAINT %s_is_a_count CHECK (typeof(%s) = 'integer' AND %s >= 0)", opcat_op_names[op],
                             opcat_op_names[op], opcat_op_names[op]);
        assert_contains(kind, stated);
        assert_contains(kind, count);
        free(stated);
        free(count);
    }
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        char *field = format("CONSTRAINT %s_is_a_%s CHECK", opcat_run_names[i], types[opcat_run_fields[i].type]);
        assert_contains(profile, field);
        free(field);
    }
    free(kind);
    free(profile);
}

/* ---- C's lists ------------------------------------------------------------------------------------------- */

static void assert_section(fixture *self, const char *section, const char *const *names)
{
    size_t count = 0;
    for (; names[count]; count++) {
        char *sql = format("SELECT name FROM vocabulary WHERE section = '%s' AND position = %zu", section, count);
        assert_rows(self, sql, names[count]);
        free(sql);
    }
    char *sql = format("SELECT count(*) FROM vocabulary WHERE section = '%s'", section);
    char *expected = format("%zu", count);
    assert_rows(self, sql, expected);
    free(sql);
    free(expected);
}

static void the_vocabulary_is_that_of_the_library(void **state)
{
    fixture *self = *state;
    assert_section(self, "op", opcat_op_names);
    assert_section(self, "run", opcat_run_names);
    assert_section(self, "model", opcat_model_names);
    assert_section(self, "attention", opcat_attention_names);
    assert_section(self, "ffn", opcat_ffn_names);
    assert_section(self, "trait", opcat_trait_names);
    assert_rows(self, "SELECT count(*) FROM vocabulary WHERE length(meaning) < 20", "0");
}

static void types_and_defaults_are_those_of_the_library(void **state)
{
    fixture *self = *state;
    static const char *const types[] = {"size", "count", "flag"};
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        const opcat_run_field *field = &opcat_run_fields[i];
        char *sql =
            format("SELECT type, default_value FROM vocabulary WHERE section = 'run' AND name = '%s'", field->name);
        char *expected = format("%s|%lld", types[field->type], (long long)field->fallback);
        assert_rows(self, sql, expected);
        free(sql);
        free(expected);
        /* `default` states no run of its own. */
        sql = format("SELECT %s FROM runs WHERE arch = 'default'", field->name);
        expected = format("%lld", (long long)field->fallback);
        assert_rows(self, sql, expected);
        free(sql);
        free(expected);
    }
}

/* ---- The file -------------------------------------------------------------------------------------------- */

static void the_file_is_one_that_old_tools_can_read(void **state)
{
    fixture *self = *state;
    assert_rows(self, "PRAGMA journal_mode", "delete");
    assert_rows(self, "PRAGMA application_id", "1330660180");
    assert_rows(self, "PRAGMA user_version", "100");
    assert_rows(self, "PRAGMA integrity_check", "ok");
    assert_rows(self, "PRAGMA foreign_key_check", "");
    assert_rows(self, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'", "0");
    assert_rows(self, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict", "0");
    assert_rows(self,
                "SELECT count(*) FROM sqlite_master m JOIN pragma_table_xinfo(m.name) x WHERE m.type = 'table' AND "
                "x.hidden > 0",
                "0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_views_have_the_columns_that_were_promised),
        TEST(the_views_hold_the_nine_families),
        TEST(runs_and_run_fields_agree),
        TEST(the_constraints_refuse_by_name),
        TEST(every_count_and_field_has_its_constraint),
        TEST(the_vocabulary_is_that_of_the_library),
        TEST(types_and_defaults_are_those_of_the_library),
        TEST(the_file_is_one_that_old_tools_can_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
