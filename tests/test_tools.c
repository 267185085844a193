/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that look after a catalog: check, diff, export, log, info, and show with a time or with places. */
#include "support/command.h"

#include <stdlib.h>
#include <string.h>

#define PROFILES OPCAT_SOURCE_DIR "/op_profiles"

static void check_finds_the_catalog_sound(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c check");
    assert_string_equal(self->out, "Sound: 9 families\n");
    assert_done(self, "$opcat --catalog $c check --json");
    assert_json(self, "json(?1)", "{\"problems\":[],\"sound\":true}");
    run_sql(self->catalog, "PRAGMA page_size = 512; VACUUM");
    assert_done(self, "$opcat --catalog $c check");
    run_sql(self->catalog, "PRAGMA page_size = 65536; VACUUM");
    assert_done(self, "$opcat --catalog $c check");
}

static void check_names_every_change_by_hand(void **state)
{
    command *self = *state;
    static const struct {
        const char *sql;
        const char *said;
    } cases[] = {
        {"UPDATE kind SET softmax = 9 WHERE arch = 't5' AND name = 'decoder'",
         "t5: decoder.softmax is 9 in the catalog, and 4 in its source\n1 problem\n"},
        {"UPDATE kind SET attention = 'linear' WHERE arch = 'vision'",
         "vision: encoder.attention is linear in the catalog, and full in its source\n1 problem\n"},
        {"UPDATE kind SET ffn = NULL WHERE arch = 'deepseek' AND name = 'moe'",
         "deepseek: moe.ffn is nothing in the catalog, and moe in its source\n1 problem\n"},
        {"UPDATE profile SET default_kind = 'dense' WHERE arch = 'deepseek'",
         "deepseek: default is dense in the catalog, and moe in its source\n1 problem\n"},
        {"UPDATE profile SET grad_bytes = 4 WHERE arch = 'qwen'",
         "qwen: run.grad_bytes is 4 in the catalog, and 4 (default) in its source\n1 problem\n"},
        {"UPDATE profile SET v_head_dim = NULL WHERE arch = 'deepseek'",
         "deepseek: model.v_head_dim is nothing in the catalog, and 128 in its source\n1 problem\n"},
        {"UPDATE kind SET position = 1 - position WHERE arch = 't5'",
         "t5: decoder.position is 0 in the catalog, and 1 in its source\n"
         "t5: encoder.position is 1 in the catalog, and 0 in its source\n2 problems\n"},
        {"UPDATE rule SET arch = 'nobody' WHERE pattern = 't5'",
         "the file: a row of table rule refers to a row of table profile that is not there\n"
         "prefix 't5' names family 'nobody', which is not there\n2 problems\n"},
        {"DELETE FROM change WHERE arch = 'qwen'", "family 'qwen': its source is not there"},
        {"DELETE FROM kind WHERE arch = 't5' AND name = 'decoder'",
         "t5: decoder is nothing in the catalog, and decoder in its source\n1 problem\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE kind SET softmax = -1 WHERE arch = 'vision'",
         "the file: CHECK constraint failed in kind\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE kind SET softmax = -1 WHERE arch = 'vision'",
         "the catalog is damaged: family 'vision': an op count is no whole number from 0\n"
         "vision: encoder.softmax is -1 in the catalog, and 1 in its source\n3 problems\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE kind SET attention = 'half', ffn = 4 WHERE arch = 'vision'",
         "vision: encoder.attention is 'half' in the catalog, and full in its source\n"
         "vision: encoder.ffn is '4' in the catalog, and nothing in its source\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE profile SET loss_parallel = 2, grad_bytes = 1.5 WHERE arch = "
         "'t5'",
         "t5: run.grad_bytes is 1.5 in the catalog, and 4 (default) in its source\n"
         "t5: run.loss_parallel is 2 in the catalog, and true (default) in its source\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE kind SET name = x'61' WHERE arch = 'vision'; "
         "UPDATE profile SET default_kind = NULL WHERE arch = 'vision'",
         "vision: default is nothing in the catalog, and encoder in its source\n"
         "vision: X'61' is X'61' in the catalog, and nothing in its source\n"
         "vision: encoder is nothing in the catalog, and encoder in its source\n"},
        {"DELETE FROM kind WHERE arch = 't5' AND name = 'encoder'",
         "its kinds' positions do not count up from 0\n"
         "t5: encoder is nothing in the catalog, and encoder in its source\n3 problems\n"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE change SET change = 'seen' WHERE arch = 't5'",
         "the file: CHECK constraint failed in change\n1 problem\n"},
        {"PRAGMA journal_mode = WAL", "the file: it is in WAL mode"},
    };
    assert_done(self, "cp $c $d/whole.db");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_done(self, "cp $d/whole.db $c");
        run_sql(self->catalog, cases[i].sql);
        run(self, "$opcat --catalog $c check");
        assert_int_equal(self->status, 1);
        assert_contains(self->out, cases[i].said);
        assert_string_equal(self->err, "");
    }
}

