/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loadable extension for SQLite: infer_arch(NAME), infer_trait(NAME, TRAIT) and resolve_ops(ARCH [, JSON]), answered
 * from the catalog that the query's own connection has open, as main or attached, by the library's code.
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "extension.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../nearest.h"

/* The naming rules of a connection's catalog, kept from row to row for as long as nothing has changed. */
typedef struct rule_cache {
    sqlite3 *db;
    char *schema; /* NULL while nothing is kept */
    char *file;   /* behind the schema; "" for a database in memory */
    struct stat state;
    unsigned version; /* as SQLite counts the changes that it sees */
    bool uncommitted; /* read amid this connection's own changes, which may be undone unseen */
    opcat_ruleset *rules;
    opcat_error error;
    int users; /* the functions that share it */
} rule_cache;

static void forget(rule_cache *cache)
{
    sqlite3_free(cache->schema);
    free(cache->file);
    opcat_ruleset_free(cache->rules);
    cache->schema = NULL;
    cache->file = NULL;
    cache->rules = NULL;
}

static void release_cache(void *context)
{
    rule_cache *cache = context;
    if (--cache->users > 0)
        return;
    forget(cache);
    opcat_error_clear(&cache->error);
    free(cache);
}

/* What can be told of the file behind a schema without reading it. */
static void look_at(sqlite3 *db, const char *schema, struct stat *state, unsigned *version)
{
    const char *file = sqlite3_db_filename(db, schema);
    *version = 0;
    memset(state, 0, sizeof *state);
    if (file && *file)
        (void)stat(file, state);
    sqlite3_file_control(db, schema, SQLITE_FCNTL_DATA_VERSION, version);
}

/* Whether this connection is changing the catalog. Before 3.34 SQLite does not tell: then, whether it may be. */
static bool is_changing(sqlite3 *db, const char *schema)
{
#if SQLITE_VERSION_NUMBER >= 3034000
    if (sqlite3_libversion_number() >= 3034000)
        return sqlite3_txn_state(db, schema) == SQLITE_TXN_WRITE;
#endif
    (void)schema;
    return !sqlite3_get_autocommit(db);
}

static bool is_current(const rule_cache *cache)
{
    struct stat state;
    unsigned version;
    const char *file = cache->schema ? sqlite3_db_filename(cache->db, cache->schema) : NULL;
    if (!file || strcmp(file, cache->file) != 0 || cache->uncommitted || is_changing(cache->db, cache->schema))
        return false;
    look_at(cache->db, cache->schema, &state, &version);
    return version == cache->version && state.st_dev == cache->state.st_dev && state.st_ino == cache->state.st_ino &&
           state.st_size == cache->state.st_size && state.st_mtim.tv_sec == cache->state.st_mtim.tv_sec &&
           state.st_mtim.tv_nsec == cache->state.st_mtim.tv_nsec;
}

static opcat_status read_rules(rule_cache *cache)
{
    opcat_reader reader;
    opcat_status status = opcat_find_schema(cache->db, &cache->schema, &cache->error);
    if (status != OPCAT_OK)
        return status;
    status = opcat_reader_start(&reader, cache->db, cache->schema, cache->schema, &cache->error);
    if (status == OPCAT_OK)
        status = opcat_reader_rules(&reader, &cache->rules);
    opcat_reader_end(&reader);
    const char *file = sqlite3_db_filename(cache->db, cache->schema);
    size_t size = file ? strlen(file) + 1 : 1;
    cache->file = malloc(size);
    if (!cache->file)
        return opcat_error_nomem(&cache->error);
    memcpy(cache->file, file ? file : "", size);
    cache->uncommitted = is_changing(cache->db, cache->schema);
    look_at(cache->db, cache->schema, &cache->state, &cache->version);
    return status;
}

/* Say in SQL what went wrong. */
static void fail(sqlite3_context *call, const char *function, const opcat_error *error)
{
    if (error->status == OPCAT_NOMEM) {
        sqlite3_result_error_nomem(call);
        return;
    }
    char *text = sqlite3_mprintf("%s(): %s", function, opcat_error_text(error));
    if (text)
        sqlite3_result_error(call, text, -1);
    else
        sqlite3_result_error_nomem(call);
    sqlite3_free(text);
}

