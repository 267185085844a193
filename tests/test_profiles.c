/* SPDX-License-Identifier: Apache-2.0 */
/* Families, profiles and kinds, as the library answers them. */
#include "support/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    char *folder;
    char *path;
    opcat_catalog *catalog;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    self->catalog = open_catalog(self->path, 0);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    opcat_close(self->catalog);
    free(self->path);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static const opcat_profile *load(fixture *self, const char *arch)
{
    const opcat_profile *profile = NULL;
    assert_int_equal(opcat_load_profile(self->catalog, arch, &profile), OPCAT_OK);
    assert_string_equal(profile->arch, arch);
    return profile;
}

static void the_families_are_listed_sorted(void **state)
{
    fixture *self = *state;
    static const char *const expected[] = {"deepseek", "default", "llama2", "mixtral", "pangualpha",
                                           "qwen",     "qwen3_5", "t5",     "vision"};
    /* Twice: the second answer comes from memory. */
    for (int again = 0; again < 2; again++) {
        opcat_names *archs = NULL;
        assert_int_equal(opcat_known_archs(self->catalog, &archs), OPCAT_OK);
        assert_int_equal(archs->count, 9);
        for (size_t i = 0; i < archs->count; i++)
            assert_string_equal(archs->names[i], expected[i]);
        opcat_names_free(archs);
    }
}

static void kinds_stand_in_the_order_of_the_file(void **state)
{
    fixture *self = *state;
    const opcat_profile *deepseek = load(self, "deepseek");
    assert_int_equal(deepseek->kind_count, 2);
    assert_string_equal(deepseek->kinds[0].name, "dense");
    assert_string_equal(deepseek->kinds[0].ffn, "dense");
    assert_string_equal(deepseek->kinds[1].name, "moe");
    assert_string_equal(deepseek->kinds[1].ffn, "moe");
    assert_ptr_equal(deepseek->default_kind, &deepseek->kinds[1]);
    assert_int_equal(deepseek->model.v_head_dim, 128);
    const opcat_profile *t5 = load(self, "t5");
    assert_string_equal(t5->kinds[0].name, "encoder");
    assert_string_equal(t5->kinds[1].name, "decoder");
}

static void counts_have_names_and_places(void **state)
{
    fixture *self = *state;
    const opcat_profile *t5 = load(self, "t5");
    static const int64_t decoder[OPCAT_OP_COUNT] = {8, 2, 2, 4, 7, 3, 6, 1, 1, 0};
    assert_int_equal(t5->kinds[1].ops.attMM, 8);
    assert_int_equal(t5->kinds[1].ops.gather, 6);
    assert_memory_equal(t5->kinds[1].ops.at, decoder, sizeof decoder);
    const opcat_profile *qwen = load(self, "qwen3_5");
    assert_string_equal(qwen->kinds[0].attention, "full");
    assert_string_equal(qwen->kinds[1].attention, "linear");
    assert_null(qwen->kinds[1].ffn);
    assert_int_equal(qwen->kinds[1].ops.linrec, 1);
    assert_int_equal(qwen->kinds[1].ops.at[OPCAT_OP_softmax], 0);
}

static void runs_have_their_defaults_filled_in(void **state)
{
    fixture *self = *state;
    const opcat_profile *llama = load(self, "llama2");
    assert_int_equal(llama->run.grad_bytes, 2);
    assert_true(llama->run.grad_accumulation);
    assert_int_equal(llama->run.optimizer_state_bytes, 4);
    assert_int_equal(llama->run.optimizer_states, 2);
    assert_true(llama->run.loss_parallel);
    assert_false(llama->run.shard_activations);
    assert_int_equal(llama->model.v_head_dim, 0);
    assert_int_equal(load(self, "t5")->run.dropout_bytes, 1);
}

static void a_family_loads_to_the_same_object(void **state)
{
    fixture *self = *state;
    assert_ptr_equal(load(self, "qwen"), load(self, "qwen"));
}

static void an_unknown_family_is_named_with_the_nearest_first(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = load(self, "qwen");
    assert_int_equal(opcat_load_profile(self->catalog, "quen3_5", &profile), OPCAT_NOT_FOUND);
    assert_null(profile);
    const char *message = opcat_errmsg(self->catalog);
    assert_contains(message, "'quen3_5'");
    assert_contains(message, "there are qwen3_5, ");
    assert_contains(message, "vision");
    assert_int_equal(opcat_load_profile(self->catalog, "a\nb'", &profile), OPCAT_NOT_FOUND);
    assert_contains(opcat_errmsg(self->catalog), "'a\\nb\\''");
    assert_int_equal(opcat_load_profile(self->catalog, "", &profile), OPCAT_NOT_FOUND);
    assert_int_equal(opcat_load_profile(self->catalog, "' OR 1=1 --", &profile), OPCAT_NOT_FOUND);
}

