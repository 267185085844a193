/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../import/read_profile.h"
#include "../import/where.h"
#include "../lib/history.h"
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
    "  --where         print which line of the profile file states each value\n"
    "  --at IMPORT_ID  show it as it stood after an import; opcat log tells their numbers\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 no such family, or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat show t5\n"
    "  opcat show --yaml deepseek >deepseek.yaml\n"
    "  opcat show --at 3 qwen\n";

enum { OPTION_JSON = 1, OPTION_YAML, OPTION_WHERE, OPTION_AT };

typedef struct choice {
    const char *arch;
    bool json;
    bool yaml;
    bool where;
    int64_t at; /* an import, or 0 for the profile as it stands */
} choice;

static int print_json(const opcat_profile *profile)
{
    opcat_json json;
    opcat_json_start(&json, stdout);
    opcat_json_profile(&json, profile);
    return opcat_json_end(&json);
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
    opcat_print_line(stdout, opcat_bold(colours), "%s", profile->arch);
    putchar('\n');
    int exit = print_kinds(profile);
    if (profile->default_kind)
        printf("%s* the default kind%s\n\n", opcat_dim(colours), opcat_plain(colours));
    else
        printf("%sno default kind%s\n\n", opcat_dim(colours), opcat_plain(colours));
    return exit == OPCAT_EXIT_DONE ? print_facts(profile) : exit;
}

/* ---- Where ----------------------------------------------------------------------------------------------- */

static void add_where_row(void *context, const char *path, const opcat_value *value, size_t line)
{
    opcat_table *table = context;
    opcat_text text = {0};
    opcat_value shown = *value;
    shown.by_default = false; /* the line says so */
    opcat_value_text(&text, &shown);
    table->failed = table->failed || text.failed;
    opcat_table_add(table, "%s", path);
    opcat_table_add(table, "%s", text.failed ? "" : text.bytes);
    if (line)
        opcat_table_add(table, "line %zu", line);
    else
        opcat_table_add(table, "default");
    free(text.bytes);
}

static void add_where_object(void *context, const char *path, const opcat_value *value, size_t line)
{
    opcat_json *json = context;
    opcat_json_open(json, '{');
    opcat_json_key(json, "path");
    opcat_json_string(json, path);
    opcat_json_key(json, "value");
    opcat_json_value(json, value);
    opcat_json_key(json, "line");
    if (line)
        opcat_json_number(json, (int64_t)line);
    else
        opcat_json_string(json, NULL);
    opcat_json_close(json, '}');
}

static int print_where(const choice *chosen, const char *bytes, size_t length, opcat_faults *faults)
{
    static const char *const headings[] = {"PATH", "VALUE", "WHERE"};
    opcat_json json;
    opcat_table table;
    if (chosen->json) {
        opcat_json_start(&json, stdout);
        opcat_json_open(&json, '[');
        bool whole = opcat_where(chosen->arch, chosen->arch, bytes, length, faults, add_where_object, &json);
        opcat_json_close(&json, ']');
        int exit = opcat_json_end(&json);
        return whole ? exit : OPCAT_EXIT_FAILED;
    }
    opcat_table_start(&table, "lll", headings);
    bool whole = opcat_where(chosen->arch, chosen->arch, bytes, length, faults, add_where_row, &table);
    int exit = opcat_table_print(&table, stdout);
    return whole ? exit : OPCAT_EXIT_FAILED;
}

/* ---- The choice ------------------------------------------------------------------------------------------ */

static int print_read(const choice *chosen, const char *bytes, size_t length, opcat_faults *faults)
{
    opcat_profile *profile = opcat_read_profile(chosen->arch, chosen->arch, bytes, length, faults);
    int exit = OPCAT_EXIT_FAILED;
    if (profile)
        exit = chosen->json ? print_json(profile) : print_profile(profile);
    opcat_profile_drop(profile);
    return exit;
}

/* What is shown of a source: itself, its lines, or the profile it once stated. */
static int show_source(opcat_catalog *catalog, const choice *chosen)
{
    char *bytes = NULL;
    size_t length = 0;
    int exit = OPCAT_EXIT_DONE;
    opcat_faults faults = {0};
    opcat_status status = chosen->at ? opcat_source_at(catalog, chosen->arch, chosen->at, &bytes, &length)
                                     : opcat_profile_source(catalog, chosen->arch, &bytes, &length);
    if (status != OPCAT_OK)
        return opcat_fail("%s", opcat_errmsg(catalog));
    if (chosen->yaml)
        fwrite(bytes, 1, length, stdout);
    else if (chosen->where)
        exit = print_where(chosen, bytes, length, &faults);
    else
        exit = print_read(chosen, bytes, length, &faults);
    opcat_print_faults(&faults);
    opcat_faults_free(&faults);
    free(bytes);
    return exit;
}

static int show(opcat_catalog *catalog, const choice *chosen)
{
    const opcat_profile *profile = NULL;
    if (chosen->yaml || chosen->where || chosen->at)
        return show_source(catalog, chosen);
    if (opcat_load_profile(catalog, chosen->arch, &profile) != OPCAT_OK)
        return opcat_fail("%s", opcat_errmsg(catalog));
    return chosen->json ? print_json(profile) : print_profile(profile);
}

static bool read_import_id(const char *text, int64_t *id)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *id = value;
    return *text >= '0' && *text <= '9' && !*end && !errno && value >= 1;
}

/* Read the options; false where the command is over with *exit. */
static bool choose(opcat_call *call, choice *chosen, int *exit)
{
    static const struct option options[] = {{"json", no_argument, NULL, OPTION_JSON},
                                            {"yaml", no_argument, NULL, OPTION_YAML},
                                            {"where", no_argument, NULL, OPTION_WHERE},
                                            {"at", required_argument, NULL, OPTION_AT},
                                            OPCAT_COMMON_OPTIONS};
    for (int option; (option = opcat_next_option(call, options, exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return false;
        chosen->json = chosen->json || option == OPTION_JSON;
        chosen->yaml = chosen->yaml || option == OPTION_YAML;
        chosen->where = chosen->where || option == OPTION_WHERE;
        if (option == OPTION_AT && !read_import_id(optarg, &chosen->at)) {
            *exit = opcat_usage_error(call, "--at takes the number of an import, from 1, got '%s'", optarg);
            return false;
        }
    }
    if (!opcat_operands(call, 1, 1, "ARCH", exit))
        return false;
    chosen->arch = call->argv[optind];
    if (!chosen->yaml || !(chosen->json || chosen->where))
        return true;
    *exit = opcat_usage_error(call, "--yaml goes with neither --json nor --where");
    return false;
}

static int run(opcat_call *call)
{
    choice chosen = {.at = 0};
    int exit = 0;
    if (!choose(call, &chosen, &exit))
        return exit;
    opcat_catalog *catalog = opcat_open_for(call);
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    exit = show(catalog, &chosen);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_show = {
    .name = "show",
    .synopsis = "[--json | --yaml] [--where] [--at IMPORT_ID] ARCH",
    .summary = "show the profile of a family",
    .help = help,
    .run = run,
};
