/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML text -> a tree of values with their places. Scalars are read by YAML 1.1's rules as PyYAML's safe loader applies
 * them, aliases point to what they name, merge keys are merged; what that loader refuses, and what is refused beyond
 * it (a key stated twice, a key that is no string, a second document), goes to the faults.
 */
#ifndef OPCAT_YAML_TREE_H
#define OPCAT_YAML_TREE_H

#include <stdint.h>

#include "../lib/text.h"
#include "faults.h"
#include "py_number.h"

typedef enum opcat_node_type {
    OPCAT_NODE_NULL,
    OPCAT_NODE_BOOL,
    OPCAT_NODE_INT,
    OPCAT_NODE_FLOAT,
    OPCAT_NODE_STRING,
    OPCAT_NODE_DATE,
    OPCAT_NODE_MERGE,   /* a plain << */
    OPCAT_NODE_VALUE,   /* a plain = */
    OPCAT_NODE_INVALID, /* what cannot be read; the faults say why */
    OPCAT_NODE_SEQUENCE,
    OPCAT_NODE_MAPPING,
} opcat_node_type;

typedef struct opcat_node opcat_node;

typedef struct opcat_pair {
    const opcat_node *key; /* a string */
    const opcat_node *value;
} opcat_pair;

struct opcat_node {
    opcat_node_type type;
    uint32_t line; /* of its first character, from 1 */
    uint32_t column;
    uint32_t count;   /* bytes of a scalar's text, values of a sequence, pairs of a mapping */
    bool incomplete;  /* a mapping that states more, which cannot be read; the faults say why */
    const char *text; /* a scalar as it is written, without quotes; NUL-terminated, but may hold NULs */
    union {
        bool boolean;
        opcat_whole whole;
        double real;
        const opcat_node **items;
        opcat_pair *pairs; /* merged, in the order that a Python dictionary would have */
    } of;
};

/* Memory that goes all at once. All zero bytes is an empty arena. */
typedef struct opcat_arena {
    struct opcat_block *blocks;
} opcat_arena;

void *opcat_arena_take(opcat_arena *arena, size_t size);
void opcat_arena_free(opcat_arena *arena);

typedef struct opcat_tree {
    opcat_arena arena;
    const opcat_node *root; /* NULL where the text could not be read as YAML at all; a null for an empty text */
} opcat_tree;

/* Read `length` bytes of `file` (a name for messages). Free the tree with opcat_tree_free(), whatever came of it. */
void opcat_tree_read(opcat_tree *tree, const char *file, const char *bytes, size_t length, opcat_faults *faults);
void opcat_tree_free(opcat_tree *tree);

opcat_place opcat_node_place(const opcat_node *node);
/* The pair of a mapping with that key, or NULL. */
const opcat_pair *opcat_node_find(const opcat_node *mapping, const char *key);
/* Add a value to a message, on one line and not much longer than 60 bytes. */
void opcat_node_describe(opcat_text *text, const opcat_node *node);
/* A string without NULs; NULL for any other node. */
const char *opcat_node_string(const opcat_node *node);

/*
 * Tell what a scalar is, from its text and its tag (NULL for none): fill in type and value. `plain` says that the rules
 * for plain scalars apply. NULL, or what is wrong with it.
 */
const char *opcat_scalar_resolve(opcat_node *node, const char *tag, bool plain);
/* What it gives where memory is out: no fault of the scalar. */
extern const char opcat_scalar_nomem[];

/*
 * Turn the pairs as they are written into those that they mean: keys checked, merge keys merged. `budget` bounds the
 * merging of a whole file.
 */
typedef struct opcat_merging {
    const char *file;
    opcat_faults *faults;
    opcat_arena *arena;
    size_t budget;
} opcat_merging;
void opcat_mapping_settle(opcat_merging *merging, opcat_node *mapping);

#endif
