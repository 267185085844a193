/* SPDX-License-Identifier: Apache-2.0 */
/* Imports: what they keep, replace, remove and refuse, and the history they leave. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../import/import.h"

typedef struct fixture {
    char *folder;
    char *catalog;
    char *profiles; /* a folder of profiles: a.yaml and b.yaml, and rules that name them */
    opcat_import_report report;
} fixture;

static char *path_in(const fixture *self, const char *name)
{
    return format("%s/%s", self->profiles, name);
}

static void write_in(const fixture *self, const char *name, const char *text)
{
    char *path = path_in(self, name);
    write_text(path, text);
    free(path);
}

static void write_profile(const fixture *self, const char *name, int softmax)
{
    char *source = one_kind_profile(softmax);
    write_in(self, name, source);
    free(source);
}

static int set_up(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/out/catalog.db", self->folder);
    self->profiles = format("%s/profiles", self->folder);
    char *out = format("%s/out", self->folder);
    assert_int_equal(mkdir(out, 0777), 0);
    free(out);
    write_profile(self, "a.yaml", 1);
    write_profile(self, "b.yaml", 2);
    write_in(self, "inference/model_names.yaml", "prefixes: {a: a, bee: b}\ntraits: {qk_norm: [q1, q2]}\n");
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1700000000", 1), 0);
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    unsetenv("SOURCE_DATE_EPOCH");
    opcat_import_report_free(&self->report);
    free(self->catalog);
    free(self->profiles);
    remove_folder(self->folder);
    free(self);
    return 0;
}

enum { DRY_RUN = 1, PRUNE = 2 };

/* Import one path; the report is the fixture's. */
static opcat_import_result import(fixture *self, const char *path, int flags)
{
    const char *paths[] = {path};
    opcat_import_options options = {.catalog = self->catalog,
                                    .paths = paths,
                                    .path_count = 1,
                                    .dry_run = (flags & DRY_RUN) != 0,
                                    .prune = (flags & PRUNE) != 0};
    opcat_import_report_free(&self->report);
    return opcat_import(&options, &self->report);
}

static void import_all(fixture *self, int flags)
{
    opcat_import_result result = import(self, self->profiles, flags);
    if (self->report.faults.count)
        print_error("%s\n", self->report.faults.items[0].text);
    if (self->report.message)
        print_error("%s\n", self->report.message);
    assert_int_equal(result, OPCAT_IMPORT_DONE);
}

static void assert_counts(const fixture *self, size_t added, size_t updated, size_t unchanged, size_t removed,
                          size_t rules)
{
    assert_int_equal(self->report.added, added);
    assert_int_equal(self->report.updated, updated);
    assert_int_equal(self->report.unchanged, unchanged);
    assert_int_equal(self->report.removed, removed);
    assert_int_equal(self->report.rules_changed, rules);
}

/* A fault whose file ends in `file`, at `line`, with `part` in its text. */
static void assert_fault(const fixture *self, const char *file, size_t line, const char *part)
{
    for (size_t i = 0; i < self->report.faults.count; i++) {
        const opcat_fault *fault = &self->report.faults.items[i];
        size_t length = strlen(fault->file);
        if (fault->place.line == line && strstr(fault->text, part) && length >= strlen(file) &&
            strcmp(fault->file + length - strlen(file), file) == 0)
            return;
    }
    for (size_t i = 0; i < self->report.faults.count; i++)
        print_error("%s:%zu: %s\n", self->report.faults.items[i].file, self->report.faults.items[i].place.line,
                    self->report.faults.items[i].text);
    fail_msg("no fault of %s:%zu says '%s'", file, line, part);
}

/* That the import was refused, the catalog is as `before` (NULL: not there), and nothing else is left. */
static void assert_untouched(const fixture *self, const char *before, size_t length)
{
    char *out = format("%s/out", self->folder);
    assert_int_equal(count_entries(out), before ? 1 : 0);
    free(out);
    if (!before)
        return;
    size_t now_length = 0;
    char *now = read_bytes(self->catalog, &now_length);
    assert_int_equal(now_length, length);
    assert_memory_equal(now, before, length);
    free(now);
}

