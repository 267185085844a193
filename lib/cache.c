/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* FNV-1a: family names are a few bytes long. */
uint64_t opcat_hash(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* The slot that holds `arch`, or the free one where it would go. There is always a free one. */
static opcat_cache_slot *slot_of(const opcat_cache *cache, const char *arch, uint64_t hash)
{
    size_t mask = cache->room - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        opcat_cache_slot *slot = &cache->slots[i];
        if (!slot->profile || (slot->hash == hash && strcmp(slot->profile->arch, arch) == 0))
            return slot;
    }
}

const opcat_profile *opcat_cache_find(const opcat_cache *cache, const char *arch)
{
    return cache->room ? slot_of(cache, arch, opcat_hash(arch))->profile : NULL;
}

static bool grow(opcat_cache *cache)
{
    opcat_cache larger = {.room = cache->room ? cache->room * 2 : 16, .count = cache->count};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < cache->room; i++) {
        const opcat_cache_slot *slot = &cache->slots[i];
        if (slot->profile)
            *slot_of(&larger, slot->profile->arch, slot->hash) = *slot;
    }
    free(cache->slots);
    *cache = larger;
    return true;
}

bool opcat_cache_add(opcat_cache *cache, const opcat_profile *profile)
{
    if (cache->count >= cache->room / 4 * 3 && !grow(cache))
        return false;
    uint64_t hash = opcat_hash(profile->arch);
    *slot_of(cache, profile->arch, hash) = (opcat_cache_slot){profile, hash};
    cache->count++;
    return true;
}

void opcat_cache_free(opcat_cache *cache)
{
    for (size_t i = 0; i < cache->room; i++)
        opcat_profile_drop(cache->slots[i].profile);
    free(cache->slots);
    *cache = (opcat_cache){0};
}
