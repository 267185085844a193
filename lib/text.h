/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows, for messages. */
#ifndef OPCAT_TEXT_H
#define OPCAT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

/* All zero bytes is an empty text. Where memory runs out `failed` is set, and what follows is dropped. */
typedef struct opcat_text {
    char *bytes; /* NUL-terminated, or NULL while empty; free() it */
    size_t length;
    size_t room;
    bool failed;
} opcat_text;

void opcat_text_add(opcat_text *text, const char *format, ...) OPCAT_PRINTF(2, 3);
void opcat_text_vadd(opcat_text *text, const char *format, va_list arguments) OPCAT_PRINTF(2, 0);
void opcat_text_add_bytes(opcat_text *text, const char *bytes, size_t length);

/*
 * Add `bytes` in single quotes, on one line: control characters and quotes are escaped, bytes that are not UTF-8
 * become \xHH, and past some 120 bytes the rest is left out.
 */
void opcat_text_quote(opcat_text *text, const char *bytes, size_t length);

/* Add a text so that it cannot drive a terminal: control characters and what is no UTF-8 are escaped. */
void opcat_text_escape(opcat_text *text, const char *bytes);

/*
 * The length in bytes of the UTF-8 character at `bytes`, of which `length` (at least 1) are there; 0 where there is
 * no valid one. *code is the character.
 */
size_t opcat_utf8_character(const char *bytes, size_t length, unsigned *code);
/* Whether all `length` bytes are UTF-8. */
bool opcat_utf8_valid(const char *bytes, size_t length);
/* Whether a character is a control character: U+0000 to U+001F, U+007F to U+009F. */
bool opcat_is_control(unsigned code);

#endif