static void check_json_has_both_values(void **state)
{
    command *self = *state;
    run_sql(self->catalog, "UPDATE kind SET softmax = 9 WHERE arch = 't5' AND name = 'decoder'");
    run(self, "cp $c $d/before; $opcat --catalog $c check --json; s=$?; cmp $c $d/before && exit $s");
    assert_int_equal(self->status, 1);
    assert_json(self, "json_extract(?1, '$.sound')", "0");
    assert_json(
        self, "json_extract(?1, '$.problems')",
        "[{\"arch\":\"t5\",\"section\":\"op\",\"kind\":\"decoder\",\"name\":\"softmax\",\"stored\":9,\"source\":4,"
        "\"message\":\"t5: decoder.softmax is 9 in the catalog, and 4 in its source\"}]");
}

static void diff_says_nothing_of_the_same(void **state)
{
    command *self = *state;
    static const char *const lines[] = {"$opcat diff $c $c", "$opcat diff " PROFILES " $c", "$opcat diff $c " PROFILES};
    for (size_t i = 0; i < 3; i++) {
        assert_done(self, lines[i]);
        assert_string_equal(self->out, "");
        assert_string_equal(self->err, "");
    }
    assert_done(self, "$opcat diff --json $c " PROFILES);
    assert_string_equal(self->out, "[]\n");
}

/* A copy of the profiles in $d/changed, with a change of each kind. */
static void change_profiles(command *self)
{
    assert_done(self,
                "cp -r " PROFILES " $d/changed; cd $d/changed; "
                "sed -i 's/gather: 6/gather: 7/; s/dropout_bytes: 1/dropout_bytes: 2/' t5.yaml; "
                "sed -i 's/  decoder:/  decoder:\\n    ffn: dense/; s/grad_bytes: 2/grad_bytes: 4/' mixtral.yaml; "
                "sed -i 's/  shard_activations: true/  loss_parallel: true/' qwen.yaml; "
                "sed -i 's/default: moe/default: dense/; s/128/64/' deepseek.yaml; "
                "sed -i 's/  linear_attention:/  slow_attention:/; s/attention: linear/attention: full/' qwen3_5.yaml; "
                "rm vision.yaml; cp default.yaml zeta.yaml; "
                "sed -i 's/^  t5: t5/  t5: qwen/; s/\\[qwen2\\]/[qwen2, foo]/' inference/model_names.yaml");
}

static void diff_names_exactly_what_changed(void **state)
{
    command *self = *state;
    change_profiles(self);
    run(self, "cd $d; $opcat diff " PROFILES " changed | tail -n +3; $opcat diff " PROFILES " changed >/dev/null");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->out, "@@ deepseek @@\n"
                                   "- default: moe\n"
                                   "+ default: dense\n"
                                   "- model.v_head_dim: 128\n"
                                   "+ model.v_head_dim: 64\n"
                                   "@@ mixtral @@\n"
                                   "- run.grad_bytes: 2\n"
                                   "+ run.grad_bytes: 4\n"
                                   "- decoder.ffn: nothing\n"
                                   "+ decoder.ffn: dense\n"
                                   "@@ qwen @@\n"
                                   "- run.shard_activations: true\n"
                                   "+ run.shard_activations: false (default)\n"
                                   "- run.loss_parallel: true (default)\n"
                                   "+ run.loss_parallel: true\n"
                                   "@@ qwen3_5 @@\n"
                                   "- kind linear_attention\n"
                                   "+ kind slow_attention\n"
                                   "@@ t5 @@\n"
                                   "- run.dropout_bytes: 1\n"
                                   "+ run.dropout_bytes: 2\n"
                                   "- decoder.gather: 6\n"
                                   "+ decoder.gather: 7\n"
                                   "@@ vision @@\n"
                                   "- family vision\n"
                                   "@@ zeta @@\n"
                                   "+ family zeta\n"
                                   "@@ naming rules @@\n"
                                   "- rule prefix 't5': t5\n"
                                   "+ rule prefix 't5': qwen\n"
                                   "+ rule qkv_bias 'foo': stated\n");
}

