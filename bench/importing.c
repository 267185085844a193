/* SPDX-License-Identifier: Apache-2.0 */
/* The floors of importing: libyaml's events and bare insertion; reading and comparing; copying a file. */
#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "../import/schema.h"
#include "opcat.h"

typedef struct file_list {
    char **names; /* sorted, without the suffix */
    size_t count;
} file_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static file_list list_profiles(const char *folder)
{
    file_list list = {0};
    size_t room = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        die("cannot read %s", folder);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
            continue;
        if (list.count == room) {
            room = room ? room * 2 : 1024;
            list.names = realloc(list.names, room * sizeof(char *));
        }
        list.names[list.count] = strdup(entry->d_name);
        list.names[list.count++][length - 5] = '\0';
    }
    closedir(entries);
    qsort(list.names, list.count, sizeof(char *), compare_names);
    return list;
}

static void free_list(file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static char *read_profile(const char *folder, const char *name, size_t *length)
{
    char path[4096];
    struct stat found;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &found) != 0)
        die("cannot read %s", path);
    char *bytes = malloc((size_t)found.st_size + 1);
    if (!bytes || read(fd, bytes, (size_t)found.st_size) != found.st_size)
        die("cannot read %s", path);
    close(fd);
    *length = (size_t)found.st_size;
    return bytes;
}

static size_t parse_events(const char *bytes, size_t length)
{
    yaml_parser_t parser;
    yaml_event_t event;
    size_t events = 0;
    bool done = false;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    while (!done) {
        if (!yaml_parser_parse(&parser, &event))
            die("not YAML");
        done = event.type == YAML_STREAM_END_EVENT;
        events++;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return events;
}

static void check(int rc, sqlite3 *db)
{
    if (rc != SQLITE_OK && rc != SQLITE_DONE)
        die("%s", sqlite3_errmsg(db));
}

static void step(sqlite3_stmt *statement, sqlite3 *db)
{
    check(sqlite3_step(statement), db);
    check(sqlite3_reset(statement), db);
}

static void insert_rows(sqlite3 *db, const file_list *list, const char *folder, char **sources, const size_t *lengths)
{
    sqlite3_stmt *change, *profile, *kind;
    (void)folder;
    check(sqlite3_prepare_v2(db, "INSERT INTO change (arch, import_id, change, source) VALUES (?1, 1, 'added', ?2)", -1,
                             &change, NULL),
          db);
    check(sqlite3_prepare_v2(db, "INSERT INTO profile (arch, default_kind, change_id) VALUES (?1, 'decoder', ?2)", -1,
                             &profile, NULL),
          db);
    check(sqlite3_prepare_v2(db,
                             "INSERT INTO kind VALUES (?1, 'decoder', 0, 'full', NULL, ?2, 2, 3, 1, 0, 2, 4, 1, 1, 0)",
                             -1, &kind, NULL),
          db);
    for (size_t i = 0; i < list->count; i++) {
        sqlite3_bind_text(change, 1, list->names[i], -1, SQLITE_STATIC);
        sqlite3_bind_text(change, 2, sources[i], (int)lengths[i], SQLITE_STATIC);
        step(change, db);
        sqlite3_bind_text(profile, 1, list->names[i], -1, SQLITE_STATIC);
        sqlite3_bind_int64(profile, 2, sqlite3_last_insert_rowid(db));
        step(profile, db);
        sqlite3_bind_text(kind, 1, list->names[i], -1, SQLITE_STATIC);
        sqlite3_bind_int64(kind, 2, (sqlite3_int64)(i % 9));
        step(kind, db);
    }
    sqlite3_finalize(change);
    sqlite3_finalize(profile);
    sqlite3_finalize(kind);
}

static void sync_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fsync(fd) != 0)
        die("cannot sync %s", path);
    close(fd);
}

