/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../import/compare_cells.h"
#include "../import/read_profile.h"
#include "../lib/history.h"
#include "../lib/source.h"
#include "cli.h"
#include "json.h"

static const char help[] =
    "Check that the catalog is sound: SQLite's own checks of the file, every profile held against the source it was\n"
    "imported from, and the family of every naming rule. A row that was changed by hand is named with what is stored\n"
    "and what its source says. Nothing is written.\n"
    "\n"
    "Options:\n"
    "  --json          print what is wrong as JSON\n"
    "  --catalog FILE  the catalog; else $OPCAT_CATALOG, else the installed one\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0 done, and the catalog is sound; 1 it is not, or cannot be read; 2 the command line cannot be\n"
    "understood.\n"
    "\n"
    "Example:\n"
    "  opcat --catalog profiles.db check\n";

typedef struct check {
    opcat_catalog *catalog;
    opcat_json *json; /* NULL for text */
    size_t problems;
    size_t families;
    bool failed; /* memory ran out */
} check;

static void add_value(opcat_json *json, const char *key, const opcat_value *value)
{
    opcat_json_key(json, key);
    opcat_json_value(json, value);
}

/* One thing that is wrong. `difference` tells what is stored (before) and what the source says (after); or NULL. */
static void say(check *self, const char *arch, const opcat_difference *difference, const char *message)
{
    self->problems++;
    if (!self->json) {
        self->failed = !opcat_print_line(stdout, "", "%s", message) || self->failed;
        return;
    }
    opcat_json_open(self->json, '{');
    opcat_json_key(self->json, "arch");
    opcat_json_string(self->json, arch);
    if (difference) {
        opcat_json_key(self->json, "section");
        opcat_json_string(self->json, difference->section);
        opcat_json_key(self->json, "kind");
        opcat_json_string(self->json, difference->kind);
        opcat_json_key(self->json, "name");
        opcat_json_string(self->json, difference->name);
        add_value(self->json, "stored", &difference->before);
        add_value(self->json, "source", &difference->after);
    }
    opcat_json_key(self->json, "message");
    opcat_json_string(self->json, message);
    opcat_json_close(self->json, '}');
}

static void say_text(check *self, const char *arch, const opcat_difference *difference, opcat_text *text)
{
    if (text->failed)
        self->failed = true;
    else
        say(self, arch, difference, text->bytes);
    free(text->bytes);
}

static void say_difference(void *context, const opcat_difference *difference)
{
    opcat_text text = {0};
    opcat_text_add(&text, "%s: ", difference->arch);
    opcat_difference_path(&text, difference);
    opcat_text_add(&text, " is ");
    opcat_value_text(&text, &difference->before);
    opcat_text_add(&text, " in the catalog, and ");
    opcat_value_text(&text, &difference->after);
    opcat_text_add(&text, " in its source");
    say_text(context, difference->arch, difference, &text);
}

static void say_file_problem(void *context, const char *problem)
{
    opcat_text text = {0};
    opcat_text_add(&text, "the file: %s", problem);
    say_text(context, NULL, NULL, &text);
}

static void say_faults(check *self, const char *arch, const opcat_faults *faults)
{
    self->failed = self->failed || faults->out_of_memory;
    for (size_t i = 0; i < faults->count; i++) {
        opcat_text text = {0};
        opcat_text_add(&text, "%s: its source, line %zu: %s", arch, faults->items[i].place.line, faults->items[i].text);
        say_text(self, arch, NULL, &text);
    }
}

/* Hold rows that make no profile against their source. */
static void check_cells(check *self, const opcat_profile *source)
{
    bool memory = true;
    if (opcat_compare_cells(self->catalog, source, say_difference, self, &memory) != OPCAT_OK)
        say(self, source->arch, NULL, opcat_errmsg(self->catalog));
    self->failed = self->failed || !memory;
}

