/* SPDX-License-Identifier: Apache-2.0 */
#include "next.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lib/raw_file.h"
#include "schema.h"

enum {
    WAIT_SECONDS = 10,
    LINKS_FOLLOWED = 40,
    WRITE_VERSION_OFFSET = 18, /* in the header: 1 for a rollback journal, 2 for a write-ahead log */
};

/* ---- Which file ------------------------------------------------------------------------------------------ */

/* What a symbolic link at `path` points to, as a path; NULL with errno set, EINVAL where it is no link. */
static char *link_target(const char *path)
{
    size_t room = 256;
    char *target = NULL;
    for (;;) {
        char *larger = realloc(target, room);
        ssize_t length = larger ? readlink(path, larger, room) : -1;
        if (length < 0) {
            int problem = larger ? errno : ENOMEM;
            free(larger ? larger : target);
            errno = problem;
            return NULL;
        }
        target = larger;
        if ((size_t)length < room) {
            target[length] = '\0';
            return target;
        }
        room *= 2;
    }
}

/* The path of a link's target, which may be relative to the link's folder; takes over `target`. */
static char *beside(const char *path, char *target)
{
    if (target[0] == '/')
        return target;
    opcat_text text = {0};
    char *folder = opcat_folder_of(path);
    opcat_text_add(&text, "%s/%s", folder ? folder : "", target);
    bool failed = !folder || text.failed;
    free(folder);
    free(target);
    if (!failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* Follow symbolic links, also to a file that is yet to be made. */
static opcat_status follow_links(const char *path, char **followed, opcat_error *error)
{
    opcat_text text = {0};
    opcat_text_add(&text, "%s", path);
    char *now = text.failed ? NULL : text.bytes;
    for (int links = 0; now && links < LINKS_FOLLOWED; links++) {
        char *target = link_target(now);
        if (!target && errno != ENOMEM) {
            *followed = now;
            return OPCAT_OK;
        }
        char *further = target ? beside(now, target) : NULL;
        free(now);
        now = further;
    }
    if (!now) {
        free(text.failed ? text.bytes : NULL);
        return opcat_error_nomem(error);
    }
    free(now);
    return opcat_error_set(error, OPCAT_CANTOPEN, "%s: cannot open the catalog: too many symbolic links", path);
}

/* ---- The current generation ------------------------------------------------------------------------------ */

static void close_current(opcat_next *next)
{
    sqlite3_close(next->current);
    next->current = NULL;
}

/*
 * A write-ahead log stands beside its file and would be taken for the next generation's. No catalog is made with one;
 * somebody's shell may have changed that.
 */
static opcat_status refuse_log(opcat_next *next, opcat_error *error)
{
    unsigned char version = 0;
    int rc = opcat_read_raw(next->current, &version, 1, WRITE_VERSION_OFFSET);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, next->current, rc, next->path, "reading its header");
    if (version == 1)
        return OPCAT_OK;
    return opcat_error_set(error, OPCAT_CANTOPEN,
                           "%s: the file was put into WAL mode, in which a catalog cannot be shared; "
                           "first run: sqlite3 %s 'PRAGMA journal_mode=DELETE'",
                           next->path, next->path);
}

static opcat_status connect_current(opcat_next *next, opcat_error *error)
{
    int flags = (next->dry_run ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX;
    char *plain = opcat_plain_path(next->path);
    if (!plain)
        return opcat_error_nomem(error);
    int rc = sqlite3_open_v2(plain, &next->current, flags, NULL);
    free(plain);
    if (rc == SQLITE_OK)
        rc = opcat_harden(next->current);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, next->current, rc, next->path, "cannot open the catalog");
    opcat_status status = opcat_check_header(next->current, next->path, error);
    if (status == OPCAT_OK)
        status = refuse_log(next, error);
    if (status == OPCAT_OK && !next->dry_run && sqlite3_db_readonly(next->current, "main") != 0)
        status = opcat_error_set(error, OPCAT_CANTOPEN, "%s: the catalog is read-only", next->path);
    return status;
}

static long long milliseconds_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Open what the path now holds, and lock it. */
static opcat_status lock_current(opcat_next *next, long long deadline, opcat_error *error)
{
    opcat_status status = connect_current(next, error);
    if (status != OPCAT_OK)
        return status;
    long long left = deadline - milliseconds_now();
    sqlite3_busy_timeout(next->current, left > 1 ? (int)left : 1);
    int rc = sqlite3_exec(next->current, next->dry_run ? "BEGIN" : "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc == SQLITE_OK) /* touch the file, so that a dry run holds it as well, and a truncated one is told now */
        rc = sqlite3_exec(next->current, "SELECT 1 FROM profile LIMIT 1", NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_BUSY)
        return opcat_error_set(error, OPCAT_BUSY,
                               "%s: another import, or someone's change, has not ended within %d seconds; try again",
                               next->path, WAIT_SECONDS);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, next->current, rc, next->path, "cannot lock the catalog");
    return OPCAT_OK;
}

/* A journal without its database would be rolled back into the catalog that takes the database's place. */
static opcat_status refuse_leftovers(const opcat_next *next, opcat_error *error)
{
    static const char *const endings[] = {"-journal", "-wal"};
    opcat_status status = OPCAT_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == OPCAT_OK; i++) {
        opcat_text text = {0};
        opcat_text_add(&text, "%s%s", next->path, endings[i]);
        if (text.failed)
            status = opcat_error_nomem(error);
        else if (access(text.bytes, F_OK) == 0)
            status =
                opcat_error_set(error, OPCAT_CANTOPEN,
                                "%s: left over from a database that is no longer there; remove it first", text.bytes);
        free(text.bytes);
    }
    return status;
}

