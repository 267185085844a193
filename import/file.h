/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files that anyone may have made. */
#ifndef OPCAT_FILE_H
#define OPCAT_FILE_H

#include <stddef.h>

/*
 * The bytes of the regular file at `path`, with a NUL behind them; free() them. Of a file longer than `limit` only
 * limit + 1 bytes are read, so that the caller can tell. NULL where it cannot be read: errno says why (EISDIR for a
 * folder, EINVAL for what is neither folder nor file, ENOMEM).
 */
char *opcat_read_file(const char *path, size_t limit, size_t *length);

#endif