/* Import the families family00 and so on, forty of them, and refresh the handle. */
static void import_forty(fixture *self)
{
    char *source = one_kind_profile(1);
    char *folder = format("%s/many", self->folder);
    for (int i = 0; i < 40; i++) {
        char *path = format("%s/family%02d.yaml", folder, i);
        write_text(path, source);
        free(path);
    }
    import_paths(self->path, folder, NULL);
    assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
    free(source);
    free(folder);
}

static void past_twenty_families_the_message_counts(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    import_forty(self);
    assert_int_equal(opcat_load_profile(self->catalog, "family39x", &profile), OPCAT_NOT_FOUND);
    assert_contains(opcat_errmsg(self->catalog), "there are family39, ");
    assert_contains(opcat_errmsg(self->catalog), ", and 29 more");
}

static void each_of_many_families_loads_to_the_same_object(void **state)
{
    fixture *self = *state;
    const opcat_profile *first[40];
    char name[] = "family00";
    import_forty(self);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 40; i++) {
            name[6] = (char)('0' + i / 10);
            name[7] = (char)('0' + i % 10);
            const opcat_profile *loaded = load(self, name);
            assert_string_equal(loaded->arch, name);
            if (round == 0)
                first[i] = loaded;
            else
                assert_ptr_equal(loaded, first[i]);
        }
    }
}

static void an_unknown_family_falls_back_on_the_default(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    const opcat_profile *fallback = load(self, "default");
    assert_int_equal(opcat_family_profile(self->catalog, "unheard-of", &profile), OPCAT_OK);
    assert_ptr_equal(profile, fallback);
    assert_int_equal(opcat_family_profile(self->catalog, NULL, &profile), OPCAT_OK);
    assert_ptr_equal(profile, fallback);
    assert_int_equal(opcat_family_profile(self->catalog, "t5", &profile), OPCAT_OK);
    assert_ptr_equal(profile, load(self, "t5"));
}

static void without_a_default_family_there_is_no_fallback(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    run_sql(self->path, "DELETE FROM kind WHERE arch = 'default'; DELETE FROM profile WHERE arch = 'default'");
    assert_int_equal(opcat_refresh(self->catalog, NULL), OPCAT_OK);
    assert_int_equal(opcat_family_profile(self->catalog, "unheard-of", &profile), OPCAT_NOT_FOUND);
    assert_contains(opcat_errmsg(self->catalog), "'default'");
}

static void kinds_are_found_by_name(void **state)
{
    fixture *self = *state;
    const opcat_profile *t5 = load(self, "t5");
    const opcat_layer_kind *kind = NULL;
    assert_int_equal(opcat_profile_kind(self->catalog, t5, "decoder", &kind), OPCAT_OK);
    assert_ptr_equal(kind, &t5->kinds[1]);
    assert_int_equal(opcat_profile_kind(self->catalog, t5, "decodr", &kind), OPCAT_NOT_FOUND);
    assert_null(kind);
    assert_contains(opcat_errmsg(self->catalog), "'decodr'");
    assert_contains(opcat_errmsg(self->catalog), "it has decoder, encoder");
    assert_int_equal(opcat_profile_kind(NULL, t5, "decoder", &kind), OPCAT_OK);
    assert_int_equal(opcat_profile_kind(NULL, t5, "decodr", &kind), OPCAT_NOT_FOUND);
    assert_int_equal(opcat_profile_kind(self->catalog, t5, NULL, &kind), OPCAT_MISUSE);
    assert_int_equal(opcat_profile_kind(self->catalog, NULL, "decoder", &kind), OPCAT_MISUSE);
    assert_int_equal(opcat_profile_kind(self->catalog, t5, "decoder", NULL), OPCAT_MISUSE);
}

