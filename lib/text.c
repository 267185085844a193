/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make room for `extra` bytes and a NUL. */
static bool reserve(opcat_text *text, size_t extra)
{
    if (text->failed)
        return false;
    size_t needed = text->length + extra + 1;
    if (needed <= text->room)
        return true;
    size_t room = text->room ? text->room : 64;
    while (room < needed)
        room *= 2;
    char *bytes = realloc(text->bytes, room);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->room = room;
    return true;
}

void opcat_text_add_bytes(opcat_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void opcat_text_vadd(opcat_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again); /* NOLINT: the analyzer does not know va_copy() */
    va_end(again);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void opcat_text_add(opcat_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    opcat_text_vadd(text, format, arguments);
    va_end(arguments);
}

bool opcat_is_control(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

size_t opcat_utf8_character(const char *bytes, size_t length, unsigned *code)
{
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = (unsigned char)bytes[0];
    size_t size = first < 0x80 ? 1 : first >> 5 == 0x6 ? 2 : first >> 4 == 0xe ? 3 : first >> 3 == 0x1e ? 4 : 0;
    if (size == 0 || size > length)
        return 0;
    unsigned value = size == 1 ? first : first & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        unsigned next = (unsigned char)bytes[i];
        if (next >> 6 != 0x2)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
    return size;
}

bool opcat_utf8_valid(const char *bytes, size_t length)
{
    unsigned code;
    for (size_t at = 0; at < length;) {
        size_t size = opcat_utf8_character(bytes + at, length - at, &code);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* Add one character as it can stand in quotes on one line; give the number of bytes it took. */
static size_t quote_character(opcat_text *text, const char *bytes, size_t length)
{
    unsigned code = 0;
    size_t size = opcat_utf8_character(bytes, length, &code);
    if (size == 0) {
        opcat_text_add(text, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
        return 1;
    }
    if (code == '\n')
        opcat_text_add(text, "\\n");
    else if (code == '\t')
        opcat_text_add(text, "\\t");
    else if (code == '\'' || code == '\\')
        opcat_text_add(text, "\\%c", (int)code);
    else if (opcat_is_control(code) || code == 0x2028 || code == 0x2029)
        opcat_text_add(text, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
    else
        opcat_text_add_bytes(text, bytes, size);
    return size;
}

void opcat_text_quote(opcat_text *text, const char *bytes, size_t length)
{
    enum { LONGEST = 120 };
    opcat_text_add(text, "'");
    size_t at = 0;
    while (at < length && at < LONGEST)
        at += quote_character(text, bytes + at, length - at);
    opcat_text_add(text, at < length ? "...'" : "'");
}

void opcat_text_escape(opcat_text *text, const char *bytes)
{
    unsigned code = 0;
    size_t length = strlen(bytes);
    for (size_t at = 0; at < length;) {
        size_t size = opcat_utf8_character(bytes + at, length - at, &code);
        if (size && !opcat_is_control(code))
            opcat_text_add_bytes(text, bytes + at, size);
        else if (size)
            opcat_text_add(text, "\\u%04x", code);
        else
            opcat_text_add(text, "\\x%02x", (unsigned)(unsigned char)bytes[at]);
        at += size ? size : 1;
    }
    opcat_text_add_bytes(text, "", 0);
}
