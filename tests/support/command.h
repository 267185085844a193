/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the command: a folder with a catalog of the nine families, and what the command printed last. */
#ifndef OPCAT_TEST_COMMAND_H
#define OPCAT_TEST_COMMAND_H

#include "support.h"

#include <sqlite3.h>

typedef struct command {
    char *folder;
    char *catalog;
    sqlite3 *json; /* a database in memory, for its JSON functions */
    char *out;     /* what the last command printed */
    char *err;
    int status; /* and how it exited */
} command;

int command_set_up(void **state);
int command_tear_down(void **state);

/* Run a command line of the shell, in which $opcat is the command, $c the catalog and $d the folder. */
void run(command *self, const char *line);
/* The same, and it must exit with 0. */
void assert_done(command *self, const char *line);
/* An SQL expression over ?1, what the last command printed, is `expected`. */
void assert_json(command *self, const char *expression, const char *expected);

#endif
