/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as Python's int() and float() read them from text. */
#ifndef OPCAT_PY_NUMBER_H
#define OPCAT_PY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number. One that int64_t does not hold is `huge`, and then only its sign is known. */
typedef struct opcat_whole {
    int64_t value;
    bool huge;
    bool negative;
} opcat_whole;

/*
 * int(text, base) for base 2, 8, 10 or 16: white space around it, a sign, the base's prefix (not for 10), digits of
 * any script with single underscores between them. False where Python raises ValueError.
 */
bool opcat_py_int(const char *text, size_t length, int base, opcat_whole *whole);

/* float(text), without underscores. False where Python raises ValueError, or with *nomem set where memory is out. */
bool opcat_py_float(const char *text, size_t length, double *value, bool *nomem);

/* whole * factor + addend, for digits and for parts of base 60; once huge, it stays so. */
void opcat_whole_extend(opcat_whole *whole, int factor, int64_t addend);

#endif
