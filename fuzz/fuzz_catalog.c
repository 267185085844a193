/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog file with bytes changed: the input is a list of changes, each a place and a byte, to one that is right. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../import/import.h"
#include "ask.h"

static uint8_t *right;
static size_t right_length;

/* The catalog that is changed: the nine families. */
static void make_right(void)
{
    static const char *const paths[] = {OPCAT_SOURCE_DIR "/op_profiles"};
    opcat_import_options options = {.catalog = fuzz_file(), .paths = paths, .path_count = 1};
    opcat_import_report report;
    fuzz_write("", 0);
    fuzz_require(remove(fuzz_file()) == 0);
    fuzz_require(opcat_import(&options, &report) == OPCAT_IMPORT_DONE);
    opcat_import_report_free(&report);
    FILE *file = fopen(fuzz_file(), "rb");
    fuzz_require(file && fseek(file, 0, SEEK_END) == 0);
    right_length = (size_t)ftell(file);
    rewind(file);
    right = malloc(right_length);
    fuzz_require(right && fread(right, 1, right_length, file) == right_length);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { CHANGE = 3 }; /* two bytes of place, one of value */
    if (!right)
        make_right();
    uint8_t *changed = malloc(right_length);
    fuzz_require(changed != NULL);
    memcpy(changed, right, right_length);
    for (size_t i = 0; i + CHANGE <= length; i += CHANGE)
        changed[((size_t)bytes[i] << 8 | bytes[i + 1]) % right_length] = bytes[i + 2];
    fuzz_write(changed, right_length);
    fuzz_ask(fuzz_file());
    free(changed);
    return 0;
}
