/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of faulty files: each mistake once, in every file, and within bounds. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "../import/read_profile.h"
#include "../import/read_rules.h"

#define OPS \
    "{attMM: 4, attBMM: 2, ffMM: 3, softmax: 1, dropout: 0, normOp: 2, gather: 4, headCast: 1, ffAct: 1, linrec: 0}"

static void read_unit(const char *file, const char *yaml, opcat_faults *faults)
{
    assert_null(opcat_read_profile(file, "unit", yaml, strlen(yaml), faults));
    assert_false(faults->out_of_memory);
}

static void one_mistake_is_said_once(void **state)
{
    static const struct {
        const char *yaml;
        const char *expected;
    } cases[] = {
        {"kind: {a: {ops: " OPS "}}", "unit has the unknown key 'kind'; did you mean 'kinds'?"},
        {"yes: {a: {ops: " OPS "}}", "a key must be a string (put it in quotes), got yes, a boolean"},
        {"kinds: {1: {ops: " OPS "}}", "a key must be a string (put it in quotes), got 1"},
        {"kinds: {1: {ops: " OPS "}, a: {ops: " OPS "}}\ndefault: '1'",
         "a key must be a string (put it in quotes), got 1"},
        {"kinds: {'': {ops: " OPS "}, a: {ops: " OPS "}}\ndefault: ''",
         "unit.kinds cannot have a kind named ''; a kind's name has at least one character, and no control character"},
        {"kinds: {a: {op: " OPS "}}", "unit.kinds.a has the unknown key 'op'; did you mean 'ops'?"},
        {"kinds: {a: {~: " OPS "}}", "a key must be a string (put it in quotes), got null"},
        {"kinds: {a: {ops: {<<: 4}}}", "a merge key (<<) takes a mapping or a sequence of mappings, got 4"},
        {"kinds: {a: {ops: {<<: *o}}}", "not YAML: the alias *o names no anchor before it"},
        {"kinds: {a: {ops: {<<: [4]}}}", "a merge key (<<) takes a mapping or a sequence of mappings, got 4"},
        {"kinds: {a: {ops: {<<: {1: 4}}}}", "a key must be a string (put it in quotes), got 1"},
        {"kinds: {a: {ops: !!set {attMM}}}",
         "a mapping has a tag that is not allowed; !!seq and !!map are, each for its own"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opcat_faults faults = {0};
        read_unit("unit.yaml", cases[i].yaml, &faults);
        assert_string_equal(faults.items[0].text, cases[i].expected);
        if (faults.count > 1)
            fail_msg("%s: also %s", cases[i].yaml, faults.items[1].text);
        opcat_faults_free(&faults);
    }
}

static void several_mistakes_are_all_said(void **state)
{
    opcat_faults faults = {0};
    (void)state;
    read_unit("unit.yaml", "name: x\nrun: 4\nkinds: {a: {ops: {attmm: 4, 1: 2}}, b: {}, a: {}}\ndefault: c\n", &faults);
    opcat_faults_sort(&faults, 0);
    assert_int_equal(faults.count, 7);
    assert_string_equal(faults.items[0].text, "unit has the unknown key 'name'; it may have kinds, default, run and "
                                              "model");
    assert_string_equal(faults.items[1].text, "unit.run must map run fields to values, got 4");
    assert_string_equal(faults.items[2].text, "unit.kinds.a.ops has the unknown op 'attmm'; did you mean 'attMM'?");
    assert_string_equal(faults.items[3].text, "a key must be a string (put it in quotes), got 1");
    assert_string_equal(faults.items[4].text, "unit.kinds.b has no ops; it must map each of the ten to its count");
    assert_string_equal(faults.items[5].text, "key 'a' is stated twice, first on line 3");
    assert_string_equal(faults.items[6].text, "unit.default must name one of the kinds, got 'c'; they are a and b");
    opcat_faults_free(&faults);
}

/* A value that is a fault already has no text to be shown. */
static void refused_collections_can_stand_anywhere(void **state)
{
    static const char *const values[] = {"!!set {a: 1, b: 2}", "!!omap [a: 1]", "!!map [a, b]", "[!!set {a: 1, b: 2}]",
                                         "{a: !!pairs [a, b, c]}"};
    static const char *const places[] = {"kinds: {a: {ops: " OPS ", attention: %s}}",
                                         "kinds: {a: {ops: " OPS ", ffn: %s}}",
                                         "kinds: {a: {ops: %s}}",
                                         "kinds: {a: {ops: {attMM: %s}}}",
                                         "kinds: {a: {ops: {<<: %s}}}",
                                         "kinds: {a: %s}",
                                         "kinds: %s",
                                         "{? %s : 1}",
                                         "kinds: {a: {ops: " OPS "}}\ndefault: %s",
                                         "kinds: {a: {ops: " OPS "}}\nrun: {loss_parallel: %s}",
                                         "kinds: {a: {ops: " OPS "}}\nmodel: {v_head_dim: %s}",
                                         "prefixes: {a: %s}",
                                         "traits: {qk_norm: %s}",
                                         "traits: {qk_norm: [%s]}"};
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            opcat_faults faults = {0};
            const char *hole = strstr(places[i], "%s");
            char *yaml = format("%.*s%s%s", (int)(hole - places[i]), places[i], values[j], hole + 2);
            read_unit("unit.yaml", yaml, &faults);
            assert_true(faults.count > 0);
            opcat_rules_free(opcat_read_rules("rules.yaml", yaml, strlen(yaml), &faults));
            assert_string_equal(faults.items[faults.count - 1].file, "rules.yaml");
            assert_null(opcat_read_declared("ops.yaml", yaml, strlen(yaml), &faults));
            opcat_faults_free(&faults);
            free(yaml);
        }
    }
}

