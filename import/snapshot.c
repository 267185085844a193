/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../lib/history.h"
#include "file.h"
#include "import_rules.h"
#include "read_profile.h"

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Add a profile, taking over a retained reference; NULL is a failure. */
static void add_profile(opcat_snapshot *snapshot, const opcat_profile *profile)
{
    if (snapshot->profile_count == snapshot->profile_room) {
        size_t room = snapshot->profile_room ? snapshot->profile_room * 2 : 16;
        const opcat_profile **profiles = realloc(snapshot->profiles, room * sizeof(opcat_profile *));
        if (!profiles) {
            snapshot->failed = true;
            opcat_profile_release(profile);
            return;
        }
        snapshot->profiles = profiles;
        snapshot->profile_room = room;
    }
    snapshot->profiles[snapshot->profile_count++] = profile;
}

static void add_rule(void *context, const char *rule, const char *pattern, const char *arch)
{
    opcat_snapshot *snapshot = context;
    opcat_snapshot_rule made = {copy_of(rule), copy_of(pattern), arch ? copy_of(arch) : NULL};
    if (snapshot->rule_count == snapshot->rule_room) {
        size_t room = snapshot->rule_room ? snapshot->rule_room * 2 : 16;
        opcat_snapshot_rule *rules = realloc(snapshot->rules, room * sizeof *rules);
        if (rules) {
            snapshot->rules = rules;
            snapshot->rule_room = room;
        }
    }
    if (!made.rule || !made.pattern || (arch && !made.arch) || snapshot->rule_count == snapshot->rule_room) {
        snapshot->failed = true;
        free(made.rule);
        free(made.pattern);
        free(made.arch);
        return;
    }
    snapshot->rules[snapshot->rule_count++] = made;
}

/* ---- A catalog ------------------------------------------------------------------------------------------- */

static opcat_status read_catalog(opcat_snapshot *snapshot, const char *path, opcat_error *error)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    opcat_status status = opcat_open(path, 0, &catalog);
    if (status == OPCAT_OK)
        status = opcat_known_archs(catalog, &archs);
    for (size_t i = 0; status == OPCAT_OK && i < archs->count; i++) {
        const opcat_profile *profile = NULL;
        status = opcat_load_profile(catalog, archs->names[i], &profile);
        if (status == OPCAT_OK)
            add_profile(snapshot, opcat_profile_retain(profile));
    }
    if (status == OPCAT_OK)
        status = opcat_each_rule(catalog, add_rule, snapshot);
    if (status != OPCAT_OK)
        opcat_error_set(error, status, "%s", opcat_errmsg(catalog));
    opcat_names_free(archs);
    opcat_close(catalog);
    return status;
}

/* ---- A folder -------------------------------------------------------------------------------------------- */

static void read_profile(opcat_snapshot *snapshot, const opcat_input *input, opcat_faults *faults)
{
    size_t length = 0;
    size_t first = faults->count;
    char *bytes = opcat_read_file(input->path, OPCAT_MAX_FILE_BYTES, &length);
    if (!bytes) {
        opcat_faults_add_unreadable(faults, input->path);
        return;
    }
    opcat_profile *profile = opcat_read_profile(input->path, input->arch, bytes, length, faults);
    opcat_faults_sort(faults, first);
    free(bytes);
    if (profile)
        add_profile(snapshot, opcat_profile_retain(profile));
    opcat_profile_drop(profile);
}

static void read_folder(opcat_snapshot *snapshot, const char *path, opcat_faults *faults)
{
    opcat_inputs inputs;
    opcat_stated_rules rules;
    opcat_inputs_gather(&inputs, &path, 1, faults);
    opcat_stated_rules_read(&rules, &inputs.rules, faults);
    for (size_t i = 0; i < inputs.profiles.count; i++)
        read_profile(snapshot, &inputs.profiles.items[i], faults);
    for (size_t i = 0; i < rules.count; i++)
        add_rule(snapshot, rules.items[i].rule->rule, rules.items[i].rule->pattern, rules.items[i].rule->arch);
    opcat_stated_rules_free(&rules);
    opcat_inputs_free(&inputs);
}

opcat_status opcat_snapshot_read(opcat_snapshot *snapshot, const char *path, opcat_faults *faults, opcat_error *error)
{
    struct stat found;
    opcat_status status = OPCAT_OK;
    size_t before = faults->count;
    *snapshot = (opcat_snapshot){0};
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        read_folder(snapshot, path, faults);
    else
        status = read_catalog(snapshot, path, error);
    if (snapshot->failed || faults->out_of_memory)
        return opcat_error_nomem(error);
    return faults->count > before ? OPCAT_INVALID : status;
}

void opcat_snapshot_free(opcat_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->profile_count; i++)
        opcat_profile_release(snapshot->profiles[i]);
    for (size_t i = 0; i < snapshot->rule_count; i++) {
        free(snapshot->rules[i].rule);
        free(snapshot->rules[i].pattern);
        free(snapshot->rules[i].arch);
    }
    free(snapshot->profiles);
    free(snapshot->rules);
    *snapshot = (opcat_snapshot){0};
}
