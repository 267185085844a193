/* SPDX-License-Identifier: Apache-2.0 */
/* What a mapping means: its keys checked, its merge keys merged. */
#include <stdlib.h>
#include <string.h>

#include "string_table.h"
#include "yaml_tree.h"

/* The pairs that a mapping comes to mean. */
typedef struct result {
    opcat_pair *pairs;
    size_t count;
    size_t room;
    opcat_string_table places; /* of the keys among the pairs */
} result;

static void fault(opcat_merging *merging, const opcat_node *node, const char *what)
{
    opcat_text text = {0};
    opcat_node_describe(&text, node);
    opcat_faults_add(merging->faults, merging->file, opcat_node_place(node), "%s, got %s", what,
                     text.failed ? "?" : text.bytes);
    merging->faults->out_of_memory = merging->faults->out_of_memory || text.failed;
    free(text.bytes);
}

/* As in a Python dictionary, a key keeps its first place and takes its last value. */
static bool put(result *all, opcat_pair pair)
{
    size_t *place = opcat_string_table_find(&all->places, pair.key->text, pair.key->count);
    if (place) {
        all->pairs[*place] = pair; /* NOLINT: what the table has a place for is there */
        return true;
    }
    if (all->count == all->room) {
        size_t room = all->room ? all->room * 2 : 8;
        opcat_pair *pairs = realloc(all->pairs, room * sizeof *pairs);
        if (!pairs)
            return false;
        all->pairs = pairs;
        all->room = room;
    }
    all->pairs[all->count] = pair;
    return opcat_string_table_add(&all->places, pair.key->text, pair.key->count, all->count++);
}

/* False where the pairs are not all there. */
static bool put_all(opcat_merging *merging, result *all, const opcat_node *mapping)
{
    if (mapping->count > merging->budget) {
        if (merging->budget)
            fault(merging, mapping, "the file merges more than a file may");
        merging->budget = 0;
        return false;
    }
    merging->budget -= mapping->count;
    for (uint32_t i = 0; i < mapping->count; i++) {
        if (!put(all, mapping->of.pairs[i]))
            merging->faults->out_of_memory = true;
    }
    return !mapping->incomplete;
}

/* False where what the value should give is not all there. */
static bool merge_one(opcat_merging *merging, result *all, const opcat_node *value)
{
    if (value->type == OPCAT_NODE_MAPPING)
        return put_all(merging, all, value);
    if (value->type != OPCAT_NODE_INVALID)
        fault(merging, value, "a merge key (<<) takes a mapping or a sequence of mappings");
    return false;
}

static bool merge(opcat_merging *merging, result *all, const opcat_node *value)
{
    bool whole = true;
    if (value->type != OPCAT_NODE_SEQUENCE)
        return merge_one(merging, all, value);
    /* Of several, the earlier wins: it is put later. */
    for (uint32_t i = value->count; i > 0; i--)
        whole = merge_one(merging, all, value->of.items[i - 1]) && whole;
    return whole;
}

/* Whether a key is a string, or a merge key. */
static bool check_key(opcat_merging *merging, opcat_pair *pair)
{
    const opcat_node *key = pair->key;
    if (key->type == OPCAT_NODE_INVALID)
        return false;
    if (key->type == OPCAT_NODE_VALUE) {
        /* As a key it is the string it looks like. */
        opcat_node *copy = opcat_arena_take(merging->arena, sizeof *copy);
        if (!copy) {
            merging->faults->out_of_memory = true;
            return false;
        }
        *copy = *key;
        copy->type = OPCAT_NODE_STRING;
        pair->key = key = copy;
    }
    if (key->type == OPCAT_NODE_STRING || key->type == OPCAT_NODE_MERGE)
        return true;
    fault(merging, key, "a key must be a string (put it in quotes)");
    return false;
}

/* Whether a key was not stated before in this mapping. */
static bool check_once(opcat_merging *merging, opcat_string_table *stated, const opcat_node *key)
{
    /* A quoted "<<" is a key like any other. */
    const char *text = key->type == OPCAT_NODE_MERGE ? "<<\0merge" : key->text;
    size_t length = key->type == OPCAT_NODE_MERGE ? sizeof "<<\0merge" - 1 : key->count;
    size_t *line = opcat_string_table_find(stated, text, length);
    if (line) {
        opcat_text name = {0};
        opcat_text_quote(&name, key->text, key->count);
        opcat_faults_add(merging->faults, merging->file, opcat_node_place(key),
                         "key %s is stated twice, first on line %zu", name.failed ? "?" : name.bytes, *line);
        merging->faults->out_of_memory = merging->faults->out_of_memory || name.failed;
        free(name.bytes);
        return false;
    }
    if (!opcat_string_table_add(stated, text, length, key->line))
        merging->faults->out_of_memory = true;
    return true;
}

static void check_value(opcat_merging *merging, opcat_pair *pair)
{
    static const opcat_node invalid = {.type = OPCAT_NODE_INVALID, .text = ""};
    if (pair->value->type != OPCAT_NODE_MERGE && pair->value->type != OPCAT_NODE_VALUE)
        return;
    fault(merging, pair->value, "a value cannot be = or << alone (put it in quotes)");
    pair->value = &invalid;
}

void opcat_mapping_settle(opcat_merging *merging, opcat_node *mapping)
{
    opcat_string_table stated = {0};
    result all = {0};
    size_t own = 0;
    for (uint32_t i = 0; i < mapping->count; i++) {
        opcat_pair pair = mapping->of.pairs[i];
        if (!check_key(merging, &pair)) {
            mapping->incomplete = true;
            continue;
        }
        if (!check_once(merging, &stated, pair.key))
            continue;
        check_value(merging, &pair);
        if (pair.key->type != OPCAT_NODE_MERGE)
            mapping->of.pairs[own++] = pair;
        else if (!merge(merging, &all, pair.value))
            mapping->incomplete = true;
    }
    if (all.count) {
        /* What is stated wins over what is merged. */
        for (size_t i = 0; i < own; i++) {
            if (!put(&all, mapping->of.pairs[i]))
                merging->faults->out_of_memory = true;
        }
        opcat_pair *pairs = opcat_arena_take(merging->arena, all.count * sizeof *pairs);
        if (pairs)
            mapping->of.pairs = memcpy(pairs, all.pairs, all.count * sizeof *pairs);
        else
            merging->faults->out_of_memory = true;
        own = pairs ? all.count : own;
    }
    mapping->count = (uint32_t)own;
    free(all.pairs);
    opcat_string_table_free(&all.places);
    opcat_string_table_free(&stated);
}
