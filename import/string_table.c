/* SPDX-License-Identifier: Apache-2.0 */
#include "string_table.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* The slot that holds the string, or the free one where it would go. There is always a free one. */
static opcat_string_slot *slot_of(const opcat_string_table *table, const char *text, size_t length)
{
    size_t mask = table->room - 1;
    for (size_t i = (size_t)hash_of(text, length) & mask;; i = (i + 1) & mask) {
        opcat_string_slot *slot = &table->slots[i];
        if (!slot->text || (slot->length == length && memcmp(slot->text, text, length) == 0))
            return slot;
    }
}

size_t *opcat_string_table_find(const opcat_string_table *table, const char *text, size_t length)
{
    if (!table->room)
        return NULL;
    opcat_string_slot *slot = slot_of(table, text, length);
    return slot->text ? &slot->value : NULL;
}

static bool grow(opcat_string_table *table)
{
    opcat_string_table larger = {.room = table->room ? table->room * 2 : 16, .count = table->count};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < table->room; i++) {
        const opcat_string_slot *slot = &table->slots[i];
        if (slot->text)
            *slot_of(&larger, slot->text, slot->length) = *slot;
    }
    free(table->slots);
    *table = larger;
    return true;
}

bool opcat_string_table_add(opcat_string_table *table, const char *text, size_t length, size_t value)
{
    if (table->count >= table->room / 4 * 3 && !grow(table))
        return false;
    *slot_of(table, text, length) = (opcat_string_slot){text, length, value};
    table->count++;
    return true;
}

void opcat_string_table_free(opcat_string_table *table)
{
    free(table->slots);
    *table = (opcat_string_table){0};
}
