/* SPDX-License-Identifier: Apache-2.0 */
/* The command: what it prints where, and how it exits. */
#include "support/command.h"

#include <stdlib.h>
#include <string.h>

static void import_prints_what_changed(void **state)
{
    command *self = *state;
    assert_done(self, "rm $c; $opcat --catalog $c import " OPCAT_SOURCE_DIR "/op_profiles");
    assert_contains(self->out, "added    deepseek    2 kinds\n");
    assert_contains(self->out, "added    vision      1 kind\n");
    assert_contains(self->out, "9 added, 0 updated, 0 unchanged, 0 removed; 13 naming rules changed\n");
    assert_contains(self->out, "catalog.db is now at import 1\n");
    assert_string_equal(self->err, "");
    assert_done(self, "$opcat import --catalog $c " OPCAT_SOURCE_DIR "/op_profiles");
    assert_contains(self->out, "0 added, 0 updated, 9 unchanged, 0 removed; 0 naming rules changed\n");
    assert_contains(self->out, "Nothing to change");
}

static void import_json_is_one_object(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $d/new.db import --json --dry-run " OPCAT_SOURCE_DIR "/op_profiles");
    assert_json(self, "json_extract(?1, '$.dry_run')", "1");
    assert_json(self, "json_extract(?1, '$.changes[0]')", "{\"arch\":\"deepseek\",\"change\":\"added\",\"kinds\":2}");
    assert_json(self, "json_array_length(?1, '$.changes')", "9");
    assert_json(self, "json_type(?1, '$.import_id')", "null");
    assert_json(self,
                "json_extract(?1, '$.added') || json_extract(?1, '$.updated') || json_extract(?1, '$.unchanged') || "
                "json_extract(?1, '$.removed') || json_extract(?1, '$.rules_changed')",
                "900013");
    assert_done(self, "$opcat --catalog $d/new.db import --json " OPCAT_SOURCE_DIR "/op_profiles");
    assert_json(self, "json_extract(?1, '$.import_id')", "1");
}

static void import_says_every_fault_with_its_place(void **state)
{
    command *self = *state;
    run(self, "mkdir $d/p; printf 'kinds: {a: {ops: 5}}\\nrum: 1\\n' >$d/p/x.yaml; printf 'kinds: [\\n' >$d/p/y.yaml; "
              "cp $c $d/before; $opcat --catalog $c import $d/p; s=$?; cmp $c $d/before && exit $s");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->out, "");
    assert_contains(self->err,
                    "/p/x.yaml:1:13: error: x.kinds.a.ops must map each of the ten ops to its count, got 5\n");
    assert_contains(self->err, "/p/x.yaml:2:1: error: x has the unknown key 'rum'; did you mean 'run'?\n");
    assert_contains(self->err, "/p/y.yaml:2:1: error: not YAML: ");
    assert_contains(self->err, "opcat: 3 faults in 2 files; nothing was imported\n");
}

static void import_needs_a_catalog_by_name(void **state)
{
    command *self = *state;
    run(self, "$opcat import " OPCAT_SOURCE_DIR "/op_profiles");
    assert_int_equal(self->status, 2);
    assert_contains(self->err, "--catalog FILE, or in OPCAT_CATALOG");
    assert_contains(self->err, "usage: opcat [--catalog FILE] import");
    assert_done(self, "OPCAT_CATALOG=$d/env.db $opcat import " OPCAT_SOURCE_DIR "/op_profiles; test -f $d/env.db");
}

static void list_shows_what_each_family_states(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c list");
    assert_contains(self->out, "FAMILY      KINDS                             DEFAULT         RUN                      "
                               "            MODEL\n");
    assert_contains(self->out, "deepseek    dense, moe                        moe             -                        "
                               "            v_head_dim=128\n");
    assert_contains(self->out, "grad_bytes=2 grad_accumulation=true");
    assert_done(self, "$opcat --catalog $c list --json");
    assert_json(self, "json_array_length(?1)", "9");
    assert_json(self, "json_extract(?1, '$[7].arch')", "t5");
    assert_json(self, "json_extract(?1, '$[7].kinds.decoder.ops.attMM')", "8");
}

static void without_a_name_the_installed_catalog_is_read(void **state)
{
    command *self = *state;
    assert_done(self, "cd /; $opcat list --json");
    assert_json(self, "json_array_length(?1)", "9");
    run(self, "OPCAT_CATALOG=$d/nowhere.db $opcat list");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "nowhere.db: cannot open the catalog: No such file");
}

