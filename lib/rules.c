/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { NO_PARENT = -1, HEAD = sizeof(uint64_t), BYTES = 256 };

/*
 * Prefixes stand sorted by bytes. Of all that are no greater than a name, the last either opens the name or shares an
 * opening with it; the longest prefix that opens the name is then it or one of the prefixes that open it in turn.
 */
typedef struct prefix {
    uint64_t head; /* its first bytes, the first in the highest place, so that heads compare as strings do */
    uint64_t mask; /* the places of the head that it fills */
    const char *pattern;
    const char *arch;
    int parent; /* the longest other prefix that opens this one, or NO_PARENT */
} prefix;

typedef struct pattern_list {
    const char **items;
    size_t count;
    size_t room;
} pattern_list;

struct opcat_ruleset {
    prefix *prefixes;
    size_t count;
    size_t room;
    uint32_t first[BYTES + 1]; /* prefixes that open with byte b stand from first[b] to first[b + 1] */
    pattern_list traits[OPCAT_TRAIT_COUNT];
    opcat_text strings; /* until the set is finished, all strings above are offsets into this, and one */
};

unsigned char opcat_lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

opcat_ruleset *opcat_ruleset_new(void)
{
    return calloc(1, sizeof(opcat_ruleset));
}

void opcat_ruleset_free(opcat_ruleset *set)
{
    if (!set)
        return;
    free(set->prefixes);
    for (size_t i = 0; i < OPCAT_TRAIT_COUNT; i++)
        free(set->traits[i].items);
    free(set->strings.bytes);
    free(set);
}

static const char *keep(opcat_ruleset *set, const char *text)
{
    size_t at = set->strings.length;
    opcat_text_add_bytes(&set->strings, text, strlen(text) + 1);
    return (const char *)(uintptr_t)(at + 1);
}

static const char *kept(const opcat_ruleset *set, const char *offset)
{
    return set->strings.bytes + ((uintptr_t)offset - 1);
}

static bool add_prefix(opcat_ruleset *set, const char *pattern, const char *arch)
{
    if (set->count == set->room) {
        size_t room = set->room ? set->room * 2 : 16;
        prefix *prefixes = realloc(set->prefixes, room * sizeof *prefixes);
        if (!prefixes)
            return false;
        set->prefixes = prefixes;
        set->room = room;
    }
    set->prefixes[set->count++] = (prefix){.pattern = keep(set, pattern), .arch = keep(set, arch), .parent = NO_PARENT};
    return !set->strings.failed;
}

static bool add_pattern(opcat_ruleset *set, pattern_list *list, const char *pattern)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        const char **items = realloc(list->items, room * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = keep(set, pattern);
    return !set->strings.failed;
}

bool opcat_ruleset_add(opcat_ruleset *set, int trait, const char *pattern, const char *arch)
{
    return trait < 0 ? add_prefix(set, pattern, arch) : add_pattern(set, &set->traits[trait], pattern);
}

static int compare_prefixes(const void *a, const void *b)
{
    return strcmp(((const prefix *)a)->pattern, ((const prefix *)b)->pattern);
}

static bool opens(const char *opening, const char *text)
{
    return strncmp(opening, text, strlen(opening)) == 0;
}

/* Eight bytes at once, ASCII's upper-case letters among them made lower-case. */
static uint64_t lower_bytes(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = bytes & (0x7f * ones);
    uint64_t from_a = low + (0x80 - 'A') * ones;
    uint64_t past_z = low + (0x7f - 'Z') * ones;
    uint64_t upper = ~bytes & (from_a ^ past_z) & (0x80 * ones);
    return bytes | upper >> 2;
}

/* The first bytes of a text, lower-cased; *filled are the places of those there are. */
static uint64_t head_of(const char *text, uint64_t *filled)
{
    uint64_t head = 0;
    int places = 0;
    for (; places < HEAD && text[places]; places++)
        head = head << 8 | (unsigned char)text[places];
    if (places == 0) {
        *filled = 0;
        return 0;
    }
    int empty = 8 * (HEAD - places);
    *filled = UINT64_MAX << empty;
    return lower_bytes(head << empty);
}

static void index_prefixes(opcat_ruleset *set)
{
    size_t next = 0;
    for (unsigned byte = 0; byte <= BYTES; byte++) {
        while (next < set->count && (unsigned char)set->prefixes[next].pattern[0] < byte)
            next++;
        set->first[byte] = (uint32_t)next;
    }
    for (size_t i = 0; i < set->count; i++)
        set->prefixes[i].head = head_of(set->prefixes[i].pattern, &set->prefixes[i].mask);
}

bool opcat_ruleset_finish(opcat_ruleset *set)
{
    if (set->strings.failed)
        return false;
    for (size_t i = 0; i < set->count; i++) {
        set->prefixes[i].pattern = kept(set, set->prefixes[i].pattern);
        set->prefixes[i].arch = kept(set, set->prefixes[i].arch);
    }
    for (size_t t = 0; t < OPCAT_TRAIT_COUNT; t++) {
        for (size_t i = 0; i < set->traits[t].count; i++)
            set->traits[t].items[i] = kept(set, set->traits[t].items[i]);
    }
    if (set->count)
        qsort(set->prefixes, set->count, sizeof *set->prefixes, compare_prefixes);
    for (size_t i = 1; i < set->count; i++) {
        int parent = (int)i - 1;
        while (parent != NO_PARENT && !opens(set->prefixes[parent].pattern, set->prefixes[i].pattern))
            parent = set->prefixes[parent].parent;
        set->prefixes[i].parent = parent;
    }
    index_prefixes(set);
    return true;
}

/* How a prefix compares with a name: 0 where it opens the name. */
static int compare_opening(const char *pattern, const char *name)
{
    for (;; pattern++, name++) {
        if (!*pattern)
            return 0;
        int difference = (unsigned char)*pattern - opcat_lower(*name);
        if (difference)
            return difference;
    }
}

/* Whether a prefix opens a name whose head is `head`. */
static bool opens_name(const prefix *one, uint64_t head, const char *name)
{
    if ((head & one->mask) != one->head)
        return false;
    return one->mask != UINT64_MAX || compare_opening(one->pattern + HEAD, name + HEAD) == 0;
}

/* Whether a prefix stands after a name: is greater, and does not open it. */
static bool is_after(const prefix *one, uint64_t head, const char *name)
{
    if (one->head != head)
        return one->head > head;
    return one->mask == UINT64_MAX && compare_opening(one->pattern + HEAD, name + HEAD) > 0;
}

const char *opcat_ruleset_arch(const opcat_ruleset *set, const char *name)
{
    uint64_t filled;
    uint64_t head = head_of(name, &filled);
    unsigned byte = opcat_lower(name[0]);
    size_t start = set->first[byte];
    size_t low = start;
    size_t high = set->first[byte + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_after(&set->prefixes[middle], head, name))
            high = middle;
        else
            low = middle + 1;
    }
    for (int i = low > start ? (int)low - 1 : NO_PARENT; i != NO_PARENT; i = set->prefixes[i].parent) {
        if (opens_name(&set->prefixes[i], head, name))
            return set->prefixes[i].arch;
    }
    return NULL;
}

bool opcat_ruleset_has(const opcat_ruleset *set, const char *name, opcat_trait trait)
{
    const pattern_list *list = &set->traits[trait];
    for (size_t i = 0; i < list->count; i++) {
        for (const char *at = name; *at; at++) {
            if (compare_opening(list->items[i], at) == 0)
                return true;
        }
    }
    return false;
}
