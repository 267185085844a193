/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every reading and writing fails in turn, under SQLite and in the importer's own calls. Each failure is told, and the
 * catalog is the old one or the new one, whole. SQLite is given a file system of this program's own, which counts; for
 * the importer's calls this program brings write(), fsync(), rename() and link() of its own.
 */
/* For RTLD_NEXT. */
#define _GNU_SOURCE
#include "support/support.h"

#include <dlfcn.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../import/import.h"

static long until_failure = -1; /* operations that succeed before one fails; -1: none fails */
static bool failed;             /* one did */

static bool fails(void)
{
    if (until_failure < 0 || until_failure-- > 0)
        return false;
    failed = true;
    return true;
}

/* ---- SQLite's file system -------------------------------------------------------------------------------- */

/* A file of SQLite's own file system behind one that counts. */
typedef struct counted_file {
    sqlite3_file base;
    sqlite3_file *real;
} counted_file;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs counted_vfs;

static sqlite3_file *real(sqlite3_file *file)
{
    return ((counted_file *)file)->real;
}

static int file_close(sqlite3_file *file)
{
    return real(file)->pMethods->xClose(real(file));
}

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 at)
{
    return fails() ? SQLITE_IOERR_READ : real(file)->pMethods->xRead(real(file), bytes, length, at);
}

static int file_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 at)
{
    if (!fails())
        return real(file)->pMethods->xWrite(real(file), bytes, length, at);
    /* Half of it is there when the disk is full. */
    real(file)->pMethods->xWrite(real(file), bytes, length / 2, at);
    return SQLITE_FULL;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    return fails() ? SQLITE_IOERR_FSYNC : real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return fails() ? SQLITE_IOERR_FSTAT : real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int lock)
{
    return fails() ? SQLITE_IOERR_LOCK : real(file)->pMethods->xLock(real(file), lock);
}

static int file_unlock(sqlite3_file *file, int lock)
{
    return real(file)->pMethods->xUnlock(real(file), lock);
}

static int file_check(sqlite3_file *file, int *held)
{
    return fails() ? SQLITE_IOERR_CHECKRESERVEDLOCK : real(file)->pMethods->xCheckReservedLock(real(file), held);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file)
{
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static const sqlite3_io_methods counted_methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    counted_file *counted = (counted_file *)file;
    (void)vfs;
    counted->base.pMethods = NULL;
    counted->real = (sqlite3_file *)(void *)(counted + 1);
    if (fails())
        return SQLITE_CANTOPEN;
    int rc = real_vfs->xOpen(real_vfs, name, counted->real, flags, flags_out);
    if (rc == SQLITE_OK)
        counted->base.pMethods = &counted_methods;
    return rc;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs;
    return fails() ? SQLITE_IOERR_ACCESS : real_vfs->xAccess(real_vfs, name, flags, result);
}

static void register_vfs(void)
{
    sqlite3_initialize();
    real_vfs = sqlite3_vfs_find(NULL);
    counted_vfs = *real_vfs;
    counted_vfs.zName = "counted";
    counted_vfs.szOsFile = (int)sizeof(counted_file) + real_vfs->szOsFile;
    counted_vfs.xOpen = vfs_open;
    counted_vfs.xAccess = vfs_access;
    assert_int_equal(sqlite3_vfs_register(&counted_vfs, 1), SQLITE_OK);
}

/* ---- The importer's calls -------------------------------------------------------------------------------- */

static void *next_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol)
        abort();
    return symbol;
}

static bool refuse(int problem)
{
    if (!fails())
        return false;
    errno = problem;
    return true;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    static ssize_t (*next)(int, const void *, size_t);
    if (!next)
        *(void **)&next = next_symbol("write");
    /* Standard output and error are the test's own. */
    if (fd > STDERR_FILENO && refuse(ENOSPC))
        return -1;
    return next(fd, bytes, length);
}

int fsync(int fd)
{
    static int (*next)(int);
    if (!next)
        *(void **)&next = next_symbol("fsync");
    return refuse(EIO) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    if (!next)
        *(void **)&next = next_symbol("rename");
    return refuse(EACCES) ? -1 : next(from, to);
}

int link(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    if (!next)
        *(void **)&next = next_symbol("link");
    return refuse(EACCES) ? -1 : next(from, to);
}

/* ---- Tests ----------------------------------------------------------------------------------------------- */