static void show_prints_a_profile(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c show qwen3_5");
    assert_contains(self->out, "full_attention *  full       -        4       2     3        1");
    assert_contains(self->out, "linear_attention  linear     -        4       0     3        0");
    assert_contains(self->out, "shard_activations            true  profile\n");
    assert_contains(self->out, "grad_bytes                      4  default\n");
}

static void show_json_has_the_promised_shape(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c show --json deepseek");
    assert_json(self, "json(?1)",
                "{\"arch\":\"deepseek\",\"default\":\"moe\",\"kinds\":{"
                "\"dense\":{\"attention\":\"full\",\"ffn\":\"dense\",\"ops\":{\"attMM\":4,\"attBMM\":2,\"ffMM\":3,"
                "\"softmax\":1,\"dropout\":0,\"normOp\":2,\"gather\":4,\"headCast\":1,\"ffAct\":1,\"linrec\":0}},"
                "\"moe\":{\"attention\":\"full\",\"ffn\":\"moe\",\"ops\":{\"attMM\":4,\"attBMM\":2,\"ffMM\":3,"
                "\"softmax\":1,\"dropout\":0,\"normOp\":2,\"gather\":4,\"headCast\":1,\"ffAct\":1,\"linrec\":0}}},"
                "\"run\":{\"grad_bytes\":4,\"optimizer_state_bytes\":4,\"optimizer_states\":2,\"main_param_bytes\":0,"
                "\"norm_bytes\":4,\"dropout_bytes\":0,\"grad_accumulation\":false,\"shard_activations\":false,"
                "\"loss_parallel\":true,\"reshard_params\":false,\"deferred_grad_accumulation\":false,"
                "\"overlapped_grad_reduce\":false},\"model\":{\"v_head_dim\":128}}");
    assert_done(self, "$opcat --catalog $c show --json qwen");
    assert_json(self, "json_extract(?1, '$.model')", "{}");
    assert_json(self, "json_type(?1, '$.kinds.decoder.ffn')", "null");
    assert_json(self, "json_type(?1, '$.run.shard_activations')", "true");
}

static void show_yaml_is_the_file_byte_for_byte(void **state)
{
    command *self = *state;
    assert_done(self, "for f in deepseek t5 default; do $opcat --catalog $c show --yaml $f | cmp - " OPCAT_SOURCE_DIR
                      "/op_profiles/$f.yaml || exit 1; done");
    run(self, "$opcat --catalog $c show --yaml --json t5");
    assert_int_equal(self->status, 2);
}

static void an_unknown_family_is_said_with_the_nearest(void **state)
{
    command *self = *state;
    static const char *const lines[] = {"$opcat --catalog $c show quen", "$opcat --catalog $c show --yaml quen",
                                        "$opcat --catalog $c resolve quen"};
    for (size_t i = 0; i < 3; i++) {
        run(self, lines[i]);
        assert_int_equal(self->status, 1);
        assert_contains(self->err, "no family 'quen'; there are qwen, ");
        assert_string_equal(self->out, "");
    }
}

static void infer_tells_families_and_traits(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c infer Qwen3.5-397B my-model");
    assert_contains(self->out, "NAME          FAMILY   QK_NORM  QKV_BIAS  SHARED_EXPERT_GATE\n");
    assert_contains(self->out, "Qwen3.5-397B  qwen3_5  yes      no        no\n");
    assert_contains(self->err, "opcat: warning: no naming rule claims 'my-model'; it is priced as default\n");
    assert_done(self, "$opcat --catalog $c infer --json qwen2_moe \"$(printf 'a\\nb\\377\"')\"");
    assert_json(
        self, "json_extract(?1, '$[0]')",
        "{\"name\":\"qwen2_moe\",\"arch\":\"qwen\",\"qk_norm\":false,\"qkv_bias\":true,\"shared_expert_gate\":true}");
    assert_json(self, "json_extract(?1, '$[1].name')", "a\nb\xef\xbf\xbd\"");
    assert_json(self, "json_extract(?1, '$[1].arch')", "default");
}