/* ---- What an import does --------------------------------------------------------------------------------- */

static void a_first_import_makes_a_catalog_of_public_views(void **state)
{
    fixture *self = *state;
    import_all(self, 0);
    assert_counts(self, 2, 0, 0, 0, 4);
    assert_int_equal(self->report.import_id, 1);
    assert_string_equal(self->report.changes[0].arch, "a");
    assert_int_equal(self->report.changes[0].change, OPCAT_ADDED);
    assert_int_equal(self->report.changes[0].kind_count, 1);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM profiles"), 2);
    assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds WHERE arch = 'b'"), 2);
    char *row =
        query_text(self->catalog, "SELECT import_id || ' ' || imported_at || ' ' || importer || ' ' || added || ' ' || "
                                  "updated || ' ' || unchanged || ' ' || removed || ' ' || rules_changed FROM imports");
    assert_string_equal(row, "1 2023-11-14T22:13:20Z " OPCAT_VERSION " 2 0 0 0 4");
    free(row);
    row = query_text(self->catalog, "SELECT origin FROM imports");
    assert_string_equal(row, self->profiles);
    free(row);
}

static void what_no_path_states_stays(void **state)
{
    fixture *self = *state;
    import_all(self, 0);
    write_profile(self, "a.yaml", 7);
    char *path = path_in(self, "a.yaml");
    assert_int_equal(import(self, path, 0), OPCAT_IMPORT_DONE);
    assert_counts(self, 0, 1, 0, 0, 0);
    assert_int_equal(self->report.changes[0].change, OPCAT_UPDATED);
    assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds WHERE arch = 'a'"), 7);
    assert_int_equal(query_number(self->catalog, "SELECT softmax FROM kinds WHERE arch = 'b'"), 2);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM name_rules"), 4);
    free(path);
}

static void an_update_replaces_all_of_a_family(void **state)
{
    fixture *self = *state;
    write_in(self, "a.yaml",
             "default: y\nrun: {grad_bytes: 2}\nmodel: {v_head_dim: 64}\nkinds:\n"
             "  x: {ops: &o {attMM: 1, attBMM: 1, ffMM: 1, softmax: 1, dropout: 1, normOp: 1, gather: 1, headCast: 1, "
             "ffAct: "
             "1, linrec: 1}}\n"
             "  y: {ops: *o, attention: linear, ffn: moe}\n");
    import_all(self, 0);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM kinds WHERE arch = 'a'"), 2);
    write_profile(self, "a.yaml", 3);
    import_all(self, 0);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM kinds WHERE arch = 'a'"), 1);
    assert_int_equal(query_number(self->catalog, "SELECT grad_bytes FROM runs WHERE arch = 'a'"), 4);
    assert_int_equal(query_number(self->catalog, "SELECT sum(stated) FROM run_fields WHERE arch = 'a'"), 0);
    assert_null(query_text(self->catalog, "SELECT v_head_dim FROM profiles WHERE arch = 'a'"));
    char *name = query_text(self->catalog, "SELECT default_kind FROM profiles WHERE arch = 'a'");
    assert_string_equal(name, "decoder");
    free(name);
}