static void a_file_full_of_faults_hides_none_of_the_next(void **state)
{
    opcat_faults faults = {0};
    (void)state;
    char *many = format("kinds: {%*s}", 3000, "");
    for (size_t i = 0; i < 1500; i++)
        memcpy(many + 8 + 2 * i, "1,", 2);
    read_unit("many.yaml", many, &faults);
    assert_int_equal(faults.count, OPCAT_FAULTS_OF_A_FILE + 1);
    assert_true(opcat_faults_enough(&faults, "many.yaml"));
    assert_false(opcat_faults_enough(&faults, "next.yaml"));
    read_unit("next.yaml", "kinds: {a: {ops: {}}, b: {ops: 4}}", &faults);
    assert_int_equal(faults.count, OPCAT_FAULTS_OF_A_FILE + 3);
    assert_string_equal(faults.items[faults.count - 1].file, "next.yaml");
    assert_contains(faults.items[faults.count - 1].text, "unit.kinds.b.ops must map");
    opcat_faults_free(&faults);
    free(many);
}

static void directives_are_bounded(void **state)
{
    opcat_faults faults = {0};
    (void)state;
    enum { LINE = 14, LINES = 20000 };
    char *yaml = format("%*s", LINE * LINES, "");
    for (size_t i = 0; i < LINES; i++) {
        char *line = format("%%TAG !%04zx! x\n", i);
        assert_int_equal(strlen(line), LINE);
        memcpy(yaml + LINE * i, line, LINE);
        free(line);
    }
    read_unit("unit.yaml", yaml, &faults);
    assert_int_equal(faults.count, 1);
    assert_int_equal(faults.items[0].place.line, 101);
    assert_contains(faults.items[0].text, "more lines that open with %");
    opcat_faults_free(&faults);
    free(yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mistake_is_said_once),
        cmocka_unit_test(several_mistakes_are_all_said),
        cmocka_unit_test(refused_collections_can_stand_anywhere),
        cmocka_unit_test(a_file_full_of_faults_hides_none_of_the_next),
        cmocka_unit_test(directives_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
