/* SPDX-License-Identifier: Apache-2.0 */
/* flock() and getentropy() are no part of POSIX 2008, but of every system there is. */
#define _DEFAULT_SOURCE
#include <sys/stat.h>

#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char name_opening[] = ".opcat-";
enum { NAME_DIGITS = 16, CREATE_TRIES = 100 };

char *opcat_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 1;
    if (slash == path)
        length = 1;
    char *folder = malloc(length + 1);
    if (!folder)
        return NULL;
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    return folder;
}

static opcat_status fail(opcat_error *error, const char *path, const char *doing)
{
    int problem = errno;
    return opcat_error_set(error, problem == ENOENT || problem == EACCES ? OPCAT_CANTOPEN : OPCAT_IO, "%s: %s: %s",
                           path, doing, strerror(problem));
}

/* A name that nobody else has; free() it. */
static char *random_path(const char *folder)
{
    unsigned char random[NAME_DIGITS / 2];
    opcat_text text = {0};
    if (getentropy(random, sizeof random) != 0)
        return NULL;
    opcat_text_add(&text, "%s/%s", folder, name_opening);
    for (size_t i = 0; i < sizeof random; i++)
        opcat_text_add(&text, "%02x", random[i]);
    if (!text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* Whether a path is the file that is open. Between its creation and its locking it may have been taken for dead. */
static bool still_there(const char *path, int fd)
{
    struct stat named, opened;
    return stat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

opcat_status opcat_temporary_create(opcat_temporary *temporary, const char *beside, opcat_error *error)
{
    char *folder = opcat_folder_of(beside);
    opcat_status status = folder ? OPCAT_BUSY : opcat_error_nomem(error);
    *temporary = (opcat_temporary){.fd = -1};
    for (int tries = 0; status == OPCAT_BUSY && tries < CREATE_TRIES; tries++) {
        temporary->path = random_path(folder);
        if (!temporary->path) {
            status = opcat_error_nomem(error);
            break;
        }
        temporary->fd = open(temporary->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (temporary->fd < 0 && errno != EEXIST) {
            status = fail(error, folder, "cannot write into the catalog's folder");
        } else if (temporary->fd >= 0) {
            /* Where the file system has no such locks, the file is never taken for dead either. */
            (void)!flock(temporary->fd, LOCK_EX);
            if (still_there(temporary->path, temporary->fd)) {
                free(folder);
                return OPCAT_OK;
            }
            close(temporary->fd);
        }
        free(temporary->path);
        *temporary = (opcat_temporary){.fd = -1};
    }
    if (status == OPCAT_BUSY)
        opcat_error_set(error, status, "%s: cannot create a temporary file there", folder);
    free(folder);
    return status;
}

opcat_status opcat_temporary_write(opcat_temporary *temporary, const char *bytes, size_t length, opcat_error *error)
{
    for (size_t written = 0; written < length;) {
        ssize_t count = write(temporary->fd, bytes + written, length - written);
        if (count > 0)
            written += (size_t)count;
        else if (count == 0 || errno != EINTR)
            return fail(error, temporary->path, "cannot write the next generation");
    }
    return OPCAT_OK;
}

opcat_status opcat_temporary_sync(opcat_temporary *temporary, const struct stat *like, opcat_error *error)
{
    if (like) {
        /* A change of owner is for the privileged alone, and clears mode bits: first, and as far as it goes. */
        (void)!fchown(temporary->fd, (uid_t)-1, like->st_gid);
        (void)!fchown(temporary->fd, like->st_uid, (gid_t)-1);
        if (fchmod(temporary->fd, like->st_mode & 07777) != 0)
            return fail(error, temporary->path, "cannot set its mode");
    }
    return fsync(temporary->fd) == 0 ? OPCAT_OK : fail(error, temporary->path, "cannot write it to the disk");
}

static opcat_status sync_folder(const char *folder, opcat_error *error)
{
    opcat_status status = OPCAT_OK;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems cannot sync a folder, and say EINVAL; some folders can be written but not read. */
    if (fd >= 0 && fsync(fd) != 0 && errno != EINVAL)
        status = fail(error, folder, "the catalog was replaced, but its folder cannot be synced");
    if (fd >= 0)
        close(fd);
    return status;
}

/* link(2) never replaces; where a file system has none, rename(2) has to do. */
static opcat_status publish_fresh(opcat_temporary *temporary, const char *path, bool *lost, opcat_error *error)
{
    if (link(temporary->path, path) == 0) {
        unlink(temporary->path);
        return OPCAT_OK;
    }
    *lost = errno == EEXIST;
    if (*lost)
        return OPCAT_BUSY;
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK)
        return fail(error, path, "cannot create the catalog");
    return rename(temporary->path, path) == 0 ? OPCAT_OK : fail(error, path, "cannot create the catalog");
}

opcat_status opcat_temporary_publish(opcat_temporary *temporary, const char *path, bool fresh, bool *lost,
                                     opcat_error *error)
{
    opcat_status status = OPCAT_OK;
    *lost = false;
    /* Nothing may fail for want of memory once the file is in its place. */
    char *folder = opcat_folder_of(path);
    if (!folder)
        return opcat_error_nomem(error);
    if (fresh)
        status = publish_fresh(temporary, path, lost, error);
    else if (rename(temporary->path, path) != 0)
        status = fail(error, path, "cannot replace the catalog");
    if (status == OPCAT_OK) {
        free(temporary->path);
        temporary->path = NULL;
        status = sync_folder(folder, error);
        close(temporary->fd);
        temporary->fd = -1;
    }
    free(folder);
    return status;
}

void opcat_temporary_discard(opcat_temporary *temporary)
{
    if (!temporary->path)
        return;
    unlink(temporary->path);
    close(temporary->fd);
    free(temporary->path);
    *temporary = (opcat_temporary){.fd = -1};
}

static bool is_temporary_name(const char *name)
{
    size_t opening = sizeof name_opening - 1;
    return strncmp(name, name_opening, opening) == 0 && strlen(name) == opening + NAME_DIGITS &&
           strspn(name + opening, "0123456789abcdef") == NAME_DIGITS;
}

static void clear_one(int folder, const char *name)
{
    struct stat found;
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

void opcat_temporary_clear(const char *beside)
{
    char *folder = opcat_folder_of(beside);
    DIR *entries = folder ? opendir(folder) : NULL;
    free(folder);
    if (!entries)
        return;
    const struct dirent *entry;
    while ((entry = readdir(entries))) {
        if (is_temporary_name(entry->d_name))
            clear_one(dirfd(entries), entry->d_name);
    }
    closedir(entries);
}
