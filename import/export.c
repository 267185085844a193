/* SPDX-License-Identifier: Apache-2.0 */
#include "export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/source.h"
#include "read_profile.h"
#include "write_rules.h"

static opcat_status fail(opcat_error *error, const char *path, const char *doing)
{
    int problem = errno;
    return opcat_error_set(error, problem == ENOSPC || problem == EIO ? OPCAT_IO : OPCAT_CANTOPEN, "%s: %s: %s", path,
                           doing, strerror(problem));
}

static opcat_status said(opcat_catalog *catalog, opcat_status status, opcat_error *error)
{
    return status == OPCAT_OK ? status : opcat_error_set(error, status, "%s", opcat_errmsg(catalog));
}

static char *join(const char *folder, const char *name)
{
    opcat_text text = {0};
    opcat_text_add(&text, "%s/%s", folder, name);
    if (!text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* A file that is written beside its place, and whether it is there by now. */
typedef struct staged_file {
    char *path;
    char *beside;
    bool placed;
} staged_file;

/* What is to be in a folder. Everything is written before anything gets its place: what fails early leaves no trace. */
typedef struct staging {
    opcat_catalog *catalog;
    const char *folder;
    staged_file *files;
    size_t count;
    size_t room;
    char *made; /* the folder within that was made for it, or NULL */
    opcat_error *error;
} staging;

static bool write_all(int fd, const char *bytes, size_t length)
{
    for (size_t written = 0; written < length;) {
        ssize_t count = write(fd, bytes + written, length - written);
        if (count > 0)
            written += (size_t)count;
        else if (count == 0 || errno != EINTR)
            return false;
    }
    return true;
}

static staged_file *add_file(staging *self, const char *folder, const char *name)
{
    if (self->count == self->room) {
        size_t room = self->room ? self->room * 2 : 16;
        staged_file *files = realloc(self->files, room * sizeof *files);
        if (!files)
            return NULL;
        self->files = files;
        self->room = room;
    }
    opcat_text beside = {0};
    opcat_text_add(&beside, "%s/%s.opcat-%ld", folder, name, (long)getpid());
    staged_file file = {.path = join(folder, name), .beside = beside.bytes};
    if (!file.path || beside.failed) {
        free(file.path);
        free(file.beside);
        return NULL;
    }
    self->files[self->count] = file;
    return &self->files[self->count++];
}

static opcat_status stage(staging *self, const char *folder, const char *name, const char *bytes, size_t length)
{
    staged_file *file = add_file(self, folder, name);
    if (!file)
        return opcat_error_nomem(self->error);
    int fd = open(file->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        /* Whose it is, it is not ours to remove. */
        opcat_status status = fail(self->error, file->path, "cannot be written");
        free(file->path);
        free(file->beside);
        self->count--;
        return status;
    }
    bool whole = write_all(fd, bytes, length);
    opcat_status status = whole ? OPCAT_OK : fail(self->error, file->path, "cannot be written");
    if (close(fd) != 0 && whole)
        status = fail(self->error, file->path, "cannot be written");
    return status;
}

static opcat_status stage_profile(staging *self, const char *arch)
{
    char *bytes = NULL;
    size_t length = 0;
    opcat_text name = {0};
    /* The name becomes a path: an importer makes no other, and a stranger's catalog may hold any. */
    if (!opcat_is_arch(arch))
        return opcat_error_set(self->error, OPCAT_CORRUPT,
                               "the catalog is damaged: a family has a name that none can have");
    opcat_status status = said(self->catalog, opcat_profile_source(self->catalog, arch, &bytes, &length), self->error);
    opcat_text_add(&name, "%s.yaml", arch);
    if (status == OPCAT_OK)
        status = name.failed ? opcat_error_nomem(self->error) : stage(self, self->folder, name.bytes, bytes, length);
    free(name.bytes);
    free(bytes);
    return status;
}

static opcat_status stage_rules(staging *self)
{
    opcat_text text = {0};
    char *below = join(self->folder, "inference");
    if (!below)
        return opcat_error_nomem(self->error);
    opcat_status status = said(self->catalog, opcat_rules_to_yaml(self->catalog, &text), self->error);
    if (status == OPCAT_OK && text.failed)
        status = opcat_error_nomem(self->error);
    bool made = status == OPCAT_OK && mkdir(below, 0777) == 0;
    if (status == OPCAT_OK && !made && errno != EEXIST)
        status = fail(self->error, below, "cannot be made");
    if (status == OPCAT_OK)
        status = stage(self, below, "model_names.yaml", text.bytes, text.length);
    free(text.bytes);
    if (made)
        self->made = below;
    else
        free(below);
    return status;
}

static opcat_status stage_all(staging *self, size_t *families)
{
    opcat_names *archs = NULL;
    opcat_status status = said(self->catalog, opcat_known_archs(self->catalog, &archs), self->error);
    for (size_t i = 0; status == OPCAT_OK && i < archs->count; i++)
        status = stage_profile(self, archs->names[i]);
    if (status == OPCAT_OK) {
        *families = archs->count;
        status = stage_rules(self);
    }
    opcat_names_free(archs);
    return status;
}

/* Whether every file can have its place: nothing else can keep one from it that is written already. */
static opcat_status look_at_places(const staging *self)
{
    struct stat found;
    for (size_t i = 0; i < self->count; i++) {
        if (lstat(self->files[i].path, &found) == 0 && S_ISDIR(found.st_mode))
            return opcat_error_set(self->error, OPCAT_CANTOPEN, "%s: cannot be written: there is a folder of that name",
                                   self->files[i].path);
    }
    return OPCAT_OK;
}

static opcat_status place_all(staging *self)
{
    opcat_status status = look_at_places(self);
    for (size_t i = 0; status == OPCAT_OK && i < self->count; i++) {
        if (rename(self->files[i].beside, self->files[i].path) != 0)
            status = fail(self->error, self->files[i].path, "cannot be written");
        else
            self->files[i].placed = true;
    }
    return status;
}

/* Remove what was written: beside its place, and with `placed` in its place too. */
static void undo(const staging *self, bool placed)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!self->files[i].placed)
            unlink(self->files[i].beside);
        else if (placed)
            unlink(self->files[i].path);
    }
    if (self->made)
        rmdir(self->made);
}

