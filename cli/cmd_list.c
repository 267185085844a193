/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "../lib/profile.h"
#include "../lib/text.h"
#include "cli.h"
#include "show.h"
#include "table.h"

static const char help[] =
    "List the families of the catalog: their kinds, which of them is the default, and what their run and model state.\n"
    "\n"
    "Options:\n"
    "  --json          print a list of what `show --json` prints\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat --catalog profiles.db list\n";

static void add_kinds(opcat_table *table, const opcat_profile *profile)
{
    enum { SHOWN = 6 };
    opcat_text text = {0};
    for (size_t i = 0; i < profile->kind_count && i < SHOWN; i++)
        opcat_text_add(&text, "%s%s", i ? ", " : "", profile->kinds[i].name);
    if (profile->kind_count > SHOWN)
        opcat_text_add(&text, " and %zu more", profile->kind_count - SHOWN);
    table->failed = table->failed || text.failed;
    opcat_table_add(table, "%s", text.failed ? "" : text.bytes);
    free(text.bytes);
}

static void add_run(opcat_table *table, const opcat_profile *profile)
{
    uint32_t stated = opcat_profile_stated(profile);
    opcat_text text = {0};
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        int64_t value = opcat_run_get(&profile->run, i);
        if (!(stated >> i & 1))
            continue;
        opcat_text_add(&text, "%s%s=", text.length ? " " : "", opcat_run_fields[i].name);
        if (opcat_run_fields[i].type == OPCAT_TYPE_FLAG)
            opcat_text_add(&text, value ? "true" : "false");
        else
            opcat_text_add(&text, "%" PRId64, value);
    }
    table->failed = table->failed || text.failed;
    opcat_table_add(table, "%s", text.bytes && !text.failed ? text.bytes : "-");
    free(text.bytes);
}

static void add_family(opcat_table *table, const opcat_profile *profile)
{
    opcat_table_add(table, "%s", profile->arch);
    add_kinds(table, profile);
    opcat_table_add(table, "%s", profile->default_kind ? profile->default_kind->name : "-");
    add_run(table, profile);
    if (profile->model.v_head_dim)
        opcat_table_add(table, "v_head_dim=%" PRId64, profile->model.v_head_dim);
    else
        opcat_table_add(table, "-");
}

/* Call `take` with every profile; false where one cannot be read, which is said. */
static bool each_profile(opcat_catalog *catalog, void (*take)(void *context, const opcat_profile *profile),
                         void *context)
{
    opcat_names *archs = NULL;
    opcat_status status = opcat_known_archs(catalog, &archs);
    for (size_t i = 0; status == OPCAT_OK && i < archs->count; i++) {
        const opcat_profile *profile = NULL;
        status = opcat_load_profile(catalog, archs->names[i], &profile);
        if (status == OPCAT_OK)
            take(context, profile);
    }
    opcat_names_free(archs);
    if (status != OPCAT_OK)
        opcat_fail("%s", opcat_errmsg(catalog));
    return status == OPCAT_OK;
}

static void take_row(void *table, const opcat_profile *profile)
{
    add_family(table, profile);
}

static void take_object(void *json, const opcat_profile *profile)
{
    opcat_json_profile(json, profile);
}

static int list_json(opcat_catalog *catalog)
{
    opcat_json json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '[');
    bool whole = each_profile(catalog, take_object, &json);
    opcat_json_close(&json, ']');
    int exit = opcat_json_end(&json);
    return whole ? exit : OPCAT_EXIT_FAILED;
}

static int list_table(opcat_catalog *catalog)
{
    static const char *const headings[] = {"FAMILY", "KINDS", "DEFAULT", "RUN", "MODEL"};
    opcat_table table;
    opcat_table_start(&table, "lllll", headings);
    bool whole = each_profile(catalog, take_row, &table);
    int exit = opcat_table_print(&table, stdout);
    return whole ? exit : OPCAT_EXIT_FAILED;
}

static int run(opcat_call *call)
{
    bool json;
    int exit = 0;
    if (!opcat_json_option(call, &json, &exit) || !opcat_operands(call, 0, 0, "operand", &exit))
        return exit;
    opcat_catalog *catalog = opcat_open_for(call);
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    exit = json ? list_json(catalog) : list_table(catalog);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_list = {
    .name = "list",
    .synopsis = "[--json]",
    .summary = "list the families",
    .help = help,
    .run = run,
};