opcat_status opcat_next_open(opcat_next *next, const char *path, bool dry_run, opcat_error *error)
{
    long long deadline = milliseconds_now() + WAIT_SECONDS * 1000LL;
    *next = (opcat_next){.dry_run = dry_run, .temporary = {.fd = -1}};
    opcat_status status = follow_links(path, &next->path, error);
    if (status == OPCAT_OK && !dry_run)
        opcat_temporary_clear(next->path);
    while (status == OPCAT_OK) {
        struct stat found;
        opcat_identity after;
        if (stat(next->path, &found) != 0 && errno == ENOENT)
            return refuse_leftovers(next, error);
        status = opcat_identify(next->path, &next->identity, error);
        if (status == OPCAT_OK)
            status = lock_current(next, deadline, error);
        if (status == OPCAT_OK)
            status = opcat_identify(next->path, &after, error);
        /* Who waited for the lock may have got that of a generation which was replaced meanwhile. */
        if (status == OPCAT_OK && after.inode == next->identity.inode && after.device == next->identity.device)
            return OPCAT_OK;
        close_current(next);
    }
    return status;
}

/* ---- The next one ---------------------------------------------------------------------------------------- */

static opcat_status fail_next(opcat_next *next, int rc, const char *doing, opcat_error *error)
{
    return opcat_error_sqlite(error, next->db, rc, next->path, doing);
}

