/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "raw_file.h"

enum {
    HEADER_SIZE = 100,
    PAGE_SIZE_OFFSET = 16,
    COUNTER_OFFSET = 24,
    PAGE_COUNT_OFFSET = 28,
    COUNTED_AT_OFFSET = 92, /* the change counter when the pages were counted */
    USER_VERSION_OFFSET = 60,
    APPLICATION_ID_OFFSET = 68,
    BUSY_MILLISECONDS = 5000,
    /* No cell of a catalog is larger than a source file, and a reader takes no more from one that claims to be. */
    LONGEST_CELL = 2 << 20,
    /* How often the file may be replaced between two looks before the opening is given up. */
    OPEN_TRIES = 100,
};

/* Clocks of file systems tick as slowly as every two seconds. */
static const time_t COARSEST_TICK = 2;

/*
 * Connections of a parent process, which a child may neither use nor close. Kept reachable, so that a leak checker in
 * the child does not take them for lost.
 */
typedef struct abandoned {
    sqlite3 *db;
    struct abandoned *next;
} abandoned;

static _Atomic(abandoned *) all_abandoned;

static void abandon(sqlite3 *db)
{
    abandoned *one = malloc(sizeof *one);
    if (!one)
        return;
    one->db = db;
    one->next = atomic_load(&all_abandoned);
    while (!atomic_compare_exchange_weak(&all_abandoned, &one->next, one))
        continue;
}

char *opcat_plain_path(const char *path)
{
    opcat_text text = {0};
    opcat_text_add(&text, path[0] == '/' ? "%s" : "./%s", path);
    if (text.failed) {
        free(text.bytes);
        return NULL;
    }
    return text.bytes;
}

char *opcat_file_uri(const char *path, const char *parameters)
{
    opcat_text text = {0};
    opcat_text_add(&text, "file:");
    for (; *path; path++)
        opcat_text_add(&text, strchr("?#%", *path) ? "%%%02x" : "%c", (unsigned)(unsigned char)*path);
    opcat_text_add(&text, "?%s", parameters);
    if (!text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

bool opcat_same_identity(const opcat_identity *a, const opcat_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec;
}

opcat_status opcat_identify(const char *path, opcat_identity *identity, opcat_error *error)
{
    struct stat found;
    *identity = (opcat_identity){0};
    if (stat(path, &found) != 0)
        return opcat_error_set(error, OPCAT_CANTOPEN, "%s: cannot open the catalog: %s", *path ? path : "''",
                               strerror(errno));
    if (S_ISDIR(found.st_mode))
        return opcat_error_set(error, OPCAT_CANTOPEN, "%s: a catalog is a file, and this is a folder", path);
    if (!S_ISREG(found.st_mode))
        return opcat_error_set(error, OPCAT_CANTOPEN, "%s: a catalog is a regular file, and this is none", path);
    if (found.st_size == 0)
        return opcat_error_set(error, OPCAT_NOT_A_CATALOG, "%s: not an opcat catalog: the file is empty", path);
    identity->device = found.st_dev;
    identity->inode = found.st_ino;
    identity->size = found.st_size;
    identity->modified = found.st_mtim;
    return OPCAT_OK;
}

static unsigned big_endian(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/*
 * Whether the file is as long as its header says. SQLite itself takes a part of a page for a whole one, and looks at
 * none that nobody asks for.
 */
static bool is_whole(sqlite3 *db, const unsigned char *header)
{
    sqlite3_int64 size = 0;
    sqlite3_int64 page = header[PAGE_SIZE_OFFSET] << 8 | header[PAGE_SIZE_OFFSET + 1];
    bool counted = memcmp(header + COUNTER_OFFSET, header + COUNTED_AT_OFFSET, 4) == 0;
    if (!counted || opcat_file_size(db, &size) != SQLITE_OK)
        return true; /* not known: SQLite will see */
    return size >= (page == 1 ? 65536 : page) * big_endian(header + PAGE_COUNT_OFFSET);
}

opcat_status opcat_check_header(sqlite3 *db, const char *path, opcat_error *error)
{
    static const char magic[] = "SQLite format 3";
    unsigned char header[HEADER_SIZE];
    int rc = opcat_read_raw(db, header, HEADER_SIZE, 0);
    if (rc == SQLITE_IOERR_SHORT_READ || (rc == SQLITE_OK && memcmp(header, magic, sizeof magic) != 0))
        return opcat_error_set(error, OPCAT_NOT_A_CATALOG, "%s: not an opcat catalog: not an SQLite database", path);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, db, rc, path, "reading its header");
    if (big_endian(header + APPLICATION_ID_OFFSET) != OPCAT_APPLICATION_ID)
        return opcat_error_set(error, OPCAT_NOT_A_CATALOG,
                               "%s: not an opcat catalog: an SQLite database of another kind", path);
    unsigned version = big_endian(header + USER_VERSION_OFFSET);
    if (version > INT32_MAX || version < 100 * OPCAT_SCHEMA_MAJOR + OPCAT_SCHEMA_MINOR)
        return opcat_error_set(error, OPCAT_NOT_A_CATALOG,
                               "%s: not a catalog that opcat %s reads: its schema is version %u.%u, older than %d.%d; "
                               "import its profiles anew",
                               path, OPCAT_VERSION, version / 100, version % 100, OPCAT_SCHEMA_MAJOR,
                               OPCAT_SCHEMA_MINOR);
    if (version / 100 != OPCAT_SCHEMA_MAJOR)
        return opcat_error_set(error, OPCAT_NEWER_SCHEMA,
                               "%s: the catalog's schema is version %u.%u, and opcat %s reads %d.x; "
                               "use a newer opcat, or import the profiles with this one",
                               path, version / 100, version % 100, OPCAT_VERSION, OPCAT_SCHEMA_MAJOR);
    if (!is_whole(db, header))
        return opcat_error_set(error, OPCAT_CORRUPT, "%s: the catalog is damaged: the file was cut off", path);
    return OPCAT_OK;
}

int opcat_harden(sqlite3 *db)
{
    static const struct {
        int option;
        int value;
    } switches[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0}, {SQLITE_DBCONFIG_DQS_DML, 0},
    };
    sqlite3_extended_result_codes(db, 1);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        int rc = sqlite3_db_config(db, switches[i].option, switches[i].value, NULL);
        if (rc != SQLITE_OK)
            return rc;
    }
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_CELL);
    return sqlite3_busy_timeout(db, BUSY_MILLISECONDS);
}

