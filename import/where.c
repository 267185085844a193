/* SPDX-License-Identifier: Apache-2.0 */
#include "where.h"

#include <stdlib.h>

#include "read_profile.h"
#include "yaml_tree.h"

typedef struct walk {
    opcat_where_fn *take;
    void *context;
    bool failed;
} walk;

/* The pair of `key` in a mapping that may not be there. */
static const opcat_pair *find(const opcat_pair *mapping, const char *key)
{
    return mapping && mapping->value->type == OPCAT_NODE_MAPPING ? opcat_node_find(mapping->value, key) : NULL;
}

/* The line of a pair's key; 0 where there is no pair, or it states nothing. */
static size_t line_of(const opcat_pair *pair)
{
    return pair && pair->value->type != OPCAT_NODE_NULL ? pair->key->line : 0;
}

static void say(walk *self, opcat_value value, size_t line, const char *format, ...) OPCAT_PRINTF(4, 5);

static void say(walk *self, opcat_value value, size_t line, const char *format, ...)
{
    opcat_text path = {0};
    va_list arguments;
    va_start(arguments, format);
    opcat_text_vadd(&path, format, arguments);
    va_end(arguments);
    value.by_default = line == 0;
    if (path.failed)
        self->failed = true;
    else
        self->take(self->context, path.bytes, &value, line);
    free(path.bytes);
}

static opcat_value text_or_absent(const char *text)
{
    return (opcat_value){.type = text ? OPCAT_VALUE_TEXT : OPCAT_VALUE_ABSENT, .text = text};
}

static void say_kind(walk *self, const opcat_layer_kind *kind, const opcat_pair *stated)
{
    const opcat_pair *ops = find(stated, "ops");
    say(self, text_or_absent(kind->attention), line_of(find(stated, "attention")), "kinds.%s.attention", kind->name);
    say(self, text_or_absent(kind->ffn), line_of(find(stated, "ffn")), "kinds.%s.ffn", kind->name);
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        opcat_value value = {.type = OPCAT_VALUE_NUMBER, .number = kind->ops.at[op]};
        say(self, value, line_of(find(ops, opcat_op_names[op])), "kinds.%s.ops.%s", kind->name, opcat_op_names[op]);
    }
}

static void say_profile(walk *self, const opcat_profile *profile, const opcat_node *root)
{
    const opcat_pair *run = opcat_node_find(root, "run");
    const opcat_pair *kinds = opcat_node_find(root, "kinds");
    const opcat_pair *model = opcat_node_find(root, "model");
    const char *default_kind = profile->default_kind ? profile->default_kind->name : NULL;
    say(self, text_or_absent(default_kind), line_of(opcat_node_find(root, "default")), "default");
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        bool flag = opcat_run_fields[i].type == OPCAT_TYPE_FLAG;
        opcat_value value = {.type = flag ? OPCAT_VALUE_FLAG : OPCAT_VALUE_NUMBER,
                             .number = opcat_run_get(&profile->run, i)};
        say(self, value, line_of(find(run, opcat_run_names[i])), "run.%s", opcat_run_names[i]);
    }
    if (profile->model.v_head_dim) {
        opcat_value value = {.type = OPCAT_VALUE_NUMBER, .number = profile->model.v_head_dim};
        say(self, value, line_of(find(model, opcat_model_names[0])), "model.%s", opcat_model_names[0]);
    }
    for (size_t i = 0; i < profile->kind_count; i++)
        say_kind(self, &profile->kinds[i], find(kinds, profile->kinds[i].name));
}

bool opcat_where(const char *file, const char *arch, const char *bytes, size_t length, opcat_faults *faults,
                 opcat_where_fn *take, void *context)
{
    opcat_tree tree;
    walk self = {take, context, false};
    opcat_profile *profile = opcat_read_profile(file, arch, bytes, length, faults);
    if (!profile)
        return false;
    opcat_tree_read(&tree, file, bytes, length, faults);
    if (tree.root && !faults->out_of_memory)
        say_profile(&self, profile, tree.root);
    opcat_tree_free(&tree);
    opcat_profile_drop(profile);
    faults->out_of_memory = faults->out_of_memory || self.failed;
    return !faults->out_of_memory;
}
