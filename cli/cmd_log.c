/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/history.h"
#include "cli.h"
#include "json.h"
#include "table.h"

static const char help[] =
    "Show the imports that made the catalog what it is, newest first, with what each changed; or for one family, its\n"
    "changes. `opcat show ARCH --at IMPORT_ID` shows a family as an import left it.\n"
    "\n"
    "Options:\n"
    "  --json          print a list of objects\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 no such family ever, or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat log\n"
    "  opcat log qwen3_5\n";

/* A copy of an import's record: its changes are asked for when all records have been read. */
typedef struct kept_import {
    opcat_import_record record;
    char *strings[3];
} kept_import;

typedef struct log {
    opcat_catalog *catalog;
    opcat_json *json;   /* NULL for text */
    opcat_table *table; /* of one family's changes */
    kept_import *imports;
    size_t count;
    size_t room;
    bool failed;
} log;

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void keep_import(void *context, const opcat_import_record *record)
{
    log *self = context;
    if (self->count == self->room) {
        size_t room = self->room ? self->room * 2 : 16;
        kept_import *imports = realloc(self->imports, room * sizeof *imports);
        if (!imports) {
            self->failed = true;
            return;
        }
        self->imports = imports;
        self->room = room;
    }
    kept_import *kept = &self->imports[self->count++];
    kept->record = *record;
    kept->record.imported_at = kept->strings[0] = copy_of(record->imported_at);
    kept->record.origin = kept->strings[1] = copy_of(record->origin);
    kept->record.importer = kept->strings[2] = copy_of(record->importer);
    self->failed = self->failed || !kept->strings[0] || !kept->strings[1] || !kept->strings[2];
}

static void free_imports(log *self)
{
    for (size_t i = 0; i < self->count; i++) {
        for (size_t j = 0; j < 3; j++)
            free(self->imports[i].strings[j]);
    }
    free(self->imports);
}

static void print_change(void *context, const opcat_change_record *record)
{
    log *self = context;
    self->failed = !opcat_print_line(stdout, "", "    %-7s  %s", record->change, record->arch) || self->failed;
}

static opcat_status print_import(log *self, const opcat_import_record *record)
{
    bool colours = opcat_colours(stdout);
    bool whole = opcat_print(stdout, opcat_bold(colours), "import %" PRId64, record->import_id) &&
                 opcat_print_line(stdout, "", "  %s  by opcat %s, from %s", record->imported_at, record->importer,
                                  record->origin);
    self->failed = self->failed || !whole;
    printf("    %" PRId64 " added, %" PRId64 " updated, %" PRId64 " unchanged, %" PRId64 " removed; %" PRId64
           " naming %s changed\n",
           record->added, record->updated, record->unchanged, record->removed, record->rules_changed,
           record->rules_changed == 1 ? "rule" : "rules");
    return opcat_each_change(self->catalog, NULL, record->import_id, print_change, self);
}

static void add_change(void *context, const opcat_change_record *record)
{
    opcat_json *json = ((log *)context)->json;
    opcat_json_open(json, '{');
    opcat_json_key(json, "import_id");
    opcat_json_number(json, record->import_id);
    opcat_json_key(json, "imported_at");
    opcat_json_string(json, record->imported_at);
    opcat_json_key(json, "arch");
    opcat_json_string(json, record->arch);
    opcat_json_key(json, "change");
    opcat_json_string(json, record->change);
    opcat_json_close(json, '}');
}

static opcat_status add_import(log *self, const opcat_import_record *record)
{
    opcat_json *json = self->json;
    const struct {
        const char *key;
        int64_t number;
    } numbers[] = {{"added", record->added},
                   {"updated", record->updated},
                   {"unchanged", record->unchanged},
                   {"removed", record->removed},
                   {"rules_changed", record->rules_changed}};
    opcat_json_open(json, '{');
    opcat_json_key(json, "import_id");
    opcat_json_number(json, record->import_id);
    opcat_json_key(json, "imported_at");
    opcat_json_string(json, record->imported_at);
    opcat_json_key(json, "origin");
    opcat_json_string(json, record->origin);
    opcat_json_key(json, "importer");
    opcat_json_string(json, record->importer);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        opcat_json_key(json, numbers[i].key);
        opcat_json_number(json, numbers[i].number);
    }
    opcat_json_key(json, "changes");
    opcat_json_open(json, '[');
    opcat_status status = opcat_each_change(self->catalog, NULL, record->import_id, add_change, self);
    opcat_json_close(json, ']');
    opcat_json_close(json, '}');
    return status;
}

static opcat_status log_imports(log *self)
{
    opcat_status status = opcat_each_import(self->catalog, keep_import, self);
    for (size_t i = 0; i < self->count && status == OPCAT_OK && !self->failed; i++) {
        const opcat_import_record *record = &self->imports[i].record;
        status = self->json ? add_import(self, record) : print_import(self, record);
    }
    free_imports(self);
    return status;
}

static void take_family_change(void *context, const opcat_change_record *record)
{
    log *self = context;
    self->count++;
    if (self->json) {
        add_change(self, record);
        return;
    }
    opcat_table_add(self->table, "%" PRId64, record->import_id);
    opcat_table_add(self->table, "%s", record->imported_at);
    opcat_table_add(self->table, "%s", record->change);
}

/* A family that never was is not found; one that was removed is still told of. */
static opcat_status log_family(log *self, const char *arch)
{
    const opcat_profile *profile = NULL;
    opcat_status status = opcat_each_change(self->catalog, arch, 0, take_family_change, self);
    return status == OPCAT_OK && self->count == 0 ? opcat_load_profile(self->catalog, arch, &profile) : status;
}

static int log_json(log *self, const char *arch)
{
    opcat_json json;
    self->json = &json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '[');
    opcat_status status = arch ? log_family(self, arch) : log_imports(self);
    opcat_json_close(&json, ']');
    self->json = NULL;
    int exit = opcat_json_end(&json);
    return status == OPCAT_OK ? exit : opcat_fail("%s", opcat_errmsg(self->catalog));
}

static int log_text(log *self, const char *arch)
{
    static const char *const headings[] = {"IMPORT", "IMPORTED AT", "CHANGE"};
    opcat_table table;
    if (!arch) {
        opcat_status status = log_imports(self);
        if (status != OPCAT_OK || self->failed)
            return opcat_fail("%s", status != OPCAT_OK ? opcat_errmsg(self->catalog) : "out of memory");
        return OPCAT_EXIT_DONE;
    }
    self->table = &table;
    opcat_table_start(&table, "rll", headings);
    opcat_status status = log_family(self, arch);
    self->table = NULL;
    if (status == OPCAT_OK)
        return opcat_table_print(&table, stdout);
    opcat_table_free(&table);
    return opcat_fail("%s", opcat_errmsg(self->catalog));
}

static int run(opcat_call *call)
{
    bool json;
    int exit = 0;
    if (!opcat_json_option(call, &json, &exit) || !opcat_operands(call, 0, 1, "ARCH", &exit))
        return exit;
    const char *arch = call->argv[optind];
    log self = {.catalog = opcat_open_for(call)};
    if (!self.catalog)
        return OPCAT_EXIT_FAILED;
    exit = json ? log_json(&self, arch) : log_text(&self, arch);
    opcat_close(self.catalog);
    return exit;
}

const opcat_command opcat_cmd_log = {
    .name = "log",
    .synopsis = "[--json] [ARCH]",
    .summary = "show the imports, and what each changed",
    .help = help,
    .run = run,
};
