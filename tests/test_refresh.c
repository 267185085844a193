/* SPDX-License-Identifier: Apache-2.0 */
/* Generations: what a handle sees of a file that is replaced or changed, and what a fork's child does. */
#include "support/support.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture {
    char *folder;
    char *path;
    char *unit; /* a profile file, family `unit` */
} fixture;

static void import_softmax(fixture *self, int softmax)
{
    char *source = one_kind_profile(softmax);
    write_text(self->unit, source);
    import_paths(self->path, self->unit, NULL);
    free(source);
}

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->path = format("%s/catalog.db", self->folder);
    self->unit = format("%s/unit.yaml", self->folder);
    import_softmax(self, 1);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    free(self->path);
    free(self->unit);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static int64_t softmax_of(opcat_catalog *catalog)
{
    const opcat_profile *profile = NULL;
    opcat_status status = opcat_load_profile(catalog, "unit", &profile);
    if (status != OPCAT_OK)
        fail_msg("%s", opcat_errmsg(catalog));
    return profile->kinds[0].ops.softmax;
}

static bool refresh(opcat_catalog *catalog)
{
    bool changed = false;
    opcat_status status = opcat_refresh(catalog, &changed);
    if (status != OPCAT_OK)
        fail_msg("%s", opcat_errmsg(catalog));
    return changed;
}

static void a_handle_stays_on_its_generation_until_refreshed(void **state)
{
    fixture *self = *state;
    opcat_catalog *read = open_catalog(self->path, 0);
    opcat_catalog *unread = open_catalog(self->path, 0);
    assert_int_equal(softmax_of(read), 1);
    assert_false(refresh(read));
    import_softmax(self, 2);
    assert_int_equal(softmax_of(read), 1);
    assert_int_equal(softmax_of(unread), 1);
    assert_true(refresh(read));
    assert_int_equal(softmax_of(read), 2);
    assert_false(refresh(read));
    assert_int_equal(softmax_of(unread), 1);
    opcat_close(read);
    opcat_close(unread);
}

static void a_refresh_renews_families_and_rules_too(void **state)
{
    fixture *self = *state;
    opcat_catalog *catalog = open_catalog(self->path, 0);
    opcat_names *archs = NULL;
    const char *arch = NULL;
    opcat_set_logger(catalog, NULL, NULL);
    assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
    assert_int_equal(archs->count, 1);
    opcat_names_free(archs);
    assert_int_equal(opcat_infer_arch(catalog, "qwen", &arch), OPCAT_OK);
    assert_string_equal(arch, "default");
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    assert_true(refresh(catalog));
    assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
    assert_int_equal(archs->count, 10);
    opcat_names_free(archs);
    assert_int_equal(opcat_infer_arch(catalog, "qwen", &arch), OPCAT_OK);
    assert_string_equal(arch, "qwen");
    opcat_close(catalog);
}

static void auto_refresh_looks_at_each_call(void **state)
{
    fixture *self = *state;
    opcat_catalog *catalog = open_catalog(self->path, OPCAT_OPEN_AUTO_REFRESH);
    for (int softmax = 2; softmax < 6; softmax++) {
        import_softmax(self, softmax);
        assert_int_equal(softmax_of(catalog), softmax);
        assert_int_equal(softmax_of(catalog), softmax);
    }
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    opcat_names *archs = NULL;
    assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
    assert_int_equal(archs->count, 10);
    opcat_names_free(archs);
    opcat_close(catalog);
}

static void a_change_in_place_is_seen(void **state)
{
    fixture *self = *state;
    opcat_catalog *plain = open_catalog(self->path, 0);
    opcat_catalog *looking = open_catalog(self->path, OPCAT_OPEN_AUTO_REFRESH);
    assert_int_equal(softmax_of(plain), 1);
    assert_int_equal(softmax_of(looking), 1);
    run_sql(self->path, "UPDATE kind SET softmax = 9");
    assert_int_equal(softmax_of(looking), 9);
    assert_int_equal(softmax_of(plain), 1);
    assert_true(refresh(plain));
    assert_int_equal(softmax_of(plain), 9);
    opcat_close(plain);
    opcat_close(looking);
}

