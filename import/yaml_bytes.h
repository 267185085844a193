/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters may stand where in a YAML file, before and beside what libyaml makes of them. */
#ifndef OPCAT_YAML_BYTES_H
#define OPCAT_YAML_BYTES_H

#include "faults.h"

/* Where a scalar stands, with its tag and anchor: in characters from the start of the file. */
typedef struct opcat_span {
    size_t start;
    size_t end;
    bool plain; /* neither in quotes, nor literal or folded */
} opcat_span;

typedef struct opcat_spans {
    opcat_span *items;
    size_t count;
    size_t room;
} opcat_spans;

/* Add the next span. False where memory is out. */
bool opcat_spans_add(opcat_spans *spans, size_t start, size_t end, bool plain);

/*
 * Whether all bytes are characters that YAML may hold, and no more lines open with % than a file may have: libyaml's
 * time grows with the square of the number of directives. Else say where the first is that is not.
 */
bool opcat_check_bytes(const char *file, const char *bytes, size_t length, opcat_faults *faults);

/*
 * Say where tabs stand between values or in plain ones: libyaml passes over some of them, PyYAML refuses all. They may
 * stand in comments and in the text of other `scalars`, which are all of the file.
 */
void opcat_check_tabs(const char *file, const char *bytes, size_t length, const opcat_spans *scalars,
                      opcat_faults *faults);

#endif