static void diff_json_names_the_same(void **state)
{
    command *self = *state;
    change_profiles(self);
    run(self, "$opcat diff --json $c $d/changed");
    assert_int_equal(self->status, 1);
    assert_json(self, "json_array_length(?1)", "14");
    assert_json(self, "json_extract(?1, '$[4]')",
                "{\"section\":\"run\",\"arch\":\"qwen\",\"kind\":null,\"name\":\"shard_activations\",\"before\":true,"
                "\"after\":false,\"before_stated\":true,\"after_stated\":false}");
    assert_json(
        self, "json_extract(?1, '$[9]')",
        "{\"section\":\"op\",\"arch\":\"t5\",\"kind\":\"decoder\",\"name\":\"gather\",\"before\":6,\"after\":7}");
    assert_json(self, "json_extract(?1, '$[10]')",
                "{\"section\":\"family\",\"arch\":\"vision\",\"kind\":null,\"name\":null,\"before\":\"vision\","
                "\"after\":null}");
}

static void diff_sees_the_order_of_kinds(void **state)
{
    command *self = *state;
    assert_done(
        self, "mkdir $d/a $d/b; printf 'kinds:\\n  x: {ops: &o {attMM: 1, attBMM: 1, ffMM: 1, softmax: 1, dropout: 1, "
              "normOp: 1, gather: 1, headCast: 1, ffAct: 1, linrec: 1}}\\n  y: {ops: *o}\\n  z: {ops: *o}\\n' "
              ">$d/a/u.yaml; sed 's/  z:/  w:/' $d/a/u.yaml >$d/b/u.yaml");
    run(self, "$opcat diff $d/a $d/b | tail -n +4");
    assert_string_equal(self->out, "- kind z\n+ kind w\n");
    assert_done(self, "sed 's/  x:/  q:/; s/  z:/  x:/; s/  q:/  z:/' $d/a/u.yaml >$d/b/u.yaml");
    run(self, "$opcat diff $d/a $d/b | tail -n +4");
    assert_string_equal(self->out, "- x.position: 0\n+ x.position: 2\n- z.position: 2\n+ z.position: 0\n");
}

