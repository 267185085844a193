/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. */
#ifndef OPCAT_FUZZ_H
#define OPCAT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* One input; the target of a fuzzer, and of the program that replays a corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What must hold, or the fuzzer has found something. */
void fuzz_require(int holds);

/* A file in memory of its own, for SQLite: its path, and its content. Both abort where there is no memory. */
const char *fuzz_file(void);
void fuzz_write(const void *bytes, size_t length);

#endif
