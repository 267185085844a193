/* SPDX-License-Identifier: Apache-2.0 */
/* Op counts that someone declares for a model: a mapping of kinds to their ten ops, in YAML or JSON. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "read_profile.h"

void opcat_declared_free(opcat_declared *declared)
{
    if (!declared)
        return;
    for (size_t i = 0; i < declared->count; i++)
        free((char *)(uintptr_t)declared->kinds[i].kind);
    free(declared->kinds);
    free(declared);
}

static bool take_kind(opcat_checker *checker, const opcat_pair *pair, opcat_declared *declared)
{
    if (!opcat_check_kind_name(checker, pair->key))
        return false;
    size_t up = opcat_check_down(checker, pair->key->text);
    opcat_ops ops = {.at = {0}};
    bool good = opcat_check_ops(checker, opcat_node_place(pair->key), pair->value, &ops);
    opcat_check_up(checker, up);
    char *name = malloc((size_t)pair->key->count + 1);
    if (!name) {
        checker->faults->out_of_memory = true;
        return false;
    }
    opcat_kind_ops *made = &declared->kinds[declared->count++];
    memcpy(name, pair->key->text, (size_t)pair->key->count + 1);
    made->kind = name;
    made->ops = ops;
    return good;
}

static void take_all(opcat_checker *checker, const opcat_node *root, opcat_declared *declared)
{
    bool nothing = root->type == OPCAT_NODE_NULL || (root->type == OPCAT_NODE_MAPPING && root->count == 0);
    if (nothing && !root->incomplete)
        opcat_check_fault(checker, opcat_node_place(root),
                          "the file declares no kind; it must map each kind to its ten ops");
    else if (root->type != OPCAT_NODE_MAPPING)
        opcat_check_got(checker, opcat_node_place(root), root, "the file must map each kind to its ten ops");
    if (root->type != OPCAT_NODE_MAPPING || root->count == 0)
        return;
    declared->kinds = calloc(root->count, sizeof *declared->kinds);
    if (!declared->kinds) {
        checker->faults->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < root->count && !opcat_faults_enough(checker->faults, checker->file); i++)
        take_kind(checker, &root->of.pairs[i], declared);
}

opcat_declared *opcat_read_declared(const char *file, const char *bytes, size_t length, opcat_faults *faults)
{
    opcat_tree tree;
    opcat_checker checker = {.file = file, .faults = faults};
    opcat_declared *declared = calloc(1, sizeof *declared);
    size_t before = faults->count;
    opcat_tree_read(&tree, file, bytes, length, faults);
    if (!declared)
        faults->out_of_memory = true;
    else if (tree.root && !faults->out_of_memory)
        take_all(&checker, tree.root, declared);
    opcat_checker_free(&checker);
    opcat_tree_free(&tree);
    if (faults->count == before && !faults->out_of_memory)
        return declared;
    opcat_declared_free(declared);
    return NULL;
}