static void an_import_that_changes_nothing_writes_nothing(void **state)
{
    fixture *self = *state;
    struct stat before, after;
    size_t length = 0;
    import_all(self, 0);
    char *bytes = read_bytes(self->catalog, &length);
    assert_int_equal(stat(self->catalog, &before), 0);
    import_all(self, 0);
    assert_counts(self, 0, 0, 2, 0, 0);
    assert_int_equal(self->report.import_id, 0);
    import_all(self, PRUNE);
    assert_int_equal(stat(self->catalog, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    assert_untouched(self, bytes, length);
    free(bytes);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
    fixture *self = *state;
    size_t length = 0, again_length = 0;
    import_all(self, 0);
    char *bytes = read_bytes(self->catalog, &length);
    assert_int_equal(unlink(self->catalog), 0);
    import_all(self, 0);
    char *again = read_bytes(self->catalog, &again_length);
    assert_int_equal(length, again_length);
    assert_memory_equal(bytes, again, length);
    free(bytes);
    free(again);
}

static void prune_removes_what_no_path_states(void **state)
{
    fixture *self = *state;
    import_all(self, 0);
    char *b = path_in(self, "b.yaml");
    assert_int_equal(unlink(b), 0);
    write_in(self, "inference/model_names.yaml", "prefixes: {a: a}\ntraits: {qk_norm: [q2]}\n");
    import_all(self, 0);
    assert_counts(self, 0, 0, 1, 0, 0);
    import_all(self, PRUNE);
    assert_counts(self, 0, 0, 1, 1, 2);
    assert_string_equal(self->report.changes[0].arch, "b");
    assert_int_equal(self->report.changes[0].change, OPCAT_REMOVED);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM profiles"), 1);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM kinds"), 1);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM name_rules"), 2);
    free(b);
}

static void pruning_needs_a_profile_to_keep(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    char *rules = format("%s/rules", self->folder);
    char *file = format("%s/rules/inference/model_names.yaml", self->folder);
    write_profile(self, "a.yaml", 1);
    import_all(self, 0);
    char *before = read_bytes(self->catalog, &length);
    write_text(file, "");
    assert_int_equal(import(self, rules, PRUNE), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "/rules", 0, "--prune would remove every family");
    assert_untouched(self, before, length);
    assert_int_equal(import(self, rules, 0), OPCAT_IMPORT_DONE);
    free(before);
    free(rules);
    free(file);
}

static void the_family_of_a_stated_rule_is_not_pruned(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    import_all(self, 0);
    char *bytes = read_bytes(self->catalog, &length);
    char *b = path_in(self, "b.yaml");
    assert_int_equal(unlink(b), 0);
    assert_int_equal(import(self, self->profiles, PRUNE), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "inference/model_names.yaml", 1, "prefixes.bee names family 'b'");
    assert_untouched(self, bytes, length);
    free(bytes);
    free(b);
}

static void rules_are_added_and_replaced_one_by_one(void **state)
{
    fixture *self = *state;
    import_all(self, 0);
    write_in(self, "inference/model_names.yaml", "prefixes: {a: b, new: a}\n");
    import_all(self, 0);
    assert_counts(self, 0, 0, 2, 0, 2);
    assert_int_equal(query_number(self->catalog, "SELECT count(*) FROM name_rules"), 5);
    char *arch = query_text(self->catalog, "SELECT arch FROM name_rules WHERE rule = 'prefix' AND pattern = 'a'");
    assert_string_equal(arch, "b");
    free(arch);
}

static void history_keeps_every_source(void **state)
{
    fixture *self = *state;
    char *first = one_kind_profile(1), *second = one_kind_profile(5);
    import_all(self, 0);
    write_in(self, "a.yaml", second);
    import_all(self, 0);
    char *a = path_in(self, "a.yaml");
    assert_int_equal(unlink(a), 0);
    write_in(self, "inference/model_names.yaml", "prefixes: {bee: b}\n");
    import_all(self, PRUNE);
    static const char *const changes[] = {"added", "updated", "removed"};
    for (int i = 0; i < 3; i++) {
        char *sql = format("SELECT change FROM changes WHERE arch = 'a' AND import_id = %d", i + 1);
        char *change = query_text(self->catalog, sql);
        assert_string_equal(change, changes[i]);
        free(change);
        free(sql);
    }
    char *source = query_text(self->catalog, "SELECT source FROM changes WHERE arch = 'a' AND import_id = 1");
    assert_string_equal(source, first);
    free(source);
    source = query_text(self->catalog, "SELECT source FROM changes WHERE arch = 'a' AND import_id = 2");
    assert_string_equal(source, second);
    free(source);
    source = query_text(self->catalog, "SELECT source FROM changes WHERE arch = 'a' AND import_id = 3");
    assert_string_equal(source, second);
    free(source);
    assert_int_equal(query_number(self->catalog, "SELECT import_id FROM profiles WHERE arch = 'b'"), 1);
    free(first);
    free(second);
    free(a);
}

