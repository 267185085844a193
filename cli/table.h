/* SPDX-License-Identifier: Apache-2.0 */
/* Aligned tables for people. */
#ifndef OPCAT_TABLE_H
#define OPCAT_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "../lib/compiler.h"
#include "../lib/opcat.h"

typedef struct opcat_table {
    size_t columns;
    const char *alignment; /* a letter a column: 'l' or 'r' */
    char **cells;          /* row by row, the headings first */
    size_t count;
    size_t room;
    bool failed; /* memory ran out */
} opcat_table;

/* A table with headings, of which there are as many as `alignment` has letters. */
void opcat_table_start(opcat_table *table, const char *alignment, const char *const *headings);
/* Add the next cell. Text is shown on one line: control characters are escaped. */
void opcat_table_add(opcat_table *table, const char *format, ...) OPCAT_PRINTF(2, 3);
/* Add the ten op counts as ten cells. */
void opcat_table_add_ops(opcat_table *table, const opcat_ops *ops);
/* Print it, and free what it holds; OPCAT_EXIT_DONE, or OPCAT_EXIT_FAILED where memory ran out, which is said. */
int opcat_table_print(opcat_table *table, FILE *stream);
/* Free what it holds without printing it. */
void opcat_table_free(opcat_table *table);

#endif
