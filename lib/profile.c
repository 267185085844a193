/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * A profile in memory: this head, the kinds, then the strings, in one allocation. `references` counts retained
 * references in steps of two; the lowest bit is set while the maker holds the profile, so that a release which no
 * retain stands behind cannot take the profile from under its maker.
 */
typedef struct profile_box {
    atomic_size_t references;
    uint32_t run_stated;
    opcat_profile profile;
    opcat_layer_kind kinds[];
} profile_box;

enum { HELD = 1, RETAINED = 2 };

static profile_box *box_of(const opcat_profile *profile)
{
    return (profile_box *)(void *)((char *)(uintptr_t)profile - offsetof(profile_box, profile));
}

void opcat_draft_start(opcat_draft *draft, const char *arch)
{
    draft->arch = arch;
    draft->kind_count = 0;
    draft->default_kind = OPCAT_NO_DEFAULT;
    draft->run_stated = 0;
    draft->v_head_dim = 0;
}

opcat_layer_kind *opcat_draft_add_kind(opcat_draft *draft)
{
    if (draft->kind_count == draft->kind_room) {
        size_t room = draft->kind_room ? draft->kind_room * 2 : 8;
        opcat_layer_kind *kinds = realloc(draft->kinds, room * sizeof *kinds);
        if (!kinds)
            return NULL;
        draft->kinds = kinds;
        draft->kind_room = room;
    }
    opcat_layer_kind *kind = &draft->kinds[draft->kind_count++];
    memset(kind, 0, sizeof *kind);
    return kind;
}

void opcat_draft_state_run(opcat_draft *draft, size_t index, int64_t value)
{
    draft->run[index] = value;
    draft->run_stated |= UINT32_C(1) << index;
}

void opcat_draft_free(opcat_draft *draft)
{
    free(draft->kinds);
    draft->kinds = NULL;
    draft->kind_count = draft->kind_room = 0;
}

/* Copy a string to *end, and move *end behind it. */
static const char *place_string(char **end, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = memcpy(*end, text, size);
    *end += size;
    return copy;
}

static void fill_run(opcat_run *run, const opcat_draft *draft)
{
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        bool stated = draft->run_stated >> i & 1;
        opcat_run_set(run, i, stated ? draft->run[i] : opcat_run_fields[i].fallback);
    }
}

opcat_profile *opcat_profile_new(const opcat_draft *draft)
{
    size_t kinds_size = draft->kind_count * sizeof(opcat_layer_kind);
    size_t size = sizeof(profile_box) + kinds_size + strlen(draft->arch) + 1;
    for (size_t i = 0; i < draft->kind_count; i++)
        size += strlen(draft->kinds[i].name) + 1;
    profile_box *box = malloc(size);
    if (!box)
        return NULL;
    atomic_init(&box->references, HELD);
    box->run_stated = draft->run_stated;

    char *strings = (char *)box->kinds + kinds_size;
    if (kinds_size)
        memcpy(box->kinds, draft->kinds, kinds_size);
    for (size_t i = 0; i < draft->kind_count; i++)
        box->kinds[i].name = place_string(&strings, draft->kinds[i].name);
    opcat_profile *profile = &box->profile;
    profile->arch = place_string(&strings, draft->arch);
    profile->kind_count = draft->kind_count;
    profile->kinds = box->kinds;
    profile->default_kind = draft->default_kind < draft->kind_count ? &box->kinds[draft->default_kind] : NULL;
    profile->model.v_head_dim = draft->v_head_dim;
    memset(&profile->run, 0, sizeof profile->run);
    fill_run(&profile->run, draft);
    return profile;
}

uint32_t opcat_profile_stated(const opcat_profile *profile)
{
    return box_of(profile)->run_stated;
}

void opcat_profile_drop(const opcat_profile *profile)
{
    if (!profile)
        return;
    profile_box *box = box_of(profile);
    if (atomic_fetch_and_explicit(&box->references, ~(size_t)HELD, memory_order_acq_rel) == HELD)
        free(box);
}

const opcat_profile *opcat_profile_retain(const opcat_profile *profile)
{
    if (profile)
        atomic_fetch_add_explicit(&box_of(profile)->references, RETAINED, memory_order_relaxed);
    return profile;
}

void opcat_profile_release(const opcat_profile *profile)
{
    if (!profile)
        return;
    profile_box *box = box_of(profile);
    size_t seen = atomic_load_explicit(&box->references, memory_order_relaxed);
    do {
        if (seen < RETAINED)
            return;
    } while (!atomic_compare_exchange_weak_explicit(&box->references, &seen, seen - RETAINED, memory_order_acq_rel,
                                                    memory_order_relaxed));
    if (seen == RETAINED)
        free(box);
}