static void a_dry_run_keeps_nothing(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    import_all(self, DRY_RUN);
    assert_counts(self, 2, 0, 0, 0, 4);
    assert_untouched(self, NULL, 0);
    import_all(self, 0);
    char *bytes = read_bytes(self->catalog, &length);
    write_profile(self, "a.yaml", 9);
    import_all(self, DRY_RUN);
    assert_counts(self, 0, 1, 1, 0, 0);
    assert_untouched(self, bytes, length);
    write_in(self, "b.yaml", "kinds: {}\n");
    assert_int_equal(import(self, self->profiles, DRY_RUN), OPCAT_IMPORT_REFUSED);
    assert_untouched(self, bytes, length);
    free(bytes);
}

static void a_folder_gives_its_yaml_files_and_nothing_else(void **state)
{
    fixture *self = *state;
    write_in(self, ".hidden.yaml", "nonsense: [");
    write_in(self, "notes.yml", "nonsense: [");
    write_in(self, "README", "nonsense: [");
    write_in(self, "below/c.yaml", "nonsense: [");
    write_in(self, "inference/d.yaml", "nonsense: [");
    import_all(self, 0);
    assert_counts(self, 2, 0, 0, 0, 4);
}

static void a_symbolic_link_is_followed(void **state)
{
    fixture *self = *state;
    char *link_path = format("%s/link.db", self->folder);
    struct stat found;
    assert_int_equal(symlink("out/catalog.db", link_path), 0);
    char *real = self->catalog;
    self->catalog = link_path;
    import_all(self, 0);
    write_profile(self, "a.yaml", 9);
    import_all(self, 0);
    assert_int_equal(lstat(link_path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(query_number(real, "SELECT softmax FROM kinds WHERE arch = 'a'"), 9);
    self->catalog = real;
    free(link_path);
}

static void the_mode_of_the_file_is_kept(void **state)
{
    fixture *self = *state;
    struct stat found;
    mode_t mask = umask(022);
    import_all(self, 0);
    assert_int_equal(stat(self->catalog, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0644);
    assert_int_equal(chmod(self->catalog, 0664), 0);
    write_profile(self, "a.yaml", 9);
    import_all(self, 0);
    assert_int_equal(stat(self->catalog, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0664);
    umask(mask);
}

static void profiles_are_kept_byte_for_byte(void **state)
{
    fixture *self = *state;
    size_t length = 0, kept_length = 0;
    char *plain = one_kind_profile(1);
    char *odd = format("\xef\xbb\xbf# 解码器\r\n%s\n\n", plain);
    write_in(self, "a.yaml", odd);
    import_all(self, 0);
    char *path = path_in(self, "a.yaml");
    char *bytes = read_bytes(path, &length);
    char *hex = query_text(self->catalog, "SELECT hex(source) FROM profiles WHERE arch = 'a'");
    kept_length = strlen(hex) / 2;
    assert_int_equal(kept_length, length);
    for (size_t i = 0; i < length; i++) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        assert_int_equal(strtol(byte, NULL, 16), (unsigned char)bytes[i]);
    }
    free(plain);
    free(odd);
    free(path);
    free(bytes);
    free(hex);
}

/* ---- What is refused ------------------------------------------------------------------------------------- */

static void all_faults_of_all_files_are_said_and_nothing_is_changed(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    import_all(self, 0);
    char *bytes = read_bytes(self->catalog, &length);
    char *good = one_kind_profile(4);
    char *bad = format("defualt: decoder\n%s", good);
    char *softmax = strstr(bad, "softmax: 4");
    assert_non_null(softmax);
    memcpy(softmax, "softmax: x", 10);
    write_in(self, "a.yaml", bad);
    write_in(self, "b.yaml", "kinds: {decoder: {ops: [1]}}\n");
    write_profile(self, "c.yaml", 3);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
    assert_int_equal(self->report.faults.count, 3);
    assert_int_equal(opcat_faults_files(&self->report.faults), 2);
    assert_fault(self, "a.yaml", 1, "a has the unknown key 'defualt'; did you mean 'default'?");
    assert_fault(self, "a.yaml", 4, "a.kinds.decoder.ops.softmax must be a whole number, got 'x'");
    assert_fault(self, "b.yaml", 1, "b.kinds.decoder.ops must map each of the ten ops to its count, got [1]");
    assert_counts(self, 0, 0, 0, 0, 0);
    assert_untouched(self, bytes, length);
    free(bytes);
    free(good);
    free(bad);
}

static void write_many(const fixture *self, size_t count, size_t comment_size)
{
    char *comment = format("#%*s\n", (int)comment_size, "");
    for (size_t i = 0; i < count; i++) {
        char *name = format("many/m%03zu.yaml", i), *source = one_kind_profile((int)i);
        char *text = format("%s%s", comment, source);
        write_in(self, name, text);
        free(name);
        free(source);
        free(text);
    }
    free(comment);
}

/* So many that they are read in a thread of its own; and so large, that it has to wait for those before. */
static void many_files_are_stored_each_with_its_own_content(void **state)
{
    fixture *self = *state;
    char *many = path_in(self, "many");
    write_many(self, 300, 40000);
    assert_int_equal(import(self, many, 0), OPCAT_IMPORT_DONE);
    assert_counts(self, 300, 0, 0, 0, 0);
    assert_int_equal(query_number(self->catalog,
                                  "SELECT count(*) FROM kinds WHERE softmax = CAST(substr(arch, 2) AS INT) "
                                  "AND length(arch) = 4"),
                     300);
    write_in(self, "many/m000.yaml",
             "kinds: {a: {ops: {attMM: 1, attBMM: 1, ffMM: 1, softmax: 1, dropout: 1, normOp: 1, "
             "gather: 1, headCast: 1, ffAct: 1, linrec: 1}}}\n");
    write_in(self, "many/m299.yaml",
             "kinds: {a: {ops: {attMM: 2, attBMM: 1, ffMM: 1, softmax: 1, dropout: 1, normOp: 1, "
             "gather: 1, headCast: 1, ffAct: 1, linrec: 1}}}\n");
    assert_int_equal(import(self, many, 0), OPCAT_IMPORT_DONE);
    assert_counts(self, 0, 2, 298, 0, 0);
    assert_int_equal(query_number(self->catalog, "SELECT sum(attMM) FROM kinds WHERE kind = 'a'"), 3);
    assert_int_equal(import(self, many, 0), OPCAT_IMPORT_DONE);
    assert_counts(self, 0, 0, 300, 0, 0);
    free(many);
}

static void the_faults_of_many_files_come_in_the_files_order(void **state)
{
    fixture *self = *state;
    char *many = path_in(self, "many");
    write_many(self, 300, 0);
    for (size_t i = 4; i < 300; i += 5) {
        char *name = format("many/m%03zu.yaml", i);
        write_in(self, name, "kinds: {}\ndefault: x\nruns: 4\n");
        free(name);
    }
    assert_int_equal(import(self, many, 0), OPCAT_IMPORT_REFUSED);
    assert_true(self->report.faults.count >= 2 * 60);
    size_t of_each = self->report.faults.count / 60;
    for (size_t i = 0; i < self->report.faults.count; i++) {
        char *name = format("/m%03zu.yaml", 4 + i / of_each * 5);
        assert_contains(self->report.faults.items[i].file, name);
        free(name);
    }
    assert_untouched(self, NULL, 0);
    free(many);
}

static void a_refused_first_import_makes_no_catalog(void **state)
{
    fixture *self = *state;
    write_in(self, "b.yaml", "kinds: {decoder: {ops: [1]}}\n");
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
    assert_untouched(self, NULL, 0);
}

static void paths_that_cannot_be_are_refused(void **state)
{
    fixture *self = *state;
    char *missing = path_in(self, "missing.yaml");
    char *empty = path_in(self, "empty");
    char *named = path_in(self, "notes.txt");
    char *pipe_path = path_in(self, "pipe.yaml");
    write_text(named, "x");
    assert_int_equal(mkdir(empty, 0777), 0);
    assert_int_equal(import(self, missing, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "missing.yaml", 0, "No such file");
    assert_int_equal(import(self, empty, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "empty", 0, "no profiles");
    assert_int_equal(import(self, named, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "notes.txt", 0, "ARCH.yaml");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(import(self, pipe_path, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "pipe.yaml", 0, "regular file");
    assert_int_equal(unlink(pipe_path), 0);
    assert_int_equal(symlink("nowhere.yaml", pipe_path), 0);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "pipe.yaml", 0, "No such file");
    assert_untouched(self, NULL, 0);
    free(missing);
    free(empty);
    free(named);
    free(pipe_path);
}

static void names_that_no_family_can_have_are_refused(void **state)
{
    fixture *self = *state;
    static const char *const names[] = {"a b.yaml", "-x.yaml", "é.yaml", "a+b.yaml",
                                        "x123456789012345678901234567890123456789012345678901234567890abcd.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_profile(self, names[i], 1);
        assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
        assert_fault(self, names[i], 0, "cannot name a family");
        char *path = path_in(self, names[i]);
        unlink(path);
        free(path);
    }
    write_profile(self, "A.b_c-9.yaml", 1);
    import_all(self, 0);
}

static void one_family_from_two_files_and_one_path_twice_are_refused(void **state)
{
    fixture *self = *state;
    char *other = format("%s/other/a.yaml", self->folder);
    char *a = path_in(self, "a.yaml");
    char *source = one_kind_profile(9);
    write_text(other, source);
    const char *two_files[] = {self->profiles, other};
    const char *twice[] = {self->profiles, self->profiles};
    const char *inside[] = {self->profiles, a};
    const char *const *all[] = {two_files, twice, inside};
    static const char *const words[] = {"has another file too", "given twice", "given twice"};
    for (size_t i = 0; i < 3; i++) {
        opcat_import_options options = {.catalog = self->catalog, .paths = all[i], .path_count = 2};
        opcat_import_report_free(&self->report);
        assert_int_equal(opcat_import(&options, &self->report), OPCAT_IMPORT_REFUSED);
        assert_int_equal(self->report.faults.count, 1);
        assert_contains(self->report.faults.items[0].text, words[i]);
    }
    assert_untouched(self, NULL, 0);
    free(other);
    free(a);
    free(source);
}

static void a_prefix_names_a_family_there_will_be(void **state)
{
    fixture *self = *state;
    write_in(self, "inference/model_names.yaml", "prefixes:\n  a: a\n  see: cc\n");
    write_profile(self, "ccc.yaml", 1);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "model_names.yaml", 3,
                 "prefixes.see names family 'cc', which the catalog would not have; did you "
                 "mean 'ccc'?");
    assert_untouched(self, NULL, 0);
}

static void rules_are_held_against_the_families_even_where_others_are_faulty(void **state)
{
    fixture *self = *state;
    write_in(self, "inference/model_names.yaml",
             "prefixes:\n  a: nosuch\n  A: a\n  see: cc\ntraits:\n  qk_nrm: [x]\n  qk_norm: [x, x]\n");
    write_profile(self, "ccc.yaml", 1);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_REFUSED);
    assert_fault(self, "model_names.yaml", 2, "prefixes.a names family 'nosuch'");
    assert_fault(self, "model_names.yaml", 3, "without upper-case letters");
    assert_fault(self, "model_names.yaml", 4, "did you mean 'ccc'?");
    assert_fault(self, "model_names.yaml", 6, "did you mean 'qk_norm'?");
    assert_fault(self, "model_names.yaml", 7, "must have each pattern once");
    assert_int_equal(self->report.faults.count, 5);
    for (size_t i = 1; i < 5; i++)
        assert_true(self->report.faults.items[i - 1].place.line < self->report.faults.items[i].place.line);
    assert_untouched(self, NULL, 0);
}

static void what_is_no_catalog_is_not_written_over(void **state)
{
    fixture *self = *state;
    static const char *const contents[] = {"", "some text", "SQLite format 3"};
    for (size_t i = 0; i < 3; i++) {
        write_text(self->catalog, contents[i]);
        assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
        assert_contains(self->report.message, self->catalog);
        assert_untouched(self, contents[i], strlen(contents[i]));
    }
    assert_int_equal(unlink(self->catalog), 0);
    run_sql(self->catalog, "CREATE TABLE mine (x); PRAGMA user_version = 100");
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
    assert_contains(self->report.message, "another kind");
    assert_int_equal(unlink(self->catalog), 0);
    assert_int_equal(mkdir(self->catalog, 0777), 0);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
    assert_contains(self->report.message, "folder");
}

static void a_newer_schema_is_left_alone(void **state)
{
    fixture *self = *state;
    size_t length = 0;
    import_all(self, 0);
    run_sql(self->catalog, "PRAGMA user_version = 200");
    char *bytes = read_bytes(self->catalog, &length);
    write_profile(self, "a.yaml", 9);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
    assert_contains(self->report.message, "2.0");
    assert_untouched(self, bytes, length);
    free(bytes);
}

static void a_wal_is_refused_and_said_how_to_end(void **state)
{
    fixture *self = *state;
    import_all(self, 0);
    run_sql(self->catalog, "PRAGMA journal_mode = WAL");
    write_profile(self, "a.yaml", 9);
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
    assert_contains(self->report.message, "PRAGMA journal_mode=DELETE");
    run_sql(self->catalog, "PRAGMA journal_mode = DELETE");
    import_all(self, 0);
}

static void a_journal_left_over_is_not_taken_for_the_catalogs(void **state)
{
    fixture *self = *state;
    char *journal = format("%s-journal", self->catalog);
    write_text(journal, "old");
    assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
    assert_contains(self->report.message, "left over");
    assert_false(exists(self->catalog));
    free(journal);
}

static void a_wrong_source_date_epoch_is_refused(void **state)
{
    fixture *self = *state;
    static const char *const wrong[] = {"", "-1", "1e9", "99999999999999999999", "253402300800", " 5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(setenv("SOURCE_DATE_EPOCH", wrong[i], 1), 0);
        assert_int_equal(import(self, self->profiles, 0), OPCAT_IMPORT_FAILED);
        assert_contains(self->report.message, "SOURCE_DATE_EPOCH");
        assert_untouched(self, NULL, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_first_import_makes_a_catalog_of_public_views),
        TEST(what_no_path_states_stays),
        TEST(an_update_replaces_all_of_a_family),
        TEST(an_import_that_changes_nothing_writes_nothing),
        TEST(the_same_input_gives_the_same_bytes),
        TEST(prune_removes_what_no_path_states),
        TEST(pruning_needs_a_profile_to_keep),
        TEST(the_family_of_a_stated_rule_is_not_pruned),
        TEST(rules_are_added_and_replaced_one_by_one),
        TEST(history_keeps_every_source),
        TEST(a_dry_run_keeps_nothing),
        TEST(a_folder_gives_its_yaml_files_and_nothing_else),
        TEST(a_symbolic_link_is_followed),
        TEST(the_mode_of_the_file_is_kept),
        TEST(profiles_are_kept_byte_for_byte),
        TEST(all_faults_of_all_files_are_said_and_nothing_is_changed),
        TEST(many_files_are_stored_each_with_its_own_content),
        TEST(the_faults_of_many_files_come_in_the_files_order),
        TEST(a_refused_first_import_makes_no_catalog),
        TEST(paths_that_cannot_be_are_refused),
        TEST(names_that_no_family_can_have_are_refused),
        TEST(one_family_from_two_files_and_one_path_twice_are_refused),
        TEST(a_prefix_names_a_family_there_will_be),
        TEST(rules_are_held_against_the_families_even_where_others_are_faulty),
        TEST(what_is_no_catalog_is_not_written_over),
        TEST(a_newer_schema_is_left_alone),
        TEST(a_wal_is_refused_and_said_how_to_end),
        TEST(a_journal_left_over_is_not_taken_for_the_catalogs),
        TEST(a_wrong_source_date_epoch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
