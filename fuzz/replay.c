/* SPDX-License-Identifier: Apache-2.0 */
/* replay FOLDER: give every file of a corpus to a target once, without a fuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../import/file.h"

int main(int argc, char **argv)
{
    size_t count = 0;
    DIR *entries = argc == 2 ? opendir(argv[1]) : NULL;
    if (!entries)
        return fprintf(stderr, "usage: replay FOLDER\n"), 2;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        char path[4096];
        size_t length = 0;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        char *bytes = opcat_read_file(path, (size_t)4 << 20, &length);
        fuzz_require(bytes != NULL);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
        free(bytes);
        count++;
    }
    closedir(entries);
    printf("%zu inputs replayed\n", count);
    return count ? 0 : 1;
}
