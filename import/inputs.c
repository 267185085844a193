/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a folder's entries are no part of POSIX, but of every system there is. */
#define _DEFAULT_SOURCE
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../lib/text.h"
#include "read_profile.h"

static const char suffix[] = ".yaml";
static const char rules_below_folder[] = "inference/model_names.yaml";
static const opcat_place whole_file = {0, 0};

static void input_free(opcat_input *input)
{
    free(input->path);
    free(input->arch);
}

static void list_free(opcat_input_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        input_free(&list->items[i]);
    free(list->items);
}

void opcat_inputs_free(opcat_inputs *inputs)
{
    list_free(&inputs->profiles);
    list_free(&inputs->rules);
    *inputs = (opcat_inputs){0};
}

static char *copy_bytes(const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

/* FOLDER/NAME; free() it. */
static char *join(const char *folder, const char *name)
{
    opcat_text text = {0};
    size_t length = strlen(folder);
    opcat_text_add(&text, length && folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
    if (!text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* Add an input, taking over its strings; they are freed where memory is out. */
static void list_add(opcat_input_list *list, opcat_input input, opcat_faults *faults)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 16;
        opcat_input *items = realloc(list->items, room * sizeof *items);
        if (!items) {
            faults->out_of_memory = true;
            input_free(&input);
            return;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = input;
}

static bool has_suffix(const char *name)
{
    size_t length = strlen(name);
    return length >= sizeof suffix - 1 && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

/* A profile file; its name without the suffix is the family. Takes over `path`. */
static void add_profile(opcat_inputs *inputs, char *path, bool regular, opcat_faults *faults)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    opcat_input input = {.path = path};
    if (!regular) {
        opcat_faults_add(faults, path, whole_file, "a profile is a regular file, and this is none");
    } else if (!has_suffix(name)) {
        opcat_faults_add(faults, path, whole_file, "a profile's file is called ARCH.yaml, for the family ARCH");
    } else if (!(input.arch = copy_bytes(name, strlen(name) - (sizeof suffix - 1)))) {
        faults->out_of_memory = true;
    } else if (!opcat_is_arch(input.arch)) {
        opcat_text quoted = {0};
        opcat_text_quote(&quoted, input.arch, strlen(input.arch));
        opcat_faults_add(faults, path, whole_file,
                         "%s cannot name a family: a family's name is 1 to 64 letters, digits, '.', '_' or '-', "
                         "and opens with neither '.' nor '-'",
                         quoted.failed ? "this" : quoted.bytes);
        faults->out_of_memory = faults->out_of_memory || quoted.failed;
        free(quoted.bytes);
    } else {
        list_add(&inputs->profiles, input, faults);
        return;
    }
    input_free(&input);
}

/* Naming rules below a folder, where it has them; whether it does. */
static bool add_rules(opcat_inputs *inputs, const char *folder, opcat_faults *faults)
{
    struct stat found;
    char *path = join(folder, rules_below_folder);
    if (!path) {
        faults->out_of_memory = true;
        return false;
    }
    if (stat(path, &found) != 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        if (!absent)
            opcat_faults_add_unreadable(faults, path);
        free(path);
        return !absent;
    }
    list_add(&inputs->rules, (opcat_input){.path = path}, faults);
    return true;
}

/* As a shell's *.yaml does, pass over what editors and file systems hide behind a dot. */
static bool is_profile_entry(const char *name)
{
    return name[0] != '.' && has_suffix(name);
}

static size_t add_entries(opcat_inputs *inputs, const char *folder, DIR *entries, opcat_faults *faults)
{
    size_t given = 0;
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(entries))) {
        struct stat found;
        /* Where the folder says itself that an entry is a file, that saves a look. */
        bool regular = entry->d_type == DT_REG;
        if (!is_profile_entry(entry->d_name))
            continue;
        given++;
        char *path = join(folder, entry->d_name);
        if (!path) {
            faults->out_of_memory = true;
        } else if (!regular && stat(path, &found) != 0) {
            opcat_faults_add_unreadable(faults, path);
            free(path);
        } else {
            add_profile(inputs, path, regular || S_ISREG(found.st_mode), faults);
        }
    }
    if (errno)
        opcat_faults_add_unreadable(faults, folder);
    return given;
}

static void add_folder(opcat_inputs *inputs, const char *folder, opcat_faults *faults)
{
    DIR *entries = opendir(folder);
    if (!entries) {
        opcat_faults_add_unreadable(faults, folder);
        return;
    }
    size_t given = add_entries(inputs, folder, entries, faults);
    closedir(entries);
    if (!add_rules(inputs, folder, faults) && given == 0 && !faults->out_of_memory)
        opcat_faults_add(faults, folder, whole_file, "the folder has no profiles: no *.yaml directly in it");
}

static int compare_inputs(const void *a, const void *b)
{
    const opcat_input *one = a;
    const opcat_input *other = b;
    int order = strcmp(one->arch, other->arch);
    return order ? order : strcmp(one->path, other->path);
}

static bool same_file(const opcat_input *a, const opcat_input *b)
{
    struct stat one, other;
    return stat(a->path, &one) == 0 && stat(b->path, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Each family from one file: the profiles are sorted, so what is of one family stands together. */
static void refuse_doubles(opcat_input_list *list, opcat_faults *faults)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        opcat_input *input = &list->items[i];
        const opcat_input *before = kept ? &list->items[kept - 1] : NULL;
        if (!before || strcmp(before->arch, input->arch) != 0) {
            list->items[kept++] = *input;
            continue;
        }
        if (same_file(before, input))
            opcat_faults_add(faults, input->path, whole_file, "the file is given twice, also as %s", before->path);
        else
            opcat_faults_add(faults, input->path, whole_file, "family %s has another file too, %s; give one of them",
                             input->arch, before->path);
        input_free(input);
    }
    list->count = kept;
}

/* Whether an earlier path is the same file or folder. */
static bool given_before(const struct stat *seen, size_t count, const struct stat *found)
{
    for (size_t i = 0; i < count; i++) {
        if (seen[i].st_dev == found->st_dev && seen[i].st_ino == found->st_ino)
            return true;
    }
    return false;
}

void opcat_inputs_gather(opcat_inputs *inputs, const char *const *paths, size_t count, opcat_faults *faults)
{
    size_t seen_count = 0;
    struct stat *seen = calloc(count ? count : 1, sizeof *seen);
    *inputs = (opcat_inputs){0};
    faults->out_of_memory = faults->out_of_memory || !seen;
    for (size_t i = 0; seen && i < count; i++) {
        struct stat *found = &seen[seen_count];
        if (stat(paths[i], found) != 0) {
            opcat_faults_add_unreadable(faults, paths[i]);
            continue;
        }
        if (given_before(seen, seen_count, found)) {
            opcat_faults_add(faults, paths[i], whole_file, "the path is given twice");
            continue;
        }
        seen_count++;
        char *path = S_ISDIR(found->st_mode) ? NULL : copy_bytes(paths[i], strlen(paths[i]));
        if (S_ISDIR(found->st_mode))
            add_folder(inputs, paths[i], faults);
        else if (path)
            add_profile(inputs, path, S_ISREG(found->st_mode), faults);
        else
            faults->out_of_memory = true;
    }
    free(seen);
    if (inputs->profiles.count)
        qsort(inputs->profiles.items, inputs->profiles.count, sizeof(opcat_input), compare_inputs);
    refuse_doubles(&inputs->profiles, faults);
}

static int compare_arch(const void *arch, const void *input)
{
    return strcmp(arch, ((const opcat_input *)input)->arch);
}

const opcat_input *opcat_inputs_find(const opcat_inputs *inputs, const char *arch)
{
    if (!inputs->profiles.count)
        return NULL;
    return bsearch(arch, inputs->profiles.items, inputs->profiles.count, sizeof(opcat_input), compare_arch);
}
