/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Eight bytes at a time: a hash that multiplies for each byte would be most of a look-up. */
static uint64_t hash_of(const char *text)
{
    size_t length = strlen(text);
    uint64_t hash = length, word;
    for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    for (size_t i = 0; i < length; i++)
        word = word << 8 | (unsigned char)text[i];
    return mix(hash, word);
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
    return cache->room ? slot_of(cache, arch, hash_of(arch))->profile : NULL;
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
    uint64_t hash = hash_of(profile->arch);
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
