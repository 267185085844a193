/* SPDX-License-Identifier: Apache-2.0 */
#include "py_number.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"

/* The zeros of the decimal digits that are not ASCII's: each opens ten digits in a row (Unicode 14). */
static const unsigned zeros[] = {
    0x00660, 0x006f0, 0x007c0, 0x00966, 0x009e6, 0x00a66, 0x00ae6, 0x00b66, 0x00be6, 0x00c66, 0x00ce6, 0x00d66, 0x00de6,
    0x00e50, 0x00ed0, 0x00f20, 0x01040, 0x01090, 0x017e0, 0x01810, 0x01946, 0x019d0, 0x01a80, 0x01a90, 0x01b50, 0x01bb0,
    0x01c40, 0x01c50, 0x0a620, 0x0a8d0, 0x0a900, 0x0a9d0, 0x0a9f0, 0x0aa50, 0x0abf0, 0x0ff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50,
    0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
};

static bool is_foreign_space(unsigned code)
{
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/* A character as ASCII that means the same in a number; '?' where there is none. */
static char to_ascii(unsigned code)
{
    size_t low = 0;
    size_t high = sizeof zeros / sizeof *zeros;
    if (code < 0x80)
        return code ? (char)code : '?';
    if (is_foreign_space(code))
        return ' ';
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zeros[middle] <= code)
            low = middle + 1;
        else
            high = middle;
    }
    return low && code - zeros[low - 1] < 10 ? (char)('0' + (code - zeros[low - 1])) : '?';
}

/* The text character by character, as ASCII, without the white space around it. */
typedef struct reader {
    const char *at;
    const char *end;
} reader;

/* The next character as ASCII, or '\0' at the end; *size is its length. */
static char peek(const reader *from, size_t *size)
{
    unsigned code = 0;
    *size = 0;
    if (from->at == from->end)
        return '\0';
    *size = opcat_utf8_character(from->at, (size_t)(from->end - from->at), &code);
    if (*size == 0)
        *size = 1;
    return to_ascii(code);
}

static char next(reader *from)
{
    size_t size;
    char c = peek(from, &size);
    from->at += size;
    return c;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char look(const reader *from)
{
    size_t size;
    return peek(from, &size);
}

static void skip_space(reader *from)
{
    while (is_space(look(from)))
        next(from);
}

static bool skip(reader *from, const char *set)
{
    char c = look(from);
    if (!c || !strchr(set, c))
        return false;
    next(from);
    return true;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

void opcat_whole_extend(opcat_whole *whole, int factor, int64_t addend)
{
    /* Both ends are as far from zero, so that any value can be negated; -2^63 counts as huge. */
    int64_t most = (INT64_MAX - (addend > 0 ? addend : 0)) / factor;
    int64_t least = (-INT64_MAX - (addend < 0 ? addend : 0)) / factor;
    if (whole->huge || whole->value > most || whole->value < least)
        whole->huge = true;
    else
        whole->value = whole->value * factor + addend;
}

/* Skip "0x" and the like, where the text opens with it. */
static bool skip_prefix(reader *from, int base)
{
    const char *letters = base == 16 ? "xX" : base == 8 ? "oO" : base == 2 ? "bB" : "";
    reader ahead = *from;
    if (next(&ahead) != '0' || !skip(&ahead, letters))
        return false;
    *from = ahead;
    return true;
}

bool opcat_py_int(const char *text, size_t length, int base, opcat_whole *whole)
{
    reader from = {text, text + length};
    *whole = (opcat_whole){0};
    skip_space(&from);
    whole->negative = look(&from) == '-';
    skip(&from, "+-");
    if (skip_prefix(&from, base))
        skip(&from, "_");
    bool after_digit = false;
    for (;;) {
        char c = look(&from);
        if (c == '_' && after_digit) {
            after_digit = false;
        } else if (digit_value(c) < base) {
            opcat_whole_extend(whole, base, digit_value(c));
            after_digit = true;
        } else {
            break;
        }
        next(&from);
    }
    skip_space(&from);
    if (!after_digit || from.at != from.end)
        return false;
    if (whole->negative)
        whole->value = -whole->value;
    return true;
}

/* ---- Floats ---------------------------------------------------------------------------------------------- */

static bool take_digits(reader *from)
{
    bool any = false;
    while (digit_value(look(from)) < 10) {
        next(from);
        any = true;
    }
    return any;
}

static bool take_word(reader *from, const char *word)
{
    reader ahead = *from;
    for (; *word; word++) {
        char c = next(&ahead);
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != *word)
            return false;
    }
    *from = ahead;
    return true;
}

/* Whether a float without sign and white space stands here; move behind it. */
static bool take_float(reader *from)
{
    if (take_word(from, "infinity") || take_word(from, "inf") || take_word(from, "nan"))
        return true;
    bool whole = take_digits(from);
    bool fraction = skip(from, ".") && take_digits(from);
    if (!whole && !fraction)
        return false;
    reader ahead = *from;
    if (skip(&ahead, "eE")) {
        skip(&ahead, "+-");
        if (take_digits(&ahead))
            *from = ahead;
    }
    return true;
}

bool opcat_py_float(const char *text, size_t length, double *value, bool *nomem)
{
    reader from = {text, text + length};
    skip_space(&from);
    reader start = from;
    skip(&from, "+-");
    if (!take_float(&from))
        return false;
    const char *end = from.at;
    skip_space(&from);
    if (from.at != from.end)
        return false;
    opcat_text ascii = {0};
    opcat_text_add_bytes(&ascii, "", 0);
    for (reader copy = {start.at, end}; copy.at < copy.end;) {
        char c = next(&copy);
        opcat_text_add_bytes(&ascii, &c, 1);
    }
    bool done = !ascii.failed;
    *nomem = *nomem || ascii.failed;
    if (done)
        *value = strtod(ascii.bytes, NULL);
    free(ascii.bytes);
    return done;
}
