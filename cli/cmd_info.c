/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/history.h"
#include "../lib/text.h"
#include "cli.h"
#include "json.h"

static const char help[] =
    "Say which catalog is used and how it was found, what it holds, and whether another generation of it has appeared\n"
    "since it was opened.\n"
    "\n"
    "Options:\n"
    "  --json          print one object\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat info\n";

static const char *const origins[] = {"--catalog", "OPCAT_CATALOG", "installed"};

typedef struct info {
    opcat_facts facts;
    char *last_at; /* of the last import; NULL where there is none */
    int64_t last_id;
    bool moved;  /* another generation has appeared */
    bool failed; /* memory ran out */
} info;

static void keep_last(void *context, const opcat_import_record *record)
{
    info *self = context;
    if (self->last_id)
        return;
    size_t size = strlen(record->imported_at) + 1;
    self->last_id = record->import_id;
    self->last_at = malloc(size);
    if (self->last_at)
        memcpy(self->last_at, record->imported_at, size);
    else
        self->failed = true;
}

static opcat_status gather(opcat_catalog *catalog, info *self)
{
    opcat_status status = opcat_catalog_facts(catalog, &self->facts);
    if (status == OPCAT_OK)
        status = opcat_each_import(catalog, keep_last, self);
    if (status == OPCAT_OK)
        status = opcat_refresh(catalog, &self->moved);
    return status;
}

static int print_json(const info *self)
{
    const opcat_facts *facts = &self->facts;
    opcat_json json;
    opcat_text version = {0};
    opcat_text_add(&version, "%d.%d", facts->schema_version / 100, facts->schema_version % 100);
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '{');
    opcat_json_key(&json, "catalog");
    opcat_json_string(&json, facts->path);
    opcat_json_key(&json, "found_by");
    opcat_json_string(&json, origins[facts->origin]);
    opcat_json_key(&json, "schema_version");
    opcat_json_string(&json, version.bytes);
    opcat_json_key(&json, "library_version");
    opcat_json_string(&json, opcat_version());
    const struct {
        const char *key;
        int64_t number;
    } numbers[] = {{"size", facts->size},
                   {"families", facts->families},
                   {"kinds", facts->kinds},
                   {"rules", facts->rules},
                   {"imports", facts->imports}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        opcat_json_key(&json, numbers[i].key);
        opcat_json_number(&json, numbers[i].number);
    }
    opcat_json_key(&json, "last_import");
    if (self->last_id) {
        opcat_json_open(&json, '{');
        opcat_json_key(&json, "import_id");
        opcat_json_number(&json, self->last_id);
        opcat_json_key(&json, "imported_at");
        opcat_json_string(&json, self->last_at);
        opcat_json_close(&json, '}');
    } else {
        opcat_json_string(&json, NULL);
    }
    opcat_json_key(&json, "new_generation");
    opcat_json_bool(&json, self->moved);
    opcat_json_close(&json, '}');
    free(version.bytes);
    return opcat_json_end(&json);
}

static int print_text(const info *self)
{
    const opcat_facts *facts = &self->facts;
    static const char *const found[] = {"named by --catalog", "named by OPCAT_CATALOG", "installed with the library"};
    opcat_print_line(stdout, "", "catalog      %s (%s)", facts->path, found[facts->origin]);
    printf("schema       %d.%d\n", facts->schema_version / 100, facts->schema_version % 100);
    printf("library      %s\n", opcat_version());
    printf("size         %" PRId64 " bytes\n", facts->size);
    printf("families     %" PRId64 "\n", facts->families);
    printf("kinds        %" PRId64 "\n", facts->kinds);
    printf("rules        %" PRId64 "\n", facts->rules);
    printf("imports      %" PRId64 "\n", facts->imports);
    if (self->last_id)
        opcat_print_line(stdout, "", "last import  %" PRId64 ", at %s", self->last_id, self->last_at);
    printf("generation   %s\n", self->moved ? "another has appeared just now" : "current");
    return OPCAT_EXIT_DONE;
}

static int run(opcat_call *call)
{
    bool json;
    int exit = 0;
    if (!opcat_json_option(call, &json, &exit) || !opcat_operands(call, 0, 0, "operand", &exit))
        return exit;
    opcat_catalog *catalog = opcat_open_for(call);
    info self = {.last_id = 0};
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    if (gather(catalog, &self) != OPCAT_OK)
        exit = opcat_fail("%s", opcat_errmsg(catalog));
    else if (self.failed)
        exit = opcat_fail("out of memory");
    else
        exit = json ? print_json(&self) : print_text(&self);
    free(self.last_at);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_info = {
    .name = "info",
    .synopsis = "[--json]",
    .summary = "say which catalog is used, and what it holds",
    .help = help,
    .run = run,
};
