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

/* Write a file beside its place, and put it there when it is whole. */
static opcat_status write_file(const char *folder, const char *name, const char *bytes, size_t length,
                               opcat_error *error)
{
    opcat_text beside = {0};
    char *path = join(folder, name);
    opcat_text_add(&beside, "%s/%s.opcat-%ld", folder, name, (long)getpid());
    opcat_status status = OPCAT_OK;
    int fd = -1;
    if (!path || beside.failed)
        status = opcat_error_nomem(error);
    else if ((fd = open(beside.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
        status = fail(error, path, "cannot be written");
    if (fd >= 0) {
        bool whole = write_all(fd, bytes, length);
        if (!whole)
            status = fail(error, path, "cannot be written");
        if (close(fd) != 0 && whole)
            status = fail(error, path, "cannot be written");
        if (status == OPCAT_OK && rename(beside.bytes, path) != 0)
            status = fail(error, path, "cannot be written");
        if (status != OPCAT_OK)
            unlink(beside.bytes);
    }
    free(beside.bytes);
    free(path);
    return status;
}

static opcat_status write_profile(opcat_catalog *catalog, const char *folder, const char *arch, opcat_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    opcat_text name = {0};
    /* The name becomes a path: an importer makes no other, and a stranger's catalog may hold any. */
    if (!opcat_is_arch(arch))
        return opcat_error_set(error, OPCAT_CORRUPT, "the catalog is damaged: a family has a name that none can have");
    opcat_status status = said(catalog, opcat_profile_source(catalog, arch, &bytes, &length), error);
    opcat_text_add(&name, "%s.yaml", arch);
    if (status == OPCAT_OK)
        status = name.failed ? opcat_error_nomem(error) : write_file(folder, name.bytes, bytes, length, error);
    free(name.bytes);
    free(bytes);
    return status;
}

static opcat_status write_rules(opcat_catalog *catalog, const char *folder, opcat_error *error)
{
    opcat_text text = {0};
    char *below = join(folder, "inference");
    if (!below)
        return opcat_error_nomem(error);
    opcat_status status = said(catalog, opcat_rules_to_yaml(catalog, &text), error);
    if (status == OPCAT_OK && text.failed)
        status = opcat_error_nomem(error);
    if (status == OPCAT_OK && mkdir(below, 0777) != 0 && errno != EEXIST)
        status = fail(error, below, "cannot be made");
    if (status == OPCAT_OK)
        status = write_file(below, "model_names.yaml", text.bytes, text.length, error);
    free(text.bytes);
    free(below);
    return status;
}

static opcat_status write_into(opcat_catalog *catalog, const char *folder, size_t *families, opcat_error *error)
{
    opcat_names *archs = NULL;
    opcat_status status = said(catalog, opcat_known_archs(catalog, &archs), error);
    for (size_t i = 0; status == OPCAT_OK && i < archs->count; i++)
        status = write_profile(catalog, folder, archs->names[i], error);
    if (status == OPCAT_OK) {
        *families = archs->count;
        status = write_rules(catalog, folder, error);
    }
    opcat_names_free(archs);
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

/* Make the folder as a whole: beside its place, and then put there. An empty one gives way. */
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
        status = write_into(catalog, beside, families, error);
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
    if (empty)
        return make_whole(catalog, folder, families, error);
    if (!force)
        return opcat_error_set(error, OPCAT_INVALID, "%s: the folder is not empty; --force writes into it all the same",
                               folder);
    return write_into(catalog, folder, families, error);
}