static void resolve_gives_counts_and_takes_declared_ones(void **state)
{
    command *self = *state;
    assert_done(self, "$opcat --catalog $c resolve t5");
    assert_contains(self->out,
                    "encoder      4       1     2        2        5       2       4         1      1       0\n");
    assert_done(
        self,
        "$opcat --catalog $c resolve --json t5 >$d/ops.json; sed 's/\"gather\": 6/\"gather\": \"1_6\"/' $d/ops.json "
        ">$d/mine.json; $opcat --catalog $c resolve --json --ops $d/mine.json t5");
    assert_json(self, "json_extract(?1, '$.decoder.gather')", "16");
    assert_json(self, "json_extract(?1, '$.encoder.gather')", "4");
    assert_json(self, "(SELECT key FROM json_each(?1) LIMIT 1)", "encoder");
    assert_done(self, "cat $d/ops.json | $opcat --catalog $c resolve --ops - t5");
}

static void declared_counts_that_cannot_be_right_are_refused(void **state)
{
    command *self = *state;
    run(self,
        "printf 'encoder: {attMM: 4, softmax: x}\\n' >$d/ops.yaml; $opcat --catalog $c resolve --ops $d/ops.yaml t5");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "ops.yaml:1:1: error: encoder is missing the counts for attBMM, ");
    assert_contains(self->err, "ops.yaml:1:21: error: encoder.softmax must be a whole number, got 'x'\n");
    run(self, "$opcat --catalog $c resolve --json qwen >$d/ops.json; $opcat --catalog $c resolve --ops $d/ops.json t5");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "ops.json: the counts declared for family 't5' leave out its kind 'encoder'");
    run(self,
        "$opcat --catalog $c resolve --json qwen >$d/ops.json; $opcat --catalog $c resolve --ops $d/ops.json qwen3_5");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "name a kind 'decoder', which it has not; it has ");
    run(self, "$opcat --catalog $c resolve --ops - t5 </dev/null");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->err, "standard input:1:1: error: the file declares no kind; it must map each kind to its "
                                   "ten ops\n");
    run(self, "echo '4: {}' | $opcat --catalog $c resolve --ops - t5");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->err, "standard input:1:1: error: a key must be a string (put it in quotes), got 4\n");
    run(self, "$opcat --catalog $c resolve --ops - t5 </");
    assert_contains(self->err, "opcat: standard input: cannot be read: ");
    run(self, "$opcat --catalog $c resolve --ops $d/nowhere.json t5");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "nowhere.json: cannot be read: No such file");
    assert_string_equal(self->out, "");
}

static void help_is_everywhere_and_shows_an_example(void **state)
{
    command *self = *state;
    static const char *const lines[] = {"$opcat --help",           "$opcat help",      "$opcat import --help",
                                        "$opcat list --help",      "$opcat show -h",   "$opcat infer --help",
                                        "$opcat resolve --help",   "$opcat help show", "$opcat --catalog $c help show",
                                        "$opcat --catalog $c help"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_done(self, lines[i]);
        assert_contains(self->out, "usage: opcat ");
        assert_contains(self->out, "Example:\n");
        assert_contains(self->out, "Exit status: 0 done; 1 ");
        assert_string_equal(self->err, "");
    }
    assert_done(self, "$opcat --version");
    assert_string_equal(self->out, "opcat " OPCAT_VERSION "\n");
}

