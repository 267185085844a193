/* SPDX-License-Identifier: Apache-2.0 */
#include "import.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/reader.h"
#include "ahead.h"
#include "file.h"
#include "import_rules.h"
#include "next.h"
#include "read_profile.h"

/* What one run carries from step to step. */
typedef struct import_run {
    const opcat_import_options *options;
    opcat_import_report *report;
    opcat_error error;
    opcat_inputs inputs;
    opcat_stated_rules rules;
    char imported_at[sizeof "YYYY-MM-DDTHH:MM:SSZ"];
    char *origin;
    uint64_t *digests; /* of the profiles written, by the place of their input; 0 for those that were not */

    opcat_next next;
    opcat_names *standing;       /* the families of the current generation; NULL where there is none */
    sqlite3_stmt *source_of;     /* over the current generation; NULL where there is none */
    pthread_mutex_t current_use; /* of the connection to the current generation, while files are made ready */
    opcat_store store;           /* started with the first change */
} import_run;

/* ---- Around the run -------------------------------------------------------------------------------------- */

/* The time of the import: now, or what SOURCE_DATE_EPOCH says, so that the same input gives the same bytes. */
static opcat_status tell_time(import_run *run)
{
    const char *stated = getenv("SOURCE_DATE_EPOCH");
    time_t seconds = time(NULL);
    struct tm utc;
    if (stated) {
        char *end = NULL;
        errno = 0;
        long long value = strtoll(stated, &end, 10);
        /* Up to the end of the year 9999, the last that ISO 8601 writes with four digits. */
        if (strspn(stated, "0123456789") != strlen(stated) || end == stated || errno || value > 253402300799)
            return opcat_error_set(&run->error, OPCAT_INVALID,
                                   "SOURCE_DATE_EPOCH must be a number of seconds since 1970, got '%s'", stated);
        seconds = (time_t)value;
    }
    if (!gmtime_r(&seconds, &utc) || !strftime(run->imported_at, sizeof run->imported_at, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return opcat_error_set(&run->error, OPCAT_INVALID, "the time cannot be written as a date");
    return OPCAT_OK;
}

static opcat_status note_origin(import_run *run)
{
    opcat_text text = {0};
    for (size_t i = 0; i < run->options->path_count; i++) {
        const char *path = run->options->paths[i];
        opcat_text_add(&text, i ? " " : "");
        if (opcat_utf8_valid(path, strlen(path)))
            opcat_text_add(&text, "%s", path);
        else
            opcat_text_quote(&text, path, strlen(path));
    }
    run->origin = text.bytes;
    return text.failed ? opcat_error_nomem(&run->error) : OPCAT_OK;
}

static opcat_status note_change(import_run *run, const char *arch, opcat_change change, size_t kind_count)
{
    opcat_import_report *report = run->report;
    if (report->change_count == report->change_room) {
        size_t room = report->change_room ? report->change_room * 2 : 16;
        opcat_family_change *changes = realloc(report->changes, room * sizeof *changes);
        if (!changes)
            return opcat_error_nomem(&run->error);
        report->changes = changes;
        report->change_room = room;
    }
    size_t size = strlen(arch) + 1;
    char *copy = malloc(size);
    if (!copy)
        return opcat_error_nomem(&run->error);
    opcat_family_change *made = &report->changes[report->change_count++];
    memcpy(copy, arch, size);
    made->arch = copy;
    made->change = change;
    made->kind_count = kind_count;
    size_t *counts[] = {&report->added, &report->updated, &report->removed};
    ++*counts[change];
    return OPCAT_OK;
}

static void forget_changes(opcat_import_report *report)
{
    for (size_t i = 0; i < report->change_count; i++)
        free(report->changes[i].arch);
    report->change_count = 0;
    report->added = report->updated = report->unchanged = report->removed = report->rules_changed = 0;
    report->import_id = 0;
}

void opcat_import_report_free(opcat_import_report *report)
{
    forget_changes(report);
    free(report->changes);
    free(report->message);
    opcat_faults_free(&report->faults);
    *report = (opcat_import_report){0};
}

static int compare_changes(const void *a, const void *b)
{
    return strcmp(((const opcat_family_change *)a)->arch, ((const opcat_family_change *)b)->arch);
}

/* ---- The current generation ------------------------------------------------------------------------------ */

static opcat_status open_current(import_run *run)
{
    opcat_reader reader;
    opcat_status status = opcat_next_open(&run->next, run->options->catalog, run->options->dry_run, &run->error);
    if (status != OPCAT_OK || !run->next.current)
        return status;
    status = opcat_reader_start(&reader, run->next.current, "main", run->next.path, &run->error);
    if (status == OPCAT_OK)
        status = opcat_reader_archs(&reader, &run->standing);
    opcat_reader_end(&reader);
    if (status != OPCAT_OK)
        return status;
    static const char sql[] =
        "SELECT c.source FROM profile p JOIN change c ON c.change_id = p.change_id WHERE p.arch = ?1";
    int rc = sqlite3_prepare_v2(run->next.current, sql, -1, &run->source_of, NULL);
    return rc == SQLITE_OK
               ? OPCAT_OK
               : opcat_error_sqlite(&run->error, run->next.current, rc, run->next.path, "reading its profiles");
}

static void close_current(import_run *run)
{
    opcat_store_end(&run->store);
    sqlite3_finalize(run->source_of);
    run->source_of = NULL;
    opcat_names_free(run->standing);
    run->standing = NULL;
    opcat_next_close(&run->next);
}

static int compare_name(const void *arch, const void *name)
{
    return strcmp(arch, *(const char *const *)name);
}

static bool stands(const import_run *run, const char *arch)
{
    const opcat_names *names = run->standing;
    return names && names->count && bsearch(arch, names->names, names->count, sizeof(char *), compare_name);
}

/* Whether the catalog will have a family: where a path states it, or it stands and stays. */
static bool will_stand(const void *context, const char *arch)
{
    const import_run *run = context;
    return opcat_inputs_find(&run->inputs, arch) || (!run->options->prune && stands(run, arch));
}

/* Whether the current generation holds a family with exactly the bytes that were read. */
static opcat_status compare_source(import_run *run, const char *arch, opcat_prepared *made)
{
    opcat_status status = OPCAT_OK;
    if (!run->source_of)
        return OPCAT_OK;
    pthread_mutex_lock(&run->current_use);
    int rc = sqlite3_bind_text(run->source_of, 1, arch, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(run->source_of);
    if (rc == SQLITE_ROW) {
        const void *source = sqlite3_column_blob(run->source_of, 0);
        size_t size = (size_t)sqlite3_column_bytes(run->source_of, 0);
        made->same = size == made->length && (size == 0 || (source && memcmp(source, made->bytes, size) == 0));
    } else if (rc != SQLITE_DONE) {
        status = opcat_error_sqlite(&made->error, run->next.current, rc, run->next.path, "reading a profile's source");
    }
    sqlite3_reset(run->source_of);
    pthread_mutex_unlock(&run->current_use);
    return status;
}

/* ---- The next one ---------------------------------------------------------------------------------------- */

/* Have a next generation to change. */
static opcat_status begin(import_run *run)
{
    if (run->store.db)
        return OPCAT_OK;
    pthread_mutex_lock(&run->current_use);
    opcat_status status = opcat_next_begin(&run->next, &run->error);
    pthread_mutex_unlock(&run->current_use);
    if (status == OPCAT_OK)
        status = opcat_store_start(&run->store, run->next.db, run->next.path, &run->error);
    return status;
}

static bool refused(const import_run *run)
{
    return run->report->faults.count > 0 || run->report->faults.out_of_memory;
}

/* Store a profile that is new or changed. Once anything is refused, files are only read on for their faults. */
static opcat_status keep_profile(import_run *run, const opcat_input *input, const opcat_prepared *made)
{
    const opcat_profile *profile = made->profile;
    if (!profile || refused(run))
        return OPCAT_OK;
    opcat_change change = stands(run, input->arch) ? OPCAT_UPDATED : OPCAT_ADDED;
    opcat_status status = begin(run);
    if (status == OPCAT_OK)
        status = opcat_store_profile(&run->store, profile, made->bytes, made->length, change);
    if (status == OPCAT_OK)
        status = note_change(run, input->arch, change, profile->kind_count);
    if (status == OPCAT_OK)
        run->digests[input - run->inputs.profiles.items] = opcat_profile_digest(profile);
    return status;
}

/* An opcat_prepare_fn, in a thread of its own: of what the run holds, it reads what is not changed meanwhile. */
static void prepare_profile(void *context, size_t index, opcat_prepared *made)
{
    import_run *run = context;
    const opcat_input *input = &run->inputs.profiles.items[index];
    made->bytes = opcat_read_file(input->path, OPCAT_MAX_FILE_BYTES, &made->length);
    if (!made->bytes) {
        opcat_faults_add_unreadable(&made->faults, input->path);
        return;
    }
    made->status = compare_source(run, input->arch, made);
    if (made->status != OPCAT_OK || made->same)
        return;
    made->profile = opcat_read_profile(input->path, input->arch, made->bytes, made->length, &made->faults);
    opcat_faults_sort(&made->faults, 0);
}

static opcat_status take_profile(import_run *run, const opcat_input *input, opcat_prepared *made)
{
    opcat_faults_move(&run->report->faults, &made->faults);
    if (made->status != OPCAT_OK) {
        run->error = made->error;
        made->error = (opcat_error){0};
        return made->status;
    }
    run->report->unchanged += made->same;
    return keep_profile(run, input, made);
}

static opcat_status take_profiles(import_run *run)
{
    const opcat_import_options *options = run->options;
    size_t total = run->inputs.profiles.count;
    opcat_status status = OPCAT_OK;
    opcat_ahead *ahead = opcat_ahead_start(total, prepare_profile, run);
    if (!ahead)
        return opcat_error_nomem(&run->error);
    for (size_t i = 0; i < total && status == OPCAT_OK; i++) {
        if (options->progress)
            options->progress(options->context, i, total);
        status = take_profile(run, &run->inputs.profiles.items[i], opcat_ahead_take(ahead));
    }
    opcat_ahead_end(ahead);
    if (options->progress)
        options->progress(options->context, total, total);
    return status;
}

static opcat_status prune_families(import_run *run)
{
    opcat_status status = OPCAT_OK;
    if (!run->options->prune || !run->standing)
        return OPCAT_OK;
    for (size_t i = 0; i < run->standing->count && status == OPCAT_OK; i++) {
        const char *arch = run->standing->names[i];
        if (opcat_inputs_find(&run->inputs, arch))
            continue;
        status = begin(run);
        if (status == OPCAT_OK)
            status = opcat_store_remove(&run->store, arch);
        if (status == OPCAT_OK)
            status = note_change(run, arch, OPCAT_REMOVED, 0);
    }
    return status;
}

static opcat_status apply_rule(void *context, const char *rule, const char *pattern, const char *arch, bool remove)
{
    import_run *run = context;
    opcat_status status = begin(run);
    if (status == OPCAT_OK)
        status = remove ? opcat_store_remove_rule(&run->store, rule, pattern)
                        : opcat_store_rule(&run->store, rule, pattern, arch);
    if (status == OPCAT_OK)
        run->report->rules_changed++;
    return status;
}

/* To prune down to nothing is no import of what a path states, but a folder that is not the one that was meant. */
static void check_prune(const import_run *run)
{
    if (run->options->prune && run->inputs.profiles.count == 0 && run->report->faults.count == 0)
        opcat_faults_add(&run->report->faults, run->options->paths[0], (opcat_place){0, 0},
                         "no profile is given, so --prune would remove every family; give those that are to stay");
}

/* Hold the rules against the families there will be, and suggest from these. */
static opcat_status check_rules(import_run *run)
{
    const opcat_input_list *inputs = &run->inputs.profiles;
    size_t standing = run->standing && !run->options->prune ? run->standing->count : 0;
    const char **known = malloc((inputs->count + standing + 1) * sizeof *known);
    if (!known)
        return opcat_error_nomem(&run->error);
    size_t count = 0;
    for (size_t i = 0; i < inputs->count; i++)
        known[count++] = inputs->items[i].arch;
    for (size_t i = 0; i < standing; i++)
        known[count++] = run->standing->names[i];
    opcat_stated_rules_check(&run->rules, will_stand, run, known, count, &run->report->faults);
    free(known);
    return OPCAT_OK;
}

static bool digest_of(void *context, const char *arch, uint64_t *digest)
{
    const import_run *run = context;
    const opcat_input *input = opcat_inputs_find(&run->inputs, arch);
    *digest = input ? run->digests[input - run->inputs.profiles.items] : 0;
    return *digest != 0;
}

/* Everything is stored: note the import, check the whole, and put it in place. */
static opcat_status conclude(import_run *run, bool *lost)
{
    opcat_status status = opcat_store_import(&run->store, run->imported_at, run->origin, run->report);
    if (status == OPCAT_OK)
        status = opcat_store_check(&run->store, digest_of, run);
    run->report->import_id = run->store.import_id;
    opcat_store_end(&run->store);
    return status == OPCAT_OK ? opcat_next_publish(&run->next, lost, &run->error) : status;
}

/* One try, on the generation that is current now. */
static opcat_status try_import(import_run *run, bool *lost)
{
    opcat_status status = open_current(run);
    if (status == OPCAT_OK)
        status = check_rules(run);
    if (status == OPCAT_OK)
        status = take_profiles(run);
    if (status == OPCAT_OK && !refused(run))
        status = prune_families(run);
    if (status == OPCAT_OK && !refused(run))
        status = opcat_stated_rules_diff(&run->rules, run->next.current, run->next.path, run->options->prune,
                                         apply_rule, run, &run->error);
    if (status == OPCAT_OK && !refused(run) && run->store.db)
        status = conclude(run, lost);
    close_current(run);
    return status;
}

static opcat_status run_import(import_run *run)
{
    opcat_import_report *report = run->report;
    opcat_status status = tell_time(run);
    if (status == OPCAT_OK)
        status = note_origin(run);
    if (status != OPCAT_OK)
        return status;
    opcat_inputs_gather(&run->inputs, run->options->paths, run->options->path_count, &report->faults);
    opcat_stated_rules_read(&run->rules, &run->inputs.rules, &report->faults);
    check_prune(run);
    run->digests = calloc(run->inputs.profiles.count + 1, sizeof *run->digests);
    if (!run->digests)
        return opcat_error_nomem(&run->error);
    bool lost;
    size_t gathered = report->faults.count;
    do {
        lost = false;
        forget_changes(report);
        opcat_faults_truncate(&report->faults, gathered);
        memset(run->digests, 0, (run->inputs.profiles.count + 1) * sizeof *run->digests);
        status = try_import(run, &lost);
    } while (lost);
    return status;
}

opcat_import_result opcat_import(const opcat_import_options *options, opcat_import_report *report)
{
    import_run run = {.options = options,
                      .report = report,
                      .next = {.temporary = {.fd = -1}},
                      .current_use = PTHREAD_MUTEX_INITIALIZER};
    *report = (opcat_import_report){0};
    opcat_status status = run_import(&run);
    opcat_import_result result = OPCAT_IMPORT_DONE;
    if (status != OPCAT_OK || report->faults.out_of_memory)
        result = OPCAT_IMPORT_FAILED;
    else if (report->faults.count)
        result = OPCAT_IMPORT_REFUSED;
    if (result != OPCAT_IMPORT_DONE)
        forget_changes(report);
    if (status != OPCAT_OK) {
        report->message = run.error.text;
        run.error.text = NULL;
    }
    if (report->change_count)
        qsort(report->changes, report->change_count, sizeof *report->changes, compare_changes);
    opcat_error_clear(&run.error);
    opcat_inputs_free(&run.inputs);
    opcat_stated_rules_free(&run.rules);
    free(run.origin);
    free(run.digests);
    return result;
}
