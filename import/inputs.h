/* SPDX-License-Identifier: Apache-2.0 */
/* What the paths of an import name: profile files by family, and files of naming rules. */
#ifndef OPCAT_INPUTS_H
#define OPCAT_INPUTS_H

#include "faults.h"

typedef struct opcat_input {
    char *path; /* as messages say it */
    char *arch; /* NULL for naming rules */
} opcat_input;

typedef struct opcat_input_list {
    opcat_input *items;
    size_t count;
    size_t room;
} opcat_input_list;

typedef struct opcat_inputs {
    opcat_input_list profiles; /* sorted by arch, each family once */
    opcat_input_list rules;    /* in the order of the paths */
} opcat_inputs;

/*
 * Find out what `count` paths name. What is wrong with them goes to the faults (no such path, a folder that gives
 * nothing, a path given twice, two files for one family, a file that cannot name a family); what is right is gathered
 * all the same. Free with opcat_inputs_free().
 */
void opcat_inputs_gather(opcat_inputs *inputs, const char *const *paths, size_t count, opcat_faults *faults);
/* The input of a family, or NULL. */
const opcat_input *opcat_inputs_find(const opcat_inputs *inputs, const char *arch);
void opcat_inputs_free(opcat_inputs *inputs);

#endif