/* The rules to answer from; NULL where there are none, which is said. */
static const opcat_ruleset *rules_for(sqlite3_context *call, const char *function)
{
    rule_cache *cache = sqlite3_user_data(call);
    if (is_current(cache))
        return cache->rules;
    forget(cache);
    if (read_rules(cache) == OPCAT_OK)
        return cache->rules;
    fail(call, function, &cache->error);
    forget(cache);
    return NULL;
}

const char *opcat_text_argument(sqlite3_value *value, bool *nomem)
{
    /* Asked first: the conversion to text changes the type. */
    if (sqlite3_value_type(value) == SQLITE_BLOB)
        return NULL;
    const char *text = (const char *)sqlite3_value_text(value);
    *nomem = !text;
    return text && strlen(text) == (size_t)sqlite3_value_bytes(value) ? text : NULL;
}

/* An argument as text; NULL where it is none, which is said. */
static const char *text_argument(sqlite3_context *call, sqlite3_value *value, const char *wrong)
{
    bool nomem = false;
    const char *text = opcat_text_argument(value, &nomem);
    if (nomem)
        sqlite3_result_error_nomem(call);
    else if (!text)
        sqlite3_result_error(call, wrong, -1);
    return text;
}

static void infer_arch(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    const char *name = text_argument(call, arguments[0], "infer_arch(): the name must be text");
    const opcat_ruleset *rules = name ? rules_for(call, "infer_arch") : NULL;
    if (!rules)
        return;
    const char *arch = opcat_ruleset_arch(rules, name);
    sqlite3_result_text(call, arch ? arch : OPCAT_DEFAULT_ARCH, -1, SQLITE_TRANSIENT);
}

static void say_no_trait(sqlite3_context *call, const char *trait)
{
    opcat_text text = {0};
    opcat_error error = {0};
    const char *meant = opcat_nearest(trait, opcat_trait_names, OPCAT_TRAIT_COUNT);
    opcat_text_add(&text, "there is no trait ");
    opcat_text_quote(&text, trait, strlen(trait));
    if (meant)
        opcat_text_add(&text, "; did you mean '%s'?", meant);
    else
        opcat_text_add(&text, "; there are %s, %s and %s", opcat_trait_names[0], opcat_trait_names[1],
                       opcat_trait_names[2]);
    opcat_error_take(&error, OPCAT_INVALID, &text);
    fail(call, "infer_trait", &error);
    opcat_error_clear(&error);
}

static void infer_trait(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    const char *name = text_argument(call, arguments[0], "infer_trait(): the name must be text");
    const char *trait = name ? text_argument(call, arguments[1], "infer_trait(): the trait must be text") : NULL;
    int index = trait ? opcat_name_index(opcat_trait_names, trait) : -1;
    if (!trait)
        return;
    if (index < 0) {
        say_no_trait(call, trait);
        return;
    }
    const opcat_ruleset *rules = rules_for(call, "infer_trait");
    if (rules)
        sqlite3_result_int(call, opcat_ruleset_has(rules, name, (opcat_trait)index));
}

static int register_functions(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    rule_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return SQLITE_NOMEM;
    cache->db = db;
    cache->users = 2;
    /* Where this fails, SQLite calls the destructor all the same. */
    int rc = sqlite3_create_function_v2(db, "infer_arch", 1, flags, cache, infer_arch, NULL, NULL, release_cache);
    if (rc != SQLITE_OK) {
        release_cache(cache);
        return rc;
    }
    return sqlite3_create_function_v2(db, "infer_trait", 2, flags, cache, infer_trait, NULL, NULL, release_cache);
}

/* SQLite looks for this name in a file that is called opcat. */
int sqlite3_opcat_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_opcat_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < 3031000) {
        *message = sqlite3_mprintf("opcat needs SQLite 3.31 or newer, and this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    int rc = register_functions(db);
    return rc == SQLITE_OK ? opcat_register_resolve_ops(db) : rc;
}
