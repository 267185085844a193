/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the input: every fault of every file, each with its place, gathered before any is said. */
#ifndef OPCAT_FAULTS_H
#define OPCAT_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/compiler.h"

/* Counted from 1, columns in characters; line 0 where the whole file is meant. */
typedef struct opcat_place {
    size_t line;
    size_t column;
} opcat_place;

typedef struct opcat_fault {
    char *file; /* as the user named it */
    opcat_place place;
    char *text;
} opcat_fault;

typedef struct opcat_faults {
    opcat_fault *items;
    size_t count;
    size_t room;
    bool out_of_memory;  /* a fault could not be kept: report that instead */
    size_t of_last_file; /* how many of the last are of one file */
} opcat_faults;

/* So many faults of one file are kept; a last one says that there are more. */
enum { OPCAT_FAULTS_OF_A_FILE = 1000 };

/* Add a fault; the text is formatted, and everything is copied. */
void opcat_faults_add(opcat_faults *faults, const char *file, opcat_place place, const char *format, ...)
    OPCAT_PRINTF(4, 5);
/* Add that a file cannot be read, for the reason that errno is; no memory is no fault of the file. */
void opcat_faults_add_unreadable(opcat_faults *faults, const char *file);
/* Whether a file has as many faults as are kept: no more need be looked for. */
bool opcat_faults_enough(const opcat_faults *faults, const char *file);
/* Add all of `from`, which are of a file of their own, and leave that empty. */
void opcat_faults_move(opcat_faults *faults, opcat_faults *from);
/* Put the faults from the `first`th on in the order of their files' names, and of a file in that of their places. */
void opcat_faults_sort(opcat_faults *faults, size_t first);
/* Drop all faults from the `count`th on. */
void opcat_faults_truncate(opcat_faults *faults, size_t count);
/* The number of different files among the faults. */
size_t opcat_faults_files(const opcat_faults *faults);
void opcat_faults_free(opcat_faults *faults);

#endif
