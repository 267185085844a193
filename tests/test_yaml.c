/* SPDX-License-Identifier: Apache-2.0 */
/* How YAML is read: scalars by YAML 1.1's rules, merge keys, places, and bounds on what anyone may send. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../import/read_profile.h"
#include "../import/yaml_tree.h"

/* What a text is read as, as a text of its own; free() it. */
static char *read_as(const char *yaml)
{
    opcat_tree tree;
    opcat_faults faults = {0};
    char *said = NULL;
    opcat_tree_read(&tree, "test.yaml", yaml, strlen(yaml), &faults);
    const opcat_node *root = tree.root;
    assert_false(faults.out_of_memory);
    if (faults.count || !root)
        said = format("refused");
    else if (root->type == OPCAT_NODE_INT)
        said = root->of.whole.huge ? format("int %shuge", root->of.whole.negative ? "-" : "")
                                   : format("int %lld", (long long)root->of.whole.value);
    else if (root->type == OPCAT_NODE_FLOAT)
        said = isnan(root->of.real) ? format("float nan") : format("float %g", root->of.real);
    else if (root->type == OPCAT_NODE_BOOL)
        said = format("bool %s", root->of.boolean ? "true" : "false");
    else if (root->type == OPCAT_NODE_STRING)
        said = format("str %s", root->text);
    else
        said = format("%s", root->type == OPCAT_NODE_NULL   ? "null"
                            : root->type == OPCAT_NODE_DATE ? "date"
                                                            : "collection");
    opcat_faults_free(&faults);
    opcat_tree_free(&tree);
    return said;
}

