/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_usage(FILE *stream, const opcat_command *command)
{
    fprintf(stream, "usage: opcat %s%s %s\n", command->names_catalogs ? "" : "[--catalog FILE] ", command->name,
            command->synopsis);
}

int opcat_usage_error(const opcat_call *call, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "opcat %s: ", call->command->name);
    va_start(arguments, format);
    opcat_vprint(stderr, "", format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    print_usage(stderr, call->command);
    return OPCAT_EXIT_USAGE;
}

static void print_help(const opcat_command *command)
{
    print_usage(stdout, command);
    printf("\n%s", command->help);
}

/* Whether getopt_long() stumbled over a long option that it knows: then optopt is what that one gives. */
static bool is_known(const char *word, const struct option *options)
{
    if (strncmp(word, "--", 2) != 0)
        return false;
    for (; options->name; options++) {
        if (options->val == optopt)
            return true;
    }
    return false;
}

void opcat_option_problem(opcat_text *text, int found, char **argv, const struct option *options)
{
    const char *word = argv[optind - 1];
    if (found == ':')
        opcat_text_add(text, "a value is missing after '%s'", word);
    else if (optopt && is_known(word, options))
        opcat_text_add(text, "'%.*s' takes no value", (int)strcspn(word, "="), word);
    else if (optopt)
        opcat_text_add(text, "no option '-%c'", optopt); /* a letter, maybe amid others */
    else
        opcat_text_add(text, "no option '%s'", word);
}

static int option_problem(const opcat_call *call, int found, const struct option *options)
{
    opcat_text text = {0};
    opcat_option_problem(&text, found, call->argv, options);
    int exit = opcat_usage_error(call, "%s", text.failed ? "out of memory" : text.bytes);
    free(text.bytes);
    return exit;
}

int opcat_next_option(opcat_call *call, const struct option *options, int *exit)
{
    int option = getopt_long(call->argc, call->argv, ":h", options, NULL);
    switch (option) {
    case -1:
        if (!call->catalog || !call->command->names_catalogs)
            return OPCAT_OPTION_END;
        *exit = opcat_usage_error(call, "--catalog is not for this command: its operands name the catalogs");
        return OPCAT_OPTION_STOP;
    case 'c':
        call->catalog = optarg;
        if (*optarg)
            return opcat_next_option(call, options, exit);
        *exit = opcat_usage_error(call, "--catalog takes the name of a file, and it is empty");
        return OPCAT_OPTION_STOP;
    case 'h':
        print_help(call->command);
        *exit = OPCAT_EXIT_DONE;
        return OPCAT_OPTION_STOP;
    case ':':
    case '?':
        *exit = option_problem(call, option, options);
        return OPCAT_OPTION_STOP;
    default:
        return option;
    }
}

bool opcat_json_option(opcat_call *call, bool *json, int *exit)
{
    enum { OPTION_JSON = 1 };
    static const struct option options[] = {{"json", no_argument, NULL, OPTION_JSON}, OPCAT_COMMON_OPTIONS};
    *json = false;
    for (int option; (option = opcat_next_option(call, options, exit)) != OPCAT_OPTION_END;) {
        if (option == OPCAT_OPTION_STOP)
            return false;
        *json = true;
    }
    return true;
}

bool opcat_operands(const opcat_call *call, int least, int most, const char *name, int *exit)
{
    int count = call->argc - optind;
    if (count >= least && count <= most)
        return true;
    if (count < least)
        *exit = opcat_usage_error(call, "%s is missing", name);
    else
        *exit = opcat_usage_error(call, "one %s too many: '%s'", name, call->argv[optind + most]);
    return false;
}