static void diff_in_trouble_exits_with_2(void **state)
{
    command *self = *state;
    static const struct {
        const char *line;
        const char *said;
    } cases[] = {
        {"$opcat diff $c $d/nowhere", "nowhere: cannot open the catalog: No such file"},
        {"echo text >$d/text; $opcat diff $d/text $c", "text: not an opcat catalog"},
        {"mkdir $d/empty; $opcat diff $c $d/empty", "empty: error: the folder has no profiles"},
        {"mkdir $d/bad; echo 'kinds: 5' >$d/bad/x.yaml; $opcat diff $c $d/bad",
         "bad/x.yaml:1:1: error: x.kinds declares no layer kind"},
        {"$opcat diff $c", "A or B is missing"},
        {"$opcat diff $c $c $c", "one A or B too many"},
        {"$opcat diff $c " PROFILES " --json >/dev/full", "cannot write the output: No space left"},
        {"$opcat --catalog $d/x.db import " PROFILES "/t5.yaml >/dev/null; $opcat diff $c $d/x.db >/dev/full",
         "cannot write the output: No space left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(self, cases[i].line);
        assert_int_equal(self->status, 2);
        assert_contains(self->err, cases[i].said);
        assert_string_equal(self->out, "");
    }
}

static void export_gives_back_what_was_imported(void **state)
{
    command *self = *state;
    assert_done(self,
                "$opcat --catalog $c export $d/out/; for f in " PROFILES "/*.yaml; do cmp $f $d/out/$(basename $f) || "
                "exit 1; done; $opcat diff $c $d/out && $opcat --catalog $d/again.db import $d/out && "
                "$opcat diff $c $d/again.db");
    assert_contains(self->out, "9 families written to ");
    assert_done(self, "test $(ls -A $d/out | wc -l) = 10 && test $(ls $d | grep -c opcat-) = 0");
}

static void export_quotes_rules_that_need_it(void **state)
{
    command *self = *state;
    assert_done(self, "mkdir -p $d/r/inference; printf 'prefixes: {\"yes\": t5, \"1e\": qwen, \"a b\": qwen, "
                      "\"\\\"q\\\\\\\\\": qwen, "
                      "é: t5, \"017\": t5, \"x: y #\": t5}\\ntraits: {qk_norm: [\"null\", \"-\", \"[\"]}\\n' "
                      ">$d/r/inference/model_names.yaml; $opcat --catalog $c import $d/r; "
                      "$opcat --catalog $c export $d/out; $opcat diff $c $d/out");
}

/* Every accepted conformance case, imported, exported and imported again, is the same. */
static void every_accepted_case_survives_an_export(void **state)
{
    command *self = *state;
    assert_done(self,
                "mkdir $d/cases; for f in " OPCAT_TEST_DIR "/conformance/accept/*.yaml; do cp $f $d/cases; done; "
                "$opcat --catalog $d/cases.db import $d/cases >/dev/null; $opcat --catalog $d/cases.db export $d/out; "
                "$opcat --catalog $d/again.db import $d/out >/dev/null; $opcat diff $d/cases.db $d/again.db; "
                "for f in $d/cases/*.yaml; do cmp $f $d/out/$(basename $f) || exit 1; done; "
                "$opcat --catalog $d/cases.db check");
    assert_contains(self->out, "Sound: ");
}

static void export_refuses_where_it_cannot_be_whole(void **state)
{
    command *self = *state;
    static const struct {
        const char *line;
        const char *said;
    } cases[] = {
        {"mkdir $d/full; echo mine >$d/full/t5.yaml; $opcat --catalog $c export $d/full",
         "the folder is not empty; --force"},
        {"echo mine >$d/file; $opcat --catalog $c export $d/file", "file: cannot export into it: Not a directory"},
        {"$opcat --catalog $c export $d/no/such/parent", "parent: cannot be made: No such file"},
        {"$opcat --catalog $d/nowhere.db export $d/new", "nowhere.db: cannot open the catalog"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(self, cases[i].line);
        assert_int_equal(self->status, 1);
        assert_contains(self->err, cases[i].said);
    }
    assert_done(self, "grep -q mine $d/full/t5.yaml && test ! -e $d/new && test $(ls $d | grep -c opcat-) = 0");
    assert_done(self, "$opcat --catalog $c export --force $d/full; cmp $d/full/t5.yaml " PROFILES "/t5.yaml");
    assert_done(self, "mkdir $d/hollow; $opcat --catalog $c export $d/hollow; test -f $d/hollow/t5.yaml");
}

static void export_writes_into_an_empty_folder_that_is_there(void **state)
{
    command *self = *state;
    assert_done(self, "mkdir -m 2750 $d/empty; ls -di $d/empty >$d/before; $opcat --catalog $c export $d/empty; "
                      "ls -di $d/empty | cmp - $d/before && test $(stat -c %a $d/empty) = 2750 && "
                      "$opcat diff $c $d/empty");
    assert_done(self, "mkdir $d/here; cd $d/here; $opcat --catalog $c export .; $opcat diff $c .; "
                      "test $(ls -A | wc -l) = 10");
    assert_done(self, "mkdir $d/target; ln -s target $d/link; $opcat --catalog $c export $d/link; test -L $d/link; "
                      "$opcat diff $c $d/target");
}

static void export_that_fails_leaves_a_folder_as_it_was(void **state)
{
    command *self = *state;
    run_sql(self->catalog, "PRAGMA ignore_check_constraints = 1; UPDATE profile SET arch = '~' WHERE arch = 'vision'; "
                           "UPDATE kind SET arch = '~' WHERE arch = 'vision'");
    run(self, "mkdir $d/empty; $opcat --catalog $c export $d/empty");
    assert_int_equal(self->status, 1);
    assert_done(self, "test -z \"$(ls -A $d/empty)\"");
    run(self, "mkdir $d/full; echo mine >$d/full/t5.yaml; $opcat --catalog $c export --force $d/full");
    assert_int_equal(self->status, 1);
    assert_done(self, "test \"$(ls -A $d/full) $(cat $d/full/t5.yaml)\" = 't5.yaml mine'");
}

static void export_replaces_all_or_nothing(void **state)
{
    command *self = *state;
    run(self, "mkdir -p $d/full/vision.yaml; echo mine >$d/full/t5.yaml; $opcat --catalog $c export --force $d/full");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "vision.yaml: cannot be written: there is a folder of that name");
    assert_done(self, "test \"$(echo $(ls -A $d/full)) $(cat $d/full/t5.yaml)\" = 't5.yaml vision.yaml mine'");
}

static void export_makes_no_path_of_a_strangers_name(void **state)
{
    command *self = *state;
    run_sql(self->catalog,
            "PRAGMA ignore_check_constraints = 1; UPDATE profile SET arch = '../evil' WHERE arch = 'vision'; "
            "UPDATE kind SET arch = '../evil' WHERE arch = 'vision'");
    run(self, "$opcat --catalog $c export $d/out");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "a name that none can have");
    assert_done(self, "test ! -e $d/out && test ! -e $d/evil.yaml");
}

