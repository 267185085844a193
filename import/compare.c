/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static opcat_value absent(void)
{
    return (opcat_value){.type = OPCAT_VALUE_ABSENT};
}

static opcat_value number_value(int64_t number)
{
    return (opcat_value){.type = OPCAT_VALUE_NUMBER, .number = number};
}

static opcat_value text_value(const char *text)
{
    return text ? (opcat_value){.type = OPCAT_VALUE_TEXT, .text = text} : absent();
}

static bool same_value(const opcat_value *a, const opcat_value *b)
{
    if (a->type != b->type || a->by_default != b->by_default)
        return false;
    if (a->type == OPCAT_VALUE_TEXT)
        return strcmp(a->text, b->text) == 0;
    return a->number == b->number;
}

/* Hand on a difference, where there is one. */
static void compare(const opcat_difference *difference, opcat_difference_fn *take, void *context)
{
    if (!same_value(&difference->before, &difference->after))
        take(context, difference);
}

/* ---- Kinds ----------------------------------------------------------------------------------------------- */

static size_t find_kind(const opcat_profile *profile, const char *name, size_t guess)
{
    if (guess < profile->kind_count && strcmp(profile->kinds[guess].name, name) == 0)
        return guess;
    for (size_t i = 0; i < profile->kind_count; i++) {
        if (strcmp(profile->kinds[i].name, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static void compare_kind(const char *arch, const opcat_layer_kind *before, const opcat_layer_kind *after,
                         opcat_difference_fn *take, void *context)
{
    opcat_difference difference = {.section = "attention", .arch = arch, .kind = before->name};
    difference.before = text_value(before->attention);
    difference.after = text_value(after->attention);
    compare(&difference, take, context);
    difference.section = "ffn";
    difference.before = text_value(before->ffn);
    difference.after = text_value(after->ffn);
    compare(&difference, take, context);
    difference.section = "op";
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        difference.name = opcat_op_names[op];
        difference.before = number_value(before->ops.at[op]);
        difference.after = number_value(after->ops.at[op]);
        compare(&difference, take, context);
    }
}

/* The place of a kind among those that both profiles have: what is added or removed moves no other. */
static size_t common_place(const opcat_profile *profile, const opcat_profile *other, size_t index)
{
    size_t place = 0;
    for (size_t i = 0; i < index; i++)
        place += find_kind(other, profile->kinds[i].name, i) != SIZE_MAX;
    return place;
}

static bool same_order(const opcat_profile *before, const opcat_profile *after)
{
    if (before->kind_count != after->kind_count)
        return false;
    for (size_t i = 0; i < before->kind_count; i++) {
        if (strcmp(before->kinds[i].name, after->kinds[i].name) != 0)
            return false;
    }
    return true;
}

static void compare_kinds(const opcat_profile *before, const opcat_profile *after, opcat_difference_fn *take,
                          void *context)
{
    bool ordered = same_order(before, after);
    for (size_t i = 0; i < before->kind_count; i++) {
        const char *name = before->kinds[i].name;
        size_t place = find_kind(after, name, i);
        opcat_difference difference = {.section = "kind", .arch = before->arch, .kind = name};
        if (place == SIZE_MAX) {
            difference.before = text_value(name);
            take(context, &difference);
            continue;
        }
        difference.section = "position";
        if (!ordered) {
            difference.before = number_value((int64_t)common_place(before, after, i));
            difference.after = number_value((int64_t)common_place(after, before, place));
            compare(&difference, take, context);
        }
        compare_kind(before->arch, &before->kinds[i], &after->kinds[place], take, context);
    }
    for (size_t i = 0; i < after->kind_count; i++) {
        const char *name = after->kinds[i].name;
        opcat_difference difference = {
            .section = "kind", .arch = before->arch, .kind = name, .after = text_value(name)};
        if (find_kind(before, name, i) == SIZE_MAX)
            take(context, &difference);
    }
}

/* ---- Profiles -------------------------------------------------------------------------------------------- */

static opcat_value run_value(const opcat_profile *profile, size_t index)
{
    return (opcat_value){
        .type = opcat_run_fields[index].type == OPCAT_TYPE_FLAG ? OPCAT_VALUE_FLAG : OPCAT_VALUE_NUMBER,
        .by_default = !(opcat_profile_stated(profile) >> index & 1),
        .number = opcat_run_get(&profile->run, index),
    };
}

static opcat_value model_value(const opcat_profile *profile)
{
    return profile->model.v_head_dim ? number_value(profile->model.v_head_dim) : absent();
}

void opcat_compare_profiles(const opcat_profile *before, const opcat_profile *after, opcat_difference_fn *take,
                            void *context)
{
    opcat_difference difference = {.section = "default", .arch = before->arch};
    difference.before = text_value(before->default_kind ? before->default_kind->name : NULL);
    difference.after = text_value(after->default_kind ? after->default_kind->name : NULL);
    compare(&difference, take, context);
    difference.section = "run";
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        difference.name = opcat_run_names[i];
        difference.before = run_value(before, i);
        difference.after = run_value(after, i);
        compare(&difference, take, context);
    }
    difference.section = "model";
    difference.name = opcat_model_names[0];
    difference.before = model_value(before);
    difference.after = model_value(after);
    compare(&difference, take, context);
    compare_kinds(before, after, take, context);
}

/* ---- Sets ------------------------------------------------------------------------------------------------ */

static void one_sided(const opcat_profile *profile, bool added, opcat_difference_fn *take, void *context)
{
    opcat_difference difference = {.section = "family", .arch = profile->arch};
    *(added ? &difference.after : &difference.before) = text_value(profile->arch);
    take(context, &difference);
}

static void compare_families(const opcat_snapshot *before, const opcat_snapshot *after, opcat_difference_fn *take,
                             void *context)
{
    size_t i = 0;
    size_t j = 0;
    while (i < before->profile_count || j < after->profile_count) {
        int order = i == before->profile_count  ? 1
                    : j == after->profile_count ? -1
                                                : strcmp(before->profiles[i]->arch, after->profiles[j]->arch);
        if (order == 0)
            opcat_compare_profiles(before->profiles[i++], after->profiles[j++], take, context);
        else if (order < 0)
            one_sided(before->profiles[i++], false, take, context);
        else
            one_sided(after->profiles[j++], true, take, context);
    }
}

static int order_of(const opcat_snapshot_rule *a, const opcat_snapshot_rule *b)
{
    int order = strcmp(a->rule, b->rule);
    return order ? order : strcmp(a->pattern, b->pattern);
}

/* A trait's rule says nothing but that it is there. */
static opcat_value rule_value(const opcat_snapshot_rule *rule)
{
    return rule ? text_value(rule->arch ? rule->arch : "stated") : absent();
}

static bool compare_rule(const opcat_snapshot_rule *before, const opcat_snapshot_rule *after, opcat_difference_fn *take,
                         void *context)
{
    const opcat_snapshot_rule *either = before ? before : after;
    opcat_text name = {0};
    if (!either)
        return true;
    opcat_text_add(&name, "%s ", either->rule);
    opcat_text_quote(&name, either->pattern, strlen(either->pattern));
    bool whole = !name.failed;
    opcat_difference difference = {
        .section = "rule", .name = name.bytes, .before = rule_value(before), .after = rule_value(after)};
    if (whole)
        compare(&difference, take, context);
    free(name.bytes);
    return whole;
}

bool opcat_compare_snapshots(const opcat_snapshot *before, const opcat_snapshot *after, opcat_difference_fn *take,
                             void *context)
{
    size_t i = 0;
    size_t j = 0;
    bool whole = true;
    compare_families(before, after, take, context);
    while (whole && (i < before->rule_count || j < after->rule_count)) {
        int order = i == before->rule_count  ? 1
                    : j == after->rule_count ? -1
                                             : order_of(&before->rules[i], &after->rules[j]);
        const opcat_snapshot_rule *one = order <= 0 ? &before->rules[i++] : NULL;
        const opcat_snapshot_rule *other = order >= 0 ? &after->rules[j++] : NULL;
        whole = compare_rule(one, other, take, context);
    }
    return whole;
}

/* ---- Texts ----------------------------------------------------------------------------------------------- */

void opcat_difference_path(opcat_text *text, const opcat_difference *difference)
{
    const char *section = difference->section;
    bool of_kind = difference->kind != NULL;
    if (of_kind)
        opcat_text_add(text, "%s", difference->kind);
    if (strcmp(section, "kind") == 0)
        return;
    if (strcmp(section, "op") != 0)
        opcat_text_add(text, "%s%s", of_kind ? "." : "", section);
    if (difference->name)
        opcat_text_add(text, "%s%s", strcmp(section, "rule") == 0 ? " " : ".", difference->name);
}

void opcat_value_text(opcat_text *text, const opcat_value *value)
{
    switch (value->type) {
    case OPCAT_VALUE_ABSENT:
        opcat_text_add(text, "nothing");
        break;
    case OPCAT_VALUE_NUMBER:
        opcat_text_add(text, "%" PRId64, value->number);
        break;
    case OPCAT_VALUE_FLAG:
        opcat_text_add(text, value->number ? "true" : "false");
        break;
    case OPCAT_VALUE_TEXT:
        opcat_text_add(text, "%s", value->text);
        break;
    }
    if (value->by_default)
        opcat_text_add(text, " (default)");
}
