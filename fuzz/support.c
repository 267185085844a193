/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void fuzz_require(int holds)
{
    if (!holds)
        abort();
}

const char *fuzz_file(void)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "/dev/shm/opcat-fuzz-%ld.db", (long)getpid());
    return path;
}

static void remove_file(void)
{
    unlink(fuzz_file());
}

void fuzz_write(const void *bytes, size_t length)
{
    static int registered;
    if (!registered)
        registered = atexit(remove_file) == 0;
    FILE *file = fopen(fuzz_file(), "wb");
    fuzz_require(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}
