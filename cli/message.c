/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int opcat_fail(const char *format, ...)
{
    va_list arguments;
    fputs("opcat: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments); /* NOLINT: the analyzer does not know va_start() */
    va_end(arguments);
    fputc('\n', stderr);
    return OPCAT_EXIT_FAILED;
}

bool opcat_colours(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *opcat_bold(bool on)
{
    return on ? "\x1b[1m" : "";
}

const char *opcat_red(bool on)
{
    return on ? "\x1b[1;31m" : "";
}

const char *opcat_dim(bool on)
{
    return on ? "\x1b[2m" : "";
}

const char *opcat_plain(bool on)
{
    return on ? "\x1b[0m" : "";
}

void opcat_print_faults(const opcat_faults *faults)
{
    bool colours = opcat_colours(stderr);
    for (size_t i = 0; i < faults->count; i++) {
        const opcat_fault *fault = &faults->items[i];
        fprintf(stderr, "%s%s:", opcat_bold(colours), fault->file);
        if (fault->place.line)
            fprintf(stderr, "%zu:%zu:", fault->place.line, fault->place.column);
        fprintf(stderr, " %serror:%s %s\n", opcat_red(colours), opcat_plain(colours), fault->text);
    }
    if (faults->out_of_memory)
        opcat_fail("out of memory");
}

static void warn(void *context, const char *message)
{
    (void)context;
    fprintf(stderr, "opcat: warning: %s\n", message);
}

opcat_catalog *opcat_open_for(const opcat_call *call)
{
    opcat_catalog *catalog = NULL;
    opcat_status status = opcat_open(call->catalog, 0, &catalog);
    if (status == OPCAT_OK) {
        opcat_set_logger(catalog, warn, NULL);
        return catalog;
    }
    opcat_fail("%s", opcat_errmsg(catalog));
    opcat_close(catalog);
    return NULL;
}
