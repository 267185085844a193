/* SPDX-License-Identifier: Apache-2.0 */
/* dladdr() is no part of POSIX, but of every system that has shared libraries as we know them. */
#define _GNU_SOURCE
#include "locate.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The build states where the catalog is installed: in full, and below the prefix. */
#if !defined(OPCAT_INSTALLED_CATALOG) || !defined(OPCAT_BELOW_PREFIX)
#error "the build must define OPCAT_INSTALLED_CATALOG and OPCAT_BELOW_PREFIX"
#endif

static const char below_prefix[] = OPCAT_BELOW_PREFIX;

/* The file that holds the library's code: the shared library, or the program it is linked into. free() it. */
static char *own_file(void)
{
    Dl_info info;
    if (dladdr((const void *)below_prefix, &info) != 0 && info.dli_fname && strchr(info.dli_fname, '/')) {
        char *path = realpath(info.dli_fname, NULL);
        if (path)
            return path;
    }
    return realpath("/proc/self/exe", NULL);
}

/*
 * Look for the catalog in the folders above the library's, from the nearest: it is in PREFIX/lib, in
 * PREFIX/lib/ARCHITECTURE, or in a program in PREFIX/bin.
 */
static char *beside_library(bool *failed)
{
    enum { LEVELS = 3 };
    char *own = own_file();
    char *found = NULL;
    for (int level = 0; own && !found && !*failed && level < LEVELS; level++) {
        char *slash = strrchr(own, '/');
        if (!slash)
            break;
        *slash = '\0';
        opcat_text text = {0};
        opcat_text_add(&text, "%s/%s", own, below_prefix);
        if (text.failed)
            *failed = true;
        else if (level > 0 && access(text.bytes, F_OK) == 0) {
            found = text.bytes;
            text.bytes = NULL;
        }
        free(text.bytes);
    }
    free(own);
    return found;
}

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The working folder, or NULL where it cannot be told; free() it. */
static char *working_folder(void)
{
    size_t room = 256;
    char *folder = NULL;
    for (;;) {
        char *larger = realloc(folder, room);
        if (larger && getcwd(larger, room))
            return larger;
        bool longer = larger && errno == ERANGE;
        folder = larger ? larger : folder;
        if (!longer) {
            free(folder);
            return NULL;
        }
        room *= 2;
    }
}

/* A path that names the same file wherever the program goes; free() it. */
static char *absolute(const char *path)
{
    char *folder = *path && *path != '/' ? working_folder() : NULL;
    opcat_text text = {0};
    if (!folder)
        return copy_of(path);
    opcat_text_add(&text, "%s/%s", folder, path);
    free(folder);
    if (!text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

opcat_status opcat_locate(const char *path, char **found, opcat_origin *origin, opcat_error *error)
{
    const char *variable = getenv("OPCAT_CATALOG");
    bool failed = false;
    *found = NULL;
    if (path || (variable && *variable)) {
        *origin = path ? OPCAT_FROM_CALLER : OPCAT_FROM_ENVIRONMENT;
        *found = absolute(path ? path : variable);
        return *found ? OPCAT_OK : opcat_error_nomem(error);
    }
    *origin = OPCAT_FROM_INSTALLATION;
    *found = beside_library(&failed);
    if (!*found && !failed && access(OPCAT_INSTALLED_CATALOG, F_OK) != 0)
        return opcat_error_set(error, OPCAT_CANTOPEN,
                               "no catalog: none was named, OPCAT_CATALOG is not set, and there is no %s",
                               OPCAT_INSTALLED_CATALOG);
    if (!*found && !failed)
        *found = copy_of(OPCAT_INSTALLED_CATALOG);
    return *found ? OPCAT_OK : opcat_error_nomem(error);
}
