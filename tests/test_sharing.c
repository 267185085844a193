/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes on one catalog: importers that meet, die or cannot write, and readers meanwhile. */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../import/import.h"

typedef struct fixture {
    char *folder;
    char *catalog;
    char *a;
    char *b;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/out/catalog.db", self->folder);
    self->a = format("%s/a.yaml", self->folder);
    self->b = format("%s/b.yaml", self->folder);
    char *keep = format("%s/out/keep", self->folder);
    write_text(keep, "");
    unlink(keep);
    free(keep);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    free(self->catalog);
    free(self->a);
    free(self->b);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static void write_profile(const char *path, int softmax)
{
    char *source = one_kind_profile(softmax);
    write_text(path, source);
    free(source);
}

/* Import one file; what came of it. *message is the caller's to free, NULL where all went well. */
static opcat_import_result import_one(const char *catalog, const char *path, char **message)
{
    const char *paths[] = {path};
    opcat_import_options options = {.catalog = catalog, .paths = paths, .path_count = 1};
    opcat_import_report report;
    opcat_import_result result = opcat_import(&options, &report);
    *message = report.message ? format("%s", report.message) : NULL;
    opcat_import_report_free(&report);
    return result;
}

static size_t entries_of(const fixture *self)
{
    char *out = format("%s/out", self->folder);
    size_t count = count_entries(out);
    free(out);
    return count;
}

static int exit_status(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Import `times` changed versions of a family, in a process of its own. */
static pid_t start_importer(const fixture *self, const char *path, int times)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    for (int i = 1; i <= times; i++) {
        char *message = NULL;
        write_profile(path, i);
        if (import_one(self->catalog, path, &message) != OPCAT_IMPORT_DONE) {
            print_error("%s\n", message ? message : "refused");
            _exit(1);
        }
    }
    _exit(0);
}

static void importers_that_meet_build_on_one_another(void **state)
{
    enum { TIMES = 20 };
    fixture *self = *state;
    /* There is no catalog yet: they meet over the first one, too. */
    pid_t first = start_importer(self, self->a, TIMES);
    pid_t second = start_importer(self, self->b, TIMES);
    assert_int_equal(exit_status(first), 0);
    assert_int_equal(exit_status(second), 0);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM imports"), 2 * TIMES);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM changes"), 2 * TIMES);
    assert_int_equal(query_number(self->catalog, "SELECT min(softmax) FROM kinds"), TIMES);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM kinds"), 2);
    assert_int_equal(entries_of(self), 1);
}

static double seconds_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How long readings took, in hundredths of a millisecond. No test is of time: they are printed for who wants to know.
 */
typedef struct waits {
    long counts[100000];
    long total;
} waits;

static void add_wait(waits *all, double seconds)
{
    long place = (long)(seconds * 1e5);
    all->counts[place < 99999 ? place : 99999]++;
    all->total++;
}

static void print_waits(const waits *all, bool refresh)
{
    long seen = 0;
    int place = 0;
    while (place < 99999 && (seen += all->counts[place]) < all->total - all->total / 1000)
        place++;
    print_message("%s: %ld readings, 99.9 in 100 within %.2f ms\n", refresh ? "refreshing" : "opening", all->total,
                  place / 100.0);
    fflush(stdout);
}

/* Read until `until`: with a fresh handle each time, or refreshing one. 0 where all that was read was whole. */
static int read_until(const fixture *self, time_t until, bool refresh)
{
    static waits all;
    opcat_catalog *catalog = NULL;
    if (opcat_open(self->catalog, 0, &catalog) != OPCAT_OK)
        return 1;
    while (time(NULL) < until) {
        const opcat_profile *a = NULL, *b = NULL;
        double start = seconds_now();
        if (refresh ? opcat_refresh(catalog, NULL) != OPCAT_OK
                    : (opcat_close(catalog), opcat_open(self->catalog, 0, &catalog) != OPCAT_OK))
            return 2;
        if (opcat_load_profile(catalog, "a", &a) != OPCAT_OK || opcat_load_profile(catalog, "b", &b) != OPCAT_OK)
            return 3;
        /* Both are written in one import, with the same count. */
        if (a->kinds[0].ops.softmax != b->kinds[0].ops.softmax)
            return 4;
        add_wait(&all, seconds_now() - start);
    }
    opcat_close(catalog);
    print_waits(&all, refresh);
    return all.total > 0 ? 0 : 5;
}

