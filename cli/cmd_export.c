/* SPDX-License-Identifier: Apache-2.0 */
#include "../import/export.h"
#include "cli.h"

static const char help[] =
    "Write the catalog out as a folder of profiles: every family's source, byte for byte, and the naming rules as\n"
    "inference/model_names.yaml. Imported again, they make the same catalog.\n"
    "\n"
    "DIR is made where it is not there, and then is whole or not there at all; where this fails, a DIR that was empty\n"
    "stays empty.\n"
    "\n"
    "Options:\n"
    "  --force         write into a DIR that is not empty; other files in it stay\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done; 1 refused or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat --catalog profiles.db export profiles/\n";

static int run_export(opcat_catalog *catalog, const char *folder, bool force)
{
    opcat_error error = {0};
    size_t families = 0;
    int exit = OPCAT_EXIT_DONE;
    if (opcat_export(catalog, folder, force, &families, &error) == OPCAT_OK)
        opcat_print_line(stdout, "", "%zu %s written to %s", families, families == 1 ? "family" : "families", folder);
    else
        exit = opcat_fail("%s", opcat_error_text(&error));
    opcat_error_clear(&error);
    return exit;
}

static int run(opcat_call *call)
{
    enum { OPTION_FORCE = 1 };
    static const struct option options[] = {{"force", no_argument, NULL, OPTION_FORCE}, OPCAT_COMMON_OPTIONS};
    bool force = false;
    int exit = 0;
    for (int option; (option = opcat_next_option(call, options, &exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return exit;
        force = force || option == OPTION_FORCE;
    }
    if (!opcat_operands(call, 1, 1, "DIR", &exit))
        return exit;
    if (!*call->argv[optind])
        return opcat_usage_error(call, "DIR is empty");
    opcat_catalog *catalog = opcat_open_for(call);
    if (!catalog)
        return OPCAT_EXIT_FAILED;
    exit = run_export(catalog, call->argv[optind], force);
    opcat_close(catalog);
    return exit;
}

const opcat_command opcat_cmd_export = {
    .name = "export",
    .synopsis = "[--force] DIR",
    .summary = "write the profiles and rules out as a folder",
    .help = help,
    .run = run,
};
