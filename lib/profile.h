/* SPDX-License-Identifier: Apache-2.0 */
/* How profiles are made: by the library from rows, by the importer from YAML. */
#ifndef OPCAT_PROFILE_H
#define OPCAT_PROFILE_H

#include "vocabulary.h"

#define OPCAT_NO_DEFAULT SIZE_MAX

/* No file of 1 MiB can state as many; a bound on what a reader takes from a damaged or hostile catalog. */
#define OPCAT_MAX_KINDS 65536u

/*
 * A profile being put together. The strings are whoever's fills it in, and must live until opcat_profile_new() has
 * copied them; only `kinds` is the draft's own.
 */
typedef struct opcat_draft {
    const char *arch;
    opcat_layer_kind *kinds; /* `attention` and `ffn` point to static names */
    size_t kind_count;
    size_t kind_room;
    size_t default_kind; /* a place in kinds, or OPCAT_NO_DEFAULT */
    int64_t run[OPCAT_RUN_COUNT];
    uint32_t run_stated; /* bit i: the family states run field i; where it is not set, run[i] does not count */
    int64_t v_head_dim;  /* 0 where unstated */
} opcat_draft;

/* Make the draft an empty one of family `arch`, keeping its memory for kinds; a new draft is all zero bytes. */
void opcat_draft_start(opcat_draft *draft, const char *arch);
/* Append a zeroed kind, or NULL where memory is out. */
opcat_layer_kind *opcat_draft_add_kind(opcat_draft *draft);
void opcat_draft_state_run(opcat_draft *draft, size_t index, int64_t value);
void opcat_draft_free(opcat_draft *draft);

/*
 * The profile that a draft states, with defaults filled in, in one allocation; NULL where memory is out. It is
 * held by its maker, who gives it up with opcat_profile_drop(); retained references keep it beyond that.
 */
opcat_profile *opcat_profile_new(const opcat_draft *draft);
void opcat_profile_drop(const opcat_profile *profile);

/* Which run fields the family states: bit i for run field i. */
uint32_t opcat_profile_stated(const opcat_profile *profile);

#endif
