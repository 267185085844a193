/* SPDX-License-Identifier: Apache-2.0 */
/* A table of strings: what of many has been seen, and as the how-manieth. */
#ifndef OPCAT_STRING_TABLE_H
#define OPCAT_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct opcat_string_slot {
    const char *text; /* NULL where the slot is free */
    size_t length;
    size_t value;
} opcat_string_slot;

/* All zero bytes is an empty table. */
typedef struct opcat_string_table {
    opcat_string_slot *slots;
    size_t room;
    size_t count;
} opcat_string_table;

/*
 * The value kept with a string, which may hold NULs; NULL where it is not there. The pointer is good until the next
 * addition.
 */
size_t *opcat_string_table_find(const opcat_string_table *table, const char *text, size_t length);
/* Add a string that is not there; it must outlive the table. False where memory is out. */
bool opcat_string_table_add(opcat_string_table *table, const char *text, size_t length, size_t value);
void opcat_string_table_free(opcat_string_table *table);

#endif
