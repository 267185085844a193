/* SPDX-License-Identifier: Apache-2.0 */
/* What plain scalars look like in YAML 1.1. */
#ifndef OPCAT_YAML_PATTERN_H
#define OPCAT_YAML_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* A stretch of text; each function looks at the whole of it. */
typedef struct opcat_cursor {
    const char *at;
    const char *end;
} opcat_cursor;

typedef struct opcat_date {
    int year, month, day, hour, minute, second, zone_hour, zone_minute;
} opcat_date;

/* Whether it is one of the NULL-terminated `words`. */
bool opcat_is_any(opcat_cursor whole, const char *const *words);
bool opcat_is_int(opcat_cursor from);
bool opcat_is_float(opcat_cursor from);
/* Whether it has a timestamp's form: a date alone has two digits everywhere, one with a time may have less. */
bool opcat_is_date(opcat_cursor from, opcat_date *found);
bool opcat_is_on_the_calendar(const opcat_date *found);

#endif