/* A second import that changes t5 and adds zeta, and a third that removes zeta. */
static void make_history(command *self)
{
    assert_done(self,
                "cp -r " PROFILES " $d/p; cd $d/p; sed -i 's/gather: 6/gather: 7/' t5.yaml; cp default.yaml zeta.yaml; "
                "$opcat --catalog $c import $d/p; rm zeta.yaml; $opcat --catalog $c import --prune $d/p");
}

static void log_shows_the_imports_newest_first(void **state)
{
    command *self = *state;
    make_history(self);
    assert_done(self, "$opcat --catalog $c log");
    assert_contains(self->out, "import 3  ");
    assert_contains(self->out,
                    "    0 added, 0 updated, 9 unchanged, 1 removed; 0 naming rules changed\n    removed  zeta\n"
                    "import 2  ");
    assert_contains(self->out, "    added    zeta\nimport 1  ");
    assert_contains(self->out, " by opcat " OPCAT_VERSION ", from " PROFILES "\n");
    assert_done(self, "$opcat --catalog $c log --json");
    assert_json(self, "json_array_length(?1)", "3");
    assert_json(self, "json_extract(?1, '$[1].changes[0].arch') || ' ' || json_extract(?1, '$[1].changes[0].change')",
                "t5 updated");
    assert_json(self, "json_extract(?1, '$[2].added')", "9");
}

static void log_of_a_family_shows_its_changes(void **state)
{
    command *self = *state;
    make_history(self);
    assert_done(self, "$opcat --catalog $c log t5");
    assert_contains(self->out, "IMPORT  IMPORTED AT           CHANGE\n     2  ");
    assert_done(self, "$opcat --catalog $c log --json zeta");
    assert_json(self, "json_extract(?1, '$[0].change') || json_extract(?1, '$[1].change')", "removedadded");
    run(self, "$opcat --catalog $c log zetta");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "no family 'zetta'; there are ");
    assert_string_equal(self->out, "");
}

