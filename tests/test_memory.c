/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails in turn: the project's, SQLite's and libyaml's. Each failure is told, nothing leaks, and the
 * catalog is the old one or the new one, whole. This program brings its own malloc(), which counts.
 */
#include "support/support.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../import/import.h"
#include "../import/read_profile.h"
#include "../import/read_rules.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);

/* An import has a thread of its own for reading. */
static atomic_long until_failure = -1; /* allocations that succeed before one fails; below 0: none fails */
static atomic_bool failed;             /* one did */
static atomic_long live;               /* allocations that have not been freed */
static atomic_long made_in_all;        /* allocations ever made */

/* The one allocation fails, and those after it succeed again. */
static bool fails(void)
{
    made_in_all++;
    if (until_failure < 0 || until_failure-- != 0)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    void *made = fails() ? NULL : __libc_malloc(size);
    live += made != NULL;
    return made;
}

void *calloc(size_t count, size_t size)
{
    void *made = fails() ? NULL : __libc_calloc(count, size);
    live += made != NULL;
    return made;
}

void *realloc(void *old, size_t size)
{
    void *made = fails() ? NULL : __libc_realloc(old, size);
    live += made && !old;
    return made;
}

void free(void *old)
{
    live -= old != NULL;
    __libc_free(old);
}

