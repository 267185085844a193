/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's name tells: family, traits, and the warning where no rule claims it. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    char *folder;
    char *path;
    opcat_catalog *catalog;
    int warnings;
    char *last;
} fixture;

static void keep_warning(void *context, const char *message)
{
    fixture *self = context;
    self->warnings++;
    free(self->last);
    self->last = format("%s", message);
}

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    self->catalog = open_catalog(self->path, 0);
    opcat_set_logger(self->catalog, keep_warning, self);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    opcat_close(self->catalog);
    free(self->last);
    free(self->path);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static void assert_arch(fixture *self, const char *name, const char *expected)
{
    const char *arch = NULL;
    assert_int_equal(opcat_infer_arch(self->catalog, name, &arch), OPCAT_OK);
    if (strcmp(arch, expected) != 0)
        fail_msg("%s is %s, not %s", name, arch, expected);
}

static bool has(fixture *self, const char *name, opcat_trait trait)
{
    bool answer = false;
    assert_int_equal(opcat_infer_trait(self->catalog, name, trait, &answer), OPCAT_OK);
    return answer;
}

static void the_longest_prefix_tells_the_family(void **state)
{
    fixture *self = *state;
    assert_arch(self, "qwen2-72b", "qwen");
    assert_arch(self, "qwen3_5-moe", "qwen3_5");
    assert_arch(self, "qwen3.5", "qwen3_5");
    assert_arch(self, "qwen3", "qwen");
    assert_arch(self, "qwen", "qwen");
    assert_arch(self, "t5-small", "t5");
    assert_arch(self, "pangualpha_2_6b", "pangualpha");
    assert_arch(self, "llama2_70b", "llama2");
    assert_int_equal(self->warnings, 0);
}

static void letters_of_ascii_are_lower_cased(void **state)
{
    fixture *self = *state;
    assert_arch(self, "DeepSeek-V3", "deepseek");
    assert_arch(self, "QWEN3.5-397B", "qwen3_5");
    assert_arch(self, "MiXtRaL", "mixtral");
}

static void a_prefix_must_open_the_name(void **state)
{
    fixture *self = *state;
    assert_arch(self, "my-qwen", "default");
    assert_arch(self, " qwen", "default");
    assert_arch(self, "qwe", "default");
    assert_arch(self, "llama3", "default");
}

static void the_order_of_the_rules_decides_nothing(void **state)
{
    fixture *self = *state;
    char *folder = format("%s/rules", self->folder);
    char *rules = format("%s/inference/model_names.yaml", folder);
    static const char *const texts[] = {
        "prefixes: {a: qwen, ab: t5, abc: vision, abd: llama2, b: mixtral}\n",
        "prefixes: {b: mixtral, abd: llama2, abc: vision, ab: t5, a: qwen}\n",
    };
    for (size_t i = 0; i < 2; i++) {
        write_text(rules, texts[i]);
        import_paths(self->path, folder, NULL);
        assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
        assert_arch(self, "abcd", "vision");
        assert_arch(self, "abde", "llama2");
        assert_arch(self, "abe", "t5");
        assert_arch(self, "abb", "t5");
        assert_arch(self, "ac", "qwen");
        assert_arch(self, "azz", "qwen");
        assert_arch(self, "b", "mixtral");
    }
    free(folder);
    free(rules);
}

static void names_are_compared_by_bytes(void **state)
{
    fixture *self = *state;
    char *folder = format("%s/rules", self->folder);
    char *rules = format("%s/inference/model_names.yaml", folder);
    write_text(rules, "prefixes: {解码: qwen, é: t5}\n");
    import_paths(self->path, folder, NULL);
    assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
    assert_arch(self, "解码器", "qwen");
    assert_arch(self, "étude", "t5");
    assert_arch(self, "Étude of bytes", "default");
    assert_arch(self, "\xff\xfe", "default");
    assert_contains(self->last, "\\xff\\xfe");
    free(folder);
    free(rules);
}

static void traits_are_contained_anywhere(void **state)
{
    fixture *self = *state;
    assert_true(has(self, "My-Qwen3-8B", OPCAT_TRAIT_QK_NORM));
    assert_false(has(self, "My-Qwen3-8B", OPCAT_TRAIT_QKV_BIAS));
    assert_true(has(self, "qwen2_moe", OPCAT_TRAIT_QKV_BIAS));
    assert_true(has(self, "qwen2_moe", OPCAT_TRAIT_SHARED_EXPERT_GATE));
    assert_true(has(self, "xQWEN3_NEXT", OPCAT_TRAIT_SHARED_EXPERT_GATE));
    assert_false(has(self, "qwen", OPCAT_TRAIT_QK_NORM));
    assert_false(has(self, "", OPCAT_TRAIT_QK_NORM));
    assert_int_equal(self->warnings, 0);
}