static void show_at_an_import_shows_what_stood_then(void **state)
{
    command *self = *state;
    make_history(self);
    assert_done(self, "$opcat --catalog $c show --json --at 1 t5");
    assert_json(self, "json_extract(?1, '$.kinds.decoder.ops.gather')", "6");
    assert_done(self, "$opcat --catalog $c show --json --at 2 t5");
    assert_json(self, "json_extract(?1, '$.kinds.decoder.ops.gather')", "7");
    assert_done(self, "$opcat --catalog $c show --yaml --at 2 zeta | cmp - " PROFILES "/default.yaml");
    static const struct {
        const char *line;
        int status;
        const char *said;
    } cases[] = {
        {"$opcat --catalog $c show --at 1 zeta", 1, "family 'zeta' was not there yet at import 1"},
        {"$opcat --catalog $c show --at 3 zeta", 1, "family 'zeta' was not there at import 3; import 3 removed it"},
        {"$opcat --catalog $c show --at 4 t5", 1, "no import 4; the last is import 3"},
        {"$opcat --catalog $c show --at 1 t6", 1, "no family 't6'; there are t5, "},
        {"$opcat --catalog $c show --at 0 t5", 2, "--at takes the number of an import"},
        {"$opcat --catalog $c show --at x t5", 2, "--at takes the number of an import"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(self, cases[i].line);
        assert_int_equal(self->status, cases[i].status);
        assert_contains(self->err, cases[i].said);
    }
}

static void show_where_names_the_line_of_each_value(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c show --where deepseek");
    assert_contains(self->out, "PATH                            VALUE  WHERE\n"
                               "default                         moe    line 3\n"
                               "run.grad_bytes                  4      default\n");
    assert_contains(self->out, "model.v_head_dim                128    line 5\n"
                               "kinds.dense.attention           full   default\n"
                               "kinds.dense.ffn                 dense  line 8\n"
                               "kinds.dense.ops.attMM           4      line 10\n");
    assert_contains(self->out, "kinds.moe.ops.attMM             4      line 10\n");
    assert_done(self, "$opcat --catalog $c show --where --json deepseek");
    assert_json(self, "json_array_length(?1)", "38");
    assert_json(self, "json_extract(?1, '$[0]')", "{\"path\":\"default\",\"value\":\"moe\",\"line\":3}");
    assert_json(self, "json_extract(?1, '$[7]')", "{\"path\":\"run.grad_accumulation\",\"value\":false,\"line\":null}");
}

static void info_says_which_catalog_and_how_it_was_found(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c info");
    assert_contains(self->out, "catalog.db (named by --catalog)\nschema       1.0\nlibrary      " OPCAT_VERSION "\n");
    assert_contains(self->out, "families     9\nkinds        12\nrules        13\nimports      1\nlast import  1, at ");
    assert_contains(self->out, "generation   current\n");
    assert_done(self, "OPCAT_CATALOG=$c $opcat info");
    assert_contains(self->out, "(named by OPCAT_CATALOG)");
    assert_done(self, "$opcat info");
    assert_contains(self->out, "(installed with the library)");
    assert_done(self, "$opcat --catalog $c info --json");
    assert_json(self, "json_extract(?1, '$.found_by') || json_extract(?1, '$.schema_version')", "--catalog1.0");
    assert_json(self, "json_extract(?1, '$.families') || ' ' || json_extract(?1, '$.last_import.import_id')", "9 1");
    run(self, "$opcat --catalog $d/nowhere.db info");
    assert_int_equal(self->status, 1);
}

static void their_help_shows_examples(void **state)
{
    command *self = *state;
    static const char *const lines[] = {"$opcat check --help", "$opcat diff --help", "$opcat export --help",
                                        "$opcat log --help", "$opcat info --help"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_done(self, lines[i]);
        assert_contains(self->out, "Example:\n");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(check_finds_the_catalog_sound),
        TEST(check_names_every_change_by_hand),
        TEST(check_json_has_both_values),
        TEST(diff_says_nothing_of_the_same),
        TEST(diff_names_exactly_what_changed),
        TEST(diff_json_names_the_same),
        TEST(diff_sees_the_order_of_kinds),
        TEST(diff_in_trouble_exits_with_2),
        TEST(export_gives_back_what_was_imported),
        TEST(export_quotes_rules_that_need_it),
        TEST(every_accepted_case_survives_an_export),
        TEST(export_refuses_where_it_cannot_be_whole),
        TEST(export_writes_into_an_empty_folder_that_is_there),
        TEST(export_that_fails_leaves_a_folder_as_it_was),
        TEST(export_replaces_all_or_nothing),
        TEST(export_makes_no_path_of_a_strangers_name),
        TEST(log_shows_the_imports_newest_first),
        TEST(log_of_a_family_shows_its_changes),
        TEST(show_at_an_import_shows_what_stood_then),
        TEST(show_where_names_the_line_of_each_value),
        TEST(info_says_which_catalog_and_how_it_was_found),
        TEST(their_help_shows_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