static void plain_scalars_are_read_by_yaml_1_1(void **state)
{
    static const struct {
        const char *yaml;
        const char *expected;
    } cases[] = {
        {"7", "int 7"},
        {"+7", "int 7"},
        {"-7", "int -7"},
        {"017", "int 15"},
        {"08", "str 08"},
        {"0x1f", "int 31"},
        {"-0x1F", "int -31"},
        {"0xg", "str 0xg"},
        {"0b101", "int 5"},
        {"0b12", "str 0b12"},
        {"0b_", "refused"},
        {"0x_", "refused"},
        {"0_", "int 0"},
        {"1_000", "int 1000"},
        {"1__0_", "int 10"},
        {"_1", "str _1"},
        {"190:20:30", "int 685230"},
        {"1:60", "str 1:60"},
        {"01:30", "str 01:30"},
        {"9223372036854775807", "int 9223372036854775807"},
        {"9223372036854775808", "int huge"},
        {"-9223372036854775809", "int -huge"},
        {"3000000000:00", "int 180000000000"},
        {"999999999999999999:00", "int huge"},
        {"99999999999999999999:00", "int huge"},
        {"-99999999999999999999:00", "int -huge"},
        {"!!int '1:-5'", "int 55"},
        {"!!int '--1:5'", "int 55"},
        {"4.0", "float 4"},
        {"4.", "float 4"},
        {".5", "float 0.5"},
        {"-.5", "str -.5"},
        {"1.5e+3", "float 1500"},
        {"1.5e3", "str 1.5e3"},
        {"1e3", "str 1e3"},
        {"1:30.5", "float 90.5"},
        {"1_0.2_5", "float 10.25"},
        {".inf", "float inf"},
        {"-.INF", "float -inf"},
        {".iNF", "str .iNF"},
        {".NaN", "float nan"},
        {"-.nan", "str -.nan"},
        {"yes", "bool true"},
        {"Off", "bool false"},
        {"ON", "bool true"},
        {"tRue", "str tRue"},
        {"y", "str y"},
        {"~", "null"},
        {"Null", "null"},
        {"nULL", "str nULL"},
        {"", "null"},
        {"# nothing\n", "null"},
        {"---\n...\n", "null"},
        {"2001-12-14", "date"},
        {"2001-1-4", "str 2001-1-4"},
        {"2001-12-14t21:59:43.10-05:00", "date"},
        {"2001-12-14 21:59:43 Z", "date"},
        {"2001-2-29 1:00:00", "refused"},
        {"2004-2-29 1:00:00", "date"},
        {"2001-13-01", "refused"},
        {"=", "refused"},
        {"<<", "refused"},
        {"'7'", "str 7"},
        {"\"yes\"", "str yes"},
        {"|-\n  7", "str 7"},
        {"! 7", "int 7"},
        {"! '7'", "int 7"},
        {"!", "null"},
        {"!!str 7", "str 7"},
        {"!!int '7'", "int 7"},
        {"!!int ' 7 '", "int 7"},
        {"!!int '0o17'", "int 15"},
        {"!!int 'x'", "refused"},
        {"!!int ''", "refused"},
        {"!!float 7", "float 7"},
        {"!!float 1e3", "float 1000"},
        {"!!float '1:30'", "float 90"},
        {"!!float x", "refused"},
        {"!!bool YES", "bool true"},
        {"!!bool 1", "refused"},
        {"!!null x", "null"},
        {"!<tag:yaml.org,2002:int> 7", "int 7"},
        {"!!map {}", "collection"},
        {"!!seq []", "collection"},
        {"!!map []", "refused"},
        {"!!str []", "refused"},
        {"!!map 7", "refused"},
        {"!mine 7", "refused"},
        {"!!timestamp 2001-12-14", "refused"},
        {"!!set {}", "refused"},
        {"%TAG !y! tag:yaml.org,2002:\n--- !y!int '7'", "int 7"},
        {"a\tb", "refused"},
        {"[7,\t8]", "refused"},
        {"'a\tb'", "str a\tb"},
        {"a # \t", "str a"},
        {"'a'#\t", "str a"},
        {"a?b", "str a?b"},
        {"[a?b]", "refused"},
        {"{a: 'b?'}", "collection"},
        {"{a: b ?}", "refused"},
        {"a#\tb", "refused"},
        {"!!str\t'a'", "refused"},
        {"&x\t'a'", "refused"},
        {"!!str &x 'a\tb'", "str a\tb"},
        {"!!str # \t\n  'a\tb'", "str a\tb"},
        {"!!str 'a'\t", "refused"},
        {"|\t\n  a", "refused"},
        {"!!str |\t\n  a", "refused"},
        {"| # \t\n  a\tb", "str a\tb"},
        {"\xef\xbb\xbf"
         "7",
         "int 7"},
        {"7\n\xef\xbb\xbf", "refused"},
        {"\xff\xfe"
         "7",
         "refused"},
        {"\xc0\x80", "refused"},
        {"\xed\xa0\x80", "refused"},
        {"\x07", "refused"},
        {"'\\ud800'", "str \\ud800"},
        {"\"\\ud800\"", "refused"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = read_as(cases[i].yaml);
        if (strcmp(found, cases[i].expected) != 0)
            fail_msg("%s is %s, not %s", cases[i].yaml, found, cases[i].expected);
        free(found);
    }
}

static void numbers_in_strings_are_read_as_python_does(void **state)
{
    static const struct {
        const char *text;
        long long expected; /* -1: refused */
    } cases[] = {
        {"7", 7},
        {"+7", 7},
        {" \t7\n\r\f\v", 7},
        {"1_000", 1000},
        {"007", 7},
        {"08", 8},
        {"1__0", -1},
        {"_1", -1},
        {"1_", -1},
        {"", -1},
        {" ", -1},
        {"+", -1},
        {"+-7", -1},
        {"- 7", -1},
        {"0x10", -1},
        {"4.0", -1},
        {"\xd9\xa4", 4},                  /* ARABIC-INDIC DIGIT FOUR */
        {"\xef\xbc\x91\xef\xbc\x92", 12}, /* FULLWIDTH DIGITS */
        {"\xc2\xa0"
         "7\xe2\x80\x83",
         7},              /* no-break and em space */
        {"\xc2\xb2", -1}, /* SUPERSCRIPT TWO */
        {"\x1c"
         "7",
         -1},
        {"9223372036854775807", INT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opcat_whole whole;
        bool read = opcat_py_int(cases[i].text, strlen(cases[i].text), 10, &whole);
        if (read ? whole.huge || whole.value != cases[i].expected : cases[i].expected != -1)
            fail_msg("'%s' is not read as %lld", cases[i].text, cases[i].expected);
    }
}

/* The keys of a mapping and their values, "a=1 b=2", merged; "refused" where it is. free() it. */
static char *pairs_of(const char *yaml)
{
    opcat_tree tree;
    opcat_faults faults = {0};
    char *said = format("%s", "");
    opcat_tree_read(&tree, "test.yaml", yaml, strlen(yaml), &faults);
    const opcat_pair *last = tree.root && tree.root->count ? &tree.root->of.pairs[tree.root->count - 1] : NULL;
    for (uint32_t i = 0; last && last->value->type == OPCAT_NODE_MAPPING && i < last->value->count; i++) {
        const opcat_pair *pair = &last->value->of.pairs[i];
        char *longer = format("%s%s%s=%s", said, i ? " " : "", pair->key->text, pair->value->text);
        free(said);
        said = longer;
    }
    if (faults.count) {
        free(said);
        said = format("refused");
    }
    opcat_faults_free(&faults);
    opcat_tree_free(&tree);
    return said;
}

static void merge_keys_merge_as_in_python(void **state)
{
    static const struct {
        const char *yaml;
        const char *expected;
    } cases[] = {
        {"x: &x {a: 1, b: 2}\nz: {<<: *x, c: 3}", "a=1 b=2 c=3"},
        {"x: &x {a: 1, b: 2}\nz: {c: 3, <<: *x, b: 4}", "a=1 b=4 c=3"},
        {"x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}", "a=1 b=2"},
        {"x: &x {a: 1}\ny: &y {b: 2, a: 2}\nz: {<<: [*x, *y], c: 3}", "b=2 a=1 c=3"},
        {"x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y, c: 3}", "a=1 b=2 c=3"},
        {"z: {<<: {a: 1}, b: 2}", "a=1 b=2"},
        {"z: {<<: [], b: 2}", "b=2"},
        {"z: {'<<': 1, b: 2}", "<<=1 b=2"},
        {"z: {=: 1}", "==1"},
        {"z: {<<: 4}", "refused"},
        {"z: {<<: ~}", "refused"},
        {"z: {<<: [{a: 1}, 4]}", "refused"},
        {"z: {<<: {a: 1}, <<: {b: 1}}", "refused"},
        {"z: {a: 1, 'a': 2}", "refused"},
        {"z: {a: =}", "refused"},
        {"z: {a: <<}", "refused"},
        {"z: {1: 2}", "refused"},
        {"z: {~: 2}", "refused"},
        {"z: {[a]: 2}", "refused"},
        {"x: &x {a: 1}\ny: &x {a: 1}\nz: *x", "refused"},
        {"z: &z {a: *z}", "refused"},
        {"z: *nowhere", "refused"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = pairs_of(cases[i].yaml);
        if (strcmp(found, cases[i].expected) != 0)
            fail_msg("%s is %s, not %s", cases[i].yaml, found, cases[i].expected);
        free(found);
    }
}

/* The first fault of a profile called `unit`, as "LINE:COLUMN: TEXT"; free() it. */
static char *fault_of(const char *yaml, size_t length)
{
    opcat_faults faults = {0};
    char *said = format("%s", "");
    opcat_profile *profile = opcat_read_profile("unit.yaml", "unit", yaml, length, &faults);
    opcat_faults_sort(&faults, 0);
    if (faults.count) {
        const opcat_fault *first = &faults.items[0];
        free(said);
        said = format("%zu:%zu: %s", first->place.line, first->place.column, first->text);
        assert_null(profile);
    }
    assert_false(faults.out_of_memory);
    opcat_faults_free(&faults);
    opcat_profile_drop(profile);
    return said;
}

static void faults_say_what_was_found_and_what_would_be_right(void **state)
{
#define OPS \
    "{attMM: 4, attBMM: 2, ffMM: 3, softmax: 1, dropout: 0, normOp: 2, gather: 4, headCast: 1, ffAct: 1, linrec: 0}"
    static const struct {
        const char *yaml;
        const char *expected;
    } cases[] = {
        {"kinds:\n  a: {ops: " OPS "}\n  b: {ops: " OPS "}\ndefault: aa\n",
         "4:1: unit.default must name one of the kinds, got 'aa'; did you mean 'a'?"},
        {"kinds:\n  a: {ops: " OPS ", atention: full}\n",
         "2:124: unit.kinds.a has the unknown key 'atention'; did you mean 'attention'?"},
        {"run: {grad_byte: 2}\nkinds:\n  a: {ops: " OPS "}\n",
         "1:7: unit.run has the unknown field 'grad_byte'; did you mean 'grad_bytes'?"},
        {"kinds:\n  a: {ffn: MOE, ops: " OPS "}\n",
         "2:7: unit.kinds.a.ffn must be dense or moe, got 'MOE'; did you mean 'moe'?"},
        {"kinds:\n  a: {attention: [full], ops: " OPS "}\n",
         "2:7: unit.kinds.a.attention must be full or linear, got ['full']"},
        {"model: {v_head_dim: 9223372036854775808}\nkinds:\n  a: {ops: " OPS "}\n",
         "1:9: unit.model.v_head_dim must be a positive whole number, written as a YAML integer up to "
         "9223372036854775807, got 9223372036854775808"},
        {"kinds:\n  解码器:\n    ops: {}\n",
         "3:5: unit.kinds.解码器.ops is missing the counts for attMM, attBMM, ffMM, softmax, dropout, normOp, gather, "
         "headCast, ffAct and linrec; each of the ten ops is stated, 0 for none"},
        {"kinds:\n  \"a\\x07\": {ops: " OPS "}\n",
         "2:3: unit.kinds cannot have a kind named 'a\\x07'; a kind's name has at least one character, and no control "
         "character"},
        {"kinds:\n  \"a\\u0085\": {ops: " OPS "}\n",
         "2:3: unit.kinds cannot have a kind named 'a\\x85'; a kind's name has at least one character, and no control "
         "character"},
        {"kinds: {a: {ops: " OPS "}}\n  x: 1\n",
         "2:3: not YAML: did not find expected key, while parsing a block mapping (which opens on line 1)"},
        {"prefixes: {a: b}\n", "1:1: unit has the key 'prefixes' of naming rules, which are read from "
                               "inference/model_names.yaml below an imported folder"},
        {"kinds: {a: {ops: 1}}\n---\n", "2:1: a second document begins here; a file holds one"},
        {"kinds:\n  a: &k\n    ops: *k\n", "3:10: not YAML: the alias *k stands inside what it names"},
        {"a: 'x\n\x02'", "2:1: not YAML: the control character U+0002 cannot stand in a file"},
        {"kinds: é\xff", "1:9: not UTF-8: the byte 0xff cannot stand here"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *found = fault_of(cases[i].yaml, strlen(cases[i].yaml));
        assert_string_equal(found, cases[i].expected);
        free(found);
    }
}

/* ---- What anyone may send -------------------------------------------------------------------------------- */

static char *repeated(const char *opening, const char *text, size_t times, const char *closing)
{
    size_t opens = strlen(opening), length = strlen(text), closes = strlen(closing);
    char *all = malloc(opens + length * times + closes + 1);
    assert_non_null(all);
    memcpy(all, opening, opens);
    for (size_t i = 0; i < times; i++)
        memcpy(all + opens + i * length, text, length);
    memcpy(all + opens + length * times, closing, closes + 1);
    return all;
}

/* A text of that many numbered lines; free() it. */
static char *numbered(const char *opening, const char *before, const char *after, size_t times)
{
    char *all = malloc(strlen(opening) + times * (strlen(before) + strlen(after) + 8) + 1);
    assert_non_null(all);
    size_t length = strlen(opening);
    memcpy(all, opening, length + 1);
    for (size_t i = 0; i < times; i++) {
        char *line = format("%s%zu%s", before, i, after);
        memcpy(all + length, line, strlen(line) + 1);
        length += strlen(line);
        free(line);
    }
    return all;
}

/* The text, which is freed, is refused with `part` in its first fault. What is not bounded would take minutes here. */
static void assert_answered(char *yaml, const char *part)
{
    char *found = fault_of(yaml, strlen(yaml));
    assert_contains(found, part);
    free(found);
    free(yaml);
}

static void hostile_texts_are_answered_within_bounds(void **state)
{
    (void)state;
    assert_answered(repeated("", "[", 10000, ""), "64 levels");
    assert_answered(repeated("", "{a: ", 10000, ""), "64 levels");
    assert_answered(repeated("", "- ", 10000, ""), "64 levels");
    assert_answered(repeated("kinds: [", "a,", 400000, "]"), "200000");
    assert_answered(numbered("", "k", ": 1\n", 90000), "unit has the unknown key 'k0'");
    assert_answered(repeated("a: &a 1\nb: [", "*a,", 10001, "]"), "10000");
    assert_answered(repeated("kinds: ", "x", (1 << 20) - 8, ""), "declares no layer kind");
    assert_answered(repeated("kinds: ", "x", 1 << 20, ""), "1 MiB");
    assert_answered(repeated("kinds:\n  ? '", "x", 500000, "'\n  : 1\n"), "must map ops");
    assert_answered(repeated("? ", "? ", 10000, ""), "64 levels");
}

static void aliases_and_merges_of_themselves_stay_small(void **state)
{
    (void)state;
    /* Each level is ten of the one before: 10^12 values, if they were copied. */
    assert_answered(numbered("l0: &l0 [x]\nl1: &l1 [*l0,*l0,*l0,*l0,*l0,*l0,*l0,*l0,*l0,*l0]\n"
                             "l2: &l2 [*l1,*l1,*l1,*l1,*l1,*l1,*l1,*l1,*l1,*l1]\n"
                             "l3: &l3 [*l2,*l2,*l2,*l2,*l2,*l2,*l2,*l2,*l2,*l2]\n"
                             "l4: &l4 [*l3,*l3,*l3,*l3,*l3,*l3,*l3,*l3,*l3,*l3]\nkinds: *l4\n",
                             "k", ": *l4\n", 1000),
                    "unit has the unknown key 'l0'");
    char *wide = numbered("w: &w\n", "  k", ": 1\n", 5000);
    char *both = format("%sz:\n  <<: [%s*w]\n", wide,
                        "*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,"
                        "*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,*w,");
    free(wide);
    char *found = fault_of(both, strlen(both));
    assert_contains(found, "unit has the unknown key 'w'");
    free(found);
    free(both);
}

static void the_faults_of_a_file_are_bounded(void **state)
{
    opcat_faults faults = {0};
    (void)state;
    /* Thousands of kinds, each of thousands of faults: as aliases of one. */
    char *ops = numbered("kinds:\n a: &k {ops: {", "z", ": x,", 3000);
    char *all = numbered("", " k", ": *k\n", 9000);
    char *yaml = format("%s}}\n%s", ops, all);
    assert_null(opcat_read_profile("unit.yaml", "unit", yaml, strlen(yaml), &faults));
    opcat_faults_sort(&faults, 0);
    assert_int_equal(faults.count, OPCAT_FAULTS_OF_A_FILE + 1);
    assert_int_equal(faults.items[0].place.line, 2);
    assert_contains(faults.items[OPCAT_FAULTS_OF_A_FILE].text, "more faults than these 1000");
    opcat_faults_free(&faults);
    free(ops);
    free(all);
    free(yaml);
    yaml = repeated("a: [", "1,\t\t\t\t\t\t\t\t", 100000, "]");
    assert_null(opcat_read_profile("unit.yaml", "unit", yaml, strlen(yaml), &faults));
    assert_int_equal(faults.count, OPCAT_FAULTS_OF_A_FILE + 1);
    opcat_faults_free(&faults);
    free(yaml);
}

static void every_truncation_and_change_of_a_file_is_answered(void **state)
{
    size_t length = 0;
    char *bytes = read_bytes(OPCAT_SOURCE_DIR "/op_profiles/deepseek.yaml", &length);
    (void)state;
    for (size_t i = 0; i < length; i++)
        free(fault_of(bytes, i));
    for (size_t i = 0; i < length; i++) {
        char kept = bytes[i];
        static const unsigned char changes[] = {0x00, 0x09, 0x20, 0x21, 0x26, 0x2a, 0x3a, 0x5b, 0x7b, 0x7f, 0x80, 0xff};
        for (size_t j = 0; j < sizeof changes; j++) {
            bytes[i] = (char)changes[j];
            free(fault_of(bytes, length));
        }
        bytes[i] = kept;
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_scalars_are_read_by_yaml_1_1),
        cmocka_unit_test(numbers_in_strings_are_read_as_python_does),
        cmocka_unit_test(merge_keys_merge_as_in_python),
        cmocka_unit_test(faults_say_what_was_found_and_what_would_be_right),
        cmocka_unit_test(hostile_texts_are_answered_within_bounds),
        cmocka_unit_test(aliases_and_merges_of_themselves_stay_small),
        cmocka_unit_test(the_faults_of_a_file_are_bounded),
        cmocka_unit_test(every_truncation_and_change_of_a_file_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
