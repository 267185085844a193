/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"

bool opcat_spans_add(opcat_spans *spans, size_t start, size_t end, bool plain)
{
    if (spans->count == spans->room) {
        size_t room = spans->room ? spans->room * 2 : 16;
        opcat_span *items = realloc(spans->items, room * sizeof *items);
        if (!items)
            return false;
        spans->items = items;
        spans->room = room;
    }
    spans->items[spans->count++] = (opcat_span){start, end, plain};
    return true;
}

static bool is_printable(unsigned code)
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0x7f) || code == 0x85 ||
           (code >= 0xa0 && code != 0xfffe && code != 0xffff);
}

/* The place behind a character, which `following` follows. */
static opcat_place next_place(opcat_place place, unsigned code, char following)
{
    bool line_end = code == '\n' || (code == '\r' && following != '\n');
    return line_end ? (opcat_place){place.line + 1, 1} : (opcat_place){place.line, place.column + 1};
}

enum { MAX_DIRECTIVES = 100 };

bool opcat_check_bytes(const char *file, const char *bytes, size_t length, opcat_faults *faults)
{
    opcat_place place = {1, 1};
    size_t directives = 0;
    for (size_t at = 0; at < length;) {
        unsigned code = 0;
        /* Nearly every byte is printable ASCII. */
        if (bytes[at] >= ' ' && bytes[at] < 0x7f && bytes[at] != '%') {
            at++;
            place.column++;
            continue;
        }
        size_t size = opcat_utf8_character(bytes + at, length - at, &code);
        if (size == 0) {
            opcat_faults_add(faults, file, place, "not UTF-8: the byte 0x%02x cannot stand here",
                             (unsigned)(unsigned char)bytes[at]);
            return false;
        }
        if (!is_printable(code)) {
            opcat_faults_add(faults, file, place, "not YAML: the control character U+%04X cannot stand in a file",
                             code);
            return false;
        }
        /* The one that opens a file is not among these bytes; libyaml would pass over one that opens a line. */
        if (code == 0xfeff && place.column == 1) {
            opcat_faults_add(faults, file, place, "not YAML: a byte order mark can only open the file");
            return false;
        }
        if (code == '%' && place.column == 1 && directives++ >= MAX_DIRECTIVES) {
            opcat_faults_add(faults, file, place, "the file has more lines that open with %% than a file may, %d",
                             (int)MAX_DIRECTIVES);
            return false;
        }
        at += size;
        place = next_place(place, code, at < length ? bytes[at] : '\0');
    }
    return true;
}

/* How far a scalar has been read. */
typedef enum progress {
    BEFORE, /* among its tag and anchor, or in no scalar */
    HEADER, /* in the line that opens a literal or folded one */
    TEXT
} progress;

/* What the next character makes of it. `word`: the character opens a word, and no comment. */
static progress advance(progress now, unsigned code, bool word, bool line_end)
{
    if (now == HEADER)
        return line_end ? TEXT : HEADER;
    if (now == TEXT || !word || code == '!' || code == '&')
        return now;
    return code == '|' || code == '>' ? HEADER : TEXT;
}

void opcat_check_tabs(const char *file, const char *bytes, size_t length, const opcat_spans *scalars,
                      opcat_faults *faults)
{
    opcat_place place = {1, 1};
    size_t next = 0;
    size_t index = 0;
    progress reached = BEFORE;
    bool comment = false;
    bool apart = true; /* behind white space */
    for (size_t at = 0; at < length; index++) {
        unsigned code = 0;
        at += opcat_utf8_character(bytes + at, length - at, &code);
        for (; next < scalars->count && scalars->items[next].end <= index; next++)
            reached = BEFORE;
        const opcat_span *scalar =
            next < scalars->count && scalars->items[next].start <= index ? &scalars->items[next] : NULL;
        bool line_end = code == '\n' || code == '\r';
        bool space = line_end || code == ' ' || code == '\t';
        comment = !line_end && reached != TEXT && (comment || code == '#');
        if (code == '\t' && !comment && (reached != TEXT || scalar->plain))
            opcat_faults_add(faults, file, place, "not YAML: a tab cannot stand here; use spaces");
        if (scalar && !comment)
            reached = advance(reached, code, !space && (apart || index == scalar->start), line_end);
        apart = space;
        place = next_place(place, code, at < length ? bytes[at] : '\0');
    }
}
