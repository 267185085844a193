/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a catalog: which is found, what is refused, and what a refused one still answers. */
#include "support/support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture {
    char *folder;
    char *catalog;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/catalog.db", self->folder);
    import_paths(self->catalog, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    unsetenv("OPCAT_CATALOG");
    free(self->catalog);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/* Opening `path` fails with `status` and a message that names the path and holds `part`; nothing else works then. */
static void assert_refused(const char *path, opcat_status status, const char *part)
{
    opcat_catalog *catalog = NULL;
    const opcat_profile *profile = NULL;
    assert_int_equal(opcat_open(path, 0, &catalog), status);
    assert_non_null(catalog);
    assert_contains(opcat_errmsg(catalog), path);
    assert_contains(opcat_errmsg(catalog), part);
    assert_null(strchr(opcat_errmsg(catalog), '\n'));
    assert_int_equal(opcat_load_profile(catalog, "qwen", &profile), status);
    assert_null(profile);
    opcat_close(catalog);
}

static void a_catalog_opens_and_answers(void **state)
{
    fixture *self = *state;
    const opcat_profile *profile = NULL;
    opcat_catalog *catalog = open_catalog(self->catalog, 0);
    assert_string_equal(opcat_errmsg(catalog), "");
    assert_int_equal(opcat_load_profile(catalog, "qwen", &profile), OPCAT_OK);
    opcat_close(catalog);
}

static void the_environment_names_a_catalog(void **state)
{
    fixture *self = *state;
    char *only = format("%s/only.yaml", self->folder);
    char *other = format("%s/other.db", self->folder);
    char *profile = one_kind_profile(1);
    opcat_names *archs = NULL;
    write_text(only, profile);
    import_paths(other, only, NULL);
    assert_int_equal(setenv("OPCAT_CATALOG", other, 1), 0);
    opcat_catalog *catalog = open_catalog(NULL, 0);
    assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
    assert_int_equal(archs->count, 1);
    assert_string_equal(archs->names[0], "only");
    opcat_names_free(archs);
    opcat_close(catalog);
    free(only);
    free(other);
    free(profile);
}

static void an_empty_variable_and_none_mean_the_catalog_beside_the_library(void **state)
{
    (void)state;
    for (int set = 0; set < 2; set++) {
        opcat_names *archs = NULL;
        if (set)
            assert_int_equal(setenv("OPCAT_CATALOG", "", 1), 0);
        else
            unsetenv("OPCAT_CATALOG");
        opcat_catalog *catalog = open_catalog(NULL, 0);
        assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
        assert_int_equal(archs->count, 9);
        opcat_names_free(archs);
        opcat_close(catalog);
    }
}

static void a_path_is_never_a_uri_or_a_special_name(void **state)
{
    fixture *self = *state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(self->folder), 0);
    static const char *const names[] = {"file:catalog.db?mode=rwc", ":memory:", "a b%20#?.db", "-x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_refused(names[i], OPCAT_CANTOPEN, "No such file");
        assert_int_equal(rename("catalog.db", names[i]), 0);
        opcat_close(open_catalog(names[i], 0));
        opcat_close(open_catalog(names[i], OPCAT_OPEN_IMMUTABLE));
        assert_int_equal(rename(names[i], "catalog.db"), 0);
    }
    assert_int_equal(count_entries("."), 1);
    assert_int_equal(chdir(before), 0);
}

/* A change of 2 MB in place, of which the file has a part and the journal the rest, as whoever was cut off leaves it.
 */
