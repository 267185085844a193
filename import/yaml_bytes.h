/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters may stand where in a YAML file, before and beside what libyaml makes of them. */
#ifndef OPCAT_YAML_BYTES_H
#define OPCAT_YAML_BYTES_H

#include "faults.h"

/* Stretches of a file, in characters from its start; in order. */
typedef struct opcat_span {
    size_t start;
    size_t end;
} opcat_span;

typedef struct opcat_spans {
    opcat_span *items;
    size_t count;
    size_t room;
} opcat_spans;

/* False where memory is out. */
bool opcat_spans_add(opcat_spans *spans, size_t start, size_t end);

/*
 * Whether all bytes are characters that YAML may hold, and no more lines open with % than a file may have: libyaml's
 * time grows with the square of the number of directives. Else say where the first is that is not.
 */
bool opcat_check_bytes(const char *file, const char *bytes, size_t length, opcat_faults *faults);

/*
 * Say where tabs stand between values or in plain ones: libyaml passes over some of them, PyYAML refuses all. They may
 * stand in `quoted` values and in comments.
 */
void opcat_check_tabs(const char *file, const char *bytes, size_t length, const opcat_spans *quoted,
                      opcat_faults *faults);

#endif
