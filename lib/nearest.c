/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

/* A letter in the wrong case counts CASE, any other change EDIT. */
enum { LONGEST = 64, CASE = 1, EDIT = 3 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t bounded_length(const char *text)
{
    const char *end = memchr(text, '\0', LONGEST);
    return end ? (size_t)(end - text) : LONGEST;
}

static size_t replace_cost(char a, char b)
{
    if (a == b)
        return 0;
    return lower(a) == lower(b) ? CASE : EDIT;
}

size_t opcat_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1] = {{0}};
    size_t a_length = bounded_length(a);
    size_t b_length = bounded_length(b);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = j * EDIT;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i * EDIT;
        for (size_t j = 1; j <= b_length; j++) {
            size_t cost = least(above[j], row[j - 1]) + EDIT;
            cost = least(cost, above[j - 1] + replace_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = least(cost, before[j - 2] + EDIT);
            row[j] = cost;
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b_length];
}

const char *opcat_nearest(const char *name, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = opcat_distance(name, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    if (!best)
        return NULL;
    /* Near enough: a third of the longer name may be wrong, and one letter of a short one. */
    size_t longer = bounded_length(name) > bounded_length(best) ? bounded_length(name) : bounded_length(best);
    size_t allowed = longer / 3 ? longer / 3 : 1;
    return best_distance <= allowed * EDIT && best_distance < longer * EDIT ? best : NULL;
}

void opcat_text_add_nearest(opcat_text *text, const char *name, const char *const *names, size_t count)
{
    enum { SHOWN = 20 };
    struct {
        const char *name;
        size_t distance;
    } best[SHOWN] = {{0}};
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        size_t distance = opcat_distance(name, names[i]);
        size_t at = filled < SHOWN ? filled++ : SHOWN - 1;
        if (filled == SHOWN && at == SHOWN - 1 && i >= SHOWN && distance >= best[at].distance)
            continue;
        for (; at > 0 && best[at - 1].distance > distance; at--)
            best[at] = best[at - 1];
        best[at].name = names[i];
        best[at].distance = distance;
    }
    for (size_t i = 0; i < filled; i++) {
        opcat_text_add(text, i ? ", " : "");
        opcat_text_escape(text, best[i].name);
    }
    if (count > filled)
        opcat_text_add(text, ", and %zu more", count - filled);
}