static void a_command_line_that_makes_no_sense_gets_a_usage_line(void **state)
{
    command *self = *state;
    static const struct {
        const char *line;
        const char *said;
    } cases[] = {
        {"$opcat", "a command is missing"},
        {"$opcat shwo t5", "no command 'shwo'; did you mean 'show'?"},
        {"$opcat --colour list", "no option '--colour'"},
        {"$opcat --catalog", "a value is missing after '--catalog'"},
        {"$opcat --catalog '' list", "--catalog takes the name of a file"},
        {"$opcat list --catalog=", "--catalog takes the name of a file"},
        {"$opcat --catalog $c import", "PATH is missing"},
        {"$opcat --catalog $c import --purge x", "no option '--purge'"},
        {"$opcat list extra", "one operand too many: 'extra'"},
        {"$opcat list --yaml", "no option '--yaml'"},
        {"$opcat show", "ARCH is missing"},
        {"$opcat show a b", "one ARCH too many: 'b'"},
        {"$opcat infer", "NAME is missing"},
        {"$opcat resolve", "ARCH is missing"},
        {"$opcat resolve t5 --ops", "a value is missing after '--ops'"},
        {"$opcat help nothing", "no command 'nothing'"},
        {"$opcat --catalog $c help nothing", "no command 'nothing'"},
        {"$opcat -xh", "no option '-x'"},
        {"$opcat list -xh", "no option '-x'"},
        {"$opcat list -z extra", "no option '-z'"},
        {"$opcat list --json=yes", "'--json' takes no value"},
        {"$opcat --version=2", "'--version' takes no value"},
        {"$opcat --catalog $c diff $c $c", "its operands name the catalogs"},
        {"$opcat diff --catalog $c $c $c", "its operands name the catalogs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(self, cases[i].line);
        if (self->status != 2)
            fail_msg("%s exits with %d", cases[i].line, self->status);
        assert_contains(self->err, cases[i].said);
        assert_contains(self->err, "usage: opcat ");
        assert_string_equal(self->out, "");
    }
}

static void a_catalog_that_cannot_be_read_is_said(void **state)
{
    command *self = *state;
    static const struct {
        const char *make;
        const char *said;
    } cases[] = {
        {"true", "x.db: cannot open the catalog: No such file"},
        {"mkdir $d/x.db", "x.db: a catalog is a file, and this is a folder"},
        {"rmdir $d/x.db; : >$d/x.db", "x.db: not an opcat catalog: the file is empty"},
        {"echo hello >$d/x.db", "x.db: not an opcat catalog: not an SQLite database"},
        {"head -c 8192 $c >$d/x.db", "x.db: the catalog is damaged: the file was cut off"},
    };
    static const char *const commands[] = {"list", "show t5", "infer t5", "resolve t5"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_done(self, cases[i].make);
        for (size_t j = 0; j < sizeof commands / sizeof *commands; j++) {
            char *line = format("$opcat --catalog $d/x.db %s", commands[j]);
            run(self, line);
            assert_int_equal(self->status, 1);
            assert_contains(self->err, cases[i].said);
            assert_string_equal(self->out, "");
            free(line);
        }
    }
}

static void output_that_cannot_be_written_fails(void **state)
{
    command *self = *state;
    if (!exists("/dev/full"))
        skip();
    run(self, "$opcat --catalog $c list >/dev/full");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "cannot write the output: No space left");
    run(self, "$opcat --catalog $c list | true");
    assert_int_equal(self->status, 0);
    assert_string_equal(self->err, "");
}

static void why_output_cannot_be_written_is_said_for_large_output_too(void **state)
{
    command *self = *state;
    if (!exists("/dev/full"))
        skip();
    assert_done(self, "{ cat " OPCAT_SOURCE_DIR "/op_profiles/t5.yaml; printf '# %0200000d' 7; } >$d/large.yaml; "
                      "$opcat --catalog $c import $d/large.yaml");
    run(self, "$opcat --catalog $c show --yaml large >/dev/full");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->err, "opcat: cannot write the output: No space left on device\n");
    /* Who stops reading knows it: nothing is said. */
    run(self, "{ $opcat --catalog $c show --yaml large; echo $? >$d/status; } | true; cat $d/status");
    assert_string_equal(self->out, "1\n");
    assert_string_equal(self->err, "");
}

static void a_limit_on_files_is_an_error_and_no_end(void **state)
{
    command *self = *state;
    assert_done(self, "{ cat " OPCAT_SOURCE_DIR "/op_profiles/t5.yaml; printf '# %0200000d' 7; } >$d/large.yaml; "
                      "cp $c $d/before");
    run(self, "ulimit -f 8; $opcat --catalog $c import $d/large.yaml");
    assert_int_equal(self->status, 1);
    assert_contains(self->err, "File too large");
    assert_done(self, "cmp $c $d/before && test $(ls -A $d | grep -c opcat-) = 0");
    assert_done(self, "$opcat --catalog $c import $d/large.yaml");
    run(self, "ulimit -f 8; $opcat --catalog $c show --yaml large >$d/out");
    assert_int_equal(self->status, 1);
    assert_string_equal(self->err, "opcat: cannot write the output: File too large\n");
}

static void nothing_is_coloured_away_from_a_terminal(void **state)
{
    command *self = *state;
    run(self,
        "printf 'kinds: 5' >$d/x.yaml; TERM=xterm $opcat --catalog $c list; TERM=xterm $opcat --catalog $c show t5; "
        "TERM=xterm $opcat --catalog $c import $d/x.yaml");
    assert_null(strchr(self->out, '\x1b'));
    assert_null(strchr(self->err, '\x1b'));
}