/* Import both families, always with the same count, until `until`. */
static int import_until(const fixture *self, const char *folder, time_t until)
{
    char *a = format("%s/a.yaml", folder), *b = format("%s/b.yaml", folder);
    for (int i = 1; time(NULL) < until; i++) {
        char *message = NULL;
        write_profile(a, i);
        write_profile(b, i);
        if (import_one(self->catalog, folder, &message) != OPCAT_IMPORT_DONE) {
            print_error("%s\n", message ? message : "refused");
            return 1;
        }
    }
    free(a);
    free(b);
    return 0;
}

static void readers_take_no_part_in_imports(void **state)
{
    enum { READERS = 8, IMPORTERS = 2 };
    fixture *self = *state;
    time_t until = time(NULL) + setting("OPCAT_TEST_SECONDS", 3);
    pid_t children[READERS + IMPORTERS];
    write_profile(self->a, 0);
    write_profile(self->b, 0);
    import_paths(self->catalog, self->a, self->b, NULL);
    for (int i = 0; i < READERS + IMPORTERS; i++) {
        children[i] = fork();
        if (children[i] == 0 && i < READERS)
            _exit(read_until(self, until, i % 2));
        if (children[i] == 0) {
            char *folder = format("%s/importer%d", self->folder, i);
            _exit(import_until(self, folder, until));
        }
    }
    for (int i = 0; i < READERS + IMPORTERS; i++)
        assert_int_equal(exit_status(children[i]), 0);
    assert_true(query_number(self->catalog, "SELECT count(*) FROM imports") > 2);
    assert_int_equal(entries_of(self), 1);
}

static void who_holds_the_catalog_too_long_is_told_of(void **state)
{
    fixture *self = *state;
    sqlite3 *db = NULL;
    char *message = NULL;
    write_profile(self->a, 1);
    import_paths(self->catalog, self->a, NULL);
    write_profile(self->a, 2);
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t holder = fork();
    if (holder == 0) {
        if (sqlite3_open(self->catalog, &db) != SQLITE_OK ||
            sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK || write(ready[1], &byte, 1) != 1)
            _exit(1);
        pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    time_t start = time(NULL);
    assert_int_equal(import_one(self->catalog, self->a, &message), OPCAT_IMPORT_FAILED);
    assert_contains(message, "has not ended within 10 seconds");
    assert_true(time(NULL) - start >= 9);
    assert_int_equal(kill(holder, SIGKILL), 0);
    assert_int_equal(exit_status(holder), 128 + SIGKILL);
    free(message);
    assert_int_equal(import_one(self->catalog, self->a, &message), OPCAT_IMPORT_DONE);
    close(ready[0]);
    close(ready[1]);
}

static void the_files_of_the_dead_are_cleared_and_those_of_the_living_left(void **state)
{
    fixture *self = *state;
    char *dead = format("%s/out/.opcat-0123456789abcdef", self->folder);
    char *living = format("%s/out/.opcat-fedcba9876543210", self->folder);
    char *foreign = format("%s/out/.opcat-notes", self->folder);
    write_text(dead, "half a catalog");
    write_text(living, "half a catalog");
    write_text(foreign, "a user's own");
    int fd = open(living, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    write_profile(self->a, 1);
    import_paths(self->catalog, self->a, NULL);
    assert_false(exists(dead));
    assert_true(exists(living));
    assert_true(exists(foreign));
    close(fd);
    import_paths(self->catalog, self->a, NULL);
    assert_false(exists(living));
    free(dead);
    free(living);
    free(foreign);
}

/* Kill an importer at moments spread over its run; there is always a whole catalog of one of the two generations. */
static void an_importer_that_is_killed_leaves_a_whole_generation(void **state)
{
    const int kills = (int)setting("OPCAT_TEST_KILLS", 40);
    fixture *self = *state;
    write_profile(self->a, 1);
    import_paths(self->catalog, self->a, NULL);
    int killed = 0;
    for (int i = 0; i < kills; i++) {
        char *message = NULL;
        write_profile(self->a, 2 + i);
        pid_t child = fork();
        if (child == 0)
            _exit(import_one(self->catalog, self->a, &message) == OPCAT_IMPORT_DONE ? 0 : 1);
        /* Spread over its run, of some ten milliseconds, from its first moment on. */
        const struct timespec moment = {0, i * (10000000L / kills)};
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        int status = exit_status(child);
        assert_true(status == 0 || status == 128 + SIGKILL);
        killed += status != 0;
        assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM kinds"), 1);
        int64_t softmax = query_number(self->catalog, "SELECT softmax FROM kinds");
        assert_true(softmax <= 2 + i);
        assert_true(entries_of(self) <= 2);
        import_paths(self->catalog, self->a, NULL);
        assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds"), 2 + i);
        assert_int_equal(entries_of(self), 1);
    }
    print_message("%d of %d importers killed\n", killed, kills);
}

/* In a process whose files may not grow past `limit` bytes: import, and say what came of it by the exit status. */
static int import_with_file_limit(const fixture *self, rlim_t limit)
{
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit bound = {limit, limit};
        char *message = NULL;
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &bound) != 0)
            _exit(99);
        opcat_import_result result = import_one(self->catalog, self->a, &message);
        bool said = result == OPCAT_IMPORT_DONE || (message && strstr(message, "catalog.db")) ||
                    (message && strstr(message, ".opcat-"));
        _exit(said ? (int)result : 98);
    }
    return exit_status(child);
}

