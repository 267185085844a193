/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../import/compare.h"
#include "cli.h"
#include "json.h"

static const char help[] =
    "Say how two sets of profiles differ in meaning, not in text: families, kinds and their order, ops and flavours,\n"
    "default kinds, run fields and model facts (stated, or by default), and naming rules. A and B are each a catalog\n"
    "file or a folder of profiles.\n"
    "\n"
    "Options:\n"
    "  --json          print a list of the differences\n"
    "  --help          this text\n"
    "\n"
    "Exit status, as of diff: 0 done, and they are the same; 1 they differ; 2 they cannot be compared, or the command\n"
    "line cannot be understood.\n"
    "\n"
    "Example:\n"
    "  opcat diff profiles.db op_profiles/\n";

enum { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 };

typedef struct diff {
    const char *names[2];
    bool as_json;
    opcat_json *json; /* while it is written */
    bool colours;
    char *heading; /* the family or "naming rules" last printed */
    size_t count;
    bool failed;
} diff;

OPCAT_PRINTF(3, 4) static void print_line(diff *self, const char *colour, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    self->failed = !opcat_vprint(stdout, self->colours ? colour : "", format, arguments) || self->failed;
    va_end(arguments);
    putchar('\n');
}

static void print_heading(diff *self, const char *heading)
{
    if (self->count == 0) {
        print_line(self, "\x1b[1m", "--- %s", self->names[0]);
        print_line(self, "\x1b[1m", "+++ %s", self->names[1]);
    }
    if (self->heading && strcmp(self->heading, heading) == 0)
        return;
    free(self->heading);
    size_t size = strlen(heading) + 1;
    self->heading = malloc(size);
    if (self->heading)
        memcpy(self->heading, heading, size);
    else
        self->failed = true;
    print_line(self, "\x1b[36m", "@@ %s @@", heading);
}

static void print_side(diff *self, bool added, const opcat_difference *difference)
{
    const opcat_value *value = added ? &difference->after : &difference->before;
    opcat_text text = {0};
    bool whole = strcmp(difference->section, "family") == 0 || strcmp(difference->section, "kind") == 0;
    if (value->type == OPCAT_VALUE_ABSENT && (whole || strcmp(difference->section, "rule") == 0))
        return;
    if (whole) {
        opcat_text_add(&text, "%s ", difference->section);
        opcat_value_text(&text, value);
    } else {
        opcat_difference_path(&text, difference);
        opcat_text_add(&text, ": ");
        opcat_value_text(&text, value);
    }
    if (text.failed)
        self->failed = true;
    else
        print_line(self, added ? "\x1b[32m" : "\x1b[31m", "%c %s", added ? '+' : '-', text.bytes);
    free(text.bytes);
}

static void print_difference(void *context, const opcat_difference *difference)
{
    diff *self = context;
    print_heading(self, difference->arch ? difference->arch : "naming rules");
    print_side(self, false, difference);
    print_side(self, true, difference);
    self->count++;
}

static void add_side(opcat_json *json, const char *key, const opcat_value *value)
{
    opcat_json_key(json, key);
    opcat_json_value(json, value);
}

static void add_difference(void *context, const opcat_difference *difference)
{
    diff *self = context;
    opcat_json *json = self->json;
    opcat_json_open(json, '{');
    const struct {
        const char *key;
        const char *text;
    } texts[] = {{"section", difference->section},
                 {"arch", difference->arch},
                 {"kind", difference->kind},
                 {"name", difference->name}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opcat_json_key(json, texts[i].key);
        opcat_json_string(json, texts[i].text);
    }
    add_side(json, "before", &difference->before);
    add_side(json, "after", &difference->after);
    if (strcmp(difference->section, "run") == 0) {
        opcat_json_key(json, "before_stated");
        opcat_json_bool(json, !difference->before.by_default);
        opcat_json_key(json, "after_stated");
        opcat_json_bool(json, !difference->after.by_default);
    }
    opcat_json_close(json, '}');
    self->count++;
}

static bool compare(diff *self, const opcat_snapshot *snapshots)
{
    opcat_json json;
    if (!self->as_json)
        return opcat_compare_snapshots(&snapshots[0], &snapshots[1], print_difference, self);
    self->json = &json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '[');
    bool whole = opcat_compare_snapshots(&snapshots[0], &snapshots[1], add_difference, self);
    opcat_json_close(&json, ']');
    self->json = NULL;
    return opcat_json_end(&json) == OPCAT_EXIT_DONE && whole;
}

static int run_diff(diff *self)
{
    opcat_snapshot snapshots[2] = {{0}, {0}};
    opcat_faults faults = {0};
    opcat_error error = {0};
    bool readable = true;
    for (int i = 0; i < 2; i++) {
        opcat_status status = opcat_snapshot_read(&snapshots[i], self->names[i], &faults, &error);
        readable = readable && status == OPCAT_OK;
        if (status != OPCAT_OK && status != OPCAT_INVALID)
            opcat_fail("%s", opcat_error_text(&error));
    }
    opcat_print_faults(&faults);
    int exit = EXIT_TROUBLE;
    if (readable && compare(self, snapshots) && !self->failed)
        exit = self->count ? EXIT_DIFFERENT : EXIT_SAME;
    else if (readable)
        opcat_fail("out of memory");
    free(self->heading);
    opcat_error_clear(&error);
    opcat_faults_free(&faults);
    opcat_snapshot_free(&snapshots[0]);
    opcat_snapshot_free(&snapshots[1]);
    return exit;
}

static int run(opcat_call *call)
{
    diff self = {.colours = opcat_colours(stdout)};
    int exit = 0;
    if (!opcat_json_option(call, &self.as_json, &exit) || !opcat_operands(call, 2, 2, "A or B", &exit))
        return exit;
    self.names[0] = call->argv[optind];
    self.names[1] = call->argv[optind + 1];
    return run_diff(&self);
}

const opcat_command opcat_cmd_diff = {
    .name = "diff",
    .synopsis = "[--json] A B",
    .summary = "say how two catalogs, or folders of profiles, differ in meaning",
    .help = help,
    .trouble = EXIT_TROUBLE,
    .names_catalogs = true,
    .run = run,
};