static void a_name_no_rule_claims_is_warned_about_once(void **state)
{
    fixture *self = *state;
    assert_arch(self, "once-only", "default");
    assert_int_equal(self->warnings, 1);
    assert_contains(self->last, "once-only");
    assert_contains(self->last, "default");
    assert_null(strchr(self->last, '\n'));
    assert_arch(self, "once-only", "default");
    assert_arch(self, "Once-ONLY", "default");
    opcat_catalog *other = open_catalog(self->path, 0);
    const char *arch = NULL;
    opcat_set_logger(other, keep_warning, self);
    assert_int_equal(opcat_infer_arch(other, "ONCE-only", &arch), OPCAT_OK);
    opcat_close(other);
    assert_int_equal(self->warnings, 1);
    assert_arch(self, "another one", "default");
    assert_int_equal(self->warnings, 2);
}

static void a_warning_has_the_whole_name_on_one_line(void **state)
{
    fixture *self = *state;
    char *name = format("it's\n\x1b[31m%0500d", 1);
    char *said = format("no naming rule claims 'it's\\u000a\\u001b[31m%0500d'; it is priced as default", 1);
    assert_arch(self, name, "default");
    assert_string_equal(self->last, said);
    free(said);
    free(name);
}

static void many_names_are_remembered_within_bounds(void **state)
{
    fixture *self = *state;
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 500; i++) {
            char *name = format("bounded-%d", i);
            assert_arch(self, name, "default");
            free(name);
        }
        assert_int_equal(self->warnings, 500);
    }
    for (int i = 0; i < 50000; i++) {
        char *name = format("unbounded-%d", i);
        assert_arch(self, name, "default");
        free(name);
    }
    assert_int_equal(self->warnings, 50500);
}

/* What a call prints to standard error; free() it. */
static char *printed_by(fixture *self, opcat_catalog *catalog, const char *name)
{
    char *path = format("%s/stderr", self->folder);
    const char *arch = NULL;
    size_t length = 0;
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_non_null(freopen(path, "w", stderr));
    opcat_status status = opcat_infer_arch(catalog, name, &arch);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    assert_int_equal(status, OPCAT_OK);
    char *text = read_bytes(path, &length);
    free(path);
    return text;
}

static void without_a_logger_the_warning_goes_to_standard_error(void **state)
{
    fixture *self = *state;
    opcat_catalog *plain = open_catalog(self->path, 0);
    char *text = printed_by(self, plain, "said-aloud");
    assert_contains(text, "said-aloud");
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
    opcat_close(plain);
}

static void with_a_null_logger_it_goes_nowhere(void **state)
{
    fixture *self = *state;
    opcat_set_logger(self->catalog, NULL, NULL);
    char *text = printed_by(self, self->catalog, "said-to-nobody");
    assert_string_equal(text, "");
    free(text);
    opcat_set_logger(self->catalog, keep_warning, self);
    assert_arch(self, "said-to-nobody", "default");
    assert_int_equal(self->warnings, 1);
}

static void misuse_is_said(void **state)
{
    fixture *self = *state;
    const char *arch = "x";
    bool answer = true;
    assert_int_equal(opcat_infer_arch(self->catalog, NULL, &arch), OPCAT_MISUSE);
    assert_null(arch);
    assert_int_equal(opcat_infer_arch(self->catalog, "qwen", NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_infer_arch(NULL, "qwen", &arch), OPCAT_MISUSE);
    assert_int_equal(opcat_infer_trait(self->catalog, NULL, OPCAT_TRAIT_QK_NORM, &answer), OPCAT_MISUSE);
    assert_false(answer);
    assert_int_equal(opcat_infer_trait(self->catalog, "qwen", (opcat_trait)3, &answer), OPCAT_MISUSE);
    assert_int_equal(opcat_infer_trait(self->catalog, "qwen", (opcat_trait)-1, &answer), OPCAT_MISUSE);
    assert_int_equal(opcat_infer_trait(self->catalog, "qwen", OPCAT_TRAIT_QK_NORM, NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_infer_trait(NULL, "qwen", OPCAT_TRAIT_QK_NORM, &answer), OPCAT_MISUSE);
}

static void a_rule_that_cannot_be_right_is_corrupt(void **state)
{
    fixture *self = *state;
    const char *arch = NULL;
    run_sql(self->path, "PRAGMA ignore_check_constraints = 1; INSERT INTO rule VALUES ('prefix', '', 'qwen')");
    assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
    assert_int_equal(opcat_infer_arch(self->catalog, "qwen", &arch), OPCAT_CORRUPT);
    run_sql(self->path,
            "PRAGMA ignore_check_constraints = 1; UPDATE rule SET rule = 'size', pattern = 'x', arch = NULL "
            "WHERE pattern = ''");
    assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
    assert_int_equal(opcat_infer_arch(self->catalog, "qwen", &arch), OPCAT_CORRUPT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_longest_prefix_tells_the_family),
        TEST(letters_of_ascii_are_lower_cased),
        TEST(a_prefix_must_open_the_name),
        TEST(the_order_of_the_rules_decides_nothing),
        TEST(names_are_compared_by_bytes),
        TEST(traits_are_contained_anywhere),
        TEST(a_name_no_rule_claims_is_warned_about_once),
        TEST(a_warning_has_the_whole_name_on_one_line),
        TEST(many_names_are_remembered_within_bounds),
        TEST(without_a_logger_the_warning_goes_to_standard_error),
        TEST(with_a_null_logger_it_goes_nowhere),
        TEST(misuse_is_said),
        TEST(a_rule_that_cannot_be_right_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
