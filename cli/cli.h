/* SPDX-License-Identifier: Apache-2.0 */
/* What the command's parts share. */
#ifndef OPCAT_CLI_H
#define OPCAT_CLI_H

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "../import/faults.h"
#include "../lib/opcat.h"
#include "../lib/text.h"

/* Exit statuses. */
enum { OPCAT_EXIT_DONE = 0, OPCAT_EXIT_FAILED = 1, OPCAT_EXIT_USAGE = 2 };

typedef struct opcat_command opcat_command;

/* What a command is run with. */
typedef struct opcat_call {
    const opcat_command *command;
    const char *catalog; /* of --catalog; NULL where it was not given */
    int argc;            /* the command's own words, its name first */
    char **argv;
} opcat_call;

/* One subcommand: cmd_NAME.c has it. */
struct opcat_command {
    const char *name;
    const char *synopsis; /* behind the name, in a usage line */
    const char *summary;  /* in the list of commands */
    const char *help;     /* after the synopsis, in --help */
    int trouble;          /* the exit status of what fails; 0 for OPCAT_EXIT_FAILED */
    bool names_catalogs;  /* as operands: --catalog is not for it */
    int (*run)(opcat_call *call);
};

extern const opcat_command opcat_cmd_import;
extern const opcat_command opcat_cmd_list;
extern const opcat_command opcat_cmd_show;
extern const opcat_command opcat_cmd_infer;
extern const opcat_command opcat_cmd_resolve;
extern const opcat_command opcat_cmd_log;
extern const opcat_command opcat_cmd_info;
extern const opcat_command opcat_cmd_check;
extern const opcat_command opcat_cmd_diff;
extern const opcat_command opcat_cmd_export;

/* ---- Options --------------------------------------------------------------------------------------------- */

/* What opcat_next_option() gives besides a command's own options. */
enum { OPCAT_OPTION_END = -1, OPCAT_OPTION_STOP = -2 };
/* Options that all commands have; a command's own come before them. */
#define OPCAT_COMMON_OPTIONS                                                     \
    {"catalog", required_argument, NULL, 'c'}, {"help", no_argument, NULL, 'h'}, \
    {                                                                            \
        NULL, 0, NULL, 0                                                         \
    }

/*
 * The next option of a command: the `val` of its own ones; OPCAT_OPTION_END where there are no more, and optind is at
 * the first operand; OPCAT_OPTION_STOP where the command is over (help was asked for, or an option is wrong): return
 * *exit.
 */
int opcat_next_option(opcat_call *call, const struct option *options, int *exit);
/*
 * Say what getopt_long(), which has just given ':' or '?', found wrong with the words; free the text. The options are
 * those that it was called with.
 */
void opcat_option_problem(opcat_text *text, int found, char **argv, const struct option *options);
/* Read the options of a command whose only own one is --json; false where the command is over with *exit. */
bool opcat_json_option(opcat_call *call, bool *json, int *exit);
/* Say what is wrong with the command line, and how the command is used; gives OPCAT_EXIT_USAGE. */
int opcat_usage_error(const opcat_call *call, const char *format, ...) OPCAT_PRINTF(2, 3);
/* The operands, of which there must be `least` to `most` (called `name`); false, and *exit is set, where not. */
bool opcat_operands(const opcat_call *call, int least, int most, const char *name, int *exit);

/* ---- Messages -------------------------------------------------------------------------------------------- */

/*
 * Print a part of a line. Control characters in it are escaped: what comes out of a catalog, a file or a command line
 * drives no terminal and begins no line of its own. `style` is one of those below, or "". False where memory ran out.
 */
bool opcat_print(FILE *stream, const char *style, const char *format, ...) OPCAT_PRINTF(3, 4);
/* As opcat_print(), and end the line. */
bool opcat_print_line(FILE *stream, const char *style, const char *format, ...) OPCAT_PRINTF(3, 4);
bool opcat_vprint(FILE *stream, const char *style, const char *format, va_list arguments) OPCAT_PRINTF(3, 0);
/* "opcat: MESSAGE" to standard error; gives OPCAT_EXIT_FAILED. */
int opcat_fail(const char *format, ...) OPCAT_PRINTF(1, 2);
/* The faults, each with its place, to standard error. */
void opcat_print_faults(const opcat_faults *faults);
/* Whether a stream may be coloured. */
bool opcat_colours(FILE *stream);
/* Bold, or back to normal, where `on`. */
const char *opcat_bold(bool on);
const char *opcat_red(bool on);
const char *opcat_dim(bool on);
const char *opcat_plain(bool on);

/* ---- The catalog ----------------------------------------------------------------------------------------- */

/* Open the catalog that a reading command reads; NULL where that fails, which is said. */
opcat_catalog *opcat_open_for(const opcat_call *call);

#endif
