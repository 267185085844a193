/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles a handle has read, by family. */
#ifndef OPCAT_CACHE_H
#define OPCAT_CACHE_H

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

const opcat_profile *opcat_cache_find(const opcat_cache *cache, const char *arch);
/* Add a profile that is not there, taking over its holding. False where memory is out: then nothing is taken. */
bool opcat_cache_add(opcat_cache *cache, const opcat_profile *profile);
/* Drop every profile, and free the cache's memory. */
void opcat_cache_free(opcat_cache *cache);

#endif
