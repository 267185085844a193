/* SPDX-License-Identifier: Apache-2.0 */
#include "../lib/vocabulary.h"
#include "cli.h"
#include "json.h"
#include "table.h"

static const char help[] = "Tell the family of each model by its name, and its traits.\n"
                           "\n"
                           "A name that no rule claims is of the family `default`; that is warned about.\n"
                           "\n"
                           "Options:\n"
                           "  --json          print a list of objects\n"
                           "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
                           "  --help          this text\n"
                           "\n"
                           "Exit status: 0 done; 1 failed; 2 the command line cannot be understood.\n"
                           "\n"
                           "Example:\n"
                           "  opcat infer Qwen3-8B deepseek-v3\n";

typedef struct inferred {
    const char *arch;
    bool traits[OPCAT_TRAIT_COUNT];
} inferred;

static bool infer(opcat_catalog *catalog, const char *name, inferred *told)
{
    opcat_status status = opcat_infer_arch(catalog, name, &told->arch);
    for (int trait = 0; trait < OPCAT_TRAIT_COUNT && status == OPCAT_OK; trait++)
        status = opcat_infer_trait(catalog, name, (opcat_trait)trait, &told->traits[trait]);
    if (status != OPCAT_OK)
        opcat_fail("%s", opcat_errmsg(catalog));
    return status == OPCAT_OK;
}

static int infer_json(opcat_catalog *catalog, char **names)
{
    opcat_json json;
    inferred told;
    bool whole = true;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '[');
    for (; *names && (whole = infer(catalog, *names, &told)); names++) {
        opcat_json_open(&json, '{');
        opcat_json_key(&json, "name");
        opcat_json_string(&json, *names);
        opcat_json_key(&json, "arch");
        opcat_json_string(&json, told.arch);
        for (int trait = 0; trait < OPCAT_TRAIT_COUNT; trait++) {
            opcat_json_key(&json, opcat_trait_names[trait]);
            opcat_json_bool(&json, told.traits[trait]);
        }
        opcat_json_close(&json, '}');
    }
    opcat_json_close(&json, ']');
    int exit = opcat_json_end(&json);
    return whole ? exit : OPCAT_EXIT_FAILED;
}

static int infer_table(opcat_catalog *catalog, char **names)
{
    static const char *const headings[] = {"NAME", "FAMILY", "QK_NORM", "QKV_BIAS", "SHARED_EXPERT_GATE"};
    opcat_table table;
    inferred told;
    bool whole = true;
    opcat_table_start(&table, "lllll", headings);
    for (; *names && (whole = infer(catalog, *names, &told)); names++) {
        opcat_table_add(&table, "%s", *names);
        opcat_table_add(&table, "%s", told.arch);
        for (int trait = 0; trait < OPCAT_TRAIT_COUNT; trait++)
            opcat_table_add(&table, "%s", told.traits[trait] ? "yes" : "no");
    }
    int exit = opcat_table_print(&table, stdout);
    return whole ? exit : OPCAT_EXIT_FAILED;
}

static int run(opcat_call *call)
{
    bool json;
    int exit = 0;
    if (!opcat_json_option(call, &json, &exit) || !opcat_operands(call, 1, call->argc, "NAME", &exit))
        return exit;
    opcat_catalog *catalog = opcat_open_for(call);
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    char **names = call->argv + optind;
    exit = json ? infer_json(catalog, names) : infer_table(catalog, names);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_infer = {
    .name = "infer",
    .synopsis = "[--json] NAME...",
    .summary = "tell the family and traits of models by their names",
    .help = help,
    .run = run,
};
