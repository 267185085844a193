/* SPDX-License-Identifier: Apache-2.0 */
#include "read_profile.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/nearest.h"
#include "check.h"

static const char *const root_keys[] = {"kinds", "default", "run", "model", NULL};
static const char *const kind_keys[] = {"ops", "attention", "ffn", NULL};

bool opcat_is_arch(const char *arch)
{
    enum { LONGEST = 64 };
    size_t length = strlen(arch);
    return length >= 1 && length <= LONGEST && arch[0] != '.' && arch[0] != '-' &&
           strspn(arch, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
}

static bool is_null(const opcat_node *node)
{
    return node->type == OPCAT_NODE_NULL;
}

/* ---- Kinds ----------------------------------------------------------------------------------------------- */

/* One of the two flavours, as the static name; NULL where it is none, which is said. */
static const char *check_flavour(opcat_checker *checker, const opcat_pair *pair, const char *const *names)
{
    const char *stated = opcat_node_string(pair->value);
    int index = stated ? opcat_name_index(names, stated) : -1;
    if (index >= 0)
        return names[index];
    const char *meant = stated ? opcat_nearest(stated, names, OPCAT_FLAVOUR_COUNT) : NULL;
    opcat_text text = {0};
    opcat_text_add(&text, "must be %s or %s, got ", names[0], names[1]);
    opcat_node_describe(&text, pair->value);
    if (meant)
        opcat_text_add(&text, "; did you mean '%s'?", meant);
    if (text.failed)
        checker->faults->out_of_memory = true;
    else if (pair->value->type != OPCAT_NODE_INVALID)
        opcat_check_fault(checker, opcat_node_place(pair->key), "%s", text.bytes);
    free(text.bytes);
    return NULL;
}

/* Which of the keys it is, or is meant to be; -1 where that is not clear. */
static int check_kind_key(opcat_checker *checker, const opcat_pair *pair, opcat_layer_kind *kind)
{
    const char *key = opcat_node_string(pair->key);
    int index = key ? opcat_name_index(kind_keys, key) : -1;
    if (index < 0)
        return opcat_check_unknown(checker, pair->key, "key", kind_keys);
    size_t up = opcat_check_down(checker, key);
    if (index == 0)
        opcat_check_ops(checker, opcat_node_place(pair->key), pair->value, &kind->ops);
    else if (index == 1)
        kind->attention = check_flavour(checker, pair, opcat_attention_names);
    else if (!is_null(pair->value))
        kind->ffn = check_flavour(checker, pair, opcat_ffn_names);
    opcat_check_up(checker, up);
    return index;
}

static void check_kind(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    if (!opcat_check_kind_name(checker, pair->key))
        return;
    opcat_layer_kind *kind = opcat_draft_add_kind(draft);
    if (!kind) {
        checker->faults->out_of_memory = true;
        return;
    }
    kind->name = pair->key->text;
    kind->attention = opcat_attention_names[0];
    size_t up = opcat_check_down(checker, kind->name);
    if (pair->value->type == OPCAT_NODE_MAPPING) {
        bool has_ops = pair->value->incomplete;
        for (uint32_t i = 0; i < pair->value->count; i++)
            has_ops = check_kind_key(checker, &pair->value->of.pairs[i], kind) == 0 || has_ops;
        if (!has_ops)
            opcat_check_fault(checker, opcat_node_place(pair->key),
                              "has no ops; it must map each of the ten to its count");
    } else {
        opcat_check_got(checker, opcat_node_place(pair->key), pair->value, "must map ops, and what flavours it has");
    }
    opcat_check_up(checker, up);
}

static void check_kinds(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    const opcat_node *kinds = pair->value;
    opcat_place place = opcat_node_place(pair->key);
    size_t up = opcat_check_down(checker, "kinds");
    if (kinds->type != OPCAT_NODE_MAPPING)
        opcat_check_got(checker, place, kinds, "declares no layer kind: it must map each kind's name to its ops");
    else if (kinds->count == 0 && !kinds->incomplete)
        opcat_check_fault(checker, place, "declares no layer kind: it must map at least one kind's name to its ops");
    else if (kinds->count > OPCAT_MAX_KINDS)
        opcat_check_fault(checker, place, "declares more kinds than a profile may, %u", OPCAT_MAX_KINDS);
    else {
        /* Kinds may be aliases of one that is full of faults. */
        for (uint32_t i = 0; i < kinds->count && !opcat_faults_enough(checker->faults, checker->file); i++)
            check_kind(checker, &kinds->of.pairs[i], draft);
    }
    opcat_check_up(checker, up);
}

/* ---- Default --------------------------------------------------------------------------------------------- */

static void say_no_kind(opcat_checker *checker, opcat_place place, const opcat_node *stated, const opcat_draft *draft)
{
    enum { SHOWN = 10 };
    const char *name = opcat_node_string(stated);
    opcat_text text = {0};
    const char **names = malloc((draft->kind_count + 1) * sizeof *names);
    for (size_t i = 0; names && i < draft->kind_count; i++)
        names[i] = draft->kinds[i].name;
    const char *meant = name && names ? opcat_nearest(name, names, draft->kind_count) : NULL;
    size_t shown = draft->kind_count < SHOWN ? draft->kind_count : SHOWN;
    opcat_text_add(&text, "must name one of the kinds, got ");
    opcat_node_describe(&text, stated);
    if (meant) {
        opcat_text_add(&text, "; did you mean '%s'?", meant);
    } else if (names && shown) {
        opcat_text_add(&text, "; they are ");
        opcat_text_add_list(&text, names, shown, shown == draft->kind_count ? " and " : ", ");
        if (shown < draft->kind_count)
            opcat_text_add(&text, " and %zu more", draft->kind_count - shown);
    }
    if (!names || text.failed)
        checker->faults->out_of_memory = true;
    else if (stated->type != OPCAT_NODE_INVALID)
        opcat_check_fault(checker, place, "%s", text.bytes);
    free(names);
    free(text.bytes);
}

static void check_default(opcat_checker *checker, const opcat_pair *pair, const opcat_node *kinds, opcat_draft *draft)
{
    if (!pair || is_null(pair->value)) {
        draft->default_kind = draft->kind_count == 1 ? 0 : OPCAT_NO_DEFAULT;
        return;
    }
    const char *name = opcat_node_string(pair->value);
    for (size_t i = 0; name && i < draft->kind_count; i++) {
        if (strcmp(draft->kinds[i].name, name) == 0)
            draft->default_kind = i;
    }
    size_t up = opcat_check_down(checker, "default");
    /* It may name a kind whose own name is faulty: that has been said. */
    bool faulty = kinds->incomplete || (name && opcat_node_find(kinds, name));
    if (draft->default_kind == OPCAT_NO_DEFAULT && !faulty)
        say_no_kind(checker, opcat_node_place(pair->key), pair->value, draft);
    opcat_check_up(checker, up);
}

/* ---- Run and model --------------------------------------------------------------------------------------- */

/* A mapping, or null for nothing; whether there is something to look into. */
static bool check_mapping(opcat_checker *checker, const opcat_pair *pair, const char *words)
{
    if (is_null(pair->value))
        return false;
    if (pair->value->type == OPCAT_NODE_MAPPING)
        return true;
    opcat_check_got(checker, opcat_node_place(pair->key), pair->value, words);
    return false;
}

static void check_run_field(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    const char *name = opcat_node_string(pair->key);
    int index = name ? opcat_name_index(opcat_run_names, name) : -1;
    if (index < 0) {
        opcat_check_unknown(checker, pair->key, "field", opcat_run_names);
        return;
    }
    if (is_null(pair->value))
        return;
    opcat_field_type type = opcat_run_fields[index].type;
    opcat_place place = opcat_node_place(pair->key);
    int64_t value = 0;
    size_t up = opcat_check_down(checker, name);
    if (type != OPCAT_TYPE_FLAG) {
        if (opcat_check_whole(checker, place, pair->value, opcat_field_minimum(type), &value))
            opcat_draft_state_run(draft, (size_t)index, value);
    } else if (pair->value->type == OPCAT_NODE_BOOL) {
        opcat_draft_state_run(draft, (size_t)index, pair->value->of.boolean);
    } else {
        opcat_check_got(checker, place, pair->value, "must be true or false");
    }
    opcat_check_up(checker, up);
}

static void check_run(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    size_t up = opcat_check_down(checker, "run");
    if (check_mapping(checker, pair, "must map run fields to values")) {
        for (uint32_t i = 0; i < pair->value->count; i++)
            check_run_field(checker, &pair->value->of.pairs[i], draft);
    }
    opcat_check_up(checker, up);
}

static void check_model_fact(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    const char *name = opcat_node_string(pair->key);
    if (!name || opcat_name_index(opcat_model_names, name) < 0) {
        opcat_check_unknown(checker, pair->key, "key", opcat_model_names);
        return;
    }
    const opcat_whole *whole = &pair->value->of.whole;
    size_t up = opcat_check_down(checker, name);
    if (pair->value->type == OPCAT_NODE_INT && !whole->huge && whole->value >= 1)
        draft->v_head_dim = whole->value;
    else
        opcat_check_got(checker, opcat_node_place(pair->key), pair->value,
                        "must be a positive whole number, written as a YAML integer up to 9223372036854775807");
    opcat_check_up(checker, up);
}

static void check_model(opcat_checker *checker, const opcat_pair *pair, opcat_draft *draft)
{
    size_t up = opcat_check_down(checker, "model");
    if (check_mapping(checker, pair, "must map model facts to values")) {
        for (uint32_t i = 0; i < pair->value->count; i++)
            check_model_fact(checker, &pair->value->of.pairs[i], draft);
    }
    opcat_check_up(checker, up);
}

/* ---- The profile ----------------------------------------------------------------------------------------- */

/* Which of the keys it is, or is meant to be; -1 where that is not clear. */
static int check_root_key(opcat_checker *checker, const opcat_node *key)
{
    const char *name = opcat_node_string(key);
    int index = name ? opcat_name_index(root_keys, name) : -1;
    if (index >= 0)
        return index;
    if (!name || (strcmp(name, "prefixes") != 0 && strcmp(name, "traits") != 0))
        return opcat_check_unknown(checker, key, "key", root_keys);
    opcat_check_fault(checker, opcat_node_place(key),
                      "has the key '%s' of naming rules, which are read from inference/model_names.yaml below an "
                      "imported folder",
                      name);
    return -1;
}

static void check_root(opcat_checker *checker, const opcat_node *root, opcat_draft *draft)
{
    if (root->type != OPCAT_NODE_MAPPING && !is_null(root)) {
        opcat_check_got(checker, opcat_node_place(root), root, "must be a mapping of kinds, default, run and model");
        return;
    }
    bool mapping = root->type == OPCAT_NODE_MAPPING;
    bool has_kinds = root->incomplete;
    for (uint32_t i = 0; mapping && i < root->count; i++)
        has_kinds = check_root_key(checker, root->of.pairs[i].key) == 0 || has_kinds;
    if (!has_kinds) {
        size_t up = opcat_check_down(checker, "kinds");
        opcat_check_fault(checker, opcat_node_place(root), "is missing: the profile declares no layer kind");
        opcat_check_up(checker, up);
    }
    const opcat_pair *kinds = mapping ? opcat_node_find(root, "kinds") : NULL;
    const opcat_pair *stated_default = mapping ? opcat_node_find(root, "default") : NULL;
    const opcat_pair *run = mapping ? opcat_node_find(root, "run") : NULL;
    const opcat_pair *model = mapping ? opcat_node_find(root, "model") : NULL;
    if (kinds)
        check_kinds(checker, kinds, draft);
    /* Without kinds, that is the fault to mend first. */
    if (kinds && draft->kind_count)
        check_default(checker, stated_default, kinds->value, draft);
    if (run)
        check_run(checker, run, draft);
    if (model)
        check_model(checker, model, draft);
}

opcat_profile *opcat_read_profile(const char *file, const char *arch, const char *bytes, size_t length,
                                  opcat_faults *faults)
{
    opcat_tree tree;
    opcat_draft draft = {0};
    opcat_profile *profile = NULL;
    opcat_checker checker = {.file = file, .faults = faults};
    size_t before = faults->count;
    opcat_tree_read(&tree, file, bytes, length, faults);
    if (tree.root && !faults->out_of_memory) {
        opcat_draft_start(&draft, arch);
        opcat_check_down(&checker, arch);
        check_root(&checker, tree.root, &draft);
        opcat_checker_free(&checker);
        if (faults->count == before && !faults->out_of_memory && !(profile = opcat_profile_new(&draft)))
            faults->out_of_memory = true;
    }
    opcat_draft_free(&draft);
    opcat_tree_free(&tree);
    return profile;
}
