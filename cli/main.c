/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/nearest.h"
#include "cli.h"

/* Commands in the order of the help. Another one is a file cmd_NAME.c, and a line here. */
static const opcat_command *const commands[] = {
    &opcat_cmd_import, &opcat_cmd_list, &opcat_cmd_show,  &opcat_cmd_infer, &opcat_cmd_resolve,
    &opcat_cmd_log,    &opcat_cmd_info, &opcat_cmd_check, &opcat_cmd_diff,  &opcat_cmd_export,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: opcat [--catalog FILE] COMMAND ...\n"
                    "\n"
                    "Op profiles of architecture families: import them from YAML, and ask for them.\n"
                    "\n"
                    "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n"
                    "Options:\n"
                    "  --catalog FILE  the catalog; without it, $OPCAT_CATALOG; without that, for commands that only\n"
                    "                  read, the installed one\n"
                    "  --help          this text; after a command, the command's\n"
                    "  --version       the version\n"
                    "\n"
                    "Exit status: 0 done; 1 refused, not found or failed; 2 the command line cannot be understood.\n"
                    "\n"
                    "Example:\n"
                    "  opcat --catalog profiles.db import op_profiles/\n"
                    "  opcat --catalog profiles.db show qwen3_5\n");
}

static int usage_error(const char *what, const char *word)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *meant = word ? opcat_nearest(word, names, COMMANDS) : NULL;
    if (meant)
        opcat_fail("%s '%s'; did you mean '%s'?", what, word, meant);
    else if (word)
        opcat_fail("%s '%s'", what, word);
    else
        opcat_fail("%s", what);
    fprintf(stderr, "usage: opcat [--catalog FILE] COMMAND ...; see opcat --help\n");
    return OPCAT_EXIT_USAGE;
}

static const opcat_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

/* "opcat help COMMAND" is "opcat COMMAND --help". */
static int run_help(int argc, char **argv)
{
    static char help_option[] = "--help";
    if (argc < 2) {
        print_help(stdout);
        return OPCAT_EXIT_DONE;
    }
    const opcat_command *command = find_command(argv[1]);
    if (!command)
        return usage_error("no command", argv[1]);
    char *words[] = {argv[1], help_option, NULL};
    opcat_call call = {.command = command, .argc = 2, .argv = words};
    return command->run(&call);
}

static int run_command(const char *catalog, int argc, char **argv, int *trouble)
{
    optind = 0; /* the command's own options are a list of their own */
    if (strcmp(argv[0], "help") == 0)
        return run_help(argc, argv);
    opcat_call call = {.command = find_command(argv[0]), .catalog = catalog, .argc = argc, .argv = argv};
    if (!call.command)
        return usage_error("no command", argv[0]);
    if (call.command->trouble)
        *trouble = call.command->trouble;
    return call.command->run(&call);
}

static int option_problem(int found, char **argv, const struct option *options)
{
    opcat_text text = {0};
    opcat_option_problem(&text, found, argv, options);
    int exit = usage_error(text.failed ? "out of memory" : text.bytes, NULL);
    free(text.bytes);
    return exit;
}

/* *trouble becomes the exit status of failures, where the command has one of its own. */
static int run(int argc, char **argv, int *trouble)
{
    static const struct option options[] = {{"catalog", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'v'},
                                            {NULL, 0, NULL, 0}};
    const char *catalog = NULL;
    opterr = 0;
    for (;;) {
        int option = getopt_long(argc, argv, "+:h", options, NULL);
        if (option == -1)
            break;
        switch (option) {
        case 'c':
            catalog = optarg;
            break;
        case 'h':
            print_help(stdout);
            return OPCAT_EXIT_DONE;
        case 'v':
            printf("opcat %s\n", opcat_version());
            return OPCAT_EXIT_DONE;
        default:
            return option_problem(option, argv, options);
        }
    }
    if (catalog && !*catalog)
        return usage_error("--catalog takes the name of a file, and it is empty", NULL);
    if (optind == argc)
        return usage_error("a command is missing", NULL);
    return run_command(catalog, argc - optind, argv + optind, trouble);
}

/* Write out what is left of standard output: 0, or the errno of what could not be written, now or earlier. */
static int finish_output(void)
{
    bool lost = ferror(stdout);
    if (fflush(stdout) != 0)
        return errno;
    /* Why the earlier writing failed is forgotten by now: another one tells. */
    if (lost)
        return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
    /* A file on a network may say only here that it is full; an output that was closed from the start took nothing. */
    return fclose(stdout) == 0 || errno == EBADF ? 0 : errno;
}

int main(int argc, char **argv)
{
    /* For the width of characters; everything else stays as in the C locale. */
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    /* Who reads the output may leave early, and a file may reach its limit: then writing fails, and that is said. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int trouble = OPCAT_EXIT_FAILED;
    int exit = run(argc, argv, &trouble);
    int error = finish_output();
    if (error && error != EPIPE)
        opcat_fail("cannot write the output: %s", strerror(error));
    return error && exit != OPCAT_EXIT_USAGE ? trouble : exit;
}