static void a_null_argument_is_misuse(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    assert_int_equal(opcat_load_profile(self->catalog, NULL, &profile), OPCAT_MISUSE);
    assert_contains(opcat_errmsg(self->catalog), "arch");
    assert_int_equal(opcat_load_profile(self->catalog, "t5", NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_load_profile(NULL, "t5", &profile), OPCAT_MISUSE);
    assert_int_equal(opcat_family_profile(self->catalog, "t5", NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_family_profile(NULL, "t5", &profile), OPCAT_MISUSE);
}

static void a_retained_profile_outlives_its_handle(void **state)
{
    fixture *self = *state;
    const opcat_profile *kept = opcat_profile_retain(load(self, "deepseek"));
    const opcat_layer_kind *kind = NULL;
    opcat_close(self->catalog);
    self->catalog = NULL;
    assert_string_equal(kept->kinds[1].name, "moe");
    assert_int_equal(opcat_profile_kind(NULL, kept, "moe", &kind), OPCAT_OK);
    opcat_profile_release(kept);
}

static void a_release_too_many_does_no_harm_while_the_handle_lives(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = load(self, "qwen");
    opcat_profile_release(profile);
    assert_string_equal(profile->arch, "qwen");
    assert_ptr_equal(load(self, "qwen"), profile);
}

static void *retain_and_release(void *profile)
{
    for (int i = 0; i < 10000; i++) {
        opcat_profile_retain(profile);
        opcat_profile_release(profile);
    }
    opcat_profile_release(profile);
    return NULL;
}

static void threads_share_a_retained_profile(void **state)
{
    enum { THREADS = 4 };
    fixture *self = *state;
    pthread_t threads[THREADS];
    const opcat_profile *profile = load(self, "qwen");
    for (int i = 0; i < THREADS; i++)
        opcat_profile_retain(profile);
    opcat_close(self->catalog);
    self->catalog = NULL;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, (void *)(uintptr_t)profile), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* What no importer writes, and somebody's shell may. Each makes its family, and it alone, unreadable. */
static void rows_that_cannot_be_right_are_corrupt(void **state)
{
    fixture *self = *state;
    static const char *const changes[] = {
        "UPDATE kind SET softmax = -1 WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET softmax = 'four' WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET softmax = 1.5 WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET attention = 'sliding' WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET attention = x'66756c6c' WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET ffn = 'sparse' WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET position = 0 WHERE arch = 't5'",
        "UPDATE kind SET position = 7 WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET position = -1 WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET name = '' WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET name = CAST(x'ff' AS TEXT) WHERE arch = 't5' AND name = 'decoder'",
        "UPDATE kind SET name = CAST(x'610062' AS TEXT) WHERE arch = 't5' AND name = 'decoder'",
        "DELETE FROM kind WHERE arch = 't5'",
        "UPDATE profile SET default_kind = 'nobody' WHERE arch = 't5'",
        "UPDATE profile SET default_kind = 5 WHERE arch = 't5'",
        "UPDATE profile SET v_head_dim = 0 WHERE arch = 't5'",
        "UPDATE profile SET grad_bytes = -4 WHERE arch = 't5'",
        "UPDATE profile SET optimizer_states = 0 WHERE arch = 't5'",
        "UPDATE profile SET loss_parallel = 2 WHERE arch = 't5'",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const opcat_profile *profile = NULL;
        char *path = format("%s/damaged%zu.db", self->folder, i);
        char *sql = format("PRAGMA ignore_check_constraints = 1; %s", changes[i]);
        size_t length = 0;
        char *bytes = read_bytes(self->path, &length);
        write_file(path, bytes, length);
        run_sql(path, sql);
        opcat_catalog *catalog = open_catalog(path, 0);
        if (opcat_load_profile(catalog, "t5", &profile) != OPCAT_CORRUPT)
            fail_msg("not corrupt after: %s", changes[i]);
        assert_null(profile);
        assert_contains(opcat_errmsg(catalog), path);
        assert_contains(opcat_errmsg(catalog), "'t5'");
        assert_int_equal(opcat_load_profile(catalog, "qwen", &profile), OPCAT_OK);
        opcat_close(catalog);
        free(bytes);
        free(sql);
        free(path);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_families_are_listed_sorted),
        TEST(kinds_stand_in_the_order_of_the_file),
        TEST(counts_have_names_and_places),
        TEST(runs_have_their_defaults_filled_in),
        TEST(a_family_loads_to_the_same_object),
        TEST(an_unknown_family_is_named_with_the_nearest_first),
        TEST(past_twenty_families_the_message_counts),
        TEST(each_of_many_families_loads_to_the_same_object),
        TEST(an_unknown_family_falls_back_on_the_default),
        TEST(without_a_default_family_there_is_no_fallback),
        TEST(kinds_are_found_by_name),
        TEST(a_null_argument_is_misuse),
        TEST(a_retained_profile_outlives_its_handle),
        TEST(a_release_too_many_does_no_harm_while_the_handle_lives),
        TEST(threads_share_a_retained_profile),
        TEST(rows_that_cannot_be_right_are_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
