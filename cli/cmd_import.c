/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../import/import.h"
#include "cli.h"
#include "json.h"
#include "table.h"

static const char help[] =
    "Import op profiles and naming rules into a catalog, which is made where there is none.\n"
    "\n"
    "A PATH is a profile file, FAMILY.yaml, or a folder: that gives every *.yaml directly in it as a profile, and\n"
    "inference/model_names.yaml under it as naming rules. What the paths state is added or replaced, and what they\n"
    "do not state stays. If anything is wrong, all of it is said, and the catalog is as it was.\n"
    "\n"
    "Options:\n"
    "  --dry-run       do everything but keep it\n"
    "  --prune         remove the families and rules that no PATH states\n"
    "  --json          print what was done as JSON\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG\n"
    "  --help          this text\n"
    "\n"
    "The time noted with the import is SOURCE_DATE_EPOCH, where that is set.\n"
    "\n"
    "Exit status: 0 done; 1 refused or failed; 2 the command line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat --catalog profiles.db import op_profiles/\n"
    "  opcat --catalog profiles.db import --dry-run my_family.yaml\n";

enum { OPTION_DRY_RUN = 1, OPTION_PRUNE, OPTION_JSON };

/* ---- Progress -------------------------------------------------------------------------------------------- */

typedef struct progress {
    struct timespec start;
    long long shown; /* milliseconds after the start; 0 while nothing is shown */
} progress;

static long long milliseconds_since(const struct timespec *start)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)(now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* A line that is written over, on a terminal and only when the import lasts. */
static void show_progress(void *context, size_t done, size_t total)
{
    enum { PATIENCE = 500, INTERVAL = 100 };
    progress *self = context;
    long long now = milliseconds_since(&self->start);
    if (done == total) {
        fputs(self->shown ? "\r\x1b[K" : "", stderr);
        self->shown = 0;
    } else if (now > PATIENCE && now - self->shown >= INTERVAL) {
        fprintf(stderr, "\r%zu of %zu profiles", done, total);
        self->shown = now;
    }
}

/* ---- Results --------------------------------------------------------------------------------------------- */

static int print_json(const opcat_import_options *options, const opcat_import_report *report)
{
    opcat_json json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '{');
    opcat_json_key(&json, "catalog");
    opcat_json_string(&json, options->catalog);
    opcat_json_key(&json, "dry_run");
    opcat_json_bool(&json, options->dry_run);
    opcat_json_key(&json, "import_id");
    if (report->import_id && !options->dry_run)
        opcat_json_number(&json, report->import_id);
    else
        opcat_json_string(&json, NULL);
    opcat_json_key(&json, "changes");
    opcat_json_open(&json, '[');
    for (size_t i = 0; i < report->change_count; i++) {
        opcat_json_open(&json, '{');
        opcat_json_key(&json, "arch");
        opcat_json_string(&json, report->changes[i].arch);
        opcat_json_key(&json, "change");
        opcat_json_string(&json, opcat_change_name(report->changes[i].change));
        opcat_json_key(&json, "kinds");
        opcat_json_number(&json, (int64_t)report->changes[i].kind_count);
        opcat_json_close(&json, '}');
    }
    opcat_json_close(&json, ']');
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"added", report->added},
                  {"updated", report->updated},
                  {"unchanged", report->unchanged},
                  {"removed", report->removed},
                  {"rules_changed", report->rules_changed}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        opcat_json_key(&json, counts[i].name);
        opcat_json_number(&json, (int64_t)counts[i].value);
    }
    opcat_json_close(&json, '}');
    return opcat_json_end(&json);
}

static void print_summary(const opcat_import_options *options, const opcat_import_report *report)
{
    size_t longest = 0;
    for (size_t i = 0; i < report->change_count; i++) {
        size_t length = strlen(report->changes[i].arch);
        longest = length > longest ? length : longest;
    }
    for (size_t i = 0; i < report->change_count; i++) {
        const opcat_family_change *change = &report->changes[i];
        if (change->change == OPCAT_REMOVED)
            opcat_print_line(stdout, "", "removed  %s", change->arch);
        else
            printf("%-7s  %-*s  %zu %s\n", opcat_change_name(change->change), (int)longest, change->arch,
                   change->kind_count, change->kind_count == 1 ? "kind" : "kinds");
    }
    printf("%zu added, %zu updated, %zu unchanged, %zu removed; %zu naming %s changed\n", report->added,
           report->updated, report->unchanged, report->removed, report->rules_changed,
           report->rules_changed == 1 ? "rule" : "rules");
    if (options->dry_run)
        opcat_print_line(stdout, "", "Dry run: %s is as it was", options->catalog);
    else if (report->import_id)
        opcat_print_line(stdout, "", "%s is now at import %" PRId64, options->catalog, report->import_id);
    else
        opcat_print_line(stdout, "", "Nothing to change: %s is as it was", options->catalog);
}

static int say_refused(const opcat_import_report *report)
{
    size_t files = opcat_faults_files(&report->faults);
    opcat_print_faults(&report->faults);
    return opcat_fail("%zu %s in %zu %s; nothing was imported", report->faults.count,
                      report->faults.count == 1 ? "fault" : "faults", files, files == 1 ? "file" : "files");
}

static int run_import(const opcat_import_options *options, bool json)
{
    opcat_import_report report;
    int exit = OPCAT_EXIT_DONE;
    switch (opcat_import(options, &report)) {
    case OPCAT_IMPORT_DONE:
        if (json)
            exit = print_json(options, &report);
        else
            print_summary(options, &report);
        break;
    case OPCAT_IMPORT_REFUSED:
        exit = say_refused(&report);
        break;
    case OPCAT_IMPORT_FAILED:
        opcat_print_faults(&report.faults);
        if (report.message || !report.faults.out_of_memory)
            opcat_fail("%s", report.message ? report.message : "out of memory");
        exit = OPCAT_EXIT_FAILED;
        break;
    }
    opcat_import_report_free(&report);
    return exit;
}

static int run(opcat_call *call)
{
    static const struct option options[] = {{"dry-run", no_argument, NULL, OPTION_DRY_RUN},
                                            {"prune", no_argument, NULL, OPTION_PRUNE},
                                            {"json", no_argument, NULL, OPTION_JSON},
                                            OPCAT_COMMON_OPTIONS};
    opcat_import_options import = {0};
    bool json = false;
    int exit = 0;
    for (int option; (option = opcat_next_option(call, options, &exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return exit;
        import.dry_run = import.dry_run || option == OPTION_DRY_RUN;
        import.prune = import.prune || option == OPTION_PRUNE;
        json = json || option == OPTION_JSON;
    }
    if (optind == call->argc)
        return opcat_usage_error(call, "PATH is missing");
    const char *variable = getenv("OPCAT_CATALOG");
    import.catalog = call->catalog ? call->catalog : variable;
    if (!import.catalog || !*import.catalog)
        return opcat_usage_error(call, "which catalog? Name it with --catalog FILE, or in OPCAT_CATALOG");
    import.paths = (const char *const *)(call->argv + optind);
    import.path_count = (size_t)(call->argc - optind);
    progress state = {.shown = 0};
    clock_gettime(CLOCK_MONOTONIC, &state.start);
    if (isatty(STDERR_FILENO)) {
        import.progress = show_progress;
        import.context = &state;
    }
    return run_import(&import, json);
}

const opcat_command opcat_cmd_import = {
    .name = "import",
    .synopsis = "[--dry-run] [--prune] [--json] PATH...",
    .summary = "import profiles and naming rules from YAML",
    .help = help,
    .run = run,
};
