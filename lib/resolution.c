/* SPDX-License-Identifier: Apache-2.0 */
/* The op counts that a model is priced with: a profile's own, or those that someone declares. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "resolution.h"

#include "nearest.h"
#include "vocabulary.h"

/* A resolution in memory. Its kinds' names are the profile's, which it keeps. */
typedef struct resolution_box {
    opcat_resolution resolution;
    const opcat_profile *profile;
    opcat_kind_ops kinds[];
} resolution_box;

void opcat_resolution_free(opcat_resolution *resolution)
{
    if (!resolution)
        return;
    resolution_box *box = (resolution_box *)(void *)((char *)resolution - offsetof(resolution_box, resolution));
    opcat_profile_release(box->profile);
    free(box);
}

static resolution_box *box_for(const opcat_profile *profile)
{
    resolution_box *box = calloc(1, sizeof *box + profile->kind_count * sizeof(opcat_kind_ops));
    if (!box)
        return NULL;
    box->profile = opcat_profile_retain(profile);
    box->resolution.count = profile->kind_count;
    box->resolution.kinds = box->kinds;
    return box;
}

static opcat_text about(const opcat_profile *profile)
{
    opcat_text text = {0};
    opcat_text_add(&text, "the counts declared for family ");
    opcat_text_quote(&text, profile->arch, strlen(profile->arch));
    opcat_text_add(&text, " ");
    return text;
}

static opcat_status unknown_kind(opcat_error *error, const opcat_profile *profile, const char *name)
{
    opcat_text text = about(profile);
    opcat_text_add(&text, "name a kind ");
    opcat_text_quote(&text, name, strlen(name));
    opcat_text_add(&text, ", which it has not; it has ");
    const char **names = malloc((profile->kind_count + 1) * sizeof *names);
    text.failed = text.failed || !names;
    for (size_t i = 0; names && i < profile->kind_count; i++)
        names[i] = profile->kinds[i].name;
    if (names)
        opcat_text_add_nearest(&text, name, names, profile->kind_count);
    free(names);
    return opcat_error_take(error, OPCAT_INVALID, &text);
}

static opcat_status say(opcat_error *error, const opcat_profile *profile, const char *what, const char *name)
{
    opcat_text text = about(profile);
    opcat_text_add(&text, "%s ", what);
    opcat_text_quote(&text, name, strlen(name));
    return opcat_error_take(error, OPCAT_INVALID, &text);
}

static opcat_status check_counts(opcat_error *error, const opcat_profile *profile, const opcat_kind_ops *declared)
{
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        if (declared->ops.at[op] >= 0)
            continue;
        opcat_text text = about(profile);
        opcat_text_add(&text, "are wrong for kind ");
        opcat_text_quote(&text, declared->kind, strlen(declared->kind));
        opcat_text_add(&text, ": %s must be at least 0, got %" PRId64, opcat_op_names[op], declared->ops.at[op]);
        return opcat_error_take(error, OPCAT_INVALID, &text);
    }
    return OPCAT_OK;
}

/* The place of a kind; most callers declare the kinds in the profile's order, so `guess` is tried first. */
static size_t place_of(const opcat_profile *profile, const char *name, size_t guess)
{
    if (guess < profile->kind_count && strcmp(profile->kinds[guess].name, name) == 0)
        return guess;
    for (size_t i = 0; i < profile->kind_count; i++) {
        if (strcmp(profile->kinds[i].name, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static opcat_status fill_declared(opcat_error *error, resolution_box *box, const opcat_kind_ops *declared, size_t count)
{
    const opcat_profile *profile = box->profile;
    for (size_t i = 0; i < count; i++) {
        if (!declared[i].kind)
            return opcat_error_set(error, OPCAT_MISUSE, "opcat_resolve_ops: declared[%zu].kind is NULL", i);
        size_t place = place_of(profile, declared[i].kind, i);
        if (place == SIZE_MAX)
            return unknown_kind(error, profile, declared[i].kind);
        if (box->kinds[place].kind)
            return say(error, profile, "name twice the kind", declared[i].kind);
        opcat_status status = check_counts(error, profile, &declared[i]);
        if (status != OPCAT_OK)
            return status;
        box->kinds[place] = (opcat_kind_ops){profile->kinds[place].name, declared[i].ops};
    }
    for (size_t i = 0; i < profile->kind_count; i++) {
        if (!box->kinds[i].kind)
            return say(error, profile, "leave out its kind", profile->kinds[i].name);
    }
    return OPCAT_OK;
}

static void fill_own(resolution_box *box)
{
    for (size_t i = 0; i < box->resolution.count; i++)
        box->kinds[i] = (opcat_kind_ops){box->profile->kinds[i].name, box->profile->kinds[i].ops};
}

opcat_status opcat_resolve(const opcat_profile *profile, const opcat_kind_ops *declared, size_t count,
                           opcat_error *error, opcat_resolution **resolution)
{
    opcat_status status = OPCAT_OK;
    *resolution = NULL;
    resolution_box *box = box_for(profile);
    if (!box)
        return opcat_error_nomem(error);
    if (count)
        status = fill_declared(error, box, declared, count);
    else
        fill_own(box);
    if (status == OPCAT_OK)
        *resolution = &box->resolution;
    else
        opcat_resolution_free(&box->resolution);
    return status;
}
