/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "../lib/profile.h"
#include "../lib/source.h"
#include "cli.h"
#include "show.h"
#include "table.h"

static const char help[] =
    "Show the profile of a family.\n"
    "\n"
    "Options:\n"
    "  --json          print it as JSON\n"
    "  --yaml          print the profile file that it was imported from, byte for byte\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 no such family, or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat show t5\n"
    "  opcat show --yaml deepseek >deepseek.yaml\n";

enum { OPTION_JSON = 1, OPTION_YAML };

static int print_json(const opcat_profile *profile)
{
    opcat_json json;
    opcat_json_start(&json, stdout);
    opcat_json_profile(&json, profile);
    return opcat_json_end(&json);
}

static int print_yaml(opcat_catalog *catalog, const char *arch)
{
    char *bytes = NULL;
    size_t length = 0;
    if (opcat_profile_source(catalog, arch, &bytes, &length) != OPCAT_OK)
        return opcat_fail("%s", opcat_errmsg(catalog));
    fwrite(bytes, 1, length, stdout);
    free(bytes);
    return OPCAT_EXIT_DONE;
}

static int print_kinds(const opcat_profile *profile)
{
    static const char *const headings[] = {"KIND",    "ATTENTION", "FFN",    "attMM",    "attBMM", "ffMM",  "softmax",
                                           "dropout", "normOp",    "gather", "headCast", "ffAct",  "linrec"};
    opcat_table table;
    opcat_table_start(&table, "lllrrrrrrrrrr", headings);
    for (size_t i = 0; i < profile->kind_count; i++) {
        const opcat_layer_kind *kind = &profile->kinds[i];
        opcat_table_add(&table, "%s%s", kind->name, kind == profile->default_kind ? " *" : "");
        opcat_table_add(&table, "%s", kind->attention);
        opcat_table_add(&table, "%s", kind->ffn ? kind->ffn : "-");
        opcat_table_add_ops(&table, &kind->ops);
    }
    return opcat_table_print(&table, stdout);
}

static int print_facts(const opcat_profile *profile)
{
    static const char *const headings[] = {"RUN AND MODEL", "VALUE", "FROM"};
    uint32_t stated = opcat_profile_stated(profile);
    opcat_table table;
    opcat_table_start(&table, "lrl", headings);
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        int64_t value = opcat_run_get(&profile->run, i);
        opcat_table_add(&table, "%s", opcat_run_fields[i].name);
        if (opcat_run_fields[i].type == OPCAT_TYPE_FLAG)
            opcat_table_add(&table, "%s", value ? "true" : "false");
        else
            opcat_table_add(&table, "%" PRId64, value);
        opcat_table_add(&table, "%s", stated >> i & 1 ? "profile" : "default");
    }
    if (profile->model.v_head_dim) {
        opcat_table_add(&table, "v_head_dim");
        opcat_table_add(&table, "%" PRId64, profile->model.v_head_dim);
        opcat_table_add(&table, "profile");
    }
    return opcat_table_print(&table, stdout);
}

static int print_profile(const opcat_profile *profile)
{
    bool colours = opcat_colours(stdout);
    printf("%s%s%s\n\n", opcat_bold(colours), profile->arch, opcat_plain(colours));
    int exit = print_kinds(profile);
    if (profile->default_kind)
        printf("%s* the default kind%s\n\n", opcat_dim(colours), opcat_plain(colours));
    else
        printf("%sno default kind%s\n\n", opcat_dim(colours), opcat_plain(colours));
    return exit == OPCAT_EXIT_DONE ? print_facts(profile) : exit;
}

static int show(opcat_catalog *catalog, const char *arch, bool json, bool yaml)
{
    const opcat_profile *profile = NULL;
    if (yaml)
        return print_yaml(catalog, arch);
    if (opcat_load_profile(catalog, arch, &profile) != OPCAT_OK)
        return opcat_fail("%s", opcat_errmsg(catalog));
    return json ? print_json(profile) : print_profile(profile);
}

static int run(opcat_call *call)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, OPTION_JSON}, {"yaml", no_argument, NULL, OPTION_YAML}, OPCAT_COMMON_OPTIONS};
    bool json = false;
    bool yaml = false;
    int exit = 0;
    for (int option; (option = opcat_next_option(call, options, &exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return exit;
        json = json || option == OPTION_JSON;
        yaml = yaml || option == OPTION_YAML;
    }
    if (!opcat_operands(call, 1, 1, "ARCH", &exit))
        return exit;
    if (json && yaml)
        return opcat_usage_error(call, "--json or --yaml, not both");
    opcat_catalog *catalog = opcat_open_for(call);
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    exit = show(catalog, call->argv[optind], json, yaml);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_show = {
    .name = "show",
    .synopsis = "[--json | --yaml] ARCH",
    .summary = "show the profile of a family",
    .help = help,
    .run = run,
};
