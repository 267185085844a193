/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a catalog: its families, its naming rules; and a family's source. */
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "reader.h"
#include "row.h"

opcat_names *opcat_names_new(const char *joined, size_t length, size_t count)
{
    opcat_names *names = malloc(sizeof *names + count * sizeof(char *) + length);
    if (!names)
        return NULL;
    const char **list = (const char **)(void *)(names + 1);
    char *strings = (char *)(list + count);
    if (length)
        memcpy(strings, joined, length);
    for (size_t i = 0; i < count; i++) {
        list[i] = strings;
        strings += strlen(strings) + 1;
    }
    names->count = count;
    names->names = list;
    return names;
}

void opcat_names_free(opcat_names *names)
{
    free(names);
}

/* Prepare a statement on the reader's schema, and bind what it takes. */
static int prepare(opcat_reader *reader, const char *sql, const char *text, int64_t number, sqlite3_stmt **statement)
{
    char *whole = sqlite3_mprintf(sql, reader->schema, reader->schema);
    int rc = whole ? sqlite3_prepare_v2(reader->db, whole, -1, statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(whole);
    int parameters = rc == SQLITE_OK ? sqlite3_bind_parameter_count(*statement) : 0;
    if (parameters >= 1)
        rc = text ? sqlite3_bind_text(*statement, 1, text, -1, SQLITE_STATIC) : sqlite3_bind_null(*statement, 1);
    if (parameters >= 2 && rc == SQLITE_OK)
        rc = sqlite3_bind_int64(*statement, 2, number);
    return rc;
}

opcat_status opcat_reader_each(opcat_reader *reader, const char *sql, const char *text, int64_t number,
                               const char *doing, opcat_row_fn *take, void *context)
{
    sqlite3_stmt *rows = NULL;
    opcat_status status = OPCAT_OK;
    bool nomem = false;
    int rc = prepare(reader, sql, text, number, &rows);
    if (rc != SQLITE_OK)
        status = opcat_reader_fail(reader, rc, doing);
    for (bool first = true; status == OPCAT_OK; first = false) {
        rc = sqlite3_step(rows);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            status = opcat_reader_fail(reader, rc, doing);
        else if (first)
            status = opcat_reader_check(reader);
        if (status != OPCAT_OK || rc == SQLITE_DONE)
            break;
        const char *wrong = take(context, rows, &nomem);
        if (nomem)
            status = opcat_error_nomem(reader->error);
        else if (wrong)
            status = opcat_reader_damaged(reader, NULL, wrong);
    }
    sqlite3_finalize(rows);
    return status;
}

typedef struct arch_list {
    opcat_text joined;
    size_t count;
} arch_list;

static const char *take_arch(void *context, sqlite3_stmt *row, bool *nomem)
{
    arch_list *list = context;
    const char *arch = opcat_row_text(row, 0, nomem);
    if (!arch)
        return "a family has no proper name";
    opcat_text_add_bytes(&list->joined, arch, strlen(arch) + 1);
    list->count++;
    *nomem = list->joined.failed;
    return NULL;
}

opcat_status opcat_reader_archs(opcat_reader *reader, opcat_names **archs)
{
    arch_list list = {0};
    *archs = NULL;
    opcat_status status = opcat_reader_each(reader, "SELECT arch FROM \"%w\".profile ORDER BY arch", NULL, 0,
                                            "reading its families", take_arch, &list);
    if (status == OPCAT_OK && !(*archs = opcat_names_new(list.joined.bytes, list.joined.length, list.count)))
        status = opcat_error_nomem(reader->error);
    free(list.joined.bytes);
    return status;
}

opcat_status opcat_reader_no_family(opcat_reader *reader, const char *arch, const opcat_names *known)
{
    opcat_text text = {0};
    opcat_text_add(&text, "%s: no family ", reader->path);
    opcat_text_quote(&text, arch, strlen(arch));
    opcat_text_add(&text, known->count ? "; there are " : "; the catalog is empty");
    opcat_text_add_nearest(&text, arch, known->names, known->count);
    return opcat_error_take(reader->error, OPCAT_NOT_FOUND, &text);
}

static const char *take_rule(void *context, sqlite3_stmt *row, bool *nomem)
{
    const char *rule = opcat_row_text(row, 0, nomem);
    const char *pattern = opcat_row_text(row, 1, nomem);
    const char *arch = opcat_row_text(row, 2, nomem);
    if (!rule || !pattern || !*pattern)
        return "a naming rule has no proper pattern";
    bool prefix = strcmp(rule, "prefix") == 0;
    int trait = prefix ? -1 : opcat_name_index(opcat_trait_names, rule);
    if (prefix != (arch != NULL) || (!prefix && trait < 0))
        return "a naming rule is of no known kind, or names no family";
    *nomem = *nomem || !opcat_ruleset_add(context, trait, pattern, arch);
    return NULL;
}

opcat_status opcat_reader_rules(opcat_reader *reader, opcat_ruleset **rules)
{
    *rules = NULL;
    opcat_ruleset *set = opcat_ruleset_new();
    if (!set)
        return opcat_error_nomem(reader->error);
    opcat_status status = opcat_reader_each(reader, "SELECT rule, pattern, arch FROM \"%w\".rule", NULL, 0,
                                            "reading its naming rules", take_rule, set);
    if (status == OPCAT_OK && !opcat_ruleset_finish(set))
        status = opcat_error_nomem(reader->error);
    if (status == OPCAT_OK)
        *rules = set;
    else
        opcat_ruleset_free(set);
    return status;
}

typedef struct source {
    char *bytes;
    size_t length;
} source;

static const char *take_source(void *context, sqlite3_stmt *row, bool *nomem)
{
    source *found = context;
    if (opcat_row_is_null(row, 0)) /* the family was removed */
        return NULL;
    if (sqlite3_column_type(row, 0) != SQLITE_TEXT)
        return "a profile's source is no text";
    const void *bytes = sqlite3_column_blob(row, 0);
    found->length = (size_t)sqlite3_column_bytes(row, 0);
    free(found->bytes);
    found->bytes = malloc(found->length + 1);
    *nomem = !found->bytes || (!bytes && found->length);
    if (*nomem)
        return NULL;
    if (found->length)
        memcpy(found->bytes, bytes, found->length);
    found->bytes[found->length] = '\0';
    return NULL;
}

opcat_status opcat_reader_source(opcat_reader *reader, const char *arch, int64_t import_id, char **bytes,
                                 size_t *length)
{
    static const char now[] = "SELECT c.source FROM \"%w\".profile p JOIN \"%w\".change c "
                              "ON c.change_id = p.change_id WHERE p.arch = ?1";
    static const char then[] = "SELECT source FROM \"%w\".change WHERE arch = ?1 AND import_id <= ?2 "
                               "ORDER BY import_id DESC LIMIT 1";
    source found = {0};
    *bytes = NULL;
    *length = 0;
    opcat_status status = opcat_reader_each(reader, import_id ? then : now, arch, import_id,
                                            "reading a profile's source", take_source, &found);
    if (status == OPCAT_OK && !found.bytes)
        status = OPCAT_NOT_FOUND;
    if (status != OPCAT_OK) {
        free(found.bytes);
        return status;
    }
    *bytes = found.bytes;
    *length = found.length;
    return OPCAT_OK;
}