/* The file's times are as they were, as on file systems whose clocks tick slowly; only the change counter tells. */
static void a_change_that_leaves_the_times_alone_is_seen(void **state)
{
    fixture *self = *state;
    struct stat before;
    opcat_catalog *plain = open_catalog(self->path, 0);
    assert_int_equal(softmax_of(plain), 1);
    assert_int_equal(stat(self->path, &before), 0);
    run_sql(self->path, "UPDATE kind SET softmax = 9");
    const struct timespec times[] = {before.st_atim, before.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, self->path, times, 0), 0);
    assert_true(refresh(plain));
    assert_int_equal(softmax_of(plain), 9);
    opcat_close(plain);
}

static void answers_of_two_states_are_never_mixed(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    opcat_catalog *catalog = open_catalog(self->path, 0);
    assert_int_equal(softmax_of(catalog), 1);
    run_sql(self->path, "UPDATE kind SET softmax = 9");
    assert_int_equal(opcat_load_profile(catalog, "qwen", &profile), OPCAT_BUSY);
    assert_contains(opcat_errmsg(catalog), "changed in place");
    assert_int_equal(opcat_load_profile(catalog, "t5", &profile), OPCAT_BUSY);
    assert_int_equal(softmax_of(catalog), 1);
    assert_true(refresh(catalog));
    assert_int_equal(opcat_load_profile(catalog, "qwen", &profile), OPCAT_OK);
    assert_int_equal(profile->kinds[0].ops.softmax, 9);
    opcat_close(catalog);
}

static void a_refresh_that_fails_leaves_the_generation(void **state)
{
    fixture *self = *state;
    char *aside = format("%s/aside", self->folder);
    opcat_catalog *catalog = open_catalog(self->path, 0);
    opcat_catalog *looking = open_catalog(self->path, OPCAT_OPEN_AUTO_REFRESH);
    const opcat_profile *profile = NULL;
    bool changed = true;
    assert_int_equal(rename(self->path, aside), 0);
    assert_int_equal(opcat_refresh(catalog, &changed), OPCAT_CANTOPEN);
    assert_false(changed);
    assert_int_equal(softmax_of(catalog), 1);
    assert_int_equal(opcat_load_profile(looking, "unit", &profile), OPCAT_CANTOPEN);
    write_text(self->path, "nonsense");
    assert_int_equal(opcat_refresh(catalog, &changed), OPCAT_NOT_A_CATALOG);
    assert_int_equal(softmax_of(catalog), 1);
    assert_int_equal(rename(aside, self->path), 0);
    assert_false(refresh(catalog));
    assert_int_equal(softmax_of(looking), 1);
    opcat_close(catalog);
    opcat_close(looking);
    free(aside);
}

static void a_profile_kept_from_an_old_generation_stays_as_it_was(void **state)
{
    fixture *self = *state;
    const opcat_profile *kept = NULL;
    opcat_catalog *catalog = open_catalog(self->path, 0);
    assert_int_equal(opcat_load_profile(catalog, "unit", &kept), OPCAT_OK);
    opcat_profile_retain(kept);
    import_softmax(self, 2);
    assert_true(refresh(catalog));
    assert_int_equal(kept->kinds[0].ops.softmax, 1);
    assert_int_equal(softmax_of(catalog), 2);
    opcat_profile_release(kept);
    opcat_close(catalog);
}

static void a_relative_path_means_the_folder_of_the_opening(void **state)
{
    fixture *self = *state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(self->folder), 0);
    opcat_catalog *catalog = open_catalog("catalog.db", 0);
    assert_int_equal(chdir("/"), 0);
    assert_false(refresh(catalog));
    import_softmax(self, 2);
    assert_true(refresh(catalog));
    assert_int_equal(softmax_of(catalog), 2);
    opcat_close(catalog);
    assert_int_equal(chdir(before), 0);
}

/* Another process holds the file locked against readers until `until` is closed. */
static pid_t lock_elsewhere(const char *path, int locked, int until)
{
    pid_t holder = fork();
    if (holder != 0)
        return holder;
    sqlite3 *db = NULL;
    char byte = 0;
    bool held = sqlite3_open(path, &db) == SQLITE_OK &&
                sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK && write(locked, &byte, 1) == 1;
    _exit(held && read(until, &byte, 1) >= 0 ? 0 : 1);
}

