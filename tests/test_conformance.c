/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every case of conformance/: what is accepted must show as its JSON says, what is refused must be refused at the path
 * that its text names, and leave the catalog as it was.
 */
#include "support/support.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../import/import.h"
#include "../lib/vocabulary.h"

typedef struct fixture {
    char *folder;
    char *catalog;
    char *unit;
    sqlite3 *json; /* a database in memory, for its JSON functions */
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/catalog.db", self->folder);
    self->unit = format("%s/unit.yaml", self->folder);
    assert_int_equal(sqlite3_open(":memory:", &self->json), SQLITE_OK);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    sqlite3_close(self->json);
    free(self->catalog);
    free(self->unit);
    remove_folder(self->folder);
    free(self);
    return 0;
}

/* Call `take` with each file of a folder that ends in .yaml; how many there were. */
static size_t each_case(fixture *self, const char *folder, void (*take)(fixture *self, const char *stem))
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
            continue;
        char *stem = format("%s/%.*s", folder, (int)length - 5, entry->d_name);
        take(self, stem);
        free(stem);
        count++;
    }
    closedir(entries);
    return count;
}

static opcat_import_result import_case(fixture *self, const char *stem, opcat_import_report *report)
{
    size_t length = 0;
    char *source = format("%s.yaml", stem);
    char *bytes = read_bytes(source, &length);
    const char *paths[] = {self->unit};
    opcat_import_options options = {.catalog = self->catalog, .paths = paths, .path_count = 1};
    write_file(self->unit, bytes, length);
    free(bytes);
    free(source);
    return opcat_import(&options, report);
}

/* ---- Accepted cases -------------------------------------------------------------------------------------- */

/* A value of the expected JSON, as text; NULL for null or where there is none. */
static char *expected(fixture *self, const char *json, const char *path)
{
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    assert_int_equal(sqlite3_prepare_v2(self->json, "SELECT json_extract(?1, ?2)", -1, &row, NULL), SQLITE_OK);
    sqlite3_bind_text(row, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, path, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    if (sqlite3_column_type(row, 0) != SQLITE_NULL)
        text = format("%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return text;
}

static void assert_text(fixture *self, const char *json, const char *path, const char *found)
{
    char *wanted = expected(self, json, path);
    if ((wanted == NULL) != (found == NULL) || (wanted && strcmp(wanted, found) != 0))
        fail_msg("%s is %s, not %s", path, found ? found : "null", wanted ? wanted : "null");
    free(wanted);
}

static void assert_number(fixture *self, const char *json, const char *path, int64_t found)
{
    char *text = format("%lld", (long long)found);
    assert_text(self, json, path, text);
    free(text);
}

/* The name of the `index`th kind of the expected JSON; NULL past the last. */
static char *expected_kind(fixture *self, const char *json, size_t index)
{
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(self->json, "SELECT key FROM json_each(?1, '$.kinds') LIMIT 1 OFFSET ?2", -1, &row, NULL),
        SQLITE_OK);
    sqlite3_bind_text(row, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)index);
    if (sqlite3_step(row) == SQLITE_ROW)
        text = format("%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return text;
}

static char *kind_json(fixture *self, const char *json, size_t index)
{
    sqlite3_stmt *row = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(self->json, "SELECT value FROM json_each(?1, '$.kinds') LIMIT 1 OFFSET ?2", -1, &row, NULL),
        SQLITE_OK);
    sqlite3_bind_text(row, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)index);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    char *text = format("%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return text;
}

static void assert_kind(fixture *self, const char *json, const opcat_profile *profile, size_t index)
{
    const opcat_layer_kind *kind = &profile->kinds[index];
    char *name = expected_kind(self, json, index);
    assert_non_null(name);
    assert_string_equal(kind->name, name);
    char *own = kind_json(self, json, index);
    assert_text(self, own, "$.attention", kind->attention);
    assert_text(self, own, "$.ffn", kind->ffn);
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        char *path = format("$.ops.%s", opcat_op_names[op]);
        assert_number(self, own, path, kind->ops.at[op]);
        free(path);
    }
    free(own);
    free(name);
}

static void assert_profile(fixture *self, const char *json, const opcat_profile *profile)
{
    assert_text(self, json, "$.arch", profile->arch);
    assert_text(self, json, "$.default", profile->default_kind ? profile->default_kind->name : NULL);
    for (size_t i = 0; i < profile->kind_count; i++)
        assert_kind(self, json, profile, i);
    assert_null(expected_kind(self, json, profile->kind_count));
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        char *path = format("$.run.%s", opcat_run_names[i]);
        assert_number(self, json, path, opcat_run_get(&profile->run, i));
        free(path);
    }
    char *v_head_dim = profile->model.v_head_dim ? format("%lld", (long long)profile->model.v_head_dim) : NULL;
    assert_text(self, json, "$.model.v_head_dim", v_head_dim);
    free(v_head_dim);
}

static void accept_case(fixture *self, const char *stem)
{
    opcat_import_report report;
    const opcat_profile *profile = NULL;
    size_t length = 0;
    print_message("%s\n", stem);
    opcat_import_result result = import_case(self, stem, &report);
    if (result != OPCAT_IMPORT_DONE)
        fail_msg("%s", report.faults.count ? report.faults.items[0].text : report.message);
    opcat_import_report_free(&report);
    char *path = format("%s.json", stem);
    char *json = read_bytes(path, &length);
    opcat_catalog *catalog = open_catalog(self->catalog, 0);
    assert_int_equal(opcat_load_profile(catalog, "unit", &profile), OPCAT_OK);
    assert_profile(self, json, profile);
    opcat_close(catalog);
    free(json);
    free(path);
}

static void accepted_cases_show_as_they_should(void **state)
{
    assert_true(each_case(*state, OPCAT_TEST_DIR "/conformance/accept", accept_case) >= 90);
}

/* ---- Refused cases --------------------------------------------------------------------------------------- */

static bool names_path(const opcat_fault *fault, const char *path)
{
    size_t length = strlen(path);
    bool placed = fault->place.line > 0 && fault->place.column > 0;
    if (length == 0)
        return placed && strncmp(fault->text, "unit", 4) != 0;
    return placed && strncmp(fault->text, path, length) == 0 && fault->text[length] == ' ';
}

static void refuse_case(fixture *self, const char *stem)
{
    opcat_import_report report;
    size_t length = 0;
    print_message("%s\n", stem);
    assert_int_equal(import_case(self, stem, &report), OPCAT_IMPORT_REFUSED);
    assert_true(report.faults.count > 0);
    char *name = format("%s.txt", stem);
    char *path = read_bytes(name, &length);
    path[strcspn(path, "\n")] = '\0';
    bool named = false;
    for (size_t i = 0; i < report.faults.count; i++) {
        const opcat_fault *fault = &report.faults.items[i];
        print_message("    %zu:%zu: %s\n", fault->place.line, fault->place.column, fault->text);
        assert_string_equal(fault->file, self->unit);
        assert_null(strchr(fault->text, '\n'));
        named = named || names_path(fault, path);
    }
    if (!named)
        fail_msg("no fault is at '%s'", path);
    assert_false(exists(self->catalog));
    assert_int_equal(count_entries(self->folder), 1);
    opcat_import_report_free(&report);
    free(path);
    free(name);
}

static void refused_cases_are_refused_by_path_and_place(void **state)
{
    assert_true(each_case(*state, OPCAT_TEST_DIR "/conformance/refuse", refuse_case) >= 110);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accepted_cases_show_as_they_should),
        TEST(refused_cases_are_refused_by_path_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