typedef struct fixture {
    char *folder;
    char *catalog;
    char *changed; /* a folder of profiles and rules that differ from the catalog's */
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/catalog.db", self->folder);
    self->changed = format("%s/changed", self->folder);
    char *profile = format("%s/t5.yaml", self->changed), *other = format("%s/new.yaml", self->changed);
    char *rules = format("%s/inference/model_names.yaml", self->changed);
    char *source = one_kind_profile(3);
    char *aliased =
        format("default: b\nrun: {grad_bytes: 2}\nkinds:\n  a: &a {ops: &o {attMM: 1, attBMM: 1, ffMM: 1, softmax: "
               "1, dropout: 1, normOp: 1, gather: 1, headCast: 1, ffAct: 1, linrec: '1'}}\n  b: {<<: *a, ffn: moe}\n");
    write_text(profile, source);
    write_text(other, aliased);
    write_text(rules, "prefixes: {neu: new}\ntraits: {qk_norm: [x, y]}\n");
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1700000000", 1), 0);
    import_paths(self->catalog, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    free(profile);
    free(other);
    free(rules);
    free(source);
    free(aliased);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    free(self->catalog);
    free(self->changed);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/*
 * Run a work, failing one allocation; whether there was one to fail. The work says whether what came of it can be
 * right: true where it was told of the failure, or did not need the memory.
 */
static bool fail_once(long at, bool (*work)(fixture *self), fixture *self)
{
    long before = live;
    failed = false;
    until_failure = at;
    bool right = work(self);
    until_failure = -1;
    if (!right)
        fail_msg("allocation %ld fails, and what comes of it is wrong", at);
    if (live != before)
        fail_msg("allocation %ld fails, and %ld more are live after it", at, live - before);
    return failed;
}

/* Run a work again and again, failing one allocation later each time, until a run needs no failure; how many failed. */
static long fail_from(long first, bool (*work)(fixture *self), fixture *self)
{
    (void)work(self); /* what is allocated once and kept, is */
    long at = first;
    while (fail_once(at, work, self))
        at++;
    return at;
}

static long fail_each(bool (*work)(fixture *self), fixture *self)
{
    return fail_from(0, work, self);
}

static bool is_told(opcat_status status)
{
    return status == OPCAT_OK || status == OPCAT_NOMEM;
}

static void ignore(void *context, const char *message)
{
    (void)context;
    (void)message;
}

/* Every call of the library on one handle. */
static bool use_library(fixture *self)
{
    static const opcat_kind_ops declared[] = {{"encoder", {.at = {1}}}, {"decoder", {.at = {2}}}};
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    opcat_resolution *resolution = NULL;
    const opcat_profile *profile = NULL;
    const opcat_layer_kind *kind = NULL;
    const char *arch = NULL;
    bool has = false;
    opcat_status status = opcat_open(self->catalog, 0, &catalog);
    bool right = is_told(status) && (status == OPCAT_OK || !catalog || *opcat_errmsg(catalog));
    if (status == OPCAT_OK) {
        opcat_set_logger(catalog, ignore, NULL);
        right = right && is_told(opcat_known_archs(catalog, &archs)) &&
                is_told(opcat_load_profile(catalog, "t5", &profile));
        status = opcat_load_profile(catalog, "nobody", &profile);
        right = right && (status == OPCAT_NOT_FOUND || status == OPCAT_NOMEM) && !profile && *opcat_errmsg(catalog);
        right = right && is_told(opcat_family_profile(catalog, "nobody", &profile));
        status = profile ? opcat_profile_kind(catalog, profile, "nothing", &kind) : OPCAT_NOMEM;
        right = right && (status == OPCAT_NOT_FOUND || status == OPCAT_NOMEM);
        right = right && is_told(opcat_infer_arch(catalog, "never heard of", &arch));
        right = right && is_told(opcat_infer_trait(catalog, "qwen3", OPCAT_TRAIT_QK_NORM, &has));
        right = right && is_told(opcat_resolve_ops(catalog, "t5", declared, 2, &resolution));
        opcat_resolution_free(resolution);
        status = opcat_resolve_ops(catalog, "t5", declared, 1, &resolution);
        right = right && (status == OPCAT_INVALID || status == OPCAT_NOMEM) && !resolution;
        right = right && is_told(opcat_refresh(catalog, &has));
    }
    opcat_names_free(archs);
    opcat_close(catalog);
    return right;
}

static void the_library_tells_of_every_failure(void **state)
{
    long count = fail_each(use_library, *state);
    print_message("%ld allocations failed\n", count);
    assert_true(count > 100);
}

/* A handle that has answered, and is moved to another generation while memory is out. */
static bool refresh_handle(fixture *self)
{
    const opcat_profile *profile = NULL;
    opcat_catalog *catalog = NULL;
    bool changed = false;
    long failing = until_failure;
    until_failure = -1;
    if (opcat_open(self->catalog, 0, &catalog) != OPCAT_OK || opcat_load_profile(catalog, "t5", &profile) != OPCAT_OK)
        return false;
    run_sql(self->catalog, "PRAGMA user_version = 101; PRAGMA user_version = 100");
    until_failure = failing;
    opcat_status status = opcat_refresh(catalog, &changed);
    failing = until_failure;
    until_failure = -1;
    /* Moved or not, it answers as before. */
    bool right = is_told(status) && changed == (status == OPCAT_OK) &&
                 opcat_load_profile(catalog, "t5", &profile) == OPCAT_OK && profile->kind_count == 2;
    opcat_close(catalog);
    until_failure = failing;
    return right;
}

static void a_refresh_that_fails_leaves_a_handle_that_answers(void **state)
{
    long count = fail_each(refresh_handle, *state);
    print_message("%ld allocations failed\n", count);
    assert_true(count > 20);
}

/* An import into a copy of the catalog: refused by lack of memory it leaves the copy as it was, byte for byte. */
static bool import_changes(fixture *self)
{
    long failing = until_failure;
    until_failure = -1;
    size_t length = 0, now_length = 0;
    char *before = read_bytes(self->catalog, &length);
    char *copy = format("%s/copy/copy.db", self->folder);
    char *folder = format("%s/copy", self->folder);
    write_file(copy, before, length);
    const char *paths[] = {self->changed};
    opcat_import_options options = {.catalog = copy, .paths = paths, .path_count = 1, .prune = false};
    opcat_import_report report;
    until_failure = failing;
    opcat_import_result result = opcat_import(&options, &report);
    failing = until_failure;
    until_failure = -1;
    bool out_of_memory = !report.message || report.faults.out_of_memory;
    opcat_import_report_free(&report);
    char *now = read_bytes(copy, &now_length);
    bool unchanged = length == now_length && memcmp(before, now, length) == 0;
    bool right = result == OPCAT_IMPORT_DONE ? !unchanged && query_number(copy, "SELECT count(*) FROM profiles") == 10
                                             : result == OPCAT_IMPORT_FAILED && out_of_memory && unchanged;
    right = right && count_entries(folder) == 1;
    remove(copy);
    free(before);
    free(now);
    free(copy);
    free(folder);
    until_failure = failing;
    return right;
}

static void an_import_without_memory_leaves_the_catalog_as_it_was(void **state)
{
    long count = fail_each(import_changes, *state);
    print_message("%ld allocations failed\n", count);
    assert_true(count > 500);
}

/* As many new profiles as are read in a thread of its own. */
static bool import_many(fixture *self)
{
    long failing = until_failure;
    until_failure = -1;
    char *many = format("%s/many", self->folder), *made = format("%s/made/made.db", self->folder);
    char *folder = format("%s/made", self->folder);
    const char *paths[] = {many};
    opcat_import_options options = {.catalog = made, .paths = paths, .path_count = 1};
    opcat_import_report report;
    until_failure = failing;
    opcat_import_result result = opcat_import(&options, &report);
    until_failure = -1;
    bool out_of_memory = !report.message || report.faults.out_of_memory;
    opcat_import_report_free(&report);
    bool right = result == OPCAT_IMPORT_DONE ? query_number(made, "SELECT count(*) FROM profiles") == 40
                                             : result == OPCAT_IMPORT_FAILED && out_of_memory;
    right = right && count_entries(folder) == (result == OPCAT_IMPORT_DONE ? 1 : 0);
    remove(made);
    free(many);
    free(made);
    free(folder);
    return right;
}

static void an_import_whose_reading_thread_lacks_memory_makes_no_catalog(void **state)
{
    enum { STEP = 97 }; /* each of them would take minutes */
    fixture *self = *state;
    long count = 0;
    char *folder = format("%s/made/none", self->folder);
    write_text(folder, "");
    remove(folder);
    free(folder);
    for (int i = 0; i < 40; i++) {
        char *path = format("%s/many/m%02d.yaml", self->folder, i), *source = one_kind_profile(i);
        write_text(path, source);
        free(path);
        free(source);
    }
    (void)import_many(self); /* the thread's stack is kept for the next */
    for (long at = 0; fail_once(at, import_many, self); at += STEP)
        count++;
    print_message("%ld allocations failed\n", count);
    assert_true(count > 50);
}

static bool read_faulty(fixture *self)
{
    static const char yaml[] =
        "defualt: x\nkinds:\n  a: {ops: {attMM: four, softmax: 1}, ffn: [moe]}\n  a: 5\nrun: &r {<<: 4}\n";
    opcat_faults faults = {0};
    (void)self;
    opcat_profile *profile = opcat_read_profile("unit.yaml", "unit", yaml, sizeof yaml - 1, &faults);
    opcat_faults_sort(&faults, 0);
    bool right = !profile && (failed ? faults.out_of_memory : faults.count >= 5);
    opcat_faults_free(&faults);
    return right;
}

static bool read_rules(fixture *self)
{
    static const char yaml[] = "prefixes: {a: a, b: b}\ntraits: {qk_norm: [x]}\n";
    opcat_faults faults = {0};
    (void)self;
    opcat_rules *rules = opcat_read_rules("model_names.yaml", yaml, sizeof yaml - 1, &faults);
    bool right = rules ? rules->count == 3 && !faults.out_of_memory : faults.out_of_memory;
    opcat_rules_free(rules);
    opcat_faults_free(&faults);
    return right;
}

static bool read_declared(fixture *self)
{
    static const char yaml[] =
        "a: {attMM: 1, attBMM: 1, ffMM: 1, softmax: 1, dropout: 1, normOp: 1, gather: 1, headCast: 1, "
        "ffAct: 1, linrec: 1}\n";
    opcat_faults faults = {0};
    (void)self;
    opcat_declared *declared = opcat_read_declared("ops.yaml", yaml, sizeof yaml - 1, &faults);
    bool right = declared ? declared->count == 1 && !faults.out_of_memory : faults.out_of_memory;
    opcat_declared_free(declared);
    opcat_faults_free(&faults);
    return right;
}

/* A collection too wide for the blocks that nodes are taken from, closed at the end of the file. */
static bool read_wide(char opening, char closing)
{
    enum { ITEMS = 4200, LONGEST = sizeof "k4200: ," };
    static char yaml[ITEMS * LONGEST + 64];
    opcat_faults faults = {0};
    int length = snprintf(yaml, sizeof yaml, "a: &a 1\nkinds: %c", opening);
    for (int i = 0; i < ITEMS; i++) {
        size_t room = sizeof yaml - (size_t)length;
        length += opening == '[' ? snprintf(yaml + length, room, "*a,") : snprintf(yaml + length, room, "k%d: ,", i);
    }
    yaml[length++] = closing;
    opcat_profile *profile = opcat_read_profile("unit.yaml", "unit", yaml, (size_t)length, &faults);
    bool right = !profile && (failed ? faults.out_of_memory : faults.count >= 1);
    opcat_faults_free(&faults);
    return right;
}

static bool read_wide_sequence(fixture *self)
{
    (void)self;
    return read_wide('[', ']');
}

static bool read_wide_mapping(fixture *self)
{
    (void)self;
    return read_wide('{', '}');
}

/* Only the last allocations: those before are of a kind that smaller files have, too. */
static void wide_collections_tell_of_the_last_failures(void **state)
{
    enum { LAST = 200 };
    bool (*const works[])(fixture * self) = {read_wide_sequence, read_wide_mapping};
    for (int i = 0; i < 2; i++) {
        long before = made_in_all;
        failed = false;
        assert_true(works[i](*state));
        long count = made_in_all - before;
        assert_true(count > 4200);
        (void)fail_from(count - LAST, works[i], *state);
    }
}

static void readers_of_yaml_tell_of_every_failure(void **state)
{
    long count = fail_each(read_faulty, *state) + fail_each(read_rules, *state) + fail_each(read_declared, *state);
    print_message("%ld allocations failed\n", count);
    assert_true(count > 200);
}

/* From memory: SQLite, which allocates for every statement it runs, takes no part. */
static void what_was_read_is_answered_without_sqlite(void **state)
{
    static const opcat_kind_ops declared[] = {{"encoder", {.at = {1}}}, {"decoder", {.at = {2}}}};
    fixture *self = *state;
    opcat_catalog *catalog = open_catalog(self->catalog, 0);
    opcat_resolution *resolution = NULL;
    const opcat_profile *profile = NULL;
    const char *arch = NULL;
    bool has = false;
    for (int again = 0; again < 2; again++) {
        long before = made_in_all;
        assert_int_equal(opcat_load_profile(catalog, "t5", &profile), OPCAT_OK);
        assert_int_equal(opcat_infer_arch(catalog, "qwen2", &arch), OPCAT_OK);
        assert_int_equal(opcat_infer_trait(catalog, "qwen2", OPCAT_TRAIT_QKV_BIAS, &has), OPCAT_OK);
        assert_true(again ? made_in_all == before : made_in_all > before);
        before = made_in_all;
        assert_int_equal(opcat_resolve_ops(catalog, "t5", declared, 2, &resolution), OPCAT_OK);
        assert_int_equal(made_in_all - before, 1);
        opcat_resolution_free(resolution);
    }
    opcat_close(catalog);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    /* SQLite's own cache of small allocations would hide failures behind it. */
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    const struct CMUnitTest tests[] = {
        TEST(the_library_tells_of_every_failure),
        TEST(a_refresh_that_fails_leaves_a_handle_that_answers),
        TEST(an_import_without_memory_leaves_the_catalog_as_it_was),
        TEST(an_import_whose_reading_thread_lacks_memory_makes_no_catalog),
        TEST(readers_of_yaml_tell_of_every_failure),
        TEST(wide_collections_tell_of_the_last_failures),
        TEST(what_was_read_is_answered_without_sqlite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
