/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../import/file.h"
#include "../import/read_profile.h"
#include "cli.h"
#include "show.h"

static const char help[] =
    "Give the op counts per kind of layer that a model of a family is priced with.\n"
    "\n"
    "Options:\n"
    "  --ops FILE      counts that the model declares, in YAML or JSON: FILE maps each kind of the family to its ten\n"
    "                  ops; `-` reads standard input\n"
    "  --json          print them as JSON, which --ops reads again\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 no such family, refused or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat resolve t5\n"
    "  opcat resolve --json t5 >ops.json; opcat resolve --ops ops.json t5\n";

enum { OPTION_OPS = 1, OPTION_JSON };

/* Standard input, up to the limit and a byte beyond. */
static char *read_stream(FILE *stream, size_t limit, size_t *length)
{
    char *bytes = malloc(limit + 2);
    if (!bytes)
        return NULL;
    *length = fread(bytes, 1, limit + 1, stream);
    bytes[*length] = '\0';
    if (!ferror(stream))
        return bytes;
    free(bytes);
    return NULL;
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* What messages call the file. */
static const char *name_of(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

/* What FILE declares; NULL where it cannot be read or is refused, which is said. */
static opcat_declared *read_declared(const char *path)
{
    size_t length = 0;
    char *bytes = is_standard_input(path) ? read_stream(stdin, OPCAT_MAX_FILE_BYTES, &length)
                                          : opcat_read_file(path, OPCAT_MAX_FILE_BYTES, &length);
    if (!bytes) {
        opcat_fail("%s: cannot be read: %s", name_of(path), strerror(errno));
        return NULL;
    }
    opcat_faults faults = {0};
    opcat_declared *declared = opcat_read_declared(name_of(path), bytes, length, &faults);
    opcat_faults_sort(&faults, 0);
    opcat_print_faults(&faults);
    opcat_faults_free(&faults);
    free(bytes);
    return declared;
}

static int print_json(const opcat_resolution *resolution)
{
    opcat_json json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '{');
    for (size_t i = 0; i < resolution->count; i++) {
        opcat_json_key(&json, resolution->kinds[i].kind);
        opcat_json_ops(&json, &resolution->kinds[i].ops);
    }
    opcat_json_close(&json, '}');
    return opcat_json_end(&json);
}

/* `file` is where the counts are declared; NULL where none are. */
static int resolve(const opcat_call *call, const char *arch, const opcat_declared *declared, const char *file,
                   bool json)
{
    opcat_resolution *resolution = NULL;
    opcat_catalog *catalog = opcat_open_for(call);
    int exit = OPCAT_EXIT_FAILED;
    if (!catalog)
        return exit;
    opcat_status status = opcat_resolve_ops(catalog, arch, declared ? declared->kinds : NULL,
                                            declared ? declared->count : 0, &resolution);
    if (status == OPCAT_INVALID && file)
        opcat_fail("%s: %s", file, opcat_errmsg(catalog));
    else if (status != OPCAT_OK)
        opcat_fail("%s", opcat_errmsg(catalog));
    else
        exit = json ? print_json(resolution) : opcat_print_counts(resolution->kinds, resolution->count);
    opcat_resolution_free(resolution);
    opcat_close(catalog);
    return exit;
}

static int run(opcat_call *call)
{
    static const struct option options[] = {
        {"ops", required_argument, NULL, OPTION_OPS}, {"json", no_argument, NULL, OPTION_JSON}, OPCAT_COMMON_OPTIONS};
    const char *ops = NULL;
    bool json = false;
    int exit = 0;
    for (int option; (option = opcat_next_option(call, options, &exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return exit;
        ops = option == OPTION_OPS ? optarg : ops;
        json = json || option == OPTION_JSON;
    }
    if (!opcat_operands(call, 1, 1, "ARCH", &exit))
        return exit;
    opcat_declared *declared = ops ? read_declared(ops) : NULL;
    if (ops && !declared)
        return OPCAT_EXIT_FAILED;
    exit = resolve(call, call->argv[optind], declared, ops ? name_of(ops) : NULL, json);
    opcat_declared_free(declared);
    return exit;
}

const opcat_command opcat_cmd_resolve = {
    .name = "resolve",
    .synopsis = "[--ops FILE] [--json] ARCH",
    .summary = "give the op counts that a model is priced with",
    .help = help,
    .run = run,
};
