/* SPDX-License-Identifier: Apache-2.0 */
/* The op counts that a model is priced with. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    char *folder;
    opcat_catalog *catalog;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    char *path = format("%s/catalog.db", self->folder);
    import_paths(path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    self->catalog = open_catalog(path, 0);
    free(path);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    opcat_close(self->catalog);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static const opcat_ops ones = {.at = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
static const opcat_ops twos = {.at = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};

static void without_declared_counts_the_profiles_own_hold(void **state)
{
    fixture *self = *state;
    opcat_resolution *resolution = NULL;
    const opcat_profile *t5 = NULL;
    assert_int_equal(opcat_load_profile(self->catalog, "t5", &t5), OPCAT_OK);
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", NULL, 0, &resolution), OPCAT_OK);
    assert_int_equal(resolution->count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(resolution->kinds[i].kind, t5->kinds[i].name);
        assert_memory_equal(&resolution->kinds[i].ops, &t5->kinds[i].ops, sizeof(opcat_ops));
    }
    opcat_resolution_free(resolution);
}

static void declared_counts_replace_them_in_the_profiles_order(void **state)
{
    fixture *self = *state;
    opcat_resolution *resolution = NULL;
    const opcat_kind_ops declared[] = {{"decoder", ones}, {"encoder", twos}};
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", declared, 2, &resolution), OPCAT_OK);
    assert_int_equal(resolution->count, 2);
    assert_string_equal(resolution->kinds[0].kind, "encoder");
    assert_memory_equal(&resolution->kinds[0].ops, &twos, sizeof twos);
    assert_string_equal(resolution->kinds[1].kind, "decoder");
    assert_memory_equal(&resolution->kinds[1].ops, &ones, sizeof ones);
    opcat_resolution_free(resolution);
}

static void a_resolution_outlives_its_handle(void **state)
{
    fixture *self = *state;
    opcat_resolution *resolution = NULL;
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", NULL, 0, &resolution), OPCAT_OK);
    opcat_close(self->catalog);
    self->catalog = NULL;
    assert_string_equal(resolution->kinds[1].kind, "decoder");
    opcat_resolution_free(resolution);
}

static void assert_invalid(fixture *self, const opcat_kind_ops *declared, size_t count, const char *part)
{
    opcat_resolution *resolution = NULL;
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", declared, count, &resolution), OPCAT_INVALID);
    assert_null(resolution);
    assert_contains(opcat_errmsg(self->catalog), "'t5'");
    assert_contains(opcat_errmsg(self->catalog), part);
}

static void what_is_declared_must_be_the_profiles_kinds(void **state)
{
    fixture *self = *state;
    const opcat_kind_ops missing[] = {{"encoder", ones}};
    const opcat_kind_ops unknown[] = {{"encoder", ones}, {"decodr", ones}};
    const opcat_kind_ops extra[] = {{"encoder", ones}, {"decoder", ones}, {"moe", ones}};
    const opcat_kind_ops twice[] = {{"encoder", ones}, {"encoder", twos}};
    assert_invalid(self, missing, 1, "leave out its kind 'decoder'");
    assert_invalid(self, unknown, 2, "'decodr'");
    assert_invalid(self, unknown, 2, "it has decoder, encoder");
    assert_invalid(self, extra, 3, "'moe'");
    assert_invalid(self, twice, 2, "twice the kind 'encoder'");
}

static void declared_counts_are_from_zero(void **state)
{
    fixture *self = *state;
    opcat_kind_ops declared[] = {{"encoder", ones}, {"decoder", ones}};
    declared[1].ops.gather = -3;
    assert_invalid(self, declared, 2, "gather must be at least 0, got -3");
    declared[1].ops.gather = INT64_MAX;
    declared[0].ops.attMM = 0;
    opcat_resolution *resolution = NULL;
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", declared, 2, &resolution), OPCAT_OK);
    assert_true(resolution->kinds[1].ops.gather == INT64_MAX);
    opcat_resolution_free(resolution);
}

static void an_unknown_family_is_not_found(void **state)
{
    fixture *self = *state;
    opcat_resolution *resolution = NULL;
    assert_int_equal(opcat_resolve_ops(self->catalog, "t6", NULL, 0, &resolution), OPCAT_NOT_FOUND);
    assert_null(resolution);
    assert_contains(opcat_errmsg(self->catalog), "there are t5, ");
}

static void misuse_is_said(void **state)
{
    fixture *self = *state;
    opcat_resolution *resolution = NULL;
    const opcat_kind_ops nameless[] = {{"encoder", ones}, {NULL, ones}};
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", NULL, 2, &resolution), OPCAT_MISUSE);
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", nameless, 2, &resolution), OPCAT_MISUSE);
    assert_int_equal(opcat_resolve_ops(self->catalog, NULL, NULL, 0, &resolution), OPCAT_MISUSE);
    assert_int_equal(opcat_resolve_ops(self->catalog, "t5", NULL, 0, NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_resolve_ops(NULL, "t5", NULL, 0, &resolution), OPCAT_MISUSE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_declared_counts_the_profiles_own_hold),
        TEST(declared_counts_replace_them_in_the_profiles_order),
        TEST(a_resolution_outlives_its_handle),
        TEST(what_is_declared_must_be_the_profiles_kinds),
        TEST(declared_counts_are_from_zero),
        TEST(an_unknown_family_is_not_found),
        TEST(misuse_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
