/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles a handle has read, by family. */
#ifndef OPCAT_CACHE_H
#define OPCAT_CACHE_H

#include <string.h>

#include "opcat.h"

typedef struct opcat_cache_slot {
    const opcat_profile *profile; /* NULL where the slot is free */
    uint64_t hash;
} opcat_cache_slot;

/* Open addressing, never more than three quarters full. All zero bytes is an empty cache. */
typedef struct opcat_cache {
    opcat_cache_slot *slots;
    size_t room; /* a power of two, or 0 */
    size_t count;
} opcat_cache;

/* ---- Looking up: in the header, since calls would be a fifth of it ---------------------------------------- */

static inline uint64_t opcat_cache_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Eight bytes at a time: a hash that multiplies for each byte would be most of a look-up. */
static inline uint64_t opcat_cache_hash(const char *text)
{
    size_t length = strlen(text);
    uint64_t hash = length, word;
    for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = opcat_cache_mix(hash, word);
    }
    word = 0;
    for (size_t i = 0; i < length; i++)
        word = word << 8 | (unsigned char)text[i];
    return opcat_cache_mix(hash, word);
}

/* The slot that holds `arch`, or the free one where it would go. There is always a free one. */
static inline opcat_cache_slot *opcat_cache_slot_of(const opcat_cache *cache, const char *arch, uint64_t hash)
{
    size_t mask = cache->room - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        opcat_cache_slot *slot = &cache->slots[i];
        if (!slot->profile || (slot->hash == hash && strcmp(slot->profile->arch, arch) == 0))
            return slot;
    }
}

/* The profile of a family, or NULL. */
static inline const opcat_profile *opcat_cache_find(const opcat_cache *cache, const char *arch)
{
    return cache->room ? opcat_cache_slot_of(cache, arch, opcat_cache_hash(arch))->profile : NULL;
}

/* ---- Adding ---------------------------------------------------------------------------------------------- */

/* Add a profile that is not there, taking over its holding. False where memory is out: then nothing is taken. */
bool opcat_cache_add(opcat_cache *cache, const opcat_profile *profile);
/* Drop every profile, and free the cache's memory. */
void opcat_cache_free(opcat_cache *cache);

#endif