void bench_import_floor(const char *folder, const char *catalog)
{
    sqlite3 *db;
    double start = now();
    file_list list = list_profiles(folder);
    char **sources = calloc(list.count, sizeof(char *));
    size_t *lengths = calloc(list.count, sizeof(size_t));
    size_t events = 0;
    for (size_t i = 0; i < list.count; i++) {
        sources[i] = read_profile(folder, list.names[i], &lengths[i]);
        events += parse_events(sources[i], lengths[i]);
    }
    double parsed = now();
    unlink(catalog);
    check(sqlite3_open(catalog, &db), db);
    check(sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN",
                       NULL, NULL, NULL),
          db);
    check(sqlite3_exec(db, opcat_schema_sql, NULL, NULL, NULL), db);
    insert_rows(db, &list, folder, sources, lengths);
    check(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), db);
    sqlite3_close(db);
    sync_file(catalog);
    report("import floor", now() - start, parsed - start);
    for (size_t i = 0; i < list.count; i++)
        free(sources[i]);
    free(sources);
    free(lengths);
    free_list(&list);
    fprintf(stderr, "%s", events ? "" : "no events\n");
}

void bench_unchanged_floor(const char *folder, const char *catalog)
{
    sqlite3 *db;
    sqlite3_stmt *source;
    size_t same = 0;
    double start = now();
    file_list list = list_profiles(folder);
    check(sqlite3_open_v2(catalog, &db, SQLITE_OPEN_READONLY, NULL), db);
    check(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), db);
    check(sqlite3_prepare_v2(
              db, "SELECT c.source FROM profile p JOIN change c ON c.change_id = p.change_id WHERE p.arch = ?1", -1,
              &source, NULL),
          db);
    for (size_t i = 0; i < list.count; i++) {
        size_t length;
        char *bytes = read_profile(folder, list.names[i], &length);
        sqlite3_bind_text(source, 1, list.names[i], -1, SQLITE_STATIC);
        if (sqlite3_step(source) == SQLITE_ROW)
            same += (size_t)sqlite3_column_bytes(source, 0) == length &&
                    memcmp(sqlite3_column_blob(source, 0), bytes, length) == 0;
        sqlite3_reset(source);
        free(bytes);
    }
    sqlite3_finalize(source);
    sqlite3_close(db);
    if (same != list.count)
        die("%zu of %zu are as they were", same, list.count);
    report("unchanged floor", now() - start, 0);
    free_list(&list);
}

void bench_copy_floor(const char *catalog, const char *copy)
{
    enum { CHUNK = 1 << 20 };
    char *bytes = malloc(CHUNK);
    double start = now();
    int from = open(catalog, O_RDONLY);
    int to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!bytes || from < 0 || to < 0)
        die("cannot copy");
    for (ssize_t count; (count = read(from, bytes, CHUNK)) > 0;) {
        if (write(to, bytes, (size_t)count) != count)
            die("cannot write");
    }
    if (fsync(to) != 0)
        die("cannot sync");
    close(from);
    close(to);
    report("copy floor", now() - start, 0);
    free(bytes);
}

void bench_memory(const char *catalog)
{
    opcat_catalog *handle;
    opcat_names *archs;
    double structs = 0;
    if (opcat_open(catalog, 0, &handle) != OPCAT_OK || opcat_known_archs(handle, &archs) != OPCAT_OK)
        die("%s", opcat_errmsg(handle));
    const opcat_profile *profile;
    if (opcat_load_profile(handle, archs->names[0], &profile) != OPCAT_OK)
        die("%s", opcat_errmsg(handle));
    size_t before = mallinfo2().uordblks;
    size_t cache_before = (size_t)sqlite3_memory_used();
    for (size_t i = 0; i < archs->count; i++) {
        if (opcat_load_profile(handle, archs->names[i], &profile) != OPCAT_OK)
            die("%s", opcat_errmsg(handle));
        structs += (double)(sizeof *profile + profile->kind_count * sizeof *profile->kinds + strlen(profile->arch) + 1);
        for (size_t k = 0; k < profile->kind_count; k++)
            structs += (double)strlen(profile->kinds[k].name) + 1;
    }
    size_t sqlite = (size_t)sqlite3_memory_used() - cache_before;
    report("memory", (double)(mallinfo2().uordblks - before - sqlite), structs);
    opcat_names_free(archs);
    opcat_close(handle);
}
