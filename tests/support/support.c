/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../import/import.h"

char *format(const char *text, ...)
{
    va_list arguments, again;
    va_start(arguments, text);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, text, again);
    va_end(again);
    assert_true(length >= 0);
    char *made = malloc((size_t)length + 1);
    assert_non_null(made);
    vsnprintf(made, (size_t)length + 1, text, arguments);
    va_end(arguments);
    return made;
}

char *make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = format("%s/opcat-test-XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static int remove_entry(const char *path, const struct stat *found, int type, struct FTW *at)
{
    (void)found;
    (void)type;
    (void)at;
    return remove(path);
}

void remove_folder(char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

static void make_parents(const char *path)
{
    char *copy = format("%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0)
            assert_int_equal(errno, EEXIST);
        *slash = '/';
    }
    free(copy);
}

void write_file(const char *path, const char *bytes, size_t length)
{
    make_parents(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

char *read_bytes(const char *path, size_t *length)
{
    struct stat found;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &found), 0);
    char *bytes = malloc((size_t)found.st_size + 1);
    assert_non_null(bytes);
    *length = fread(bytes, 1, (size_t)found.st_size, file);
    assert_int_equal(*length, found.st_size);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

long setting(const char *name, long usual)
{
    const char *set = getenv(name);
    return set && *set ? atol(set) : usual;
}

char *one_kind_profile(int softmax)
{
    return format("kinds:\n"
                  "  decoder:\n"
                  "    ops: {attMM: 4, attBMM: 2, ffMM: 3, softmax: %d, dropout: 0, normOp: 2, gather: 4, headCast: 1, "
                  "ffAct: 1, linrec: 0}\n",
                  softmax);
}

void import_paths(const char *catalog, ...)
{
    const char *paths[16];
    size_t count = 0;
    va_list arguments;
    va_start(arguments, catalog);
    for (const char *path; (path = va_arg(arguments, const char *));) {
        assert_true(count < sizeof paths / sizeof *paths);
        paths[count++] = path;
    }
    va_end(arguments);
    opcat_import_options options = {.catalog = catalog, .paths = paths, .path_count = count};
    opcat_import_report report;
    opcat_import_result result = opcat_import(&options, &report);
    for (size_t i = 0; i < report.faults.count; i++)
        print_error("%s:%zu: %s\n", report.faults.items[i].file, report.faults.items[i].place.line,
                    report.faults.items[i].text);
    if (report.message)
        print_error("%s\n", report.message);
    assert_int_equal(result, OPCAT_IMPORT_DONE);
    opcat_import_report_free(&report);
}

void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    int rc = sqlite3_exec(db, sql, NULL, NULL, &message);
    if (rc != SQLITE_OK)
        print_error("%s: %s\n", sql, message);
    assert_int_equal(rc, SQLITE_OK);
    sqlite3_close(db);
}

char *query_text(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL)
        text = format("%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return text;
}

int64_t query_number(const char *path, const char *sql)
{
    char *text = query_text(path, sql);
    assert_non_null(text);
    int64_t number = strtoll(text, NULL, 10);
    free(text);
    return number;
}

opcat_catalog *open_catalog(const char *path, unsigned flags)
{
    opcat_catalog *catalog = NULL;
    opcat_status status = opcat_open(path, flags, &catalog);
    if (status != OPCAT_OK)
        print_error("%s\n", opcat_errmsg(catalog));
    assert_int_equal(status, OPCAT_OK);
    return catalog;
}

void assert_contains(const char *text, const char *part)
{
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %s", part, text);
}
