/* SPDX-License-Identifier: Apache-2.0 */
#include "import_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/nearest.h"
#include "file.h"
#include "read_profile.h"

static opcat_rules *read_one(const char *path, opcat_faults *faults)
{
    size_t length = 0;
    char *bytes = opcat_read_file(path, OPCAT_MAX_FILE_BYTES, &length);
    if (!bytes) {
        opcat_faults_add_unreadable(faults, path);
        return NULL;
    }
    opcat_rules *rules = opcat_read_rules(path, bytes, length, faults);
    free(bytes);
    return rules;
}

static int compare_names(const opcat_rule *a, const char *rule, const char *pattern)
{
    int order = strcmp(a->rule, rule);
    return order ? order : strcmp(a->pattern, pattern);
}

static int compare_stated(const void *a, const void *b)
{
    const opcat_stated_rule *one = a;
    const opcat_stated_rule *other = b;
    int order = compare_names(one->rule, other->rule->rule, other->rule->pattern);
    return order ? order : strcmp(one->file, other->file);
}

static bool same_arch(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* The same rule of two files may stand; one prefix for two families may not. */
static void merge_doubles(opcat_stated_rules *stated, opcat_faults *faults)
{
    size_t kept = 0;
    for (size_t i = 0; i < stated->count; i++) {
        const opcat_stated_rule *one = &stated->items[i];
        const opcat_stated_rule *before = kept ? &stated->items[kept - 1] : NULL;
        if (!before || compare_names(before->rule, one->rule->rule, one->rule->pattern) != 0)
            stated->items[kept++] = *one;
        else if (!same_arch(before->rule->arch, one->rule->arch))
            opcat_faults_add(faults, one->file, one->rule->place,
                             "prefixes.%s names family '%s' here, and family '%s' in %s", one->rule->pattern,
                             one->rule->arch, before->rule->arch, before->file);
    }
    stated->count = kept;
}

void opcat_stated_rules_read(opcat_stated_rules *stated, const opcat_input_list *files, opcat_faults *faults)
{
    *stated = (opcat_stated_rules){.file_count = files->count, .first_fault = faults->count};
    size_t total = 0;
    stated->files = calloc(files->count ? files->count : 1, sizeof(opcat_rules *));
    for (size_t i = 0; stated->files && i < files->count; i++) {
        stated->files[i] = read_one(files->items[i].path, faults);
        total += stated->files[i] ? stated->files[i]->count : 0;
    }
    stated->items = calloc(total ? total : 1, sizeof *stated->items);
    if (!stated->files || !stated->items) {
        faults->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < files->count; i++) {
        const opcat_rules *rules = stated->files[i];
        for (size_t j = 0; rules && j < rules->count; j++)
            stated->items[stated->count++] = (opcat_stated_rule){&rules->items[j], files->items[i].path};
    }
    qsort(stated->items, stated->count, sizeof *stated->items, compare_stated);
    merge_doubles(stated, faults);
    opcat_faults_sort(faults, stated->first_fault);
}

void opcat_stated_rules_free(opcat_stated_rules *stated)
{
    for (size_t i = 0; stated->files && i < stated->file_count; i++)
        opcat_rules_free(stated->files[i]);
    free(stated->files);
    free(stated->items);
    *stated = (opcat_stated_rules){0};
}

void opcat_stated_rules_check(const opcat_stated_rules *stated, opcat_family_fn *there_is, const void *context,
                              const char *const *known, size_t known_count, opcat_faults *faults)
{
    for (size_t i = 0; i < stated->count; i++) {
        const opcat_rule *rule = stated->items[i].rule;
        if (!rule->arch || there_is(context, rule->arch))
            continue;
        const char *meant = opcat_nearest(rule->arch, known, known_count);
        opcat_faults_add(faults, stated->items[i].file, rule->place,
                         "prefixes.%s names family '%s', which the catalog would not have%s%s%s", rule->pattern,
                         rule->arch, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    }
    opcat_faults_sort(faults, stated->first_fault);
}

static const opcat_stated_rule *find(const opcat_stated_rules *stated, const char *rule, const char *pattern)
{
    size_t low = 0;
    size_t high = stated->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(stated->items[middle].rule, rule, pattern);
        if (order == 0)
            return &stated->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* One rule of the catalog: mark it as there where it is as stated, prune it where it is not stated. */
static opcat_status compare_row(const opcat_stated_rules *stated, sqlite3_stmt *row, bool prune, bool *as_stated,
                                opcat_rule_change_fn *apply, void *context)
{
    const char *rule = (const char *)sqlite3_column_text(row, 0);
    const char *pattern = (const char *)sqlite3_column_text(row, 1);
    const char *arch = (const char *)sqlite3_column_text(row, 2);
    if (!rule || !pattern)
        return OPCAT_OK; /* the check of the next generation will say it */
    const opcat_stated_rule *found = find(stated, rule, pattern);
    if (found)
        as_stated[found - stated->items] = same_arch(found->rule->arch, arch);
    return !found && prune ? apply(context, rule, pattern, NULL, true) : OPCAT_OK;
}

static opcat_status compare_rows(const opcat_stated_rules *stated, sqlite3 *current, const char *path, bool prune,
                                 bool *as_stated, opcat_rule_change_fn *apply, void *context, opcat_error *error)
{
    sqlite3_stmt *row = NULL;
    opcat_status status = OPCAT_OK;
    int rc = sqlite3_prepare_v2(current, "SELECT rule, pattern, arch FROM rule", -1, &row, NULL);
    while (rc == SQLITE_OK && status == OPCAT_OK) {
        rc = sqlite3_step(row);
        if (rc != SQLITE_ROW)
            break;
        status = compare_row(stated, row, prune, as_stated, apply, context);
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_OK && rc != SQLITE_DONE)
        status = opcat_error_sqlite(error, current, rc, path, "reading its naming rules");
    sqlite3_finalize(row);
    return status;
}

opcat_status opcat_stated_rules_diff(const opcat_stated_rules *stated, sqlite3 *current, const char *path, bool prune,
                                     opcat_rule_change_fn *apply, void *context, opcat_error *error)
{
    opcat_status status = OPCAT_OK;
    bool *as_stated = calloc(stated->count ? stated->count : 1, sizeof *as_stated);
    if (!as_stated)
        return opcat_error_nomem(error);
    if (current)
        status = compare_rows(stated, current, path, prune, as_stated, apply, context, error);
    for (size_t i = 0; i < stated->count && status == OPCAT_OK; i++) {
        const opcat_rule *rule = stated->items[i].rule;
        if (!as_stated[i])
            status = apply(context, rule->rule, rule->pattern, rule->arch, false);
    }
    free(as_stated);
    return status;
}
