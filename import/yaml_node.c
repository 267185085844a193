/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a YAML tree: their memory, and how they are asked and shown. */
#include <stdlib.h>
#include <string.h>

#include "yaml_tree.h"

typedef struct opcat_block {
    struct opcat_block *next;
    size_t used;
    size_t room;
    max_align_t bytes[];
} opcat_block;

void *opcat_arena_take(opcat_arena *arena, size_t size)
{
    enum { BLOCK = 32 * 1024, ALIGNMENT = 8 };
    opcat_block *block = arena->blocks;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!block || block->room - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        block->used = 0;
        block->room = room;
        arena->blocks = block;
    }
    void *taken = (char *)block->bytes + block->used;
    block->used += size;
    return taken;
}

void opcat_arena_free(opcat_arena *arena)
{
    while (arena->blocks) {
        opcat_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

opcat_place opcat_node_place(const opcat_node *node)
{
    return (opcat_place){node->line, node->column};
}

const opcat_pair *opcat_node_find(const opcat_node *mapping, const char *key)
{
    size_t length = strlen(key);
    for (uint32_t i = 0; i < mapping->count; i++) {
        const opcat_node *found = mapping->of.pairs[i].key;
        if (found->count == length && memcmp(found->text, key, length) == 0)
            return &mapping->of.pairs[i];
    }
    return NULL;
}

const char *opcat_node_string(const opcat_node *node)
{
    bool whole = node->type == OPCAT_NODE_STRING && strlen(node->text) == node->count;
    return whole ? node->text : NULL;
}

enum { DESCRIBED = 60 };

static void describe_bare(opcat_text *text, const opcat_node *node, size_t limit);

static void describe_collection(opcat_text *text, const opcat_node *node, size_t limit)
{
    bool mapping = node->type == OPCAT_NODE_MAPPING;
    opcat_text_add(text, mapping ? "{" : "[");
    for (uint32_t i = 0; i < node->count; i++) {
        opcat_text_add(text, i ? ", " : "");
        if (text->length >= limit || text->failed) {
            opcat_text_add(text, "...");
            break;
        }
        if (mapping) {
            describe_bare(text, node->of.pairs[i].key, limit);
            opcat_text_add(text, ": ");
        }
        describe_bare(text, mapping ? node->of.pairs[i].value : node->of.items[i], limit);
    }
    opcat_text_add(text, mapping ? "}" : "]");
}

/* Numbers, dates and the like are plain ASCII, unless a tag made them of something else. */
static void describe_written(opcat_text *text, const opcat_node *node)
{
    bool plain = node->count > 0 && node->count <= DESCRIBED;
    for (uint32_t i = 0; plain && i < node->count; i++)
        plain = node->text[i] > ' ' && node->text[i] < 0x7f;
    if (plain)
        opcat_text_add_bytes(text, node->text, node->count);
    else
        opcat_text_quote(text, node->text, node->count);
}

static void describe_bare(opcat_text *text, const opcat_node *node, size_t limit)
{
    switch (node->type) {
    case OPCAT_NODE_SEQUENCE:
    case OPCAT_NODE_MAPPING:
        describe_collection(text, node, limit);
        break;
    case OPCAT_NODE_STRING:
        opcat_text_quote(text, node->text, node->count);
        break;
    case OPCAT_NODE_NULL:
        opcat_text_add(text, "null");
        break;
    default:
        describe_written(text, node);
    }
}

void opcat_node_describe(opcat_text *text, const opcat_node *node)
{
    describe_bare(text, node, text->length + DESCRIBED);
    if (node->type == OPCAT_NODE_BOOL)
        opcat_text_add(text, ", a boolean");
    else if (node->type == OPCAT_NODE_DATE)
        opcat_text_add(text, ", a date");
}
