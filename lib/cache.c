/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

static bool grow(opcat_cache *cache)
{
    opcat_cache larger = {.room = cache->room ? cache->room * 2 : 16, .count = cache->count};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < cache->room; i++) {
        const opcat_cache_slot *slot = &cache->slots[i];
        if (slot->profile)
            *opcat_cache_slot_of(&larger, slot->profile->arch, slot->hash) = *slot;
    }
    free(cache->slots);
    *cache = larger;
    return true;
}

bool opcat_cache_add(opcat_cache *cache, const opcat_profile *profile)
{
    if (cache->count >= cache->room / 4 * 3 && !grow(cache))
        return false;
    uint64_t hash = opcat_cache_hash(profile->arch);
    *opcat_cache_slot_of(cache, profile->arch, hash) = (opcat_cache_slot){profile, hash};
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
