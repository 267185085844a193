/* SPDX-License-Identifier: Apache-2.0 */
#include "read_rules.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/vocabulary.h"
#include "check.h"
#include "read_profile.h"
#include "string_table.h"

static const char *const root_keys[] = {"prefixes", "traits", NULL};

/* The rules being gathered; their strings are the tree's, which is kept with them. */
typedef struct gathering {
    opcat_checker checker;
    opcat_rules *rules;
    size_t room;
} gathering;

static void add_rule(gathering *self, const char *rule, const opcat_node *pattern, const char *arch)
{
    opcat_rules *rules = self->rules;
    if (rules->count == self->room) {
        size_t room = self->room ? self->room * 2 : 16;
        opcat_rule *items = realloc(rules->items, room * sizeof *items);
        if (!items) {
            self->checker.faults->out_of_memory = true;
            return;
        }
        rules->items = items;
        self->room = room;
    }
    rules->items[rules->count++] = (opcat_rule){rule, pattern->text, arch, opcat_node_place(pattern)};
}

/* Whether names can match a pattern; what is wrong with it is said. The path ends in what holds the pattern. */
static bool check_pattern(opcat_checker *checker, const opcat_node *pattern)
{
    unsigned code = 0;
    bool upper = false;
    bool control = false;
    for (uint32_t at = 0; at < pattern->count;) {
        at += (uint32_t)opcat_utf8_character(pattern->text + at, pattern->count - at, &code);
        upper = upper || (code >= 'A' && code <= 'Z');
        control = control || opcat_is_control(code);
    }
    if (pattern->count == 0)
        opcat_check_fault(checker, opcat_node_place(pattern), "has an empty pattern, which every name would match");
    else if (control)
        opcat_check_got(checker, opcat_node_place(pattern), pattern, "must have patterns without control characters");
    else if (upper)
        opcat_check_got(checker, opcat_node_place(pattern), pattern,
                        "must have patterns without upper-case letters: names are lower-cased first, so it could never "
                        "match");
    return pattern->count > 0 && !control && !upper;
}

static void take_prefix(gathering *self, const opcat_pair *pair)
{
    opcat_checker *checker = &self->checker;
    if (!check_pattern(checker, pair->key))
        return;
    const char *arch = opcat_node_string(pair->value);
    size_t up = opcat_check_down(checker, pair->key->text);
    if (arch && opcat_is_arch(arch))
        add_rule(self, "prefix", pair->key, arch);
    else
        opcat_check_got(checker, opcat_node_place(pair->key), pair->value, "must be the name of a family");
    opcat_check_up(checker, up);
}

static void take_patterns(gathering *self, const opcat_pair *pair, const char *trait)
{
    opcat_checker *checker = &self->checker;
    opcat_string_table seen = {0};
    if (pair->value->type == OPCAT_NODE_NULL)
        return;
    if (pair->value->type != OPCAT_NODE_SEQUENCE) {
        opcat_check_got(checker, opcat_node_place(pair->key), pair->value, "must be a sequence of patterns");
        return;
    }
    for (uint32_t i = 0; i < pair->value->count; i++) {
        const opcat_node *pattern = pair->value->of.items[i];
        if (pattern->type != OPCAT_NODE_STRING)
            opcat_check_got(checker, opcat_node_place(pattern), pattern, "must have patterns that are strings");
        else if (opcat_string_table_find(&seen, pattern->text, pattern->count))
            opcat_check_got(checker, opcat_node_place(pattern), pattern, "must have each pattern once");
        else if (check_pattern(checker, pattern)) {
            add_rule(self, trait, pattern, NULL);
            if (!opcat_string_table_add(&seen, pattern->text, pattern->count, i))
                checker->faults->out_of_memory = true;
        }
    }
    opcat_string_table_free(&seen);
}

static void take_trait(gathering *self, const opcat_pair *pair)
{
    opcat_checker *checker = &self->checker;
    const char *name = opcat_node_string(pair->key);
    int trait = name ? opcat_name_index(opcat_trait_names, name) : -1;
    if (trait < 0) {
        opcat_check_unknown(checker, pair->key, "trait", opcat_trait_names);
        return;
    }
    size_t up = opcat_check_down(checker, name);
    take_patterns(self, pair, opcat_trait_names[trait]);
    opcat_check_up(checker, up);
}

static void take_section(gathering *self, const opcat_node *root, const char *key, const char *words,
                         void (*take)(gathering *self, const opcat_pair *pair))
{
    const opcat_pair *section = opcat_node_find(root, key);
    if (!section || section->value->type == OPCAT_NODE_NULL)
        return;
    size_t up = opcat_check_down(&self->checker, key);
    if (section->value->type == OPCAT_NODE_MAPPING) {
        for (uint32_t i = 0; i < section->value->count; i++)
            take(self, &section->value->of.pairs[i]);
    } else {
        opcat_check_got(&self->checker, opcat_node_place(section->key), section->value, words);
    }
    opcat_check_up(&self->checker, up);
}

static void take_root(gathering *self, const opcat_node *root)
{
    if (root->type == OPCAT_NODE_NULL)
        return;
    if (root->type != OPCAT_NODE_MAPPING) {
        opcat_check_got(&self->checker, opcat_node_place(root), root, "naming rules must map prefixes and traits");
        return;
    }
    for (uint32_t i = 0; i < root->count; i++) {
        const opcat_node *key = root->of.pairs[i].key;
        const char *name = opcat_node_string(key);
        if (!name || opcat_name_index(root_keys, name) < 0) {
            size_t up = opcat_check_down(&self->checker, "model_names");
            opcat_check_unknown(&self->checker, key, "key", root_keys);
            opcat_check_up(&self->checker, up);
        }
    }
    take_section(self, root, "prefixes", "must map prefixes to families", take_prefix);
    take_section(self, root, "traits", "must map traits to sequences of patterns", take_trait);
}

opcat_rules *opcat_read_rules(const char *file, const char *bytes, size_t length, opcat_faults *faults)
{
    gathering self = {.checker = {.file = file, .faults = faults}};
    opcat_tree *tree = calloc(1, sizeof *tree);
    self.rules = calloc(1, sizeof *self.rules);
    if (!tree || !self.rules) {
        free(tree);
        free(self.rules);
        faults->out_of_memory = true;
        return NULL;
    }
    self.rules->strings = tree;
    opcat_tree_read(tree, file, bytes, length, faults);
    if (tree->root && !faults->out_of_memory)
        take_root(&self, tree->root);
    opcat_checker_free(&self.checker);
    if (tree->root && !faults->out_of_memory)
        return self.rules;
    opcat_rules_free(self.rules);
    return NULL;
}

void opcat_rules_free(opcat_rules *rules)
{
    if (!rules)
        return;
    opcat_tree_free(rules->strings);
    free(rules->strings);
    free(rules->items);
    free(rules);
}