static void what_a_catalog_holds_cannot_drive_the_terminal(void **state)
{
    command *self = *state;
    run_sql(self->catalog, "UPDATE profile SET default_kind = NULL WHERE arch = 'vision'; "
                           "UPDATE kind SET name = char(27) || '[2J' WHERE arch = 'vision'");
    assert_done(self, "$opcat --catalog $c list; $opcat --catalog $c show vision; $opcat --catalog $c resolve vision");
    assert_null(strchr(self->out, '\x1b'));
    assert_contains(self->out, "\\u001b[2J");
}

static void what_a_catalog_says_of_its_imports_cannot_drive_the_terminal(void **state)
{
    command *self = *state;
    run_sql(self->catalog,
            "PRAGMA ignore_check_constraints = ON; "
            "UPDATE import SET imported_at = char(27) || 'a' || char(10), origin = char(27) || 'o', "
            "importer = char(27) || 'i'; "
            "UPDATE change SET arch = char(27) || arch WHERE arch = 'vision'; "
            "INSERT INTO profile SELECT char(27) || 'p', NULL, NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
            "change_id FROM profile WHERE arch = 't5'");
    static const char *const lines[] = {
        "$opcat --catalog $c info",
        "$opcat --catalog $c log",
        "$opcat --catalog $c log t5",
        "$opcat --catalog $c check",
        "$opcat --catalog $c list",
        "$opcat --catalog $c show nothing",
        "$opcat diff $c " OPCAT_SOURCE_DIR "/op_profiles",
        "$opcat --catalog $c infer \"$(printf 'x\\033y')\"",
        "$opcat --catalog $c show \"$(printf 'x\\033y')\"",
        "$opcat --catalog \"$d/$(printf 'x\\033y')\" list",
        "$opcat \"$(printf 'x\\033y')\"",
        "$opcat list \"$(printf 'x\\033y')\"",
        "$opcat --catalog $c import \"$d/$(printf 'x\\033y.yaml')\"",
        "cp " OPCAT_SOURCE_DIR "/op_profiles/t5.yaml \"$d/$(printf 'x\\033y.yaml')\"; "
        "$opcat --catalog $c import \"$d/$(printf 'x\\033y.yaml')\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(self, lines[i]);
        assert_null(strchr(self->out, '\x1b'));
        assert_null(strchr(self->err, '\x1b'));
        if (!strstr(self->out, "1b") && !strstr(self->err, "1b"))
            fail_msg("%s shows nothing of it:\n%s%s", lines[i], self->out, self->err);
    }
}

static void wide_names_stay_aligned(void **state)
{
    command *self = *state;
    assert_done(self, "sed 's/decoder/解码器/' " OPCAT_SOURCE_DIR "/op_profiles/default.yaml >$d/wide.yaml; "
                      "$opcat --catalog $c import $d/wide.yaml; $opcat --catalog $c show wide");
    assert_contains(self->out, "KIND      ATTENTION  FFN");
    assert_contains(self->out, "解码器 *  full       -");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, command_set_up, command_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(import_prints_what_changed),
        TEST(import_json_is_one_object),
        TEST(import_says_every_fault_with_its_place),
        TEST(import_needs_a_catalog_by_name),
        TEST(list_shows_what_each_family_states),
        TEST(without_a_name_the_installed_catalog_is_read),
        TEST(show_prints_a_profile),
        TEST(show_json_has_the_promised_shape),
        TEST(show_yaml_is_the_file_byte_for_byte),
        TEST(an_unknown_family_is_said_with_the_nearest),
        TEST(infer_tells_families_and_traits),
        TEST(resolve_gives_counts_and_takes_declared_ones),
        TEST(declared_counts_that_cannot_be_right_are_refused),
        TEST(help_is_everywhere_and_shows_an_example),
        TEST(a_command_line_that_makes_no_sense_gets_a_usage_line),
        TEST(a_catalog_that_cannot_be_read_is_said),
        TEST(output_that_cannot_be_written_fails),
        TEST(why_output_cannot_be_written_is_said_for_large_output_too),
        TEST(a_limit_on_files_is_an_error_and_no_end),
        TEST(nothing_is_coloured_away_from_a_terminal),
        TEST(what_a_catalog_holds_cannot_drive_the_terminal),
        TEST(what_a_catalog_says_of_its_imports_cannot_drive_the_terminal),
        TEST(wide_names_stay_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
