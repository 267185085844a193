/* SPDX-License-Identifier: Apache-2.0 */
/* What tests share: a folder of their own, files in it, catalogs made from them. */
#ifndef OPCAT_TEST_SUPPORT_H
#define OPCAT_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "opcat.h"

/* A new, empty folder; the caller frees the path, and the folder goes with remove_folder(). */
char *make_folder(void);
void remove_folder(char *path);

/* A formatted string; free() it. */
char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

/* Write a file, making the folders above it. */
void write_file(const char *path, const char *bytes, size_t length);
void write_text(const char *path, const char *text);
/* The bytes of a file, with a NUL behind them; free() them. */
char *read_bytes(const char *path, size_t *length);
/* How many entries a folder has. */
size_t count_entries(const char *path);
bool exists(const char *path);

/* A number that the environment may set for a long run. */
long setting(const char *name, long usual);

/* A profile of one kind whose softmax count is `softmax`; free() it. */
char *one_kind_profile(int softmax);

/* Import paths (the last NULL) into a catalog, which must succeed. */
void import_paths(const char *catalog, ...) __attribute__((sentinel));
/* Run SQL on a database file, through a connection of its own; it must succeed. */
void run_sql(const char *path, const char *sql);
/* The first column of the first row, as text; free() it. NULL where there is no row. */
char *query_text(const char *path, const char *sql);
int64_t query_number(const char *path, const char *sql);

/* Open a catalog, which must succeed. */
opcat_catalog *open_catalog(const char *path, unsigned flags);
void assert_contains(const char *text, const char *part);

#endif