/* Hold one family's rows against its source. */
static void check_family(check *self, const char *arch)
{
    const opcat_profile *stored = NULL;
    char *bytes = NULL;
    size_t length = 0;
    opcat_faults faults = {0};
    opcat_profile *source = NULL;
    self->families++;
    opcat_status read = opcat_load_profile(self->catalog, arch, &stored);
    if (read != OPCAT_OK)
        say(self, arch, NULL, opcat_errmsg(self->catalog));
    if (opcat_profile_source(self->catalog, arch, &bytes, &length) == OPCAT_OK)
        source = opcat_read_profile(arch, arch, bytes, length, &faults);
    else
        say(self, arch, NULL, opcat_errmsg(self->catalog));
    say_faults(self, arch, &faults);
    if (read == OPCAT_OK && source)
        opcat_compare_profiles(stored, source, say_difference, self);
    else if (read == OPCAT_CORRUPT && source)
        check_cells(self, source);
    opcat_profile_drop(source);
    opcat_faults_free(&faults);
    free(bytes);
}

typedef struct rule_check {
    check *self;
    const opcat_names *archs;
} rule_check;

static void check_rule(void *context, const char *rule, const char *pattern, const char *arch)
{
    const rule_check *rules = context;
    for (size_t i = 0; arch && i < rules->archs->count; i++) {
        if (strcmp(rules->archs->names[i], arch) == 0)
            return;
    }
    if (!arch)
        return;
    opcat_text text = {0};
    opcat_text_add(&text, "%s ", rule);
    opcat_text_quote(&text, pattern, strlen(pattern));
    opcat_text_add(&text, " names family ");
    opcat_text_quote(&text, arch, strlen(arch));
    opcat_text_add(&text, ", which is not there");
    say_text(rules->self, arch, NULL, &text);
}

static opcat_status check_all(check *self)
{
    opcat_names *archs = NULL;
    opcat_status status = opcat_check_file(self->catalog, say_file_problem, self);
    if (status == OPCAT_OK)
        status = opcat_known_archs(self->catalog, &archs);
    for (size_t i = 0; status == OPCAT_OK && i < archs->count; i++)
        check_family(self, archs->names[i]);
    if (status == OPCAT_OK) {
        rule_check rules = {self, archs};
        status = opcat_each_rule(self->catalog, check_rule, &rules);
    }
    opcat_names_free(archs);
    return status;
}

/* `text`: say the result in words, too. */
static int conclude(const check *self, opcat_status status, bool text)
{
    if (status != OPCAT_OK)
        return opcat_fail("%s", opcat_errmsg(self->catalog));
    if (self->failed)
        return opcat_fail("out of memory");
    if (text && self->problems)
        printf("%zu %s\n", self->problems, self->problems == 1 ? "problem" : "problems");
    else if (text)
        printf("Sound: %zu %s\n", self->families, self->families == 1 ? "family" : "families");
    return self->problems ? OPCAT_EXIT_FAILED : OPCAT_EXIT_DONE;
}

static int check_json(check *self)
{
    opcat_json json;
    self->json = &json;
    opcat_json_start(&json, stdout);
    opcat_json_open(&json, '{');
    opcat_json_key(&json, "problems");
    opcat_json_open(&json, '[');
    opcat_status status = check_all(self);
    opcat_json_close(&json, ']');
    opcat_json_key(&json, "sound");
    opcat_json_bool(&json, status == OPCAT_OK && !self->problems);
    opcat_json_close(&json, '}');
    int exit = opcat_json_end(&json);
    self->json = NULL;
    int concluded = conclude(self, status, false);
    return exit == OPCAT_EXIT_DONE ? concluded : exit;
}

static int run(opcat_call *call)
{
    bool json;
    int exit = 0;
    if (!opcat_json_option(call, &json, &exit) || !opcat_operands(call, 0, 0, "operand", &exit))
        return exit;
    check self = {.catalog = opcat_open_for(call)};
    if (!self.catalog)
        return OPCAT_EXIT_FAILED;
    exit = json ? check_json(&self) : conclude(&self, check_all(&self), true);
    opcat_close(self.catalog);
    return exit;
}

const opcat_command opcat_cmd_check = {
    .name = "check",
    .synopsis = "[--json]",
    .summary = "check that a catalog is sound",
    .help = help,
    .run = run,
};