static void a_change_that_was_cut_off_is_said_with_what_undoes_it(void **state)
{
    fixture *self = *state;
    sqlite3 *db = NULL;
    char *line = format("cd '%s'; cp catalog.db cut.db; cp catalog.db-journal cut.db-journal", self->folder);
    char *cut = format("%s/cut.db", self->folder);
    assert_int_equal(sqlite3_open(self->catalog, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA cache_size = 2; BEGIN; CREATE TABLE x (a); INSERT INTO x VALUES "
                                  "(zeroblob(2000000)); UPDATE kind SET softmax = softmax + 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(system(line), 0);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_refused(cut, OPCAT_CANTOPEN, "a change in place was cut off");
    run_sql(cut, "PRAGMA quick_check");
    opcat_close(open_catalog(cut, 0));
    free(cut);
    free(line);
}

static void no_file_a_folder_and_a_pipe_cannot_be_opened(void **state)
{
    fixture *self = *state;
    char *pipe_path = format("%s/pipe", self->folder);
    char *missing = format("%s/missing.db", self->folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_refused(missing, OPCAT_CANTOPEN, "No such file");
    assert_refused("", OPCAT_CANTOPEN, "'': cannot open the catalog: No such file");
    assert_refused(self->folder, OPCAT_CANTOPEN, "folder");
    assert_refused(pipe_path, OPCAT_CANTOPEN, "regular file");
    assert_false(exists(missing));
    free(pipe_path);
    free(missing);
}

static void what_is_no_catalog_is_refused_as_that(void **state)
{
    fixture *self = *state;
    char *path = format("%s/other", self->folder);
    write_text(path, "");
    assert_refused(path, OPCAT_NOT_A_CATALOG, "empty");
    write_text(path, "kinds: {}\n");
    assert_refused(path, OPCAT_NOT_A_CATALOG, "not an SQLite database");
    char text[4096];
    memset(text, 'x', sizeof text);
    write_file(path, text, sizeof text);
    assert_refused(path, OPCAT_NOT_A_CATALOG, "not an SQLite database");
    assert_int_equal(unlink(path), 0);
    run_sql(path, "CREATE TABLE profile (arch)");
    assert_refused(path, OPCAT_NOT_A_CATALOG, "another kind");
    free(path);
}

static void versions_are_told_apart(void **state)
{
    fixture *self = *state;
    run_sql(self->catalog, "PRAGMA user_version = 142");
    opcat_close(open_catalog(self->catalog, 0));
    run_sql(self->catalog, "PRAGMA user_version = 203");
    assert_refused(self->catalog, OPCAT_NEWER_SCHEMA, "2.3");
    assert_refused(self->catalog, OPCAT_NEWER_SCHEMA, OPCAT_VERSION);
    run_sql(self->catalog, "PRAGMA user_version = 99");
    assert_refused(self->catalog, OPCAT_NOT_A_CATALOG, "0.99");
}

static void a_damaged_file_is_corrupt(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    char *bytes = read_bytes(self->catalog, &length);
    write_file(self->catalog, bytes, length - 4096);
    assert_refused(self->catalog, OPCAT_CORRUPT, "cut off");
    write_file(self->catalog, bytes, length - 1);
    assert_refused(self->catalog, OPCAT_CORRUPT, "cut off");
    memset(bytes + 100, 0x5a, 3000);
    write_file(self->catalog, bytes, length);
    assert_refused(self->catalog, OPCAT_CORRUPT, "malformed");
    free(bytes);
}

static void missing_tables_are_corrupt(void **state)
{
    fixture *self = *state;
    run_sql(self->catalog, "DROP VIEW kinds; DROP VIEW op_counts; DROP TABLE kind;");
    assert_refused(self->catalog, OPCAT_CORRUPT, "kind");
}

static void a_view_in_the_place_of_a_table_is_not_run(void **state)
{
    fixture *self = *state;
    run_sql(self->catalog, "ALTER TABLE kind RENAME TO hidden; CREATE VIEW kind AS SELECT * FROM hidden");
    assert_refused(self->catalog, OPCAT_CORRUPT, "kind");
}

static void an_unreadable_file_cannot_be_opened(void **state)
{
    fixture *self = *state;
    int status = 0;
    assert_int_equal(chmod(self->folder, 0755), 0);
    assert_int_equal(chmod(self->catalog, 0), 0);
    pid_t child = fork();
    if (child == 0) {
        /* Root reads everything; nobody does not. */
        opcat_catalog *catalog = NULL;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        bool refused = opcat_open(self->catalog, 0, &catalog) == OPCAT_CANTOPEN &&
                       strstr(opcat_errmsg(catalog), "unable to open") != NULL;
        opcat_close(catalog);
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_read_only_folder_is_enough(void **state)
{
    fixture *self = *state;
    opcat_names *archs = NULL;
    assert_int_equal(chmod(self->catalog, 0444), 0);
    assert_int_equal(chmod(self->folder, 0555), 0);
    for (unsigned flags = 0; flags < 4; flags++) {
        opcat_catalog *catalog = open_catalog(self->catalog, flags);
        assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_OK);
        opcat_names_free(archs);
        opcat_close(catalog);
    }
    assert_int_equal(chmod(self->folder, 0755), 0);
    assert_int_equal(count_entries(self->folder), 1);
}

static void misuse_is_said_and_does_no_harm(void **state)
{
    fixture *self = *state;
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    bool changed = true;
    assert_int_equal(opcat_open(self->catalog, 0, NULL), OPCAT_MISUSE);
    assert_int_equal(opcat_open(self->catalog, 0x100, &catalog), OPCAT_MISUSE);
    assert_contains(opcat_errmsg(catalog), "0x100");
    assert_int_equal(opcat_known_archs(catalog, &archs), OPCAT_MISUSE);
    opcat_close(catalog);
    opcat_close(NULL);
    opcat_names_free(NULL);
    opcat_resolution_free(NULL);
    opcat_profile_release(NULL);
    opcat_set_logger(NULL, NULL, NULL);
    assert_null(opcat_profile_retain(NULL));
    assert_int_equal(opcat_refresh(NULL, &changed), OPCAT_MISUSE);
    assert_false(changed);
    assert_int_equal(opcat_known_archs(NULL, &archs), OPCAT_MISUSE);
    assert_string_equal(opcat_errmsg(NULL), opcat_status_text(OPCAT_NOMEM));
    catalog = open_catalog(self->catalog, 0);
    assert_int_equal(opcat_known_archs(catalog, NULL), OPCAT_MISUSE);
    assert_contains(opcat_errmsg(catalog), "archs");
    opcat_close(catalog);
}

static void a_handle_that_did_not_open_can_be_refreshed_later(void **state)
{
    fixture *self = *state;
    char *later = format("%s/later.db", self->folder);
    opcat_catalog *catalog = NULL;
    const opcat_profile *profile = NULL;
    bool changed = false;
    assert_int_equal(opcat_open(later, 0, &catalog), OPCAT_CANTOPEN);
    assert_int_equal(opcat_refresh(catalog, &changed), OPCAT_CANTOPEN);
    assert_false(changed);
    assert_int_equal(rename(self->catalog, later), 0);
    assert_int_equal(opcat_refresh(catalog, &changed), OPCAT_OK);
    assert_true(changed);
    assert_int_equal(opcat_load_profile(catalog, "t5", &profile), OPCAT_OK);
    opcat_close(catalog);
    free(later);
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int i = OPCAT_OK; i <= OPCAT_MISUSE; i++) {
        for (int j = OPCAT_OK; j < i; j++)
            assert_string_not_equal(opcat_status_text((opcat_status)i), opcat_status_text((opcat_status)j));
    }
    assert_string_equal(opcat_status_text((opcat_status)99), "unknown status");
    assert_string_equal(opcat_version(), OPCAT_VERSION);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_catalog_opens_and_answers),
        TEST(the_environment_names_a_catalog),
        TEST(an_empty_variable_and_none_mean_the_catalog_beside_the_library),
        TEST(a_path_is_never_a_uri_or_a_special_name),
        TEST(a_change_that_was_cut_off_is_said_with_what_undoes_it),
        TEST(no_file_a_folder_and_a_pipe_cannot_be_opened),
        TEST(what_is_no_catalog_is_refused_as_that),
        TEST(versions_are_told_apart),
        TEST(a_damaged_file_is_corrupt),
        TEST(missing_tables_are_corrupt),
        TEST(a_view_in_the_place_of_a_table_is_not_run),
        TEST(an_unreadable_file_cannot_be_opened),
        TEST(a_read_only_folder_is_enough),
        TEST(misuse_is_said_and_does_no_harm),
        TEST(a_handle_that_did_not_open_can_be_refreshed_later),
        TEST(every_status_has_a_text_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