typedef struct fixture {
    char *folder;
    char *catalog;
    char *changed;
    char *copy_folder;
    char *copy;
} fixture;

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/catalog.db", self->folder);
    self->changed = format("%s/t5.yaml", self->folder);
    self->copy_folder = format("%s/copy", self->folder);
    self->copy = format("%s/copy/copy.db", self->folder);
    char *source = one_kind_profile(3);
    write_text(self->changed, source);
    free(source);
    import_paths(self->catalog, OPCAT_SOURCE_DIR "/op_profiles", NULL);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    free(self->catalog);
    free(self->changed);
    free(self->copy);
    free(self->copy_folder);
    remove_folder(self->folder);
    free(self);
    return 0;
}

static long fail_each(bool (*work)(fixture *self), fixture *self)
{
    for (long at = 0;; at++) {
        failed = false;
        until_failure = at;
        bool right = work(self);
        until_failure = -1;
        if (!right)
            fail_msg("operation %ld fails, and what comes of it is wrong", at);
        if (!failed)
            return at;
    }
}

static bool is_told(opcat_status status)
{
    return status == OPCAT_OK || status == OPCAT_IO || status == OPCAT_CANTOPEN || status == OPCAT_NOT_A_CATALOG ||
           status == OPCAT_CORRUPT || status == OPCAT_BUSY;
}

static bool use_library(fixture *self)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    const opcat_profile *profile = NULL;
    const char *arch = NULL;
    bool changed = false;
    opcat_status status = opcat_open(self->catalog, 0, &catalog);
    bool right = is_told(status) && (status == OPCAT_OK || *opcat_errmsg(catalog));
    right = right && is_told(opcat_known_archs(catalog, &archs)) &&
            is_told(opcat_load_profile(catalog, "t5", &profile)) && is_told(opcat_infer_arch(catalog, "qwen", &arch)) &&
            is_told(opcat_refresh(catalog, &changed));
    long failing = until_failure;
    until_failure = -1;
    /* Whatever failed, the handle answers once the trouble is over. */
    right = right && opcat_refresh(catalog, &changed) == OPCAT_OK &&
            opcat_load_profile(catalog, "t5", &profile) == OPCAT_OK && profile->kind_count == 2;
    until_failure = failing;
    opcat_names_free(archs);
    opcat_close(catalog);
    return right;
}

static void the_library_tells_of_every_failure_and_recovers(void **state)
{
    long count = fail_each(use_library, *state);
    print_message("%ld operations failed\n", count);
    assert_true(count > 15);
}

/* Import into the copy; what came of it is right where it is the old one, byte for byte, or the new one. */
static bool import_once(fixture *self, const char *before, size_t length)
{
    const char *paths[] = {self->changed};
    opcat_import_options options = {.catalog = self->copy, .paths = paths, .path_count = 1};
    opcat_import_report report;
    opcat_import_result result = opcat_import(&options, &report);
    long failing = until_failure;
    until_failure = -1;
    size_t now_length = 0;
    bool there = exists(self->copy);
    char *now = there ? read_bytes(self->copy, &now_length) : NULL;
    bool unchanged = before ? there && now_length == length && memcmp(now, before, length) == 0 : !there;
    bool is_new = there && !unchanged && query_number(self->copy, "SELECT softmax FROM kinds WHERE arch = 't5'") == 3;
    /* The new generation may be in place when its folder cannot be synced: that is told, and it is whole. */
    bool right = result == OPCAT_IMPORT_DONE ? is_new : report.message && (unchanged || is_new);
    right = right && count_entries(self->copy_folder) == (there ? 1 : 0);
    opcat_import_report_free(&report);
    free(now);
    if (there)
        unlink(self->copy);
    until_failure = failing;
    return right;
}

static bool import_into_a_catalog(fixture *self)
{
    long failing = until_failure;
    until_failure = -1;
    size_t length = 0;
    char *before = read_bytes(self->catalog, &length);
    write_file(self->copy, before, length);
    until_failure = failing;
    bool right = import_once(self, before, length);
    free(before);
    return right;
}

static bool import_into_none(fixture *self)
{
    return import_once(self, NULL, 0);
}

static void an_import_that_fails_leaves_the_old_generation_or_the_new(void **state)
{
    fixture *self = *state;
    long count = fail_each(import_into_a_catalog, self);
    print_message("%ld operations failed with a catalog\n", count);
    assert_true(count > 40);
    count = fail_each(import_into_none, self);
    print_message("%ld operations failed without one\n", count);
    assert_true(count > 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    register_vfs();
    const struct CMUnitTest tests[] = {
        TEST(the_library_tells_of_every_failure_and_recovers),
        TEST(an_import_that_fails_leaves_the_old_generation_or_the_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
