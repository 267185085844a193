/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "cli.h"

static void print_usage(FILE *stream, const opcat_command *command)
{
    fprintf(stream, "usage: opcat [--catalog FILE] %s %s\n", command->name, command->synopsis);
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

int opcat_next_option(opcat_call *call, const struct option *options, int *exit)
{
    int option = getopt_long(call->argc, call->argv, ":h", options, NULL);
    switch (option) {
    case -1:
        return OPCAT_OPTION_END;
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
        *exit = opcat_usage_error(call, "a value is missing after '%s'", call->argv[optind - 1]);
        return OPCAT_OPTION_STOP;
    case '?':
        *exit = opcat_usage_error(call, "no option '%s'", call->argv[optind - 1]);
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