/* The temporary file is this importer's alone: SQLite need not lock it, nor keep a journal of it. */
static opcat_status connect_next(opcat_next *next, opcat_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int rc = SQLITE_NOMEM;
    if (next->dry_run) {
        rc = sqlite3_open_v2(":memory:", &next->db, flags, NULL);
    } else {
        char *plain = opcat_plain_path(next->temporary.path);
        char *uri = plain ? opcat_file_uri(plain, "nolock=1") : NULL;
        if (uri)
            rc = sqlite3_open_v2(uri, &next->db, flags | SQLITE_OPEN_URI, NULL);
        free(uri);
        free(plain);
    }
    /* The defensive mode that hardening brings would refuse to go without a journal. */
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(next->db,
                          "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
                          "PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = opcat_harden(next->db);
    return rc == SQLITE_OK ? OPCAT_OK : fail_next(next, rc, "cannot make the next generation", error);
}

/* A dry run holds no lock that stands in the way of SQLite's own copying. */
static opcat_status copy_into_memory(opcat_next *next, opcat_error *error)
{
    sqlite3_backup *copy = sqlite3_backup_init(next->db, "main", next->current, "main");
    if (!copy)
        return fail_next(next, sqlite3_errcode(next->db), "cannot copy the current generation", error);
    int rc = sqlite3_backup_step(copy, -1);
    int finished = sqlite3_backup_finish(copy);
    if (rc == SQLITE_DONE)
        rc = finished;
    return rc == SQLITE_OK ? OPCAT_OK : fail_next(next, rc, "cannot copy the current generation", error);
}

/*
 * Copy the file, byte by byte, through SQLite's own descriptor: closing one of ours would drop the lock. Nobody else
 * can change it in place as long as the lock is held.
 */
static opcat_status copy_file(opcat_next *next, opcat_error *error)
{
    enum { CHUNK = 1 << 20 };
    sqlite3_int64 size = 0;
    opcat_status status = OPCAT_OK;
    char *bytes = malloc(CHUNK);
    int rc = bytes ? opcat_file_size(next->current, &size) : SQLITE_NOMEM;
    for (sqlite3_int64 at = 0; at < size && rc == SQLITE_OK && status == OPCAT_OK; at += CHUNK) {
        int length = size - at < CHUNK ? (int)(size - at) : CHUNK;
        rc = opcat_read_raw(next->current, bytes, length, at);
        if (rc == SQLITE_OK)
            status = opcat_temporary_write(&next->temporary, bytes, (size_t)length, error);
    }
    free(bytes);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, next->current, rc, next->path, "cannot copy the current generation");
    return status;
}

opcat_status opcat_next_begin(opcat_next *next, opcat_error *error)
{
    opcat_status status = next->dry_run ? OPCAT_OK : opcat_temporary_create(&next->temporary, next->path, error);
    if (status == OPCAT_OK && next->current && !next->dry_run)
        status = copy_file(next, error);
    if (status == OPCAT_OK)
        status = connect_next(next, error);
    if (status == OPCAT_OK && next->current && next->dry_run)
        status = copy_into_memory(next, error);
    if (status != OPCAT_OK)
        return status;
    int rc = sqlite3_exec(next->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc == SQLITE_OK && !next->current)
        rc = sqlite3_exec(next->db, opcat_schema_sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? OPCAT_OK : fail_next(next, rc, "cannot make the next generation", error);
}

static opcat_status still_current(opcat_next *next, const struct stat *found, opcat_error *error)
{
    if (found->st_ino == next->identity.inode && found->st_dev == next->identity.device)
        return OPCAT_OK;
    return opcat_error_set(error, OPCAT_BUSY, "%s: someone replaced the catalog during the import; try again",
                           next->path);
}

opcat_status opcat_next_publish(opcat_next *next, bool *lost, opcat_error *error)
{
    struct stat found = {0};
    opcat_status status = OPCAT_OK;
    *lost = false;
    int rc = sqlite3_exec(next->db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return fail_next(next, rc, "cannot write the next generation", error);
    rc = sqlite3_close(next->db);
    next->db = NULL;
    if (rc != SQLITE_OK)
        return fail_next(next, rc, "cannot write the next generation", error);
    if (next->dry_run)
        return OPCAT_OK;
    if (next->current && stat(next->path, &found) != 0)
        return opcat_error_set(error, OPCAT_IO, "%s: cannot find the catalog again: %s", next->path, strerror(errno));
    if (next->current)
        status = still_current(next, &found, error);
    if (status == OPCAT_OK)
        status = opcat_temporary_sync(&next->temporary, next->current ? &found : NULL, error);
    if (status == OPCAT_OK)
        status = opcat_temporary_publish(&next->temporary, next->path, !next->current, lost, error);
    return status;
}

void opcat_next_close(opcat_next *next)
{
    sqlite3_close(next->db);
    next->db = NULL;
    opcat_temporary_discard(&next->temporary);
    close_current(next);
    free(next->path);
    next->path = NULL;
}
