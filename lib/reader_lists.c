/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a catalog: its families, its naming rules; and a family's source. */
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "row.h"

static int prepare(opcat_reader *reader, const char *sql, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(reader->db, sql, -1, statement, NULL);
}

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

/* Takes a row of a list; NULL, or what is wrong with it. */
typedef const char *row_fn(void *context, sqlite3_stmt *row, bool *nomem);

static opcat_status each_row(opcat_reader *reader, const char *sql, const char *doing, row_fn *take, void *context)
{
    sqlite3_stmt *rows = NULL;
    opcat_status status = OPCAT_OK;
    bool nomem = false;
    int rc = prepare(reader, sql, &rows);
    if (rc != SQLITE_OK)
        return opcat_reader_fail(reader, rc, doing);
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
    opcat_status status =
        each_row(reader, "SELECT arch FROM profile ORDER BY arch", "reading its families", take_arch, &list);
    if (status == OPCAT_OK && !(*archs = opcat_names_new(list.joined.bytes, list.joined.length, list.count)))
        status = opcat_error_nomem(reader->error);
    free(list.joined.bytes);
    return status;
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
    opcat_status status =
        each_row(reader, "SELECT rule, pattern, arch FROM rule", "reading its naming rules", take_rule, set);
    if (status == OPCAT_OK && !opcat_ruleset_finish(set))
        status = opcat_error_nomem(reader->error);
    if (status == OPCAT_OK)
        *rules = set;
    else
        opcat_ruleset_free(set);
    return status;
}

opcat_status opcat_reader_source(opcat_reader *reader, const char *arch, char **bytes, size_t *length)
{
    sqlite3_stmt *row = NULL;
    opcat_status status = OPCAT_NOT_FOUND;
    *bytes = NULL;
    *length = 0;
    int rc = prepare(
        reader, "SELECT c.source FROM profile p JOIN change c ON c.change_id = p.change_id WHERE p.arch = ?1", &row);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, arch, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(row);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        status = opcat_reader_fail(reader, rc, "reading a profile's source");
    } else if ((status = opcat_reader_check(reader)) == OPCAT_OK && rc == SQLITE_ROW) {
        const void *source = sqlite3_column_blob(row, 0);
        *length = (size_t)sqlite3_column_bytes(row, 0);
        *bytes = malloc(*length + 1);
        if (sqlite3_column_type(row, 0) != SQLITE_TEXT) {
            status = opcat_reader_damaged(reader, arch, "its source is no text");
        } else if (!*bytes || (!source && *length)) {
            status = opcat_error_nomem(reader->error);
        } else {
            if (*length)
                memcpy(*bytes, source, *length);
            (*bytes)[*length] = '\0';
        }
    } else if (status == OPCAT_OK) {
        status = OPCAT_NOT_FOUND;
    }
    sqlite3_finalize(row);
    if (status != OPCAT_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