/* `fresh`: nothing was in the folder, and nothing of this stays in it where it fails. */
static opcat_status write_into(opcat_catalog *catalog, const char *folder, bool fresh, size_t *families,
                               opcat_error *error)
{
    staging self = {.catalog = catalog, .folder = folder, .error = error};
    opcat_status status = stage_all(&self, families);
    if (status == OPCAT_OK)
        status = place_all(&self);
    if (status != OPCAT_OK)
        undo(&self, fresh);
    for (size_t i = 0; i < self.count; i++) {
        free(self.files[i].path);
        free(self.files[i].beside);
    }
    free(self.files);
    free(self.made);
    return status;
}

/* ---- Folders --------------------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *found, int type, struct FTW *at)
{
    (void)found;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_folder(const char *path)
{
    enum { DESCRIPTORS = 8 };
    nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* Whether there is a folder, and whether it holds anything. */
static opcat_status look_at(const char *folder, bool *there, bool *empty, opcat_error *error)
{
    DIR *entries = opendir(folder);
    *there = entries != NULL;
    *empty = true;
    if (!entries)
        return errno == ENOENT ? OPCAT_OK : fail(error, folder, "cannot export into it");
    for (const struct dirent *entry; *empty && (entry = readdir(entries));)
        *empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(entries);
    return OPCAT_OK;
}

/* The path without slashes at its end, and that of a folder beside it; false where memory is out. */
static bool name_folders(const char *folder, char **final, char **beside)
{
    size_t length = strlen(folder);
    opcat_text name = {0};
    opcat_text other = {0};
    while (length > 1 && folder[length - 1] == '/')
        length--;
    opcat_text_add_bytes(&name, folder, length);
    if (!name.failed)
        opcat_text_add(&other, "%s.opcat-%ld", name.bytes, (long)getpid());
    *final = name.bytes;
    *beside = other.bytes;
    return !name.failed && !other.failed;
}

/* Make the folder as a whole: beside its place, and then put there. */
static opcat_status make_whole(opcat_catalog *catalog, const char *folder, size_t *families, opcat_error *error)
{
    char *final = NULL;
    char *beside = NULL;
    opcat_status status = OPCAT_OK;
    if (!name_folders(folder, &final, &beside)) {
        status = opcat_error_nomem(error);
    } else if (mkdir(beside, 0777) != 0) {
        status = fail(error, folder, "cannot be made");
    } else {
        status = write_into(catalog, beside, true, families, error);
        if (status == OPCAT_OK && rename(beside, final) != 0)
            status = fail(error, folder, "cannot be made");
        if (status != OPCAT_OK)
            remove_folder(beside);
    }
    free(final);
    free(beside);
    return status;
}

opcat_status opcat_export(opcat_catalog *catalog, const char *folder, bool force, size_t *families, opcat_error *error)
{
    bool there = false;
    bool empty = true;
    *families = 0;
    opcat_status status = look_at(folder, &there, &empty, error);
    if (status != OPCAT_OK)
        return status;
    if (!there)
        return make_whole(catalog, folder, families, error);
    if (!empty && !force)
        return opcat_error_set(error, OPCAT_INVALID, "%s: the folder is not empty; --force writes into it all the same",
                               folder);
    return write_into(catalog, folder, empty, families, error);
}
