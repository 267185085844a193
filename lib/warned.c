/* SPDX-License-Identifier: Apache-2.0 */
#include "warned.h"

#include <stdatomic.h>
#include <stdint.h>

#include "rules.h"

/* An open-addressed set of hashes; 0 is a free slot. A hash that finds no place within PROBES takes the first. */
enum { SLOTS = 8192, PROBES = 16 };

static _Atomic uint64_t remembered[SLOTS];

static uint64_t hash_lowered(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *name; name++)
        hash = (hash ^ opcat_lower(*name)) * UINT64_C(1099511628211);
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

bool opcat_warned_first(const char *name)
{
    uint64_t hash = hash_lowered(name);
    for (size_t probe = 0; probe < PROBES; probe++) {
        _Atomic uint64_t *slot = &remembered[(hash + probe) % SLOTS];
        uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
        if (seen == 0 &&
            atomic_compare_exchange_strong_explicit(slot, &seen, hash, memory_order_relaxed, memory_order_relaxed))
            return true;
        if (seen == hash)
            return false;
    }
    atomic_store_explicit(&remembered[hash % SLOTS], hash, memory_order_relaxed);
    return true;
}