static bool is_recent(const opcat_identity *identity)
{
    struct timespec now;
    /* A time in the future is one that cannot be trusted either. */
    return clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec - identity->modified.tv_sec <= COARSEST_TICK;
}

/* Open, harden and check; what is open is in connection->db, whatever comes of it. */
static opcat_status connect(opcat_connection *connection, const char *path, bool immutable, opcat_error *error)
{
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0);
    char *plain = opcat_plain_path(path);
    char *name = plain && immutable ? opcat_file_uri(plain, "immutable=1") : plain;
    if (!name) {
        free(plain);
        return opcat_error_nomem(error);
    }
    int rc = sqlite3_open_v2(name, &connection->db, flags, NULL);
    if (name != plain)
        free(name);
    free(plain);
    if (rc == SQLITE_OK)
        rc = opcat_harden(connection->db);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, connection->db, rc, path, "cannot open the catalog");
    opcat_status status = opcat_check_header(connection->db, path, error);
    if (status != OPCAT_OK)
        return status;
    rc = opcat_read_counter(connection->db, &connection->counter);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, connection->db, rc, path, "reading its change counter");
    return OPCAT_OK;
}

opcat_status opcat_connection_open(opcat_connection *connection, const char *path, bool immutable, opcat_error *error)
{
    for (int tries = 0; tries < OPEN_TRIES; tries++) {
        *connection = (opcat_connection){.owner = getpid()};
        opcat_identity before = {0};
        opcat_status status = opcat_identify(path, &before, error);
        if (status == OPCAT_OK)
            status = connect(connection, path, immutable, error);
        if (status == OPCAT_OK)
            status = opcat_identify(path, &connection->identity, error);
        if (status == OPCAT_OK && opcat_same_identity(&before, &connection->identity)) {
            connection->recently_changed = is_recent(&before);
            return OPCAT_OK;
        }
        opcat_connection_close(connection);
        /* What looks damaged may be a change in place that was only half done. */
        bool changing = status == OPCAT_CORRUPT && opcat_identify(path, &connection->identity, error) == OPCAT_OK &&
                        !opcat_same_identity(&before, &connection->identity);
        if (status != OPCAT_OK && !changing)
            return status;
    }
    return opcat_error_set(error, OPCAT_BUSY, "%s: the catalog is replaced faster than it can be opened", path);
}

void opcat_connection_close(opcat_connection *connection)
{
    if (connection->db && connection->owner == getpid())
        sqlite3_close(connection->db);
    else if (connection->db)
        abandon(connection->db);
    connection->db = NULL;
}

opcat_status opcat_connection_is_current(opcat_connection *connection, const char *path, bool thorough, bool *current,
                                         opcat_error *error)
{
    opcat_identity now;
    opcat_status status = opcat_identify(path, &now, error);
    *current = status == OPCAT_OK && opcat_same_identity(&now, &connection->identity);
    if (!*current || (!thorough && !connection->recently_changed))
        return status;
    unsigned counter = 0;
    int rc = opcat_read_counter(connection->db, &counter);
    if (rc != SQLITE_OK)
        return opcat_error_sqlite(error, connection->db, rc, path, "reading its change counter");
    *current = counter == connection->counter;
    connection->recently_changed = is_recent(&connection->identity);
    return OPCAT_OK;
}
