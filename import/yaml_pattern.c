/* SPDX-License-Identifier: Apache-2.0 */
/* The regular expressions of PyYAML's resolver, by hand: the comments quote them. */
#include "yaml_pattern.h"

#include <string.h>

static bool at_end(const opcat_cursor *from)
{
    return from->at == from->end;
}

static bool one_of(opcat_cursor *from, const char *set)
{
    if (at_end(from) || !*from->at || !strchr(set, *from->at))
        return false;
    from->at++;
    return true;
}

static size_t many_of(opcat_cursor *from, const char *set)
{
    size_t count = 0;
    while (one_of(from, set))
        count++;
    return count;
}

static bool literally(opcat_cursor *from, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(from->end - from->at) < length || memcmp(from->at, text, length) != 0)
        return false;
    from->at += length;
    return true;
}

bool opcat_is_any(opcat_cursor whole, const char *const *words)
{
    for (; *words; words++) {
        opcat_cursor from = whole;
        if (literally(&from, *words) && at_end(&from))
            return true;
    }
    return false;
}

static const char digits[] = "0123456789";
static const char digits_[] = "0123456789_";

/* (?::[0-5]?[0-9])+ */
static bool sexagesimal_rest(opcat_cursor *from)
{
    bool any = false;
    for (;;) {
        opcat_cursor ahead = *from;
        if (!one_of(&ahead, ":"))
            return any;
        opcat_cursor two = ahead;
        if (one_of(&two, "012345") && one_of(&two, digits))
            ahead = two;
        else if (!one_of(&ahead, digits))
            return any;
        *from = ahead;
        any = true;
    }
}

bool opcat_is_int(opcat_cursor from)
{
    one_of(&from, "-+");
    opcat_cursor start = from;
    if (literally(&from, "0b") && many_of(&from, "01_") && at_end(&from))
        return true;
    from = start;
    if (literally(&from, "0x") && many_of(&from, "0123456789abcdefABCDEF_") && at_end(&from))
        return true;
    from = start;
    if (one_of(&from, "0"))
        return many_of(&from, "01234567_"), at_end(&from);
    if (!one_of(&from, "123456789"))
        return false;
    many_of(&from, digits_);
    if (!at_end(&from))
        sexagesimal_rest(&from);
    return at_end(&from);
}

/* (?:[eE][-+][0-9]+)? at the end */
static bool exponent_ends(opcat_cursor from)
{
    return at_end(&from) || (one_of(&from, "eE") && one_of(&from, "-+") && many_of(&from, digits) && at_end(&from));
}

bool opcat_is_float(opcat_cursor from)
{
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
    opcat_cursor start = from;
    if (opcat_is_any(start, nans))
        return true;
    if (one_of(&from, ".") && one_of(&from, digits)) {
        many_of(&from, digits_);
        if (exponent_ends(from))
            return true;
    }
    from = start;
    one_of(&from, "-+");
    if (opcat_is_any(from, infinities))
        return true;
    if (!one_of(&from, digits))
        return false;
    many_of(&from, digits_);
    opcat_cursor whole = from;
    if (one_of(&from, ".")) {
        many_of(&from, digits_);
        return exponent_ends(from);
    }
    from = whole;
    return sexagesimal_rest(&from) && one_of(&from, ".") && (many_of(&from, digits_), at_end(&from));
}

/* Between `least` and `most` digits, as many as there are; their value, or -1. */
static int number(opcat_cursor *from, size_t least, size_t most)
{
    int value = 0;
    size_t count = 0;
    while (count < most && !at_end(from) && *from->at >= '0' && *from->at <= '9') {
        value = value * 10 + (*from->at - '0');
        from->at++;
        count++;
    }
    return count >= least ? value : -1;
}

/* (?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))? at the end */
static bool zone_ends(opcat_cursor from, opcat_date *found)
{
    if (at_end(&from))
        return true;
    many_of(&from, " \t");
    if (one_of(&from, "Z"))
        return at_end(&from);
    if (!one_of(&from, "-+") || (found->zone_hour = number(&from, 1, 2)) < 0)
        return false;
    if (at_end(&from))
        return true;
    return one_of(&from, ":") && (found->zone_minute = number(&from, 2, 2)) >= 0 && at_end(&from);
}

bool opcat_is_date(opcat_cursor from, opcat_date *found)
{
    opcat_cursor month, day;
    *found = (opcat_date){0};
    if ((found->year = number(&from, 4, 4)) < 0 || !one_of(&from, "-"))
        return false;
    month = from;
    if ((found->month = number(&from, 1, 2)) < 0 || !one_of(&from, "-"))
        return false;
    bool two_digits = from.at - month.at == 3;
    day = from;
    if ((found->day = number(&from, 1, 2)) < 0)
        return false;
    if (at_end(&from))
        return two_digits && from.at - day.at == 2;
    if (!one_of(&from, "Tt") && !many_of(&from, " \t"))
        return false;
    if ((found->hour = number(&from, 1, 2)) < 0 || !one_of(&from, ":") || (found->minute = number(&from, 2, 2)) < 0 ||
        !one_of(&from, ":") || (found->second = number(&from, 2, 2)) < 0)
        return false;
    if (one_of(&from, "."))
        many_of(&from, digits);
    return zone_ends(from, found);
}

bool opcat_is_on_the_calendar(const opcat_date *found)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (found->year < 1 || found->month < 1 || found->month > 12 || found->day < 1)
        return false;
    bool leap = (found->year % 4 == 0 && found->year % 100 != 0) || found->year % 400 == 0;
    int longest = found->month == 2 && leap ? 29 : days[found->month - 1];
    return found->day <= longest && found->hour < 24 && found->minute < 60 && found->second < 60 &&
           found->zone_hour * 60 + found->zone_minute < 24 * 60;
}