static void an_immutable_handle_takes_no_lock(void **state)
{
    fixture *self = *state;
    int locked[2], until[2];
    char byte;
    assert_int_equal(pipe(locked), 0);
    assert_int_equal(pipe(until), 0);
    pid_t holder = lock_elsewhere(self->path, locked[1], until[0]);
    assert_true(holder > 0);
    assert_int_equal(read(locked[0], &byte, 1), 1);
    opcat_catalog *catalog = open_catalog(self->path, OPCAT_OPEN_IMMUTABLE);
    assert_int_equal(softmax_of(catalog), 1);
    opcat_close(catalog);
    assert_int_equal(write(until[1], &byte, 1), 1);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    for (int i = 0; i < 2; i++) {
        close(locked[i]);
        close(until[i]);
    }
}

/* Run a check in the child of a fork; whether it held. */
static void assert_in_child(bool (*holds)(opcat_catalog *catalog), opcat_catalog *catalog)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool held = holds(catalog);
        opcat_close(catalog);
        _exit(held ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool child_reads_what_was_cached_and_what_was_not(opcat_catalog *catalog)
{
    const opcat_profile *unit = NULL, *t5 = NULL, *again = NULL;
    const char *arch = NULL;
    opcat_names *archs = NULL;
    bool held = opcat_load_profile(catalog, "unit", &unit) == OPCAT_OK &&
                opcat_load_profile(catalog, "t5", &t5) == OPCAT_OK && t5->kind_count == 2 &&
                opcat_load_profile(catalog, "unit", &again) == OPCAT_OK && unit == again &&
                opcat_infer_arch(catalog, "t5-small", &arch) == OPCAT_OK && strcmp(arch, "t5") == 0 &&
                opcat_known_archs(catalog, &archs) == OPCAT_OK && archs->count == 10;
    opcat_names_free(archs);
    return held;
}

static void a_handle_works_in_the_child_of_a_fork(void **state)
{
    fixture *self = *state;
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    for (unsigned flags = 0; flags < 4; flags++) {
        opcat_catalog *catalog = open_catalog(self->path, flags);
        assert_int_equal(softmax_of(catalog), 1);
        assert_in_child(child_reads_what_was_cached_and_what_was_not, catalog);
        const opcat_profile *t5 = NULL;
        assert_int_equal(opcat_load_profile(catalog, "t5", &t5), OPCAT_OK);
        opcat_close(catalog);
    }
}

static bool child_refreshes(opcat_catalog *catalog)
{
    bool changed = false;
    const opcat_profile *profile = NULL;
    return opcat_refresh(catalog, &changed) == OPCAT_OK && opcat_load_profile(catalog, "unit", &profile) == OPCAT_OK &&
           profile->kinds[0].ops.softmax == 2;
}

static void the_child_of_a_fork_can_refresh(void **state)
{
    fixture *self = *state;
    opcat_catalog *catalog = open_catalog(self->path, 0);
    assert_int_equal(softmax_of(catalog), 1);
    import_softmax(self, 2);
    assert_in_child(child_refreshes, catalog);
    assert_int_equal(softmax_of(catalog), 1);
    opcat_close(catalog);
}

static bool child_keeps_what_was_lent_out(opcat_catalog *catalog)
{
    const opcat_profile *lent = NULL, *t5 = NULL;
    return opcat_load_profile(catalog, "unit", &lent) == OPCAT_OK &&
           opcat_load_profile(catalog, "t5", &t5) == OPCAT_OK && lent->kinds[0].ops.softmax == 1;
}

static void what_was_lent_out_stays_valid_in_the_child(void **state)
{
    fixture *self = *state;
    opcat_catalog *catalog = open_catalog(self->path, 0);
    assert_int_equal(softmax_of(catalog), 1);
    import_paths(self->path, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    assert_in_child(child_keeps_what_was_lent_out, catalog);
    opcat_close(catalog);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_handle_stays_on_its_generation_until_refreshed),
        TEST(a_refresh_renews_families_and_rules_too),
        TEST(auto_refresh_looks_at_each_call),
        TEST(a_change_in_place_is_seen),
        TEST(a_change_that_leaves_the_times_alone_is_seen),
        TEST(answers_of_two_states_are_never_mixed),
        TEST(a_refresh_that_fails_leaves_the_generation),
        TEST(a_profile_kept_from_an_old_generation_stays_as_it_was),
        TEST(a_relative_path_means_the_folder_of_the_opening),
        TEST(an_immutable_handle_takes_no_lock),
        TEST(a_handle_works_in_the_child_of_a_fork),
        TEST(the_child_of_a_fork_can_refresh),
        TEST(what_was_lent_out_stays_valid_in_the_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