static void a_full_disk_leaves_the_catalog_as_it_was(void **state)
{
    fixture *self = *state;
    size_t length = 0, now_length = 0;
    write_profile(self->a, 1);
    for (rlim_t limit = 0; limit <= 32768; limit += 4096)
        assert_int_equal(import_with_file_limit(self, limit), OPCAT_IMPORT_FAILED);
    assert_int_equal(entries_of(self), 0);
    import_paths(self->catalog, self->a, NULL);
    char *before = read_bytes(self->catalog, &length);
    write_profile(self->a, 2);
    for (rlim_t limit = 0; limit < (rlim_t)length; limit += 4096)
        assert_int_equal(import_with_file_limit(self, limit), OPCAT_IMPORT_FAILED);
    char *now = read_bytes(self->catalog, &now_length);
    assert_int_equal(now_length, length);
    assert_memory_equal(now, before, length);
    assert_int_equal(entries_of(self), 1);
    free(before);
    free(now);
}

/* As a user who may read everything here and write nothing. */
static void a_folder_that_cannot_be_written_is_said(void **state)
{
    fixture *self = *state;
    char *out = format("%s/out", self->folder);
    write_profile(self->a, 1);
    import_paths(self->catalog, self->a, NULL);
    write_profile(self->a, 2);
    assert_int_equal(chmod(self->folder, 0755), 0);
    assert_int_equal(chmod(out, 0555), 0);
    assert_int_equal(chmod(self->catalog, 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        char *message = NULL;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        bool refused = import_one(self->catalog, self->a, &message) == OPCAT_IMPORT_FAILED &&
                       strstr(message, "cannot write into the catalog's folder");
        if (!refused)
            print_error("%s\n", message ? message : "done");
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(exit_status(child), 0);
    assert_int_equal(chmod(out, 0755), 0);
    assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds"), 1);
    assert_int_equal(entries_of(self), 1);
    free(out);
}

static void a_catalog_that_cannot_be_written_is_said(void **state)
{
    fixture *self = *state;
    char *out = format("%s/out", self->folder);
    write_profile(self->a, 1);
    import_paths(self->catalog, self->a, NULL);
    write_profile(self->a, 2);
    assert_int_equal(chmod(self->folder, 0755), 0);
    assert_int_equal(chmod(out, 0777), 0);
    assert_int_equal(chmod(self->catalog, 0444), 0);
    pid_t child = fork();
    if (child == 0) {
        char *message = NULL;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        _exit(import_one(self->catalog, self->a, &message) == OPCAT_IMPORT_FAILED && strstr(message, "read-only") ? 0
                                                                                                                  : 1);
    }
    assert_int_equal(exit_status(child), 0);
    assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds"), 1);
    assert_int_equal(entries_of(self), 1);
    free(out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(importers_that_meet_build_on_one_another),
        TEST(readers_take_no_part_in_imports),
        TEST(who_holds_the_catalog_too_long_is_told_of),
        TEST(the_files_of_the_dead_are_cleared_and_those_of_the_living_left),
        TEST(an_importer_that_is_killed_leaves_a_whole_generation),
        TEST(a_full_disk_leaves_the_catalog_as_it_was),
        TEST(a_folder_that_cannot_be_written_is_said),
        TEST(a_catalog_that_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
